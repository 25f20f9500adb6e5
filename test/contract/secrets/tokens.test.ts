import { describe, expect, it } from "vitest";
import { type Answer, doors, type OperationName, send } from "../driver.ts";
import {
  expectData,
  expectDone,
  expectEnvelope,
  expectNotFound,
  expectNothingChanged,
  expectRefused,
} from "../expectations.ts";
import { type LibraryWorld, libraryWorld } from "./library-world.ts";

// decisions-secrets-core.md, A.7, as far as it needs no endpoint of auth/token: tokens that a control call made.

const ops = { set_name: "ops" };
const HOUR_MS = 3_600_000;

function world(): LibraryWorld {
  const made = libraryWorld();
  made.set("ops", ["svc-1", "svc-2"]);
  return made;
}

describe.each(doors())("a request through %s", (_, { open }) => {
  const operations: readonly OperationName[] = [
    "library.read",
    "library.list",
    "library.write",
    "library.delete",
    "library.status",
    "library.checkOut",
    "library.checkIn",
    "library.forceCheckIn",
    "ldapConfig.read",
    "ldapConfig.write",
    "ldapConfig.delete",
    "leases.lookup",
    "leases.renew",
    "leases.revoke",
    "leases.list",
    "leases.revokePrefix",
    "leases.revokeForce",
    "passwordPolicies.read",
    "passwordPolicies.write",
    "passwordPolicies.delete",
    "passwordPolicies.list",
    "passwordPolicies.generate",
  ];
  it.each(operations)(
    "of %s without a token, or with one that is none, is 403 and changes nothing",
    async (operation) => {
      const { sim } = world();
      const fields = { set_name: "ops", prefix: "ldap", name: "strong", lease_id: "x" };
      for (const token of [null, "nobody", "scs.000000000000000000000000", "constructor", "__proto__"]) {
        await expectNothingChanged(sim, async () => {
          expectRefused(await open(sim).call(operation, fields, { token }), 403, "permission denied");
        });
      }
    },
  );
});

// Over HTTP only: a typed call has no headers.
describe("the headers of a token", () => {
  const path = "/v1/ldap/library/ops";
  const withHeaders = (headers: Record<string, string>, { sim }: LibraryWorld): Promise<Answer> =>
    send(sim, "GET", path, { asking: { token: null }, headers });

  it.each<[rule: string, headers: (root: string) => Record<string, string>, status: number]>([
    ["X-Secrets-Token", (root) => ({ "X-Secrets-Token": root }), 200],
    ["x-secrets-token in lower case", (root) => ({ "x-secrets-token": root }), 200],
    ["Authorization: Bearer", (root) => ({ Authorization: `Bearer ${root}` }), 200],
    ["both, the first valid", (root) => ({ "X-Secrets-Token": root, Authorization: "Bearer nobody" }), 200],
    ["both, the first invalid", (root) => ({ "X-Secrets-Token": "nobody", Authorization: `Bearer ${root}` }), 403],
    ["Authorization of another kind", (root) => ({ Authorization: `Basic ${root}` }), 403],
    ["Authorization without a kind", (root) => ({ Authorization: root }), 403],
    ["none", () => ({}), 403],
  ])("%s", async (_rule, headers, status) => {
    const made = world();
    expect((await withHeaders(headers(made.root), made)).status).toBe(status);
  });
});

