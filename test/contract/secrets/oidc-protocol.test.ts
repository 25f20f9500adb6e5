import { describe, expect, it } from "vitest";
import { decoded, LoginWorld, REDIRECT } from "../../support/oidc.ts";
import { reach } from "../transports.ts";

// decisions-oidc.md, 9 to 13: the protocol endpoints, their checks in order, and what their answers look like.

const LONG = "c".repeat(43);

/** What an authorization request changes in one that is good. */
interface Tried {
  readonly row: number;
  readonly rule: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly error: string;
  /** A client or a provider that it takes; else the good ones. */
  readonly client?: "app" | "public" | "closed";
  readonly provider?: string;
}

const AUTHORIZE: readonly Tried[] = [
  { row: 1, rule: "an unknown client", fields: { client_id: "nobody" }, error: "invalid_client_id" },
  { row: 1, rule: "no client", fields: { client_id: "" }, error: "invalid_client_id" },
  { row: 2, rule: "no redirect_uri", fields: { redirect_uri: "" }, error: "invalid_request" },
  {
    row: 3,
    rule: "another redirect_uri, if by a slash",
    fields: { redirect_uri: `${REDIRECT}/` },
    error: "invalid_redirect_uri",
  },
  { row: 4, rule: "no such provider", fields: {}, provider: "none", error: "invalid_request" },
  { row: 5, rule: "a provider that does not allow it", fields: {}, provider: "narrow", error: "unauthorized_client" },
  { row: 6, rule: "a request object", fields: { request: "x" }, error: "request_not_supported" },
  { row: 7, rule: "a request address", fields: { request_uri: "x" }, error: "request_uri_not_supported" },
  { row: 8, rule: "a scope without openid", fields: { scope: "profile openidx" }, error: "invalid_request" },
  { row: 9, rule: "no response_type", fields: { response_type: "" }, error: "invalid_request" },
  { row: 10, rule: "another response_type", fields: { response_type: "token" }, error: "unsupported_response_type" },
  { row: 12, rule: "nobody let in", fields: {}, client: "closed", error: "access_denied" },
  { row: 13, rule: "a public client without challenge", fields: {}, client: "public", error: "invalid_request" },
  {
    row: 14,
    rule: "a challenge of no method",
    fields: { code_challenge: LONG, code_challenge_method: "s256" },
    error: "invalid_request",
  },
  { row: 15, rule: "a short challenge", fields: { code_challenge: "c".repeat(42) }, error: "invalid_request" },
  { row: 15, rule: "an empty challenge", fields: { code_challenge: "" }, error: "invalid_request" },
  { row: 15, rule: "a long challenge", fields: { code_challenge: "c".repeat(129) }, error: "invalid_request" },
  { row: 16, rule: "a max_age below 1", fields: { max_age: "-1" }, error: "invalid_request" },
  { row: 17, rule: "a max_age that has passed", fields: { max_age: "59" }, error: "max_age_violation" },
];

function protocolWorld() {
  const world = new LoginWorld();
  const clients = {
    app: world.register("app"),
    public: world.register("public", { client_type: "public" }),
    closed: world.register("closed", { assignments: [] }),
  };
  world.oidc.providers.write({ name: "narrow", allowed_client_ids: ["other"] });
  world.sim.clock.advance("60s");
  return { world, clients };
}

