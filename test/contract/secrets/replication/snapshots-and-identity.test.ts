import { describe, expect, it, test } from "vitest";
import { Rejection } from "../../../../src/index.ts";
import { drPair, generatedToken } from "./dr-secondary.ts";
import { joined, KINDS, replicatedWorld, rootOf, statusOf } from "./replicated-world.ts";

// What snapshots, restorations and identity are where clusters replicate: decisions-replication.md, 1, 3 and 6.9;
// decisions-secrets-core.md, B.2.

const HOURLY = {
  name: "hourly",
  interval: "1h",
  retain: 9,
  storage_type: "local",
  path_prefix: "/backups",
  local_max_space: 1_000_000,
};

test("a snapshot configuration reaches a DR secondary, and runs there one interval after its promotion", async () => {
  const { sim, a, b } = await drPair();
  const root = rootOf(a);
  a.as(root).snapshots.write(HOURLY);
  sim.clock.advance("2h30m");
  expect(sim.stores.list("", { cluster: a })).toHaveLength(2);
  expect(sim.stores.list("", { cluster: b })).toEqual([]);
  b.as().replication.dr.promote({ dr_operation_token: await generatedToken(b) });
  const { name: _, ...written } = HOURLY;
  expect(b.as(root).snapshots.read({ name: "hourly" }).data).toMatchObject({ ...written, interval: 3_600 });
  sim.clock.advance("59m59s");
  expect(sim.stores.list("", { cluster: b })).toEqual([]);
  sim.clock.advance("1s");
  expect(sim.stores.list("", { cluster: b })).toHaveLength(1);
});

describe.each(KINDS)("%s: restoring", (kind) => {
  it("is refused to a secondary, and changes nothing", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b", "c"]);
    const [a, b] = [cluster("a"), cluster("b")];
    a.as(rootOf(a)).snapshots.write({
      ...HOURLY,
      storage_type: "cloud2-bucket",
      path_prefix: "p/",
      cloud2_bucket: "x",
    });
    await joined(kind, a, b);
    sim.clock.advance("1h");
    const [stored] = sim.stores.list("cloud2://");
    const before = sim.stateHash();
    expect(() => b.restoreSnapshot(stored?.url ?? "")).toThrow(
      expect.objectContaining({
        name: Rejection.name,
        code: kind === "dr" ? "dr_secondary" : "secondary_not_restored",
      }) as Error,
    );
    expect(sim.stateHash()).toBe(before);
  });

  it("of a primary brings its secondary back, too", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b", "c"]);
    const [a, b] = [cluster("a"), cluster("b")];
    await joined(kind, a, b);
    const root = a.as(rootOf(a));
    root.kv.write({ path: "x", v: "then" });
    root.snapshots.write(HOURLY);
    sim.clock.advance("1h");
    root.kv.write({ path: "x", v: "bad" });
    const [stored] = sim.stores.list("file://", { cluster: a });
    a.restoreSnapshot(stored?.url ?? "");
    const value = (name: string) => sim.state.secrets[name]?.replicated.mounts.get("kv/");
    expect(value("b")).toEqual(value("a"));
    expect(root.kv.read({ path: "x" }).data).toEqual({ v: "then" });
  });
});

test("restoring a snapshot that was taken as a performance secondary makes it one again, which is compared first", async () => {
  const { sim, cluster } = replicatedWorld(["a", "b"], { syncDurations: { diff: "5s" } });
  const [a, b] = [cluster("a"), cluster("b")];
  await joined("performance", a, b);
  sim.settle();
  const [lead, root] = [a.as(rootOf(a)), b.as(rootOf(b))];
  root.snapshots.write(HOURLY);
  lead.kv.write({ path: "x", v: "then" });
  sim.clock.advance("1h");
  lead.kv.write({ path: "x", v: "now" });
  root.replication.performance.secondaryDisable();
  const [stored] = sim.stores.list("file://", { cluster: b });
  b.restoreSnapshot(stored?.url ?? "");
  expect(statusOf(b, "performance")).toMatchObject({ mode: "secondary", secondary_id: "b", state: "merkle-diff" });
  expect(root.kv.read({ path: "x" }).data).toEqual({ v: "then" });
  sim.settle();
  expect(root.kv.read({ path: "x" }).data).toEqual({ v: "now" });
  expect(statusOf(b, "performance")["merkle_root"]).toBe(statusOf(a, "performance")["merkle_root"]);
});

test("an entity and a group that are made through a performance secondary are the primary's", async () => {
  const { sim, cluster } = replicatedWorld(["a", "b", "c"]);
  const [a, b] = [cluster("a"), cluster("b")];
  await joined("performance", a, b);
  const { id } = b.createEntity({ name: "ann" });
  const group = b.createGroup({ name: "ops", memberEntityIds: [id] });
  const { identity } = a.as(rootOf(a));
  expect(identity.entities.read({ name: "ann" }).data).toMatchObject({ id });
  expect(identity.groups.read({ name: "ops" }).data).toMatchObject({ id: group.id, member_entity_ids: [id] });
  sim.network.cut(a, b);
  expect(() => b.createEntity({ name: "bob" })).toThrow(
    expect.objectContaining({ name: Rejection.name, code: "forwarding_failed" }) as Error,
  );
});