describe("a token that is created", () => {
  it.each<[options: object, token: RegExp, accessor: RegExp]>([
    [{}, /^scs\.[0-9A-Za-z]{24}$/, /^[0-9A-Za-z]{24}$/],
    [{ type: "service" }, /^scs\.[0-9A-Za-z]{24}$/, /^[0-9A-Za-z]{24}$/],
    [{ type: "batch" }, /^b\.[0-9A-Za-z]{64}$/, /^$/],
    [{ id: "my-own-token" }, /^my-own-token$/, /^[0-9A-Za-z]{24}$/],
  ])("with %j has its form", (options, token, accessor) => {
    const { sim } = world();
    const created = sim.secrets.cluster("main").createToken({ policies: [], ...options });
    expect(created.token).toMatch(token);
    expect(created.accessor).toMatch(accessor);
  });

  it.each<[options: object, seconds: number | undefined]>([
    [{}, 2_764_800],
    [{ ttl: "1h" }, 3600],
    [{ ttl: "0s" }, 2_764_800],
    [{ ttl: "40d" }, 2_764_800],
    [{ ttl: "1.9s" }, 1.9],
    [{ ttl: "500ms" }, 0.5],
    [{ period: "1h" }, 3600],
    [{ period: "60d" }, 2_764_800],
    [{ period: "1h", ttl: "2h" }, 3600],
    [{ period: "60d", explicitMaxTtl: "10d" }, 864_000],
    [{ ttl: "2h", explicitMaxTtl: "1h" }, 3600],
    [{ ttl: "1h", explicitMaxTtl: "2h" }, 3600],
    [{ explicitMaxTtl: "2h" }, 7200],
    [{ type: "batch", ttl: "1h" }, 3600],
    [{ type: "batch" }, 2_764_800],
    [{ policies: ["root"] }, undefined],
    [{ policies: ["ROOT"] }, undefined],
    [{ policies: ["root"], ttl: "1h" }, 3600],
  ])("with %j lives for %s seconds", (options, seconds) => {
    const { sim } = libraryWorld();
    sim.secrets.cluster("main").createToken({ policies: [], ...options });
    const due = sim.clock.pending().map(({ dueAtMs }) => (dueAtMs - sim.clock.now()) / 1000);
    expect(due).toEqual(seconds === undefined ? [] : [seconds]);
  });
});

describe.each(doors())("the end of a token, seen through %s", (_, { open }) => {
  it("is its TTL: valid while now is before it, unknown at that very instant", async () => {
    const { sim, token } = world();
    const asking = { token: token({ ttl: "1h" }) };
    sim.clock.advance(HOUR_MS - 1);
    expectData(await open(sim).call("library.read", ops, asking));
    sim.clock.advance(1);
    expectRefused(await open(sim).call("library.read", ops, asking), 403, "permission denied");
  });

  it("of a batch token is its TTL, too", async () => {
    const { sim } = world();
    const cluster = sim.secrets.cluster("main");
    const { token } = cluster.createToken({ policies: ["lender"], ttl: "1h", type: "batch" });
    sim.clock.advance(HOUR_MS - 1);
    expectEnvelope(await open(sim).call("library.checkOut", ops, { token }));
    sim.clock.advance(1);
    expectRefused(await open(sim).call("library.read", ops, { token }), 403, "permission denied");
  });

  it("revokes at the same instant all leases that were made with it, and no others", async () => {
    const { sim, token, available, password } = world();
    const door = open(sim);
    const { lease_id } = expectEnvelope(await door.call("library.checkOut", ops, { token: token({ ttl: "1h" }) }));
    expectEnvelope(await door.call("library.checkOut", ops, { token: token() }));
    const before = password("svc-1");
    sim.clock.advance(HOUR_MS - 1);
    expect(available("ops")).toEqual([]);
    sim.clock.advance(1);
    expect(available("ops")).toEqual(["svc-1"]);
    expect(password("svc-1")).not.toBe(before);
    expectRefused(await door.call("leases.lookup", { lease_id }), 400, "invalid lease");
  });

  it("revokes a lease that was renewed beyond it", async () => {
    const { sim, token, available } = world();
    const door = open(sim);
    const { lease_id } = expectEnvelope(await door.call("library.checkOut", ops, { token: token({ ttl: "1h" }) }));
    expectEnvelope(await door.call("leases.renew", { lease_id, increment: "20h" }));
    sim.clock.advance("1h");
    expect(available("ops")).toEqual(["svc-1", "svc-2"]);
  });

  it("leaves a lease that cannot be revoked to later attempts", async () => {
    const { sim, token, available, directoryUp } = world();
    await open(sim).call("library.checkOut", ops, { token: token({ ttl: "1h" }) });
    directoryUp(false);
    sim.clock.advance("1h");
    expect(available("ops")).toEqual(["svc-2"]);
    directoryUp(true);
    sim.clock.advance("20s");
    expect(available("ops")).toEqual(["svc-1", "svc-2"]);
    expect(sim.clock.pending()).toEqual([]);
  });

  it("never comes for the root token", async () => {
    const { sim } = world();
    sim.clock.advance("3650d");
    expectData(await open(sim).call("library.read", ops));
  });
});