describe("authorize", () => {
  it.each(AUTHORIZE)("row $row: $rule is $error", async ({ fields, error, client = "app", provider }: Tried) => {
    const { world, clients } = protocolWorld();
    const { status, body, headers } = await world.authorize(
      clients[client],
      { state: "s", ...fields },
      undefined,
      provider,
    );
    const state = error.startsWith("request_") ? "" : "s";
    expect({ status, body }).toEqual({ status: 400, body: { error, error_description: expect.any(String), state } });
    expect(body["error_description"]).not.toBe("");
    expect(headers.get("Cache-Control")).toBe("no-store");
  });

  const ordered = AUTHORIZE.filter(({ client, row }) => client === undefined && row !== 14);
  it.each(ordered.map((row, index) => [row.row, row.rule, index] as const))(
    "row %i, %s, comes before what follows it",
    async (_, __, index) => {
      const { world, clients } = protocolWorld();
      const later = ordered.slice(index);
      const fields = Object.assign({}, ...later.map((row) => row.fields).reverse()) as Record<string, string>;
      const provider = later.find((row) => row.provider !== undefined)?.provider ?? "default";
      const { body } = await world.authorize(clients.app, fields, undefined, provider);
      expect(body["error"]).toBe(ordered[index]?.error);
    },
  );

  it.each([
    [43, "plain"],
    [128, "S256"],
    [43, ""],
  ] as const)("takes a challenge of %i characters with the method %j", async (length, method) => {
    const { world, clients } = protocolWorld();
    const fields = { code_challenge: "c".repeat(length), code_challenge_method: method };
    expect((await world.authorize(clients.app, fields)).status).toBe(200);
  });

  it("ignores a method without a challenge, and answers code and state", async () => {
    const { world, clients } = protocolWorld();
    const { status, body } = await world.authorize(clients.app, { code_challenge_method: "none" });
    expect({ status, body }).toEqual({
      status: 200,
      body: { code: expect.stringMatching(/^[0-9A-Za-z]{32}$/), state: "" },
    });
    expect((await world.authorize(clients.app, { state: "a b&c" })).body["state"]).toBe("a b&c");
  });

  it("takes its parameters from a form and from JSON, too", async () => {
    const { world, clients } = protocolWorld();
    const path = "identity/oidc/provider/default/authorize";
    for (const sent of [{ form: world.request(clients.app) }, { json: world.request(clients.app) }]) {
      expect((await world.ask("POST", path, { ...sent, token: world.annsToken })).status).toBe(200);
    }
  });

  it("says first that the token is none, that it may not, and that a value is of a wrong type", async () => {
    const { world, clients } = protocolWorld();
    const path = "identity/oidc/provider/none/authorize?max_age=abc";
    const errors = (status: number) => ({ status, body: { errors: [expect.any(String)] } });
    expect(await world.ask("GET", path)).toMatchObject(errors(403));
    expect(await world.ask("GET", path, { token: "scs.none" })).toMatchObject(errors(403));
    const { token } = world.sim.secrets.cluster("main").createToken({ policies: [], noDefaultPolicy: true });
    expect(await world.ask("GET", path, { token })).toMatchObject(errors(403));
    expect(await world.ask("GET", path, { token: world.annsToken })).toMatchObject(errors(400));
    expect(clients.app.client_id).not.toBe("");
    const malformed = { token: "scs.none", headers: { "Content-Type": "application/json" } };
    const bad = await reach(world.sim)(`${world.url}/v1/${path}`, {
      method: "POST",
      body: "{",
      headers: malformed.headers,
    });
    expect(bad.status).toBe(400);
  });

  it("lets in whom an assignment names, by entity or by a group above", async () => {
    const { world } = protocolWorld();
    const main = world.sim.secrets.cluster("main");
    const inner = main.createGroup({ name: "inner", memberEntityIds: [world.ann] });
    const outer = main.createGroup({ name: "outer", memberGroupIds: [inner.id] });
    world.oidc.assignments.write({ name: "a", entity_ids: ["somebody"], group_ids: [outer.id] });
    const client = world.register("grouped", { assignments: ["a"] });
    expect((await world.authorize(client)).status).toBe(200);
    const stranger = world.tokenOf(main.createEntity({ name: "bob" }).id);
    expect((await world.authorize(client, {}, stranger)).body["error"]).toBe("access_denied");
    expect((await world.authorize(client, {}, world.tokenOf("never-was"))).body["error"]).toBe("access_denied");
    world.admin.identity.groups.write({ name: "outer", member_group_ids: [] });
    expect((await world.authorize(client)).body["error"]).toBe("access_denied");
  });
});

