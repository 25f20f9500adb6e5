import { describe, expect, it } from "vitest";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { doors, type OperationName, send } from "../driver.ts";
import { expectData, expectDone, expectEnvelope, expectNothingChanged, expectRefused } from "../expectations.ts";
import { libraryWorld } from "./library-world.ts";

// src/services/secrets/README.md.

const bodyOf = async (sim: Simulator, path: string, token?: string | null) => {
  const { body } = await send(sim, "GET", `/v1/${path}`, token === undefined ? {} : { asking: { token } });
  return body as { readonly [name: string]: unknown };
};

it("a body null is an empty one", async () => {
  const sim = createSimulator();
  expect((await send(sim, "POST", "/v1/auth/token/create", { body: "null" })).status).toBe(200);
  expectRefused(await send(sim, "POST", "/v1/kv/a", { body: " null\n" }), 400, "missing data fields");
  expectRefused(await send(sim, "POST", "/v1/kv/a", { body: "[null]" }), 400, "JSON");
});

describe.each(["sys/leases/renew", "sys/renew"])("%s", (path) => {
  it.each(["PUT", "POST"])("by %s renews the lease of its path, unless the body has another", async (method) => {
    const { sim, lent } = lending();
    const [one, other] = [lent("a"), lent("b")];
    const renewed = async (at: string, body?: object) => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      return expectEnvelope(await send(sim, method, `/v1/${at}`, sent)).lease_id;
    };
    expect(await renewed(`${path}/${one}`)).toBe(one);
    expect(await renewed(`${path}/${one}`, { lease_id: other, increment: 60 })).toBe(other);
    expect(await renewed(path, { lease_id: one, increment: "5m" })).toBe(one);
    expectRefused(await send(sim, method, `/v1/${path}`), 400, "lease_id");
    expectRefused(await send(sim, method, `/v1/${path}/nothing`), 400, "lease not found");
  });
});

describe.each(["sys/leases/revoke", "sys/revoke"])("%s", (path) => {
  it("revokes the lease of its path", async () => {
    const { sim, lent } = lending();
    const [one, other] = [lent("a"), lent("b")];
    expectDone(await send(sim, "PUT", `/v1/${path}/${one}`));
    expectDone(await send(sim, "POST", `/v1/${path}`, { body: JSON.stringify({ lease_id: other }) }));
    expect(sim.state.secrets["main"]?.local.leases.size).toBe(0);
    await expectNothingChanged(sim, async () => {
      expectDone(await send(sim, "PUT", `/v1/${path}/${one}`));
      expectRefused(await send(sim, "PUT", `/v1/${path}`), 400, "lease_id");
    });
  });
});

/** A library that has lent two accounts to its root. */
function lending() {
  const { sim, root } = libraryWorld();
  const { library } = sim.secrets.cluster("main").as(root);
  for (const set_name of ["a", "b"])
    library.write({ set_name, service_account_names: [set_name === "a" ? "svc-1" : "svc-2"] });
  return { sim, lent: (set_name: string) => library.checkOut({ set_name }).lease_id };
}

