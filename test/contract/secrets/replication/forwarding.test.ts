import { describe, expect, test } from "vitest";
import { type ClusterHandle, Rejection, type Simulator } from "../../../../src/index.ts";
import { type Asking, doors, type Fields, type OperationName } from "../../driver.ts";
import { joined, replicatedWorld, rootOf, statusOf } from "./replicated-world.ts";

// decisions-replication.md, 3: what a performance secondary does itself, and what it has its primary do.

interface World {
  readonly sim: Simulator;
  readonly primary: ClusterHandle;
  readonly secondary: ClusterHandle;
  readonly root: string;
}

async function world(options = {}): Promise<World> {
  const { sim, cluster } = replicatedWorld(["primary", "secondary"], options);
  const [primary, secondary] = [cluster("primary"), cluster("secondary")];
  for (const name of ["svc-a", "svc-b"]) sim.directory.addEntry(`cn=${name},dc=corp`, { cn: name });
  sim.directory.addEntry("cn=bind,dc=corp", { cn: "bind", userPassword: "secret" });
  const lead = primary.as(primary.rootToken);
  lead.ldapConfig.write({ binddn: "cn=bind,dc=corp", bindpass: "secret", userdn: "dc=corp" });
  lead.library.write({ set_name: "ops", service_account_names: ["svc-a", "svc-b"], ttl: "1h", max_ttl: "2h" });
  await joined("performance", primary, secondary);
  sim.settle();
  return { sim, primary, secondary, root: rootOf(secondary) };
}

const partsOf = (sim: Simulator, { name }: ClusterHandle) => {
  const { replicated, local } = sim.state.secrets[name] ?? expect.fail("no cluster");
  return { replicated, local };
};

interface Row {
  readonly operation: OperationName;
  readonly fields: Fields;
  readonly asking?: Asking;
  /** What has to be there first, made on the primary. */
  readonly given?: (world: World) => void;
}

const FORWARDED: readonly Row[] = [
  { operation: "kv.write", fields: { path: "x", v: 1 } },
  {
    operation: "kv.delete",
    fields: { path: "x" },
    given: ({ primary }) => primary.as(primary.rootToken).kv.write({ path: "x", v: 1 }),
  },
  { operation: "policies.write", fields: { name: "p", policy: 'path "a" { capabilities = ["read"] }' } },
  { operation: "policies.delete", fields: { name: "p" }, given: ({ primary }) => primary.writePolicy("p", "{}") },
  {
    operation: "passwordPolicies.write",
    fields: { name: "p", policy: 'length = 20\nrule "charset" { charset = "abc" }' },
  },
  { operation: "namespaces.write", fields: { name: "team" } },
  {
    operation: "namespaces.delete",
    fields: { name: "team" },
    given: ({ primary }) => void primary.createNamespace("team"),
  },
  { operation: "mounts.write", fields: { path: "more", type: "kv" } },
  { operation: "mounts.delete", fields: { path: "kv" } },
  { operation: "mounts.tune", fields: { path: "kv", default_lease_ttl: 60 } },
  { operation: "library.write", fields: { set_name: "ops", ttl: "30m" } },
  { operation: "library.checkOut", fields: { set_name: "ops" } },
];