describe("the authorization page", () => {
  const page = async (world: LoginWorld, query: object, headers: Record<string, string>, method = "GET") => {
    const endpoint = world.oidc.configuration({ name: "default" }).authorization_endpoint;
    const url = `${endpoint}?${new URLSearchParams(query as Record<string, string>)}`;
    const response = await reach(world.sim)(url, { headers, method, redirect: "manual" });
    return { status: response.status, text: await response.text(), location: response.headers.get("Location") };
  };

  it("lies beside the API, and sends back with a code and the state", async () => {
    const { world } = protocolWorld();
    const client = world.register("q", { redirect_uris: ["https://app.test/cb?a=1#f"] });
    const endpoint = world.oidc.configuration({ name: "default" }).authorization_endpoint;
    expect(endpoint).toBe(`${world.url}/ui/secrets/identity/oidc/provider/default/authorize`);
    const query = world.request(client, { redirect_uri: "https://app.test/cb?a=1#f", state: "x y" });
    const { status, text, location } = await page(world, query, { "X-Secrets-Token": world.annsToken });
    expect([status, text]).toEqual([302, ""]);
    const back = new URL(location ?? "");
    expect(back.origin + back.pathname + back.hash).toBe("https://app.test/cb#f");
    expect([...back.searchParams.keys()]).toEqual(["a", "code", "state"]);
    expect(back.searchParams.get("state")).toBe("x y");
    const exchanged = await world.exchange(client, back.searchParams.get("code") ?? "", {
      redirect_uri: "https://app.test/cb?a=1#f",
    });
    expect(exchanged.status).toBe(200);
  });

  it.each(AUTHORIZE.filter(({ row }) => row > 3))("row $row, $rule, is sent back", async (tried) => {
    const { world, clients } = protocolWorld();
    const endpoint = `${world.url}/ui/secrets/identity/oidc/provider/${tried.provider ?? "default"}/authorize`;
    const query = new URLSearchParams(world.request(clients[tried.client ?? "app"], { state: "s", ...tried.fields }));
    const headers = { "X-Secrets-Token": world.annsToken };
    const response = await reach(world.sim)(`${endpoint}?${query}`, { headers, redirect: "manual" });
    expect(response.status).toBe(302);
    const back = new URL(response.headers.get("Location") ?? "");
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(back.searchParams.get("error")).toBe(tried.error);
    expect(back.searchParams.get("error_description")).not.toBe("");
    expect(back.searchParams.get("state")).toBe(tried.error.startsWith("request_") ? null : "s");
    expect(back.searchParams.has("code")).toBe(false);
  });

  it.each(AUTHORIZE.filter(({ row }) => row <= 3))(
    "row $row, $rule, is shown to the user",
    async ({ fields, error }) => {
      const { world, clients } = protocolWorld();
      const { status, text } = await page(world, world.request(clients.app, fields), {
        "X-Secrets-Token": world.annsToken,
      });
      expect([status, JSON.parse(text)]).toEqual([400, expect.objectContaining({ error })]);
    },
  );

  it("answers token problems as the API does, another verb with 405, and knows no other page", async () => {
    const { world, clients } = protocolWorld();
    expect((await page(world, world.request(clients.app), {})).status).toBe(403);
    expect((await page(world, {}, { "X-Secrets-Token": world.annsToken }, "POST")).status).toBe(405);
    expect((await page(world, {}, { "X-Secrets-Token": world.annsToken }, "DELETE")).status).toBe(405);
    const elsewhere = await reach(world.sim)(`${world.url}/ui/secrets/sys/health`);
    expect([elsewhere.status, await elsewhere.json()]).toEqual([404, { errors: [] }]);
  });

  it("sends back to addresses that no header can carry as they stand", async () => {
    const { world } = protocolWorld();
    const odd = "https://app.test/ünï\u0007 x";
    const client = world.register("odd", { redirect_uris: [odd] });
    const query = world.request(client, { redirect_uri: odd });
    const { location } = await page(world, query, { "X-Secrets-Token": world.annsToken });
    expect(location).toMatch(/^https:\/\/app\.test\/%C3%BCn%C3%AF%07%20x\?code=/);
  });
});

