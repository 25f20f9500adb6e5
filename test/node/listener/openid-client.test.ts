import { once } from "node:events";
import https from "node:https";
import { type AddressInfo, createServer } from "node:net";
import axios from "axios";
import * as client from "openid-client";
import { afterEach, describe, expect, test } from "vitest";
import { type Listener, listen } from "../../../src/node/index.ts";
import { LoginWorld, REDIRECT } from "../../support/oidc.ts";

type Fetch = NonNullable<client.DiscoveryRequestOptions[typeof client.customFetch]>;

/** A world that is served, with an issuer that a client reaches, and how it fetches. */
interface Served {
  readonly world: LoginWorld;
  readonly server: Listener;
  readonly fetch: Fetch;
}

const servers: Listener[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const ownFetch: Fetch = (url, init) => fetch(url, init as RequestInit);

/** A client that trusts one certificate. */
const trusting =
  (ca: string): Fetch =>
  async (url, { method, headers, body }) => {
    const {
      status,
      data,
      headers: answered,
    } = await axios.request<string>({
      url,
      method,
      headers,
      data: body instanceof URLSearchParams ? body.toString() : body,
      httpsAgent: new https.Agent({ ca }),
      transformResponse: (text: string) => text,
      maxRedirects: 0,
      validateStatus: () => true,
    });
    return new Response(data, { status, headers: Object.entries(answered).map(([name, value]) => [name, `${value}`]) });
  };

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

const WAYS: { readonly [way: string]: () => Promise<Served> } = {
  "an issuer that is set": async () => {
    const world = new LoginWorld();
    const server = await listen(world.sim, { secrets: 0 });
    world.oidc.providers.write({ name: "default", issuer: server.urls.secrets["main"] ?? "" });
    return { world, server, fetch: ownFetch };
  },
  "a cluster whose URL is where it is served": async () => {
    const port = await freePort();
    const world = new LoginWorld(5, { secrets: { url: () => `http://127.0.0.1:${port}` } });
    return { world, server: await listen(world.sim, { secrets: port }), fetch: ownFetch };
  },
  "a free port that is advertised": async () => {
    const world = new LoginWorld();
    return { world, server: await listen(world.sim, { secrets: 0, advertise: true }), fetch: ownFetch };
  },
  "one port for all that is advertised": async () => {
    const world = new LoginWorld();
    return { world, server: await listen(world.sim, { advertise: true }), fetch: ownFetch };
  },
  HTTPS: async () => {
    const world = new LoginWorld();
    const server = await listen(world.sim, { secrets: 0, tls: true });
    world.oidc.providers.write({ name: "default", issuer: server.urls.secrets["main"] ?? "" });
    return { world, server, fetch: trusting(server.certificate ?? "") };
  },
};

async function prepared(way: string): Promise<Served & { readonly config: client.Configuration }> {
  const served = await (WAYS[way] as () => Promise<Served>)();
  const { world, server, fetch: fetching } = served;
  servers.push(server);
  world.oidc.scopes.write({ name: "team", template: '{"team": {{identity.entity.metadata.team}}}' });
  const { issuer } = world.oidc.configuration({ name: "default" });
  world.oidc.providers.write({ name: "default", scopes_supported: ["team"] });
  expect(issuer).toMatch(new RegExp(`^${server.urls.secrets["main"]}/`));
  const { client_id, client_secret = "" } = world.register();
  // Its own clock is the real one.
  const skew = { [client.clockSkew]: Math.round((world.sim.clock.now() - Date.now()) / 1000) };
  const config = await client.discovery(new URL(issuer), client_id, skew, client.ClientSecretPost(client_secret), {
    [client.customFetch]: fetching,
    execute: [client.allowInsecureRequests],
  });
  client.enableNonRepudiationChecks(config);
  return { ...served, config };
}

describe.each(Object.keys(WAYS))("openid-client over the listener: %s", (way) => {
  const tried = async (verifierOf: (verifier: string) => string) => {
    const { world, config, fetch: fetching } = await prepared(way);
    const verifier = client.randomPKCECodeVerifier();
    const page = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope: "openid team",
      state: "s-1",
      nonce: "n-1",
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    const sent = { method: "GET", headers: { "X-Secrets-Token": world.annsToken }, body: undefined };
    const response = await fetching(page.href, { ...sent, redirect: "manual" });
    expect(response.status).toBe(302);
    const callback = new URL(response.headers.get("Location") ?? "");
    expect(callback.origin + callback.pathname).toBe(REDIRECT);
    const checks = { expectedNonce: "n-1", expectedState: "s-1", pkceCodeVerifier: verifierOf(verifier) };
    return { world, config, tokens: await client.authorizationCodeGrant(config, callback, checks) };
  };

  test("finds the endpoints, logs in with PKCE S256, verifies the signature, and reads userinfo", async () => {
    const { world, config, tokens } = await tried((verifier) => verifier);
    expect(tokens.claims()).toMatchObject({ sub: world.ann, nonce: "n-1", team: "ops" });
    expect(await client.fetchUserInfo(config, tokens.access_token, world.ann)).toEqual({ sub: world.ann, team: "ops" });
    await expect(client.fetchUserInfo(config, "made-up", world.ann)).rejects.toThrow();
  });

  test("is refused with another verifier", async () => {
    await expect(tried(() => client.randomPKCECodeVerifier())).rejects.toMatchObject({ error: "invalid_grant" });
  });
});
