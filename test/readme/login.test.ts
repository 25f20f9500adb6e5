import { createSimulator } from "hindcast";
import * as client from "openid-client";
import { expect, test } from "vitest";

test("ann logs in, and her token is refused a day later", async () => {
  const sim = createSimulator({ seed: 7 });
  const main = sim.secrets.cluster("main");
  const { oidc } = main.as(main.rootToken);
  const ann = main.createEntity({ name: "ann" });
  const { token } = main.createToken({ policies: [], entityId: ann.id });
  const redirect_uri = "https://app.test/callback";
  oidc.clients.write({ name: "app", redirect_uris: [redirect_uri], assignments: ["allow_all"], id_token_ttl: "1h" });
  const { client_id, client_secret } = oidc.clients.read({ name: "app" }).data;

  const issuer = new URL(oidc.configuration({ name: "default" }).issuer);
  const options = { [client.customFetch]: sim.fetch as client.CustomFetch };
  const skew = { [client.clockSkew]: Math.round((sim.clock.now() - Date.now()) / 1000) };
  const config = await client.discovery(issuer, client_id, skew, client.ClientSecretPost(client_secret), options);

  const nonce = client.randomNonce();
  const page = client.buildAuthorizationUrl(config, { redirect_uri, scope: "openid", nonce, state: "s" });
  const sentBack = await sim.fetch(page, { headers: { "X-Secrets-Token": token }, redirect: "manual" });
  const callback = new URL(sentBack.headers.get("Location") ?? "");
  const checks = { expectedNonce: nonce, expectedState: "s" };
  const tokens = await client.authorizationCodeGrant(config, callback, checks);
  expect(tokens.claims()).toMatchObject({ sub: ann.id, aud: client_id });
  expect(await client.fetchUserInfo(config, tokens.access_token, ann.id)).toEqual({ sub: ann.id });

  sim.clock.advance("1d");
  await expect(client.fetchUserInfo(config, tokens.access_token, ann.id)).rejects.toThrow();
});