/** Token requests by confidential client `app`: rows of decisions-oidc.md, 11, in order. */
const EXCHANGE: readonly {
  readonly row: number;
  readonly rule: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly provider?: string;
  readonly before?: (world: LoginWorld) => void;
  readonly status?: number;
  readonly error: string;
}[] = [
  { row: 1, rule: "no such provider", provider: "none", error: "invalid_request" },
  { row: 2, rule: "no client at all", fields: { client_id: "" }, error: "invalid_request" },
  { row: 3, rule: "an unknown client", fields: { client_id: "x" }, status: 401, error: "invalid_client" },
  { row: 3, rule: "no secret", fields: { client_secret: "" }, status: 401, error: "invalid_client" },
  { row: 4, rule: "a provider that does not allow it", provider: "narrow", status: 401, error: "invalid_client" },
  {
    row: 5,
    rule: "a key that does not allow it",
    before: ({ oidc }) => oidc.keys.write({ name: "default", allowed_client_ids: [] }),
    status: 401,
    error: "invalid_client",
  },
  { row: 6, rule: "no grant_type", fields: { grant_type: "" }, error: "invalid_request" },
  { row: 7, rule: "another grant_type", fields: { grant_type: "password" }, error: "unsupported_grant_type" },
  { row: 8, rule: "no code", fields: { code: "" }, error: "invalid_request" },
  { row: 9, rule: "an unknown code", fields: { code: "x" }, error: "invalid_grant" },
  { row: 11, rule: "a code of another provider", provider: "wide", error: "invalid_grant" },
  { row: 12, rule: "no redirect_uri", fields: { redirect_uri: "" }, error: "invalid_request" },
  { row: 13, rule: "another redirect_uri", fields: { redirect_uri: "x" }, error: "invalid_grant" },
  {
    row: 14,
    rule: "an entity that was deleted",
    before: ({ admin, ann }) => admin.identity.entities.delete({ id: ann }),
    error: "invalid_request",
  },
  {
    row: 15,
    rule: "an entity that is not let in any more",
    before: ({ oidc }) => oidc.clients.write({ name: "app", assignments: [] }),
    error: "invalid_request",
  },
  { row: 16, rule: "a verifier without PKCE", fields: { code_verifier: "x" }, error: "invalid_request" },
];