describe.each(doors())("the uses of a token, through %s", (_, { open }) => {
  it("are counted: the last one succeeds, the next is of an unknown token", async () => {
    const { sim, token } = world();
    const asking = { token: token({ numUses: 2 }) };
    const door = open(sim);
    expectData(await door.call("library.read", ops, asking));
    expectData(await door.call("library.status", ops, asking));
    await expectNothingChanged(sim, async () => {
      expectRefused(await door.call("library.read", ops, asking), 403, "permission denied");
    });
  });

  it("are as many as one likes with 0", async () => {
    const { sim, token } = world();
    const asking = { token: token({ numUses: 0 }) };
    for (let use = 0; use < 5; use++) expectData(await open(sim).call("library.read", ops, asking));
  });

  it("make a command of a read", async () => {
    const { sim, token } = world();
    const asking = { token: token({ numUses: 3 }) };
    const { position } = sim;
    await open(sim).call("library.read", ops, asking);
    expect(sim.position).toBe(position + 1);
  });

  it.each<[rule: string, operation: OperationName, fields: object, status: number]>([
    ["that the policy refuses", "passwordPolicies.list", {}, 403],
    ["of a mount that is not there", "library.read", { mount: "nowhere" }, 404],
    ["of a name that is none", "library.read", { set_name: "-x" }, 404],
    ["with a field of the wrong type", "library.checkOut", { ttl: "1w" }, 400],
    ["that its handler refuses", "library.checkOut", { set_name: "nowhere" }, 400],
    ["of a missing item", "library.read", { set_name: "nowhere" }, 404],
    ["that the directory fails", "library.write", { set_name: "new", service_account_names: ["nobody"] }, 500],
  ])("are used by a request %s", async (_rule, operation, fields, status) => {
    const { sim } = world();
    const cluster = sim.secrets.cluster("main");
    cluster.writePolicy("elsewhere", 'path "nowhere/*" { capabilities = ["read"] }');
    const { token } = cluster.createToken({ policies: ["lender", "elsewhere"], numUses: 1 });
    const { mount, ...rest } = { mount: "ldap", ...ops, ...fields };
    const door = open(sim);
    const answer = await door.call(operation, rest, { token, mount });
    expect(answer).toMatchObject({ status });
    expectRefused(await door.call("library.read", ops, { token }), 403, "permission denied");
  });

  it("are not used by a request that comes to no check of its token", async () => {
    const { sim, token } = world();
    const asking = { token: token({ numUses: 1 }) };
    const door = open(sim);
    await expectNothingChanged(sim, async () => {
      expectRefused(await door.call("library.read", ops, { ...asking, namespace: "nowhere" }), 404, "namespace");
    });
    expectData(await door.call("library.read", ops, asking));
  });

  it("end with a lease that cannot be: 400, the account is back at once with a new password", async () => {
    const { sim, token, available, password } = world();
    const asking = { token: token({ numUses: 1 }) };
    const before = password("svc-1");
    const door = open(sim);
    const answer = await door.call("library.checkOut", ops, asking);
    expect(answer.status).toBe(400);
    expect(answer.code).toBe("lease_of_spent_token");
    expect(available("ops")).toEqual(["svc-1", "svc-2"]);
    expect(password("svc-1")).not.toBe(before);
    expectNotFound(await door.call("leases.list"));
    expectRefused(await door.call("library.checkOut", ops, asking), 403, "permission denied");
  });

  it("before the last one may make leases, which the last one ends with the token", async () => {
    const { sim, token, available } = world();
    const asking = { token: token({ numUses: 2 }) };
    const door = open(sim);
    expectEnvelope(await door.call("library.checkOut", ops, asking));
    expect(available("ops")).toEqual(["svc-2"]);
    expectData(await door.call("library.read", ops, asking));
    expect(available("ops")).toEqual(["svc-1", "svc-2"]);
  });

  it("let the last one write and delete", async () => {
    const { sim, token } = world();
    const door = open(sim);
    expectDone(await door.call("library.write", { ...ops, ttl: 60 }, { token: token({ numUses: 1 }) }));
    expect(expectData(await door.call("library.read", ops))["ttl"]).toBe(60);
    expectDone(await door.call("library.delete", ops, { token: token({ numUses: 1 }) }));
    expectNotFound(await door.call("library.read", ops));
  });

  it("let the last one check in what an earlier one borrowed", async () => {
    const { sim, token } = world();
    const asking = { token: token({ numUses: 2 }) };
    const door = open(sim);
    expectEnvelope(await door.call("library.checkOut", ops, asking));
    expect(expectData(await door.call("library.checkIn", ops, asking))).toEqual({ check_ins: ["svc-1"] });
  });
});