describe.each(doors())("through %s,", (_, { open }) => {
  test.each(FORWARDED)("$operation is done by the primary", async ({ operation, fields, given }) => {
    const made = await world();
    given?.(made);
    const was = partsOf(made.sim, made.primary);
    const local = partsOf(made.sim, made.secondary).local;
    const answer = await open(made.sim, "secondary").call(operation, fields, { token: made.root });
    expect(answer.status).toBeLessThan(300);
    expect(partsOf(made.sim, made.primary).replicated).not.toBe(was.replicated);
    // It has come here as an entry, and nothing else has changed here.
    expect(partsOf(made.sim, made.secondary).replicated).toBe(partsOf(made.sim, made.primary).replicated);
    expect(partsOf(made.sim, made.secondary).local).toBe(local);
  });

  test.each(FORWARDED)(
    "$operation is 500 and changes nothing without a primary",
    async ({ operation, fields, given }) => {
      for (const how of ["cut", "stop", "seal", "demote", "revoke"] as const) {
        const made = await world();
        const { sim, primary, secondary, root } = made;
        given?.(made);
        const lead = primary.as(primary.rootToken).replication.performance;
        ({
          cut: () => sim.network.cut(primary, secondary),
          stop: () => sim.network.stop(primary),
          seal: () => primary.seal(),
          demote: () => lead.primaryDemote(),
          revoke: () => lead.revokeSecondary({ id: "b" }),
        })[how]();
        const hash = sim.stateHash();
        const answer = await open(sim, "secondary").call(operation, fields, { token: root });
        expect(answer).toMatchObject({ status: 500, code: "forwarding_failed" });
        expect(answer.errors).toContain("forward");
        expect(sim.stateHash()).toBe(hash);
      }
    },
  );

  test("the answer is the primary's, status and body", async () => {
    const { sim, root } = await world();
    const door = open(sim, "secondary");
    expect(await door.call("kv.write", { path: "x" }, { token: root })).toMatchObject({
      status: 400,
      code: "data_missing",
    });
    expect(await door.call("namespaces.delete", { name: "none" }, { token: root })).toMatchObject({
      status: 200,
      body: { warnings: [expect.stringContaining("does not exist")] },
    });
    expect(await door.call("library.checkOut", { set_name: "none" }, { token: root })).toMatchObject({ status: 400 });
  });

  test("it is authorised here, by tokens of this cluster and policies of the set", async () => {
    const { sim, primary, secondary } = await world();
    const door = open(sim, "secondary");
    primary.writePolicy("writer", 'path "kv/*" { capabilities = ["create", "update", "read"] }');
    const own = secondary.createToken({ policies: ["writer"] }).token;
    expect((await door.call("kv.write", { path: "x", v: 1 }, { token: own })).status).toBe(204);
    expect((await door.call("kv.delete", { path: "x" }, { token: own })).status).toBe(403);
    const foreign = primary.createToken({ policies: ["root"] }).token;
    expect((await door.call("kv.write", { path: "x", v: 1 }, { token: foreign })).status).toBe(403);
    expect((await door.call("kv.read", { path: "x" }, { token: foreign })).status).toBe(403);
    expect((await open(sim, "primary").call("kv.read", { path: "x" }, { token: own })).status).toBe(403);
  });

  test.each([
    ["1s", undefined],
    ["2s", undefined],
    ["2001ms", "stale"],
    ["1h", "stale"],
  ] as const)("with a lag of %s the warning is %s", async (lag, warning) => {
    const { sim, primary, secondary, root } = await world();
    sim.network.setLag(primary, secondary, lag);
    const answer = await open(sim, "secondary").call("namespaces.write", { name: "team" }, { token: root });
    const { warnings } = answer.body as { warnings: string[] | null };
    if (warning === undefined) expect(warnings).toBeNull();
    else expect(warnings).toEqual([expect.stringContaining(warning)]);
    expect(answer.status).toBe(200);
    // It is done there, and is not seen here.
    const read = { name: "team" };
    expect((await open(sim, "primary").call("namespaces.read", read)).status).toBe(200);
    expect((await open(sim, "secondary").call("namespaces.read", read, { token: root })).status).toBe(404);
    sim.settle();
    expect((await open(sim, "secondary").call("namespaces.read", read, { token: root })).status).toBe(200);
  });

  test("an answer without a body has no room for a warning", async () => {
    const { sim, primary, secondary, root } = await world();
    sim.network.setLag(primary, secondary, "1h");
    const answer = await open(sim, "secondary").call("kv.write", { path: "x", v: 1 }, { token: root });
    expect(answer).toMatchObject({ status: 204, body: undefined });
  });

  test("reads are local, stale as they may be, also while the primary is down", async () => {
    const { sim, primary, secondary, root } = await world();
    primary.as(primary.rootToken).kv.write({ path: "x", v: 1 });
    sim.network.cut(primary, secondary);
    primary.as(primary.rootToken).kv.write({ path: "x", v: 2 });
    sim.network.stop(primary);
    const answer = await open(sim, "secondary").call("kv.read", { path: "x" }, { token: root });
    expect(answer).toMatchObject({ status: 200, body: { data: { v: 1 } } });
  });

  test.each([
    ["tokens.create", { ttl: "1h" }],
    ["tokens.lookupSelf", {}],
    ["cubbyhole.write", { path: "x", v: 1 }],
    ["leases.list", {}],
    ["policies.capabilitiesSelf", { paths: ["kv/x"] }],
    ["mounts.write", { path: "own", type: "kv", local: true }],
  ] as const)("%s is done here, without the primary", async (operation, fields) => {
    const { sim, primary, root } = await world();
    sim.network.stop(primary);
    const { status } = await open(sim, "secondary").call(operation, fields, { token: root });
    expect([200, 204, 404]).toContain(status);
  });
});