describe("token", () => {
  it.each(EXCHANGE)("row $row: $rule is $error", async ({ row, fields, provider, before, status = 400, error }) => {
    const { world, clients } = protocolWorld();
    world.oidc.providers.write({ name: "wide", allowed_client_ids: ["*"] });
    const code = await world.code(clients.app);
    before?.(world);
    const answer = await world.exchange(clients.app, code, fields, provider);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status,
      body: { error, error_description: expect.any(String) },
    });
    expect(answer.headers.get("Pragma")).toBe("no-cache");
    expect(answer.headers.get("WWW-Authenticate")).toBe(status === 401 ? "Basic" : null);
    world.oidc.keys.write({ name: "default", allowed_client_ids: ["*"] });
    if (row === 14) return;
    if (row === 15) world.oidc.clients.write({ name: "app", assignments: ["allow_all"] });
    const again = await world.exchange(clients.app, code);
    expect(again.status, "up to row 9 the code is still good").toBe(row <= 9 ? 200 : 400);
  });

  it("answers with tokens whose claims are those of the contract", async () => {
    const { world, clients } = protocolWorld();
    const code = await world.code(clients.app, { nonce: "n", scope: "openid" });
    const { status, body, headers } = await world.exchange(clients.app, code);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["access_token", "expires_in", "id_token", "token_type"]);
    expect(body).toMatchObject({ expires_in: 86_400, token_type: "Bearer" });
    expect(body["access_token"]).toMatch(/^b\.[0-9A-Za-z]{64}$/);
    expect(headers.get("Cache-Control")).toBe("no-store");
    const { header, claims } = decoded(body["id_token"] as string);
    const [signing] = await world.keys();
    expect(header).toEqual({ alg: "RS256", kid: signing?.["kid"] });
    const now = Math.floor(world.sim.clock.now() / 1000);
    const half = async (text: unknown) => {
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(String(text))));
      return Buffer.from(digest.subarray(0, 16)).toString("base64url");
    };
    expect(claims).toEqual({
      iss: `${world.url}/v1/identity/oidc/provider/default`,
      sub: world.ann,
      aud: clients.app.client_id,
      iat: now,
      exp: now + 86_400,
      namespace: "root",
      at_hash: await half(body["access_token"]),
      c_hash: await half(code),
      nonce: "n",
    });
  });

  it("takes a secret from a header before the form, and a malformed header as none", async () => {
    const { world, clients } = protocolWorld();
    const { client_id, client_secret = "" } = clients.app;
    const form = async (fields: object, basic: string) => {
      const all = { grant_type: "authorization_code", redirect_uri: REDIRECT, ...fields };
      const code = await world.code(clients.app);
      const headers = { Authorization: basic };
      return world.ask("POST", "identity/oidc/provider/default/token", { form: { ...all, code }, headers });
    };
    const basic = (id: string, secret: string) => `Basic ${btoa(`${id}:${secret}`)}`;
    expect((await form({}, basic(client_id, client_secret))).status).toBe(200);
    expect((await form({ client_id, client_secret: "wrong" }, basic(client_id, client_secret))).status).toBe(200);
    expect((await form({ client_id, client_secret }, basic(client_id, "wrong"))).status).toBe(401);
    expect((await form({ client_id, client_secret }, "Basic !!!")).status).toBe(200);
    expect((await form({}, `Basic ${btoa("no colon")}`)).body["error"]).toBe("invalid_request");
    const encoded = basic(client_id, client_secret.replaceAll("_", "%5F"));
    expect((await form({}, encoded)).status, "no percent-decoding").toBe(401);
  });

  it("lets a public client in by its id, whatever its password", async () => {
    const { world, clients } = protocolWorld();
    const verifier = "v".repeat(50);
    const asked = { code_challenge: verifier };
    const first = await world.code(clients.public, asked);
    expect((await world.exchange(clients.public, first, { code_verifier: verifier })).status).toBe(200);
    const second = await world.code(clients.public, asked);
    const headers = { Authorization: `Basic ${btoa(`${clients.public.client_id}:anything`)}` };
    const form = { grant_type: "authorization_code", code: second, redirect_uri: REDIRECT, code_verifier: verifier };
    expect((await world.ask("POST", "identity/oidc/provider/default/token", { form, headers })).status).toBe(200);
  });

  it("knows S256", async () => {
    const { world, clients } = protocolWorld();
    // RFC 7636, appendix B.
    const pair = {
      verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
      challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    };
    const asked = { code_challenge: pair.challenge, code_challenge_method: "S256" };
    const wrong = await world.exchange(clients.app, await world.code(clients.app, asked), {
      code_verifier: pair.challenge,
    });
    expect(wrong.body["error"]).toBe("invalid_grant");
    const right = await world.exchange(clients.app, await world.code(clients.app, asked), {
      code_verifier: pair.verifier,
    });
    expect(right.status).toBe(200);
  });

  it("joins a repeated parameter with a comma, and takes JSON", async () => {
    const { world, clients } = protocolWorld();
    const { client_id, client_secret } = clients.app;
    const code = await world.code(clients.app);
    const json = { grant_type: "authorization_code", code, redirect_uri: REDIRECT, client_id, client_secret };
    const twice = new URLSearchParams({ ...json, client_secret: client_secret ?? "" });
    twice.append("grant_type", "authorization_code");
    const path = "identity/oidc/provider/default/token";
    expect((await world.ask("POST", path, { form: twice })).body["error"]).toBe("unsupported_grant_type");
    expect((await world.ask("POST", path, { json })).status).toBe(200);
  });

  it("takes a code to the millisecond before its 300 seconds are over", async () => {
    const { world, clients } = protocolWorld();
    const [early, late] = [await world.code(clients.app), await world.code(clients.app)];
    world.sim.clock.advance("299999ms");
    expect((await world.exchange(clients.app, early)).status).toBe(200);
    world.sim.clock.advance("1ms");
    expect((await world.exchange(clients.app, late)).body["error"]).toBe("invalid_grant");
  });

  it("does not ask what became of the authorizing token", async () => {
    const { world, clients } = protocolWorld();
    const code = await world.code(clients.app);
    world.admin.tokens.revoke({ token: world.annsToken });
    expect((await world.exchange(clients.app, code)).status).toBe(200);
  });

  it("needs no service token, ignores one, and says 405 without one", async () => {
    const { world, clients } = protocolWorld();
    const path = "identity/oidc/provider/default/token";
    expect((await world.ask("GET", path)).status).toBe(405);
    expect((await world.ask("DELETE", path, { token: "none" })).status).toBe(405);
    // A name that breaks its rule is no path, and nobody has to show a token to be told so (decisions-secrets-core.md, A.3).
    const { status, body } = await world.ask("POST", "identity/oidc/provider/-x/token");
    expect([status, String(body["errors"])]).toEqual([404, expect.stringContaining("unsupported path")]);
    const code = await world.code(clients.app);
    const { client_id, client_secret = "" } = clients.app;
    const form = { grant_type: "authorization_code", code, redirect_uri: REDIRECT, client_id, client_secret };
    expect((await world.ask("POST", path, { form, token: "scs.none" })).status).toBe(200);
  });
});