// Over HTTP only: a typed call is always of a known path and verb.
describe("the uses of a token over HTTP", () => {
  it.each<[rule: string, method: string, path: string, body: string | undefined, status: number]>([
    ["a body that is no JSON", "POST", "/v1/ldap/library/ops/check-out", "{", 400],
    ["a list parameter that is no boolean", "GET", "/v1/ldap/library/ops?list=maybe", undefined, 400],
    ["a path that ends in a slash", "POST", "/v1/ldap/library/ops/", "{}", 400],
    ["a method that the service does not know", "PURGE", "/v1/ldap/library/ops", undefined, 405],
    ["a path outside /v1/", "GET", "/v2/ldap/library/ops", undefined, 404],
  ])("are not used by %s", async (_rule, method, path, body, status) => {
    const { sim, token } = world();
    const asking = { token: token({ numUses: 1 }) };
    await expectNothingChanged(sim, async () => {
      const answer = await send(sim, method, path, { asking, ...(body === undefined ? {} : { body }) });
      expect(answer.status).toBe(status);
    });
    expectData(await send(sim, "GET", "/v1/ldap/library/ops", { asking }));
  });

  it.each<[rule: string, method: string, path: string, status: number]>([
    ["a verb that the path has not", "DELETE", "/v1/ldap/library/ops/status", 405],
    ["a path that the engine has not", "GET", "/v1/ldap/nothing", 404],
    ["a path that no engine has", "GET", "/v1/nowhere/x", 403],
  ])("are used by %s", async (_rule, method, path, status) => {
    const { sim, token } = world();
    const asking = { token: token({ numUses: 1 }) };
    expect((await send(sim, method, path, { asking })).status).toBe(status);
    expectRefused(await send(sim, "GET", "/v1/ldap/library/ops", { asking }), 403, "permission denied");
  });
});

describe.each(doors())("the policies of a token, through %s", (_, { open }) => {
  it("include default, which lets it look up and renew leases", async () => {
    const { sim, lend } = world();
    const { lease } = lend("ops");
    const { token } = sim.secrets.cluster("main").createToken({ policies: [] });
    const door = open(sim);
    expectData(await door.call("leases.lookup", { lease_id: lease }, { token }));
    expectEnvelope(await door.call("leases.renew", { lease_id: lease }, { token }));
    expectRefused(await door.call("leases.revoke", { lease_id: lease }, { token }), 403, "permission denied");
    expectRefused(await door.call("library.read", ops, { token }), 403, "permission denied");
  });

  it("do not include default when it is not wanted", async () => {
    const { sim, lend } = world();
    const { lease } = lend("ops");
    const { token } = sim.secrets.cluster("main").createToken({ policies: [], noDefaultPolicy: true });
    expectRefused(await open(sim).call("leases.lookup", { lease_id: lease }, { token }), 403, "permission denied");
  });

  it("are named in any case", async () => {
    const { sim } = world();
    const { token } = sim.secrets.cluster("main").createToken({ policies: ["LENDER"] });
    expectData(await open(sim).call("library.read", ops, { token }));
  });

  it("grant nothing where a name has no document, and what it says once it has one", async () => {
    const { sim } = world();
    const cluster = sim.secrets.cluster("main");
    const { token } = cluster.createToken({ policies: ["later"] });
    const door = open(sim);
    expectRefused(await door.call("library.read", ops, { token }), 403, "permission denied");
    cluster.writePolicy("later", 'path "ldap/library/ops" { capabilities = ["read"] }');
    expectData(await door.call("library.read", ops, { token }));
    cluster.writePolicy("later", 'path "ldap/library/other" { capabilities = ["read"] }');
    expectRefused(await door.call("library.read", ops, { token }), 403, "permission denied");
  });

  it("are told apart by their names, whatever the names hold", async () => {
    const { sim } = world();
    const cluster = sim.secrets.cluster("main");
    const granted = cluster.createToken({ policies: ["lender", "other"], noDefaultPolicy: true });
    const door = open(sim);
    expectData(await door.call("library.read", ops, granted));
    for (const name of ["lender\nother", 'lender","other', "lender,other"]) {
      const { token } = cluster.createToken({ policies: [name], noDefaultPolicy: true });
      expectRefused(await door.call("library.read", ops, { token }), 403, "permission denied");
    }
  });
});