describe("a check-out through a secondary", () => {
  test("its lease lives on the primary, without a token there", async () => {
    const { sim, primary, secondary, root } = await world();
    const door = secondary.as(root);
    const { lease_id, data } = door.library.checkOut({ set_name: "ops" });
    const lease = partsOf(sim, primary).local.leases.get(lease_id);
    expect(lease?.token).toBeNull();
    expect(partsOf(sim, secondary).local.leases.size).toBe(0);
    expect(door.library.status({ set_name: "ops" }).data[data.service_account_name]?.available).toBe(false);
    expect(door.leases.lookup({ lease_id }).data.id).toBe(lease_id);
    expect(door.leases.renew({ lease_id }).lease_duration).toBe(3600);
    door.leases.revoke({ lease_id });
    expect(partsOf(sim, primary).local.leases.size).toBe(0);
    expect(door.library.status({ set_name: "ops" }).data[data.service_account_name]?.available).toBe(true);
  });

  test("it does not end with the borrower's token, but with its time", async () => {
    const { sim, primary, secondary } = await world();
    const borrower = secondary.createToken({ policies: ["root"] }).token;
    secondary.as(borrower).library.checkOut({ set_name: "ops" });
    secondary.as(borrower).tokens.revokeSelf();
    expect(partsOf(sim, primary).local.leases.size).toBe(1);
    sim.clock.advance("1h");
    expect(partsOf(sim, primary).local.leases.size).toBe(0);
  });

  test("the borrower checks in, and nobody else", async () => {
    const { primary, secondary } = await world();
    primary.writePolicy("lender", 'path "ldap/library/*" { capabilities = ["create", "update", "read"] }');
    const [ann, bob] = [1, 2].map(() => secondary.createToken({ policies: ["lender"] }).token);
    const { data } = secondary.as(ann).library.checkOut({ set_name: "ops" });
    const names = { set_name: "ops", service_account_names: [data.service_account_name] };
    expect(() => secondary.as(bob).library.checkIn(names)).toThrow(Rejection);
    expect(secondary.as(ann).library.checkIn(names).data.check_ins).toEqual([data.service_account_name]);
  });

  test("with the last use of a token its lease is revoked at once", async () => {
    const { sim, primary, secondary } = await world();
    primary.writePolicy("lender", 'path "ldap/library/*" { capabilities = ["create", "update", "read"] }');
    const once = secondary.createToken({ policies: ["lender"], numUses: 1 }).token;
    expect(() => secondary.as(once).library.checkOut({ set_name: "ops" })).toThrow(/lease_of_spent_token/);
    expect(partsOf(sim, primary).local.leases.size).toBe(0);
  });

  test("a lease that is unknown everywhere is what it is on the primary", async () => {
    const { sim, primary, secondary, root } = await world();
    const unknown = { lease_id: "ldap/library/ops/check-out/nothing" };
    expect(() => secondary.as(root).leases.lookup(unknown)).toThrow(/invalid_lease/);
    sim.network.cut(primary, secondary);
    expect(() => secondary.as(root).leases.lookup(unknown)).toThrow(/forwarding_failed/);
    expect(() => secondary.as(root).leases.lookup({ lease_id: "nowhere/x" })).toThrow(/invalid_lease/);
  });

  test("its answer is wrapped here", async () => {
    const { sim, primary, secondary, root } = await world();
    const { wrap_info } = secondary.as(root).library.checkOut({ set_name: "ops" }, { wrapTtl: "1m" }) as {
      wrap_info: { token: string } | null;
    };
    expect(partsOf(sim, secondary).local.wrapped.size).toBe(1);
    expect(partsOf(sim, primary).local.wrapped.size).toBe(0);
    expect(secondary.as(wrap_info?.token).wrapping.unwrap()).toMatchObject({ data: { password: expect.any(String) } });
  });
});

describe("local mounts", () => {
  test("they are written here, and no other performance cluster sees them", async () => {
    const { sim, primary, secondary, root } = await world();
    sim.network.stop(primary);
    secondary.mount("own", { type: "kv", local: true });
    secondary.as(root).at("own").kv.write({ path: "x", v: 1 });
    expect(secondary.as(root).at("own").kv.read({ path: "x" }).data).toEqual({ v: 1 });
    sim.network.start(primary);
    expect(() => primary.as(primary.rootToken).mounts.read({ path: "own" })).toThrow(/mount_not_found/);
    primary.mount("theirs", { type: "kv", local: true });
    expect(() => secondary.as(root).mounts.read({ path: "theirs" })).toThrow(/mount_not_found/);
  });

  test.each(["own", "own/deep", "o"])(
    "a shared mount that arrives later at %s stays hidden behind them",
    async (path) => {
      const { sim, primary, secondary, root } = await world();
      const local = path === "o" ? "o/wn" : "own";
      secondary.mount(local, { type: "kv", local: true });
      const own = secondary.as(root);
      own.at(local).kv.write({ path: "x", v: "own" });
      primary.mount(path, { type: "kv" });
      primary.as(primary.rootToken).at(path).kv.write({ path: "x", v: "shared" });
      expect(own.at(local).kv.read({ path: "x" }).data).toEqual({ v: "own" });
      expect(own.mounts.list().data[`${local}/`]?.local).toBe(true);
      if (path !== local) {
        expect(own.mounts.list().data[`${path}/`]).toBeUndefined();
        expect(() => own.at(path).kv.read({ path: "x" })).toThrow(Rejection);
      }
      expect(statusOf(secondary, "performance")["state"]).toBe("stream-wals");
      own.mounts.delete({ path: local });
      expect(own.at(path).kv.read({ path: "x" }).data).toEqual({ v: "shared" });
      expect(sim.state.secrets["primary"]?.replicated).toBe(sim.state.secrets["secondary"]?.replicated);
    },
  );
});