describe("userinfo", () => {
  it.each([
    ["no token", () => undefined, "default", 401, "invalid_token"],
    ["an unknown one", () => "b.none", "default", 401, "invalid_token"],
    ["a service token", (world: LoginWorld) => world.annsToken, "default", 401, "invalid_token"],
    ["an access token of another provider", () => "access", "wide", 401, "invalid_token"],
    [
      "the root token at a provider that is not there",
      (world: LoginWorld) => world.root,
      "none",
      400,
      "invalid_request",
    ],
    ["the root token", (world: LoginWorld) => world.root, "default", 401, "invalid_token"],
  ] as const)("with %s", async (_, tokenIn, provider, status, error) => {
    const { world, clients } = protocolWorld();
    world.oidc.providers.write({ name: "wide", allowed_client_ids: ["*"] });
    const { access_token } = await world.login(clients.app);
    const wanted = tokenIn(world);
    const token = wanted === "access" ? access_token : wanted;
    const headers = token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } };
    const answer = await world.ask("POST", `identity/oidc/provider/${provider}/userinfo`, headers);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status,
      body: { error, error_description: expect.any(String) },
    });
    expect(answer.headers.get("WWW-Authenticate")).toBe(
      `Bearer error="${error}",error_description="${answer.body["error_description"]}"`,
    );
  });

  it.each([
    ["the client is gone", ({ oidc }: LoginWorld) => oidc.clients.delete({ name: "app" })],
    ["nobody is let in", ({ oidc }: LoginWorld) => oidc.clients.write({ name: "app", assignments: [] })],
    [
      "the provider allows it no more",
      ({ oidc }: LoginWorld) => oidc.providers.write({ name: "default", allowed_client_ids: ["other"] }),
    ],
  ])("is 403 without a challenge when %s", async (_, change) => {
    const { world, clients } = protocolWorld();
    const { access_token } = await world.login(clients.app);
    change(world);
    const { status, body, headers } = await world.userinfo(access_token);
    expect({ status, error: body["error"] }).toEqual({ status: 403, error: "access_denied" });
    expect(headers.get("WWW-Authenticate")).toBeNull();
  });

  it("is 400 when two scopes have come to have one claim, and when the provider is gone", async () => {
    const { world, clients } = protocolWorld();
    for (const name of ["a", "b"]) world.oidc.scopes.write({ name, template: `{"${name}": 1}` });
    world.oidc.providers.write({ name: "p", scopes_supported: ["a", "b"], allowed_client_ids: ["*"] });
    const { access_token } = await world.login(clients.app, { scope: "openid a b" }, undefined, "p");
    world.oidc.scopes.write({ name: "b", template: '{"a": 2}' });
    const conflict = await world.userinfo(access_token, "p");
    expect([conflict.status, conflict.body["error"]]).toEqual([400, "invalid_request"]);
    expect(conflict.headers.get("WWW-Authenticate")).toMatch(/^Bearer error="invalid_request"/);
    world.oidc.providers.delete({ name: "p" });
    expect([(await world.userinfo(access_token, "p")).status]).toEqual([400]);
  });

  it("is all that an access token may do, whatever its entity may", async () => {
    const { world, clients } = protocolWorld();
    const main = world.sim.secrets.cluster("main");
    main.writePolicy("all", 'path "*" { capabilities = ["create", "read", "update", "delete", "list", "sudo"] }');
    world.admin.identity.entities.write({ id: world.ann, policies: ["all"] });
    expect(main.as(world.annsToken).policies.list().data.keys).toContain("all");
    const { access_token } = await world.login(clients.app);
    for (const [method, path] of [
      ["LIST", "sys/policies/acl"],
      ["GET", "auth/token/lookup-self"],
      ["POST", "sys/capabilities-self"],
      ["GET", "cubbyhole/x"],
    ] as const) {
      expect((await world.ask(method, path, { token: access_token })).status).toBe(403);
    }
    expect(
      (await world.ask("POST", "auth/token/revoke", { token: world.root, json: { token: access_token } })).status,
    ).toBe(400);
    expect((await world.userinfo(access_token)).status).toBe(200);
  });

  it("takes a ttl of 0 as over at once", async () => {
    const { world } = protocolWorld();
    const client = world.register("brief", { access_token_ttl: 0 });
    const { access_token, expires_in } = await world.login(client);
    expect(expires_in).toBe(0);
    expect((await world.userinfo(access_token)).status).toBe(401);
  });
});

