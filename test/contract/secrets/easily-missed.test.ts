import { describe, expect, it } from "vitest";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { reach } from "../transports.ts";

// decisions-secrets-core.md, "Easily missed": every row that belongs to sections A and D, by its number, over HTTP. Rows about
// OIDC, replication, snapshots and the plugin catalog come with those.

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Sent {
  readonly token?: string | undefined;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

function world() {
  const sim = createSimulator({ seed: 6 });
  const main = sim.secrets.cluster("main");
  const ask = asking(sim);
  return { sim, main, root: main.rootToken, ask };
}

/** Asks by method and path below `/v1/`; with the root token unless another, or none, is given. */
function asking(sim: Simulator) {
  const main = sim.secrets.cluster("main");
  return async (method: string, path: string, sent: Sent = {}): Promise<Answer> => {
    const token = "token" in sent ? sent.token : main.rootToken;
    const response = await reach(sim)(`${main.url}/v1/${path}`, {
      method,
      headers: { ...(token === undefined ? {} : { "X-Secrets-Token": token }), ...sent.headers },
      ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
}

const dataOf = ({ body }: Answer): Record<string, unknown> => (body as { data: Record<string, unknown> }).data;

describe("easily missed in the core", () => {
  it("1: warnings is null, and an error has no envelope", async () => {
    const { ask } = world();
    expect(await ask("POST", "kv/a", { body: { x: 1 } })).toEqual({ status: 204, body: undefined });
    const { body } = await ask("GET", "kv/a");
    expect(body).toMatchObject({ warnings: null, wrap_info: null, auth: null });
    expect((await ask("GET", "kv/none")).body).toEqual({ errors: [] });
  });

  it("2: an empty list is 404 with no errors, as is what is missing, also when the last item was just deleted", async () => {
    const { ask } = world();
    await ask("POST", "kv/a", { body: { x: 1 } });
    await ask("DELETE", "kv/a");
    for (const [method, path] of [
      ["LIST", "kv"],
      ["GET", "kv?list=true"],
      ["GET", "kv/a"],
      ["GET", "sys/policies/acl/none"],
    ] as const) {
      expect(await ask(method, path)).toEqual({ status: 404, body: { errors: [] } });
    }
  });

  it("3: no token and a bad one are both 403", async () => {
    const { ask } = world();
    for (const token of [undefined, "scs.none"]) expect((await ask("GET", "kv/a", { token })).status).toBe(403);
  });

  it("4: a path that does not exist is 403 without permission, and 404 to root", async () => {
    const { main, ask } = world();
    const { token } = main.createToken({ policies: [] });
    expect((await ask("GET", "nothing/here", { token })).status).toBe(403);
    expect((await ask("GET", "nothing/here")).status).toBe(404);
  });

  it("5: a root-only endpoint in a child namespace is an unsupported path, even with the root token", async () => {
    const { main, ask } = world();
    main.createNamespace("team");
    for (const path of ["sys/replication/status", "sys/leader", "sys/seal-status", "sys/health"]) {
      expect([path, await ask("GET", path, { headers: { "X-Secrets-Namespace": "team" } })]).toEqual([
        path,
        { status: 404, body: { errors: [expect.stringContaining("unsupported path")] } },
      ]);
    }
  });

  it("7: PUT is POST, and POST to a path that ends in a slash is 400", async () => {
    const { ask } = world();
    expect((await ask("PUT", "kv/a", { body: { x: 1 } })).status).toBe(204);
    expect(dataOf(await ask("GET", "kv/a"))).toEqual({ x: 1 });
    expect((await ask("POST", "kv/a/", { body: { x: 1 } })).status).toBe(400);
  });

  it("8: list=maybe is 400 with no errors, list=false a read", async () => {
    const { ask } = world();
    await ask("POST", "kv/a", { body: { x: 1 } });
    expect(await ask("GET", "kv?list=maybe")).toEqual({ status: 400, body: { errors: [] } });
    expect((await ask("GET", "kv/a?list=false")).status).toBe(200);
  });

  it("9: unknown fields are warned of in a 200, silent in a 204, and stored by kv and cubbyhole", async () => {
    const { ask } = world();
    const { body } = await ask("POST", "auth/token/create", { body: { zeta: 1, alpha: 2 } });
    expect((body as { warnings: string[] }).warnings).toEqual([expect.stringMatching(/ignored.*alpha zeta/)]);
    const policy = 'path "a" { capabilities = ["read"] }';
    expect(await ask("POST", "sys/policies/acl/a", { body: { policy, zeta: 1 } })).toEqual({
      status: 204,
      body: undefined,
    });
    for (const mount of ["kv", "cubbyhole"]) {
      await ask("POST", `${mount}/a`, { body: { zeta: 1, alpha: 2 } });
      expect(dataOf(await ask("GET", `${mount}/a`))).toEqual({ zeta: 1, alpha: 2 });
    }
  });

  it("10: of two policies with different paths only the most specific counts, even if it grants less", async () => {
    const { main, ask } = world();
    main.writePolicy("wide", 'path "kv/*" { capabilities = ["create", "read", "update"] }');
    main.writePolicy("narrow", 'path "kv/a" { capabilities = ["read"] }');
    const { token } = main.createToken({ policies: ["wide", "narrow"] });
    expect((await ask("POST", "kv/a", { token, body: { x: 1 } })).status).toBe(403);
    expect((await ask("POST", "kv/b", { token, body: { x: 1 } })).status).toBe(204);
  });

  it("11: deny on one path wipes what every other policy grants on it", async () => {
    const { main, ask } = world();
    main.writePolicy("reads", 'path "kv/a" { capabilities = ["read"] }');
    main.writePolicy("denies", 'path "kv/a" { capabilities = ["deny"] }');
    const { token } = main.createToken({ policies: ["reads", "denies"] });
    await ask("POST", "kv/a", { body: { x: 1 } });
    expect((await ask("GET", "kv/a", { token })).status).toBe(403);
  });

  it('12: path "x/*" serves LIST x, and not GET x', async () => {
    const { main, ask } = world();
    main.writePolicy("below", 'path "kv/x/*" { capabilities = ["read", "list"] }');
    const { token } = main.createToken({ policies: ["below"] });
    await ask("POST", "kv/x", { body: { x: 1 } });
    await ask("POST", "kv/x/y", { body: { x: 1 } });
    expect(dataOf(await ask("LIST", "kv/x", { token }))).toEqual({ keys: ["y"] });
    expect((await ask("GET", "kv/x", { token })).status).toBe(403);
  });

  it("13: sudo without read cannot read", async () => {
    const { main, ask } = world();
    main.writePolicy("sudo", 'path "sys/policies/acl/*" { capabilities = ["sudo"] }');
    const { token } = main.createToken({ policies: ["sudo"] });
    expect((await ask("GET", "sys/policies/acl/default", { token })).status).toBe(403);
  });

  it("14: POST under sys/ needs update, also when it creates", async () => {
    const { main, ask } = world();
    const body = { policy: 'path "a" { capabilities = ["read"] }' };
    main.writePolicy("creates", 'path "sys/policies/acl/*" { capabilities = ["create"] }');
    main.writePolicy("updates", 'path "sys/policies/acl/*" { capabilities = ["update"] }');
    const tokenOf = (policy: string): string => main.createToken({ policies: [policy] }).token;
    expect((await ask("POST", "sys/policies/acl/new", { token: tokenOf("creates"), body })).status).toBe(403);
    expect((await ask("POST", "sys/policies/acl/new", { token: tokenOf("updates"), body })).status).toBe(204);
  });

  it("15: a wrapped answer has an empty request_id, and the unwrapped one that of the original", async () => {
    const { ask } = world();
    await ask("POST", "kv/a", { body: { x: 1 } });
    const wrapped = await ask("GET", "kv/a", { headers: { "X-Secrets-Wrap-TTL": "1m" } });
    expect(wrapped.body).toMatchObject({ request_id: "", data: null, wrap_info: { ttl: 60 } });
    const { token } = (wrapped.body as { wrap_info: { token: string } }).wrap_info;
    const opened = await ask("POST", "sys/wrapping/unwrap", { token });
    expect(opened.body).toMatchObject({ request_id: expect.stringMatching(/^[0-9a-f-]{36}$/), data: { x: 1 } });
  });

  it("16: looking up a wrapping token does not use it up, and the second unwrap is 400", async () => {
    const { ask } = world();
    await ask("POST", "kv/a", { body: { x: 1 } });
    const wrapped = await ask("GET", "kv/a", { headers: { "X-Secrets-Wrap-TTL": "1m" } });
    const { token } = (wrapped.body as { wrap_info: { token: string } }).wrap_info;
    for (let look = 0; look < 2; look++) {
      expect((await ask("POST", "sys/wrapping/lookup", { body: { token } })).status).toBe(200);
    }
    expect((await ask("POST", "sys/wrapping/unwrap", { body: { token } })).status).toBe(200);
    expect((await ask("POST", "sys/wrapping/unwrap", { body: { token } })).status).toBe(400);
  });

  it("17: a renewal counts from now, and can shorten", async () => {
    const { main, ask } = world();
    const { token } = main.createToken({ policies: [], ttl: "10h" });
    const { body } = await ask("POST", "auth/token/renew", { body: { token, increment: "30m" } });
    expect(body).toMatchObject({ auth: { lease_duration: 1_800 } });
    expect(dataOf(await ask("POST", "auth/token/lookup", { body: { token } }))["ttl"]).toBe(1_800);
  });

  it("18: what is unknown is revoked with 204; its lookup is 400 for a lease and 403 for a token", async () => {
    const { ask } = world();
    const lease_id = "kv/none/0123456789abcdefghijklmn";
    expect((await ask("POST", "sys/leases/revoke", { body: { lease_id } })).status).toBe(204);
    expect((await ask("POST", "auth/token/revoke", { body: { token: "scs.none" } })).status).toBe(204);
    expect((await ask("POST", "sys/leases/lookup", { body: { lease_id } })).status).toBe(400);
    expect((await ask("POST", "auth/token/lookup", { body: { token: "scs.none" } })).status).toBe(403);
  });

  it("19: with a token its children end, and their leases, at the same instant", async () => {
    const { sim, main, ask } = world();
    const base = "ou=service,dc=example";
    sim.directory.addSuffix(base);
    sim.directory.addEntry(`cn=svc,${base}`, { cn: "svc" });
    await ask("POST", "ldap/config", {
      body: { binddn: `cn=engine,${base}`, bindpass: "bind", userdn: base, userattr: "cn" },
    });
    await ask("POST", "ldap/library/ops", { body: { service_account_names: ["svc"] } });
    const lender = 'path "*" { capabilities = ["create", "read", "update", "list", "sudo"] }';
    main.writePolicy("lender", lender);
    const parent = main.createToken({ policies: ["lender"], ttl: "1h" }).token;
    const child = await ask("POST", "auth/token/create", { token: parent, body: { policies: ["lender"] } });
    const token = (child.body as { auth: { client_token: string } }).auth.client_token;
    expect((await ask("POST", "ldap/library/ops/check-out", { token, body: {} })).status).toBe(200);
    const before = sim.clock.now();
    expect((await ask("POST", "auth/token/revoke", { body: { token: parent } })).status).toBe(204);
    expect(sim.clock.now()).toBe(before);
    expect((await ask("GET", "auth/token/lookup-self", { token })).status).toBe(403);
    expect(dataOf(await ask("GET", "ldap/library/ops/status"))).toEqual({ svc: { available: true } });
    expect((await ask("LIST", "sys/leases/lookup/ldap/library/ops/check-out")).status).toBe(404);
  });

  it.each([
    ["30d", 200],
    ["1.5h", 200],
    ["90", 200],
    ["1w", 400],
    [1.5, 400],
    [-1, 400],
    ["-1h", 400],
  ] as const)("20: a TTL of %j is %i", async (ttl, status) => {
    const { ask } = world();
    expect((await ask("POST", "auth/token/create", { body: { ttl } })).status).toBe(status);
  });
});