describe.each(doors())("through %s,", (_, { open }) => {
  it.each<[call: OperationName, given: "token" | "accessor"]>([
    ["policies.capabilities", "token"],
    ["policies.capabilitiesAccessor", "accessor"],
  ])("%s tells what another may do", async (call, given) => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    main.writePolicy("p", 'path "kv/a" { capabilities = ["read", "list"] }');
    const made = main.createToken({ policies: ["p"], ttl: "1h" });
    const door = open(sim);
    expect(expectEnvelopeless(await door.call(call, { [given]: made[given], paths: ["kv/a"] }))).toEqual({
      "kv/a": ["list", "read"],
      capabilities: ["list", "read"],
    });
    expect(expectEnvelopeless(await door.call(call, { [given]: made[given], paths: ["kv/a", "b"] }))).toEqual({
      "kv/a": ["list", "read"],
      b: ["deny"],
    });
    await expectNothingChanged(sim, async () => {
      expectRefused(await door.call(call, { paths: ["kv/a"] }), 400, given);
      expectRefused(await door.call(call, { [given]: "nobody", paths: ["kv/a"] }), 400, given);
      expectRefused(await door.call(call, { [given]: made[given] }), 400, "paths");
      const { status } = await door.call(call, { [given]: made[given], paths: ["a"] }, { token: made.token });
      expect(status).toBe(403);
    });
    sim.clock.advance("1h");
    expectRefused(await door.call(call, { [given]: made[given], paths: ["kv/a"] }), 400, given);
  });

  it.each<[policy: string, reached: readonly string[]]>([
    ['path "kv/app/*" { capabilities = ["read"] }', ["cubbyhole/", "kv/"]],
    ['path "kv/+/deep" { capabilities = ["read"] }', ["cubbyhole/", "kv/"]],
    ['path "+/app" { capabilities = ["list"] }', ["cubbyhole/", "identity/", "kv/", "ldap/", "orchestrator/", "sys/"]],
    ['path "kv*" { capabilities = ["read"] }', ["cubbyhole/", "kv/"]],
    ['path "kv" { capabilities = ["list"] }', ["cubbyhole/", "kv/"]],
    ['path "kv/*" { capabilities = ["deny"] }', ["cubbyhole/"]],
    ['path "kv/app" { capabilities = [] }', ["cubbyhole/"]],
    ['path "kvs/*" { capabilities = ["read"] }', ["cubbyhole/"]],
  ])("whom %s is granted sees %j", async (policy, reached) => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    main.writePolicy("p", `${policy}\npath "cubbyhole/*" { capabilities = ["read"] }`);
    const { token } = main.createToken({ policies: ["p"], noDefaultPolicy: true });
    const door = open(sim);
    const { secret, auth } = expectData(await door.call("mounts.ui.list", {}, { token }));
    expect(Object.keys(secret as object)).toEqual(reached);
    expect(auth).toEqual({});
    const { status } = await door.call("mounts.ui.read", { path: "kv/app/x" }, { token });
    expect(status).toBe(reached.includes("kv/") ? 200 : 403);
  });

  it("auth methods are seen beside the mounts, and told by their paths", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    main.as(main.rootToken).auth.enable({ path: "people", type: "userpass" });
    main.as(main.rootToken).auth.enable({ path: "robots", type: "approle" });
    main.writePolicy("p", 'path "auth/people/users/*" { capabilities = ["read"] }');
    const { token } = main.createToken({ policies: ["p"], noDefaultPolicy: true });
    const door = open(sim);
    const listed = expectEnvelopeless(await door.call("auth.list"));
    expect(expectData(await door.call("mounts.ui.list"))["auth"]).toEqual(listed);
    const { secret, auth } = expectData(await door.call("mounts.ui.list", {}, { token }));
    expect([Object.keys(secret as object), Object.keys(auth as object)]).toEqual([[], ["people/"]]);
    const seen = expectData(await door.call("mounts.ui.read", { path: "auth/people/users/ann" }, { token }));
    expect(seen).toMatchObject({ path: "auth/people/", type: "userpass" });
    expect((await door.call("mounts.ui.read", { path: "auth/robots" }, { token })).status).toBe(403);
  });

  it("the mount of a path is told with its path", async () => {
    const sim = createSimulator({ secrets: { kv: 2 } });
    const door = open(sim);
    const all = expectData(await door.call("mounts.ui.list"));
    const { path, ...mount } = expectData(await door.call("mounts.ui.read", { path: "kv/app/x" }));
    expect({ path, options: mount["options"] }).toEqual({ path: "kv/", options: { version: "2" } });
    expect(mount).toEqual((all["secret"] as { readonly [path: string]: unknown })["kv/"]);
    expect(expectData(await door.call("mounts.ui.read", { path: "kv" }))["path"]).toBe("kv/");
    const answer = await door.call("mounts.ui.read", { path: "nothing" });
    expectRefused(answer, 403, "preflight capability check returned 403", '"nothing/"');
  });
});

/** The data of an answer that stands beside it as well. */
function expectEnvelopeless({ status, body }: { readonly status: number; readonly body: unknown }): unknown {
  expect(status).toBe(200);
  return (body as { readonly data: unknown }).data;
}

it("the mounts of nobody are none, and of a bad token refused", async () => {
  const sim = createSimulator();
  expect(await bodyOf(sim, "sys/internal/ui/mounts", null)).toMatchObject({ data: { auth: {}, secret: {} } });
  const bad = { asking: { token: "scs.nobody" } };
  expect((await send(sim, "GET", "/v1/sys/internal/ui/mounts", bad)).status).toBe(403);
  expect((await send(sim, "GET", "/v1/sys/internal/ui/mounts/kv", { asking: { token: null } })).status).toBe(403);
});