describe("discovery", () => {
  it("is what the contract lists, to be kept for an hour", async () => {
    const { world } = protocolWorld();
    world.oidc.providers.write({ name: "p", issuer: "http://issuer.test:80" });
    const { status, body, headers } = await world.ask(
      "GET",
      "identity/oidc/provider/p/.well-known/openid-configuration",
    );
    const issuer = "http://issuer.test:80/v1/identity/oidc/provider/p";
    expect(status).toBe(200);
    expect(headers.get("Cache-Control")).toBe("max-age=3600");
    expect(body).toEqual({
      issuer,
      jwks_uri: `${issuer}/.well-known/keys`,
      authorization_endpoint: "http://issuer.test:80/ui/secrets/identity/oidc/provider/p/authorize",
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      id_token_signing_alg_values_supported: ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "EdDSA"],
      response_types_supported: ["code"],
      scopes_supported: ["openid"],
      subject_types_supported: ["public"],
      grant_types_supported: ["authorization_code"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
    });
  });

  it.each([[["*"]], [["app-a", "app-a-b", "app-a.b", "app-b"]]])(
    "publishes keys by their names, of a provider that allows %j",
    async (clients) => {
      const world = new LoginWorld();
      for (const name of ["b", "a.b", "a", "a-b"]) {
        world.oidc.keys.write({ name, algorithm: "EdDSA", allowed_client_ids: ["*"] });
        world.register(`app-${name}`, { key: name });
      }
      const idOf = (name: string) => (name === "*" ? name : world.oidc.clients.read({ name }).data.client_id);
      world.oidc.providers.write({ name: "p", allowed_client_ids: clients.map(idOf) });
      const { keys } = world.sim.state.secrets?.["main"]?.replicated.oidc ?? {};
      const kids = ["a", "a-b", "a.b", "b"].flatMap((name) => keys?.get(name)?.ring.map(({ key }) => key.kid));
      expect((await world.keys("p")).map(({ kid }) => kid)).toEqual(kids);
    },
  );

  it.each([".well-known/openid-configuration", ".well-known/keys"])(
    "%s of an unknown provider is 404",
    async (path) => {
      const { status, body } = await new LoginWorld().ask("GET", `identity/oidc/provider/none/${path}`);
      expect({ status, body }).toEqual({ status: 404, body: { errors: [] } });
    },
  );

  it.each([
    ["RS256", ["alg", "e", "kid", "kty", "n", "use"]],
    ["ES512", ["alg", "crv", "kid", "kty", "use", "x", "y"]],
    ["EdDSA", ["alg", "crv", "kid", "kty", "use", "x"]],
  ] as const)("publishes keys of %s without their private members", async (algorithm, members) => {
    const world = new LoginWorld();
    world.oidc.keys.write({ name: "own", algorithm });
    world.register("app", { key: "own" });
    for (const key of await world.keys()) {
      expect(Object.keys(key).sort()).toEqual(members);
      expect(key).toMatchObject({ use: "sig", alg: algorithm });
    }
  });
});

