import { createRemoteJWKSet, customFetch as joseFetch, jwtVerify } from "jose";
import * as client from "openid-client";
import { describe, expect, it } from "vitest";
import { ALGORITHMS } from "../../../src/languages/jws/algorithms.ts";
import { lastRequest } from "../../support/journal.ts";
import { LoginWorld, REDIRECT, type Registered } from "../../support/oidc.ts";
import { reach } from "../transports.ts";

// A real client, whose fetch is the simulator's and whose clock is off by what the virtual one is ahead.

type Fetch = NonNullable<client.DiscoveryRequestOptions[typeof client.customFetch]>;

/** `client_secret_basic` as the service reads it: the raw texts around the colon (decisions-oidc.md, 11). */
const rawBasic =
  (secret: string): client.ClientAuth =>
  (_as, { client_id }, _body, headers) => {
    headers.set("authorization", `Basic ${btoa(`${client_id}:${secret}`)}`);
  };

async function configured(
  world: LoginWorld,
  { client_id, client_secret = "" }: Registered,
  auth = client.ClientSecretPost(client_secret),
  fetch: Fetch = world.sim.fetch as Fetch,
  aheadSeconds = 0,
): Promise<client.Configuration> {
  const issuer = new URL(world.oidc.configuration({ name: "default" }).issuer);
  const skew = { [client.clockSkew]: Math.round((world.sim.clock.now() - Date.now()) / 1000) + aheadSeconds };
  const config = await client.discovery(issuer, client_id, skew, auth, { [client.customFetch]: fetch });
  client.enableNonRepudiationChecks(config);
  return config;
}

interface Flow {
  readonly pkce?: "S256" | "plain" | "none";
  readonly expectedNonce?: string;
  readonly scope?: string;
}

/** The whole flow: to the authorization page, back with a code, and to the token endpoint. */
async function login(world: LoginWorld, config: client.Configuration, flow: Flow = {}) {
  const { pkce = "S256", expectedNonce = "n-1", scope = "openid" } = flow;
  const verifier = client.randomPKCECodeVerifier();
  const challenge = pkce === "S256" ? await client.calculatePKCECodeChallenge(verifier) : verifier;
  const page = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope,
    nonce: "n-1",
    state: "s-1",
    ...(pkce === "none" ? {} : { code_challenge: challenge, code_challenge_method: pkce }),
  });
  const response = await reach(world.sim)(page, {
    headers: { "X-Secrets-Token": world.annsToken },
    redirect: "manual",
  });
  expect(response.status).toBe(302);
  expect(await response.text()).toBe("");
  const callback = new URL(response.headers.get("Location") ?? "");
  return client.authorizationCodeGrant(config, callback, {
    expectedNonce,
    expectedState: "s-1",
    ...(pkce === "none" ? {} : { pkceCodeVerifier: verifier }),
  });
}

describe("openid-client", () => {
  it.each([
    ["client_secret_post", "confidential", (secret: string) => client.ClientSecretPost(secret)],
    ["client_secret_basic", "confidential", rawBasic],
    ["none", "public", () => client.None()],
  ] as const)("logs in with %s and PKCE of both methods, and reads userinfo", async (_, client_type, auth) => {
    const world = new LoginWorld();
    world.oidc.scopes.write({ name: "team", template: '{"team": {{identity.entity.metadata.team}}}' });
    world.oidc.providers.write({ name: "default", scopes_supported: ["team"] });
    const registered = world.register("app", { client_type });
    const config = await configured(world, registered, auth(registered.client_secret ?? ""));
    for (const pkce of ["S256", "plain"] as const) {
      const tokens = await login(world, config, { pkce, scope: "openid team" });
      expect(tokens.claims()).toMatchObject({ sub: world.ann, nonce: "n-1", team: "ops", namespace: "root" });
      const info = await client.fetchUserInfo(config, tokens.access_token, world.ann);
      expect(info).toEqual({ sub: world.ann, team: "ops" });
    }
  });

  it("is refused where it encodes its secret in percents, as by the real service", async () => {
    const world = new LoginWorld();
    const registered = world.register();
    const config = await configured(world, registered, client.ClientSecretBasic(registered.client_secret));
    // Two refusals in one: the status, and the challenge that comes with it.
    await expect(login(world, config)).rejects.toThrow();
    expect(lastRequest(world.sim)).toMatchObject({ response: { status: 401 }, refusal: { code: "invalid_client" } });
  });

  it.each(ALGORITHMS)("verifies tokens of %s with the published keys, and so does jose", async (algorithm) => {
    const world = new LoginWorld();
    world.oidc.keys.write({ name: "own", algorithm, allowed_client_ids: ["*"] });
    const registered = world.register("app", { key: "own" });
    const config = await configured(world, registered);
    const { id_token = "" } = await login(world, config);
    const metadata = config.serverMetadata();
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri ?? ""), { [joseFetch]: world.sim.fetch });
    const verified = await jwtVerify(id_token, keys, {
      currentDate: new Date(world.sim.clock.now()),
      issuer: metadata.issuer,
      audience: registered.client_id,
    });
    expect(verified.protectedHeader.alg).toBe(algorithm);
    const late = new Date(world.sim.clock.now() + 86_400_000);
    await expect(jwtVerify(id_token, keys, { currentDate: late })).rejects.toThrow('"exp"');
  });

  it("refuses a nonce that is not its own", async () => {
    const world = new LoginWorld();
    const config = await configured(world, world.register());
    await expect(login(world, config, { expectedNonce: "n-2" })).rejects.toThrow();
  });

  it("refuses a token that has expired", async () => {
    const world = new LoginWorld();
    const registered = world.register("app", { id_token_ttl: "1h" });
    const late = await configured(world, registered, undefined, undefined, 3_600 + 60);
    await expect(login(world, late)).rejects.toThrow();
    const config = await configured(world, registered, undefined, undefined, 3_600 - 60);
    await expect(login(world, config)).resolves.toMatchObject({ token_type: "bearer" });
  });

  it("refuses a token whose key was rotated out before it looked", async () => {
    const world = new LoginWorld();
    world.oidc.keys.write({ name: "own", algorithm: "ES256", allowed_client_ids: ["*"] });
    const registered = world.register("app", { key: "own" });
    const rotating: Fetch = async (url, init) => {
      const response = await reach(world.sim)(url, init as RequestInit);
      if (new URL(url).pathname.endsWith("/token")) world.oidc.keys.rotate({ name: "own", verification_ttl: 0 });
      return response;
    };
    const config = await configured(world, registered, undefined, rotating);
    await expect(login(world, config)).rejects.toThrow();
    const steady = await configured(world, registered);
    await expect(login(world, steady)).resolves.toMatchObject({ token_type: "bearer" });
  });
});