it("whoever asks is told of mounts that are listed for everybody", async () => {
  const sim = createSimulator();
  const post = (path: string, body: object) => send(sim, "POST", `/v1/${path}`, { body: JSON.stringify(body) });
  expect((await post("sys/mounts/open", { type: "kv", config: { listing_visibility: "unauth" } })).status).toBe(204);
  expect((await post("sys/auth/people", { type: "userpass", description: "d" })).status).toBe(204);
  expect((await post("sys/auth/people/tune", { listing_visibility: "unauth" })).status).toBe(204);
  const shown = async (token: string | null) => {
    const { data } = (await bodyOf(sim, "sys/internal/ui/mounts", token)) as { readonly data: object };
    return data;
  };
  const open = { type: "kv", description: "", options: {} };
  const people = { type: "userpass", description: "d", options: {} };
  expect(await shown(null)).toEqual({ auth: { "people/": people }, secret: { "open/": open } });
  const { token } = sim.secrets.cluster("main").createToken({ policies: ["none"], noDefaultPolicy: true });
  const config = { listing_visibility: "unauth" };
  expect(await shown(token)).toMatchObject({ auth: { "people/": { config } }, secret: { "open/": { config } } });
  expect(await bodyOf(sim, "sys/mounts/open/tune")).toMatchObject(config);
  expect((await post("sys/mounts/open/tune", { listing_visibility: "" })).status).toBe(204);
  expect(await shown(null)).toEqual({ auth: { "people/": people }, secret: {} });
  const wrong = await post("sys/mounts/open/tune", { listing_visibility: "some" });
  expect(wrong).toMatchObject({ status: 400, code: "listing_visibility_unknown" });
});

it("sys/policy is another way to the access policies", async () => {
  const sim = createSimulator();
  const document = 'path "a" { capabilities = ["read"] }';
  expectDone(await send(sim, "PUT", "/v1/sys/policy/one", { body: JSON.stringify({ policy: document }) }));
  expectDone(await send(sim, "POST", "/v1/sys/policy/two", { body: JSON.stringify({ rules: document }) }));
  const names = { keys: ["default", "one", "root", "two"], policies: ["default", "one", "root", "two"] };
  expect(await bodyOf(sim, "sys/policy")).toMatchObject({ ...names, data: names });
  expect((await send(sim, "LIST", "/v1/sys/policy")).body).toMatchObject({ ...names, data: names });
  const two = { name: "two", rules: document };
  expect(await bodyOf(sim, "sys/policy/two")).toMatchObject({ ...two, data: two });
  expect((await bodyOf(sim, "sys/policies/acl/one"))["data"]).toEqual({ name: "one", policy: document });
  expectDone(await send(sim, "DELETE", "/v1/sys/policy/one"));
  expectRefused(await send(sim, "GET", "/v1/sys/policy/one"), 404);
  expectRefused(await send(sim, "POST", "/v1/sys/policy/root", { body: "{}" }), 400, "cannot update");
  expectRefused(await send(sim, "POST", "/v1/sys/policy/x"), 400, "policy");
});

it("every cluster is initialized, and says so while it is sealed", async () => {
  const sim = createSimulator();
  expect(await bodyOf(sim, "sys/init", null)).toEqual({ initialized: true });
  sim.secrets.cluster("main").seal();
  expect(await bodyOf(sim, "sys/init", null)).toEqual({ initialized: true });
  expectRefused(await send(sim, "PUT", "/v1/sys/init", { body: '{"secret_shares":1}' }), 400, "already initialized");
});

it("who sends a token under the header of the real service is told so, where nobody listens to it", async () => {
  const asked = async (options: Parameters<typeof createSimulator>[0], headers: Record<string, string>) => {
    const sim = createSimulator(options);
    const answer = await sim.fetch(`${sim.secrets.cluster("main").url}/v1/sys/mounts`, { headers });
    return { status: answer.status, errors: ((await answer.json()) as { readonly errors: readonly string[] }).errors };
  };
  const told = await asked({}, { "X-Vault-Token": "hvs.x" });
  expect(told).toEqual({ status: 403, errors: [expect.stringContaining("permission denied"), expect.anything()] });
  expect(told.errors[1]).toContain("X-Vault-Token");
  expect(told.errors[1]).toContain("X-Secrets-Token");
  for (const headers of [
    {},
    { "X-Secrets-Token": "scs.x" },
    { "X-Secrets-Token": "scs.x", "X-Vault-Token": "hvs.x" },
  ]) {
    expect((await asked({}, headers)).errors).toHaveLength(1);
  }
  expect((await asked({ vocabulary: "hashicorp" }, { "X-Vault-Token": "hvs.x" })).errors).toHaveLength(1);
});