describe("namespaces", () => {
  it("have providers, clients and codes of their own, and the id of theirs in tokens", async () => {
    const world = new LoginWorld();
    const main = world.sim.secrets.cluster("main");
    const { id } = main.createNamespace("team");
    const { oidc } = main.as(world.root, { namespace: "team" });
    const bob = main.createEntity({ name: "bob", namespace: "team" });
    oidc.clients.write({ name: "app", redirect_uris: [REDIRECT], assignments: ["allow_all"] });
    const client = oidc.clients.read({ name: "app" }).data;
    const token = world.tokenOf(bob.id, "team");
    const query = new URLSearchParams(world.request(client));
    const headers = { "X-Secrets-Namespace": "team" };
    const authorized = await world.ask("GET", `identity/oidc/provider/default/authorize?${query}`, { token, headers });
    expect(authorized.status).toBe(200);
    const code = authorized.body["code"] as string;
    const rootClient = world.register();
    expect((await world.exchange(rootClient, code)).body["error"]).toBe("invalid_grant");
    const form = {
      ...world.request(client),
      grant_type: "authorization_code",
      code,
      client_secret: client.client_secret ?? "",
    };
    const { body } = await world.ask("POST", "team/identity/oidc/provider/default/token", { form });
    const { claims } = decoded(body["id_token"] as string);
    expect(claims).toMatchObject({
      iss: `${world.url}/v1/team/identity/oidc/provider/default`,
      namespace: id,
      sub: bob.id,
    });
    expect(oidc.configuration({ name: "default" }).authorization_endpoint).toBe(
      `${world.url}/ui/secrets/team/identity/oidc/provider/default/authorize`,
    );
    const bearer = { headers: { Authorization: `Bearer ${body["access_token"]}` } };
    expect((await world.ask("GET", "team/identity/oidc/provider/default/userinfo", bearer)).status).toBe(200);
    expect((await world.ask("GET", "identity/oidc/provider/default/userinfo", bearer)).status).toBe(401);
    expect((await world.ask("GET", "none/identity/oidc/provider/default/userinfo", { token: world.root })).status).toBe(
      404,
    );
    main.as(world.root).namespaces.delete({ name: "team" });
    expect(world.sim.clock.pending().filter(({ command }) => command === "timer.keyRotation")).toHaveLength(1);
  });
});

describe("looking back", () => {
  it("shows keys as they were published, codes unspent, and takes no code", async () => {
    const world = new LoginWorld();
    world.oidc.keys.write({
      name: "own",
      algorithm: "ES256",
      allowed_client_ids: ["*"],
      rotation_period: "1h",
      verification_ttl: "1h",
    });
    const client = world.register("app", { key: "own", id_token_ttl: "1h" });
    const before = await world.keys();
    const { access_token } = await world.login(client);
    const at = world.sim.position;
    world.sim.clock.advance("3h");
    expect((await world.keys()).map(({ kid }) => kid)).not.toEqual(before.map(({ kid }) => kid));
    const past = { "X-Hindcast-At": `${at}` };
    const path = "identity/oidc/provider/default";
    const keys = await world.ask("GET", `${path}/.well-known/keys`, { headers: past });
    expect(keys.body["keys"]).toEqual(before);
    world.admin.identity.entities.write({ id: world.ann, disabled: true });
    expect((await world.userinfo(access_token)).status).toBe(401);
    const bearer = { Authorization: `Bearer ${access_token}`, ...past };
    expect((await world.ask("GET", `${path}/userinfo`, { headers: bearer })).status).toBe(200);
    const form = { grant_type: "authorization_code" };
    expect(await world.ask("POST", `${path}/token`, { form, headers: past })).toMatchObject({
      status: 400,
      body: { errors: [expect.stringContaining("X-Hindcast-At")] },
    });
    const view = world.sim.at(at).secrets.cluster("main").as(world.root);
    expect(view.oidc.publicKeys({ name: "default" }).keys).toEqual(before);
    await expect(view.oidc.token({ name: "default" })).rejects.toMatchObject({ code: "past_is_read_only" });
  });
});
