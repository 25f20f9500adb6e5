import { describe, expect, it } from "vitest";
import { type Answer, decoded, LoginWorld, REDIRECT } from "../../support/oidc.ts";

// decisions-oidc.md, 16 "Easily missed": every row, by its number, over HTTP.

const oauth = (status: number, error: string): object => ({ status, body: expect.objectContaining({ error }) });
const shown = ({ status, body }: Answer): object => ({ status, body });
const NOT_FOUND = { status: 404, body: { errors: [] } };
const DENIED = { status: 403, body: { errors: [expect.stringContaining("permission denied")] } };

/** A provider that lists scopes with these templates. */
function withScopes(world: LoginWorld, templates: Readonly<Record<string, string>>): void {
  for (const [name, template] of Object.entries(templates)) world.oidc.scopes.write({ name, template });
  world.oidc.providers.write({ name: "default", scopes_supported: Object.keys(templates) });
}

describe("easily missed of the OIDC provider", () => {
  it("1: a provider write with an issuer is 200 with one warning, also when the issuer is not mentioned", async () => {
    const world = new LoginWorld();
    const first = await world.configure("POST", "provider/p", { issuer: "https://issuer.test:8443" });
    expect(shown(first)).toMatchObject({ status: 200, body: { data: null, warnings: [expect.any(String)] } });
    const again = await world.configure("POST", "provider/p", { allowed_client_ids: ["*"] });
    expect(shown(again)).toMatchObject({ status: 200, body: { warnings: [expect.any(String)] } });
    expect((await world.configure("POST", "provider/p", { issuer: "" })).status).toBe(204);
  });

  it("2: at the start LIST of scopes and clients is 404, of providers, keys and assignments 200", async () => {
    const world = new LoginWorld();
    for (const kind of ["scope", "client"]) expect(shown(await world.configure("LIST", kind))).toEqual(NOT_FOUND);
    for (const [kind, name] of [
      ["provider", "default"],
      ["key", "default"],
      ["assignment", "allow_all"],
    ] as const) {
      expect(shown(await world.configure("LIST", kind))).toMatchObject({
        status: 200,
        body: { data: { keys: [name] } },
      });
    }
  });

  it("3: DELETE of what is missing is 204, but to rotate a missing key is 400", async () => {
    const world = new LoginWorld();
    for (const kind of ["scope", "client", "key", "assignment", "provider"]) {
      expect((await world.configure("DELETE", `${kind}/none`)).status).toBe(204);
    }
    expect((await world.configure("POST", "key/none/rotate")).status).toBe(400);
  });

  it("4: lists of providers, clients and assignments are sorted, without empty and repeated items", async () => {
    const world = new LoginWorld();
    world.register("app", { redirect_uris: ["b", "a", "b", ""], assignments: [" allow_all ", ""] });
    expect((await world.configure("GET", "client/app")).body["data"]).toMatchObject({
      redirect_uris: ["a", "b"],
      assignments: ["allow_all"],
    });
    await world.configure("POST", "provider/p", { allowed_client_ids: "z, b,,b" });
    expect((await world.configure("GET", "provider/p")).body["data"]).toMatchObject({ allowed_client_ids: ["b", "z"] });
    await world.configure("POST", "assignment/a", { entity_ids: ["2", "1", "2"], group_ids: "g,f" });
    expect((await world.configure("GET", "assignment/a")).body["data"]).toEqual({
      entity_ids: ["1", "2"],
      group_ids: ["f", "g"],
    });
  });

  it("5: a custom assignment with * admits nobody", async () => {
    const world = new LoginWorld();
    world.oidc.assignments.write({ name: "stars", entity_ids: ["*"], group_ids: ["*"] });
    const client = world.register("app", { assignments: ["stars"] });
    expect(shown(await world.authorize(client))).toMatchObject(oauth(400, "access_denied"));
  });

  it("6: an id_token_ttl may equal the verification_ttl of the key and not pass it", async () => {
    const world = new LoginWorld();
    expect((await world.configure("POST", "client/app", {})).status).toBe(204);
    expect((await world.configure("POST", "client/app", { id_token_ttl: 86_401 })).status).toBe(400);
    world.oidc.keys.write({ name: "short", verification_ttl: "1h" });
    expect((await world.configure("POST", "client/b", { key: "short" })).status).toBe(400);
    expect((await world.configure("POST", "client/b", { key: "short", id_token_ttl: "1h" })).status).toBe(204);
  });

  it("7: a custom key allows no client: the token endpoint is 401, and the code is still good", async () => {
    const world = new LoginWorld();
    world.oidc.keys.write({ name: "own", algorithm: "ES256" });
    const client = world.register("app", { key: "own" });
    const code = await world.code(client);
    expect(shown(await world.exchange(client, code))).toMatchObject(oauth(401, "invalid_client"));
    world.oidc.keys.write({ name: "own", allowed_client_ids: [client.client_id] });
    expect((await world.exchange(client, code)).status).toBe(200);
  });

  it("8: keys and providers allow clients by their ids, not by their names", async () => {
    const world = new LoginWorld();
    world.oidc.keys.write({ name: "own", allowed_client_ids: ["app"] });
    const client = world.register("app", { key: "own" });
    world.oidc.providers.write({ name: "p", allowed_client_ids: ["app"] });
    expect(shown(await world.authorize(client, {}, world.annsToken, "p"))).toMatchObject(
      oauth(400, "unauthorized_client"),
    );
    expect((await world.exchange(client, await world.code(client))).status).toBe(401);
  });

  it("9: authorize for an unknown provider is invalid_request, and with an unknown client invalid_client_id", async () => {
    const world = new LoginWorld();
    const client = world.register();
    expect(shown(await world.authorize(client, {}, world.root, "none"))).toMatchObject(oauth(400, "invalid_request"));
    const unknown = { client_id: "nobody" };
    expect(shown(await world.authorize(unknown, {}, world.root, "none"))).toMatchObject(
      oauth(400, "invalid_client_id"),
    );
  });

  it("10: the root token cannot authorize", async () => {
    const world = new LoginWorld();
    expect(shown(await world.authorize(world.register(), {}, world.root))).toMatchObject(oauth(400, "access_denied"));
  });

  it("11: request and request_uri are answered with an empty state, before the scope is looked at", async () => {
    const world = new LoginWorld();
    const client = world.register();
    for (const name of ["request", "request_uri"]) {
      const { status, body } = await world.authorize(client, { [name]: "", state: "s", scope: "profile" });
      expect({ status, body }).toEqual({
        status: 400,
        body: { error: `${name}_not_supported`, error_description: expect.any(String), state: "" },
      });
    }
  });

  it("12: max_age 0 is refused, an age equal to it passes, and auth_time is there only with it", async () => {
    const world = new LoginWorld();
    const client = world.register();
    expect(shown(await world.authorize(client, { max_age: 0 }))).toMatchObject(oauth(400, "invalid_request"));
    world.sim.clock.advance("60s");
    const { id_token } = await world.login(client, { max_age: 60 });
    const createdAt = Math.floor(world.sim.clock.now() / 1000) - 60;
    expect(decoded(id_token).claims["auth_time"]).toBe(createdAt);
    expect(decoded((await world.login(client)).id_token).claims).not.toHaveProperty("auth_time");
    world.sim.clock.advance("1s");
    expect(shown(await world.authorize(client, { max_age: 60 }))).toMatchObject(oauth(400, "max_age_violation"));
  });

  it("13: scopes that are unknown or not listed are dropped; OpenID is not openid", async () => {
    const world = new LoginWorld();
    withScopes(world, { team: '{"team": {{identity.entity.metadata.team}}}' });
    world.oidc.scopes.write({ name: "unlisted", template: '{"name": {{identity.entity.name}}}' });
    const client = world.register();
    const { id_token } = await world.login(client, { scope: "openid team none unlisted team" });
    expect(decoded(id_token).claims).toMatchObject({ team: "ops" });
    expect(decoded(id_token).claims).not.toHaveProperty("name");
    expect(shown(await world.authorize(client, { scope: "OpenID" }))).toMatchObject(oauth(400, "invalid_request"));
  });

  it.each([
    ["another client", (_: LoginWorld) => ({}), "other", "invalid_grant"],
    ["a wrong redirect_uri", () => ({ redirect_uri: "https://elsewhere.test" }), "app", "invalid_grant"],
    ["a wrong verifier", () => ({ code_verifier: "wrong" }), "app", "invalid_grant"],
  ] as const)("14: a code tried with %s is spent", async (_, fields, by, error) => {
    const world = new LoginWorld();
    const clients = { app: world.register("app"), other: world.register("other") };
    const verifier = "v".repeat(43);
    const code = await world.code(clients.app, { code_challenge: verifier });
    const right = { code_verifier: verifier };
    expect(shown(await world.exchange(clients[by], code, { ...right, ...fields(world) }))).toMatchObject(
      oauth(400, error),
    );
    expect(shown(await world.exchange(clients.app, code, right))).toMatchObject(oauth(400, "invalid_grant"));
  });

  it("14: a wrong client secret does not spend the code", async () => {
    const world = new LoginWorld();
    const client = world.register();
    const code = await world.code(client);
    expect((await world.exchange(client, code, { client_secret: "wrong" })).status).toBe(401);
    expect((await world.exchange(client, code)).status).toBe(200);
  });

  it("15: a verifier without PKCE and a missing one are invalid_request, a wrong one is invalid_grant", async () => {
    const world = new LoginWorld();
    const client = world.register();
    const challenge = { code_challenge: "c".repeat(43) };
    const tries = [
      [{}, { code_verifier: "x" }, "invalid_request"],
      [challenge, {}, "invalid_request"],
      [challenge, { code_verifier: "x" }, "invalid_grant"],
    ] as const;
    for (const [asked, sent, error] of tries) {
      expect(shown(await world.exchange(client, await world.code(client, asked), sent))).toMatchObject(
        oauth(400, error),
      );
    }
  });

  it("16: a disabled entity is invalid_request at token, 403 at authorize, invalid_token at userinfo", async () => {
    const world = new LoginWorld();
    const client = world.register();
    const code = await world.code(client);
    const { access_token } = await world.login(client);
    world.admin.identity.entities.write({ id: world.ann, disabled: true });
    expect(shown(await world.exchange(client, code))).toMatchObject(oauth(400, "invalid_request"));
    expect(shown(await world.authorize(client))).toEqual(DENIED);
    expect(shown(await world.userinfo(access_token))).toMatchObject(oauth(401, "invalid_token"));
  });

  it("17: an expired access token is 401 at userinfo, an expired service token 403 at authorize", async () => {
    const world = new LoginWorld();
    const client = world.register("app", { access_token_ttl: "10s" });
    const { access_token } = await world.login(client);
    const main = world.sim.secrets.cluster("main");
    const { token } = main.createToken({ policies: [], entityId: world.ann, ttl: "10s" });
    world.sim.clock.advance("9999ms");
    expect((await world.userinfo(access_token)).status).toBe(200);
    world.sim.clock.advance("1ms");
    const answer = await world.userinfo(access_token);
    expect(shown(answer)).toMatchObject(oauth(401, "invalid_token"));
    expect(answer.headers.get("WWW-Authenticate")).toMatch(/^Bearer error="invalid_token",error_description=".+"$/);
    expect(shown(await world.authorize(client, {}, token))).toEqual(DENIED);
  });

  it("18: an access token in X-Secrets-Token is 401 at userinfo; as a bearer it is 403 at authorize", async () => {
    const world = new LoginWorld();
    const client = world.register();
    const { access_token } = await world.login(client);
    const path = "identity/oidc/provider/default";
    expect(shown(await world.ask("GET", `${path}/userinfo`, { token: access_token }))).toMatchObject(
      oauth(401, "invalid_token"),
    );
    const query = new URLSearchParams(world.request(client));
    const bearer = { headers: { Authorization: `Bearer ${access_token}` } };
    expect(shown(await world.ask("GET", `${path}/authorize?${query}`, bearer))).toEqual(DENIED);
  });

  it("19: a scope taken from the provider goes from userinfo, and not from a code that was issued", async () => {
    const world = new LoginWorld();
    withScopes(world, { team: '{"team": "ops"}' });
    const client = world.register();
    const { access_token } = await world.login(client, { scope: "openid team" });
    const code = await world.code(client, { scope: "openid team" });
    expect((await world.userinfo(access_token)).body).toEqual({ sub: world.ann, team: "ops" });
    world.oidc.providers.write({ name: "default", scopes_supported: [] });
    expect((await world.userinfo(access_token)).body).toEqual({ sub: world.ann });
    const { body } = await world.exchange(client, code);
    expect(decoded(body["id_token"] as string).claims).toMatchObject({ team: "ops" });
  });

  it("20: two scopes with one claim: a warning, a code, and then invalid_request with the code gone", async () => {
    const world = new LoginWorld();
    for (const name of ["a", "b"]) world.oidc.scopes.write({ name, template: '{"x": 1}' });
    const write = await world.configure("POST", "provider/default", { scopes_supported: ["b", "a"] });
    expect(write.status).toBe(200);
    const [warning, ...others] = write.body["warnings"] as string[];
    expect(others).toEqual([]);
    for (const name of ['"x"', '"a"', '"b"']) expect(warning).toContain(name);
    const client = world.register();
    const code = await world.code(client, { scope: "openid a b" });
    expect(shown(await world.exchange(client, code))).toMatchObject(oauth(400, "invalid_request"));
    expect(shown(await world.exchange(client, code))).toMatchObject(oauth(400, "invalid_grant"));
  });

  it.each(['{"a":{"b":1}}', '{"a": "{{identity.entity.name}}"}'])(
    "21: the template %s is refused",
    async (template) => {
      expect((await new LoginWorld().configure("POST", "scope/s", { template })).status).toBe(400);
    },
  );

  it("22: what is missing has a value: null, an empty text, an empty object", async () => {
    const world = new LoginWorld();
    withScopes(world, {
      all: `{"g": {{identity.entity.groups.names}}, "k": {{identity.entity.metadata.none}}, "m": {{identity.entity.aliases.acc.metadata}}, "n": {{ identity.entity.aliases.acc.name }} }`,
    });
    const { id_token } = await world.login(world.register(), { scope: "openid all" });
    expect(decoded(id_token).claims).toMatchObject({ g: null, k: "", m: {}, n: "" });
  });

  it("23: a ring starts with its first client: two keys whatever the age, and the next one is published before it signs", async () => {
    const world = new LoginWorld();
    world.sim.clock.advance("40h");
    expect(await world.keys()).toEqual([]);
    const client = world.register();
    const [signing, next] = await world.keys();
    expect(decoded((await world.login(client)).id_token).header["kid"]).toBe(signing?.["kid"]);
    world.sim.clock.advance("8h");
    expect(decoded((await world.login(client)).id_token).header["kid"]).toBe(next?.["kid"]);
    expect(await world.keys()).toHaveLength(3);
  });

  it("24: only keys of clients that the provider allows are published; without a client there are none", async () => {
    const world = new LoginWorld();
    world.oidc.keys.write({ name: "own", algorithm: "EdDSA" });
    expect(await world.keys()).toEqual([]);
    const client = world.register("app", { key: "own" });
    world.oidc.providers.write({ name: "p", allowed_client_ids: ["other"] });
    expect(await world.keys("p")).toEqual([]);
    world.oidc.providers.write({ name: "p", allowed_client_ids: [client.client_id] });
    expect(await world.keys("p")).toHaveLength(2);
    expect(await world.keys()).toHaveLength(2);
    world.oidc.clients.delete({ name: "app" });
    expect(await world.keys("p")).toEqual([]);
  });

  it("25: a shorter period brings the next rotation forward, a longer one does not delay it", () => {
    const world = new LoginWorld();
    world.oidc.keys.write({ name: "own", algorithm: "ES256", verification_ttl: "1h", rotation_period: "1h" });
    world.register("app", { key: "own", id_token_ttl: "1h" });
    const rotations = () => world.sim.clock.pending().filter(({ command }) => command === "timer.keyRotation");
    const due = () => rotations().map(({ dueAtMs }) => dueAtMs - world.sim.clock.now());
    world.sim.clock.advance("10m");
    world.oidc.keys.write({ name: "own", rotation_period: "24h" });
    expect(due()).toEqual([50 * 60_000]);
    world.oidc.keys.write({ name: "own", rotation_period: "10m" });
    expect(due()).toEqual([10 * 60_000]);
  });

  it("26: a verification_ttl below a client's id_token_ttl is refused on the key write", async () => {
    const world = new LoginWorld();
    world.register("app", { id_token_ttl: "2h" });
    expect((await world.configure("POST", "key/default", { verification_ttl: 7199 })).status).toBe(400);
    expect((await world.configure("POST", "key/default", { verification_ttl: 7200 })).status).toBe(204);
  });

  it("27: the token endpoint says no-cache with errors, too; invalid_client says Basic without a realm", async () => {
    const world = new LoginWorld();
    const client = world.register();
    const refused = await world.exchange(client, "none");
    expect([refused.headers.get("Pragma"), refused.headers.get("Cache-Control")]).toEqual(["no-cache", "no-store"]);
    const unknown = await world.exchange({ client_id: "none" }, "none");
    expect([unknown.status, unknown.headers.get("WWW-Authenticate")]).toEqual([401, "Basic"]);
    const good = await world.exchange(client, await world.code(client));
    expect([good.status, good.headers.get("Pragma")]).toEqual([200, "no-cache"]);
  });

  it.each(["POST", "PUT"])(
    "27: the token endpoint says no-cache also of a body that it cannot read, by %s",
    async (method) => {
      const { sim } = new LoginWorld();
      const pragma = async (path: string): Promise<unknown> => {
        const answer = await sim.fetch(`https://secrets-main.test/v1/identity/oidc/${path}`, { method, body: "{" });
        return [answer.status, answer.headers.get("Pragma")];
      };
      expect(await pragma("provider/default/token")).toEqual([400, "no-cache"]);
      expect(await pragma("key/a")).toEqual([400, null]);
      sim.faults.failNextRequests({ service: sim.secrets.cluster("main"), count: 1 });
      expect(await pragma("provider/default/token")).toEqual([500, "no-cache"]);
    },
  );

  it("28: a secret is in the read of a confidential client, and nowhere else", async () => {
    const world = new LoginWorld();
    const client = world.register();
    expect(client.client_id).toMatch(/^[0-9A-Za-z]{32}$/);
    expect(client.client_secret).toMatch(/^oidc_secret_[0-9A-Za-z]{64}$/);
    expect(world.register("pub", { client_type: "public" })).not.toHaveProperty("client_secret");
    expect(JSON.stringify((await world.configure("LIST", "client")).body)).not.toContain("client_secret");
  });

  it("29: a listing of providers shows the computed issuer, a read what was given", async () => {
    const world = new LoginWorld();
    expect((await world.configure("LIST", "provider")).body["data"]).toMatchObject({
      key_info: { default: { issuer: `${world.url}/v1/identity/oidc/provider/default` } },
    });
    expect((await world.configure("GET", "provider/default")).body["data"]).toMatchObject({ issuer: "" });
  });

  it("30: openid cannot be listed as a scope, and discovery lists it last", async () => {
    const world = new LoginWorld();
    withScopes(world, { zeta: "{}" });
    expect((await world.configure("POST", "provider/default", { scopes_supported: ["openid"] })).status).toBe(400);
    const { body } = await world.ask("GET", "identity/oidc/provider/default/.well-known/openid-configuration");
    expect(body["scopes_supported"]).toEqual(["zeta", "openid"]);
  });

  it("needs no redirect address that is a URI", () => {
    expect(new LoginWorld().register("app", { redirect_uris: [REDIRECT, "urn:x y"] })).toMatchObject({
      redirect_uris: [REDIRECT, "urn:x y"],
    });
  });
});