describe("control calls", () => {
  test("what is shared is made by the primary, and what is not here", async () => {
    const { sim, primary, secondary } = await world();
    secondary.writePolicy("p", 'path "a" { capabilities = ["read"] }');
    secondary.createNamespace("team");
    secondary.mount("more", { type: "kv" });
    expect(primary.as(primary.rootToken).policies.read({ name: "p" }).data.name).toBe("p");
    expect(primary.as(primary.rootToken).mounts.read({ path: "more" }).data.type).toBe("kv");
    expect(partsOf(sim, secondary).replicated).toBe(partsOf(sim, primary).replicated);
    sim.network.cut(primary, secondary);
    for (const call of [
      () => secondary.writePolicy("p", "{}"),
      () => secondary.createNamespace("other"),
      () => secondary.mount("other", { type: "kv" }),
    ]) {
      expect(call).toThrow(/forwarding_failed/);
    }
    expect(secondary.createToken({ policies: ["default"] }).token).toMatch(/^scs\./);
  });
});

describe("what goes on the primary ends what hung on it here", () => {
  test("a namespace that is deleted takes its tokens and local mounts along", async () => {
    const { sim, primary, secondary } = await world();
    primary.createNamespace("team");
    const { token } = secondary.createToken({ policies: ["default"], namespace: "team" });
    secondary.mount("own", { type: "kv", local: true, namespace: "team" });
    sim.network.setLag(primary, secondary, "5s");
    primary.as(primary.rootToken).namespaces.delete({ name: "team" });
    expect(secondary.as(token, { namespace: "team" }).tokens.lookupSelf().data.id).toBe(token);
    sim.settle();
    expect(partsOf(sim, secondary).local.tokens.has(token)).toBe(false);
    expect(partsOf(sim, secondary).local.mounts.size).toBe(0);
    expect(sim.clock.pending().filter(({ command }) => command === "timer.sharedGone")).toEqual([]);
  });

  test.each([
    ["as entries", {}],
    ["by a sync", { walBuffer: 1 }],
  ])("also when another of the same path arrives at the same instant: %s", async (_, options) => {
    const { sim, primary, secondary, root } = await world(options);
    const lead = primary.as(primary.rootToken);
    primary.createNamespace("team");
    primary.mount("lent", { type: "ldap" });
    writeRole(primary, "lent");
    const lease = credentials(secondary, root, "lent");
    const { token } = secondary.createToken({ policies: ["default"], namespace: "team" });
    secondary.mount("own", { type: "kv", local: true, namespace: "team" });
    sim.network.cut(primary, secondary);
    lead.mounts.delete({ path: "lent" });
    primary.mount("lent", { type: "ldap" });
    lead.namespaces.delete({ name: "team" });
    primary.createNamespace("team");
    sim.network.heal();
    const { local, replicated } = partsOf(sim, secondary);
    expect(replicated).toBe(partsOf(sim, primary).replicated);
    expect([local.leases.has(lease), local.tokens.has(token), local.mounts.size]).toEqual([false, false, 0]);
  });

  test("but not what hangs on the local mount that hid it", async () => {
    const { sim, primary, secondary, root } = await world();
    secondary.mount("lent/own", { type: "ldap", local: true });
    writeRole(secondary, "lent/own");
    const lease = credentials(secondary, root, "lent/own");
    primary.mount("lent", { type: "ldap" });
    primary.as(primary.rootToken).mounts.delete({ path: "lent" });
    expect(partsOf(sim, secondary).local.leases.has(lease)).toBe(true);
  });
});

/** Configures a directory engine, with a role that makes accounts. */
function writeRole(cluster: ClusterHandle, mount: string): void {
  const engine = cluster.as(rootOf(cluster)).at(mount);
  engine.ldapConfig.write({ binddn: "cn=bind,dc=corp", bindpass: "secret" });
  const dn = "dn: cn={{.Username}},dc=corp";
  engine.dynamicRoles.write({
    role_name: "dev",
    creation_ldif: `${dn}\nchangetype: add\ncn: {{.Username}}`,
    deletion_ldif: `${dn}\nchangetype: delete`,
  });
}

function credentials(cluster: ClusterHandle, token: string, mount: string): string {
  return cluster.as(token).at(mount).dynamicRoles.credentials({ role_name: "dev" }).lease_id;
}
