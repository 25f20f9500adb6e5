import { describe, expect, test } from "vitest";
import type { ClusterHandle, LossReportOptions, SecretsClient, Simulator } from "../../../../src/index.ts";
import { CLOUD1 } from "../snapshot-world.ts";
import {
  activationToken,
  join,
  joined,
  type Kind,
  replicatedWorld,
  rootOf,
  type SecretsOptions,
} from "./replicated-world.ts";

// What a failover lost, whatever came of the clusters since: reports follow from what storages hold, and not from how clusters are linked.

function world(names: readonly string[], options: SecretsOptions = {}) {
  const { sim, cluster, operationToken } = replicatedWorld(names, options);
  const write = (at: ClusterHandle, path: string): void => {
    at.as(rootOf(at)).kv.write({ path, v: 1 });
  };
  const authority = (at: ClusterHandle, kind: Kind) =>
    kind === "dr" ? { dr_operation_token: operationToken(at) } : {};
  const door = (at: ClusterHandle, kind: Kind) => at.as(kind === "dr" ? undefined : rootOf(at)).replication;
  return {
    sim,
    clusters: names.map(cluster),
    write,
    operationToken,
    operate: (at: ClusterHandle): SecretsClient => at.as(rootOf(at)),
    promote: (at: ClusterHandle, kind: Kind = "dr"): void => {
      door(at, kind)[kind].promote({ ...authority(at, kind) });
    },
    attach: async (at: ClusterHandle, to: ClusterHandle, kind: Kind = "dr", id: string = at.name): Promise<void> => {
      const token = await activationToken(kind, to, id);
      await door(at, kind)[kind].updatePrimary({ token, ...authority(at, kind) });
    },
    /** The secrets that were lost on the way from one cluster to another. */
    lost: (from: ClusterHandle, to: ClusterHandle): string[] =>
      sim
        .lossReport(from, to)
        .flatMap(({ command, objects }) => (command === "secrets.kv.write" ? objects.map(({ path }) => path) : [])),
    /** What a report says of writes of secrets. */
    rows: (from: ClusterHandle, to: ClusterHandle, options?: LossReportOptions): object[] =>
      sim
        .lossReport(from, to, options)
        .filter(({ command }) => command.startsWith("secrets.kv."))
        .map(({ kind, because, objects }) => ({ kind, because, objects })),
  };
}

type Three = [ClusterHandle, ClusterHandle, ClusterHandle];

describe("a loss report", () => {
  test("tells of nothing local between performance clusters, also before the first sync has ended", async () => {
    const { sim, clusters } = world(["a", "b"], { syncDurations: { diff: "1s", sync: "1s" } });
    const [a, b] = clusters as Three;
    await joined("performance", a, b);
    const joinedAt = sim.position;
    rootOf(b);
    expect(sim.lossReport(b, a).filter(({ position }) => position >= joinedAt)).toEqual([]);
  });

  test("does not forget what is gone when another secondary, which had it, attaches to the promoted one", async () => {
    const { sim, clusters, write, promote, attach, lost } = world(["a", "b", "c"]);
    const [a, b, c] = clusters as Three;
    await joined("dr", a, b, "b");
    await join("dr", a, c, "c");
    sim.network.cut(a, b);
    write(a, "gone");
    sim.network.stop(a);
    promote(b);
    expect([lost(a, b), lost(a, c)]).toEqual([["kv/gone"], []]);
    await attach(c, b);
    expect([lost(a, b), lost(a, c)]).toEqual([["kv/gone"], ["kv/gone"]]);
  });

  test("does not forget it either when who wrote it joins anew, by disable and enable", async () => {
    const { sim, clusters, write, promote, lost } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("dr", a, b);
    sim.network.cut(a, b);
    write(a, "gone");
    promote(b);
    sim.network.heal();
    a.as(rootOf(a)).replication.dr.primaryDisable();
    await join("dr", b, a, "a");
    expect(lost(a, b)).toEqual(["kv/gone"]);
  });

  test("does not tell of what came another way: the promoted secondary had it, and the lagging one attaches to it", async () => {
    const { sim, clusters, write, promote, attach, lost } = world(["a", "b", "c"]);
    const [a, b, c] = clusters as Three;
    await joined("dr", a, b, "b");
    await join("dr", a, c, "c");
    sim.network.cut(a, b);
    write(a, "kept");
    sim.network.stop(a);
    promote(c);
    expect(lost(a, b)).toEqual(["kv/kept"]);
    await attach(b, c);
    expect([lost(a, b), lost(a, c)]).toEqual([[], []]);
  });

  test("does not tell of what a performance secondary received: it was its primary's to acknowledge", async () => {
    const { sim, clusters, write, lost } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("performance", a, b);
    const joinedAt = sim.position;
    write(a, "shared");
    expect(lost(b, a)).toEqual([]);
    const since = sim.lossReport(b, a).filter(({ position }) => position >= joinedAt);
    expect(since).toEqual([]);
  });

  test("tells of a disaster-recovery secondary what it lacks once it is a performance secondary", async () => {
    const { sim, clusters, write, lost, promote } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("dr", a, b);
    write(a, "first");
    sim.network.cut(a, b);
    write(a, "second");
    promote(b);
    b.as(rootOf(b)).replication.dr.primaryDisable();
    sim.network.heal();
    expect(lost(a, b)).toEqual(["kv/second"]);
    await joined("performance", a, b, "p");
    expect(lost(a, b)).toEqual([]);
    sim.network.cut(a, b);
    write(a, "third");
    expect(lost(a, b)).toEqual(["kv/third"]);
  });

  test("tells what a split brain wrote on both sides, each to the other", async () => {
    const { sim, clusters, write, promote, attach, lost } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("dr", a, b);
    sim.network.cut(a, b);
    promote(b);
    write(a, "on-a");
    write(b, "on-b");
    expect([lost(a, b), lost(b, a)]).toEqual([["kv/on-a"], ["kv/on-b"]]);
    sim.network.heal();
    a.as(rootOf(a)).replication.dr.primaryDemote();
    await attach(a, b);
    expect([lost(a, b), lost(b, a)]).toEqual([["kv/on-a"], []]);
  });
});

const secret = (path: string, change: string, fate: object): object => ({
  kind: "secret",
  path: `kv/${path}`,
  change,
  ...fate,
});
const missing = (path: string): object => secret(path, "created", { fate: "missing" });

describe("whatever became of the clusters since", () => {
  test("a token that was lost between clusters of disaster recovery stays lost when its writer joins for performance", async () => {
    const { sim, clusters, operate, promote } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("dr", a, b);
    sim.network.cut(a, b);
    a.createToken({ id: "gone", policies: [] });
    promote(b);
    sim.network.heal();
    const told = () =>
      sim
        .lossReport(a, b)
        .flatMap(({ objects }) => objects.filter(({ path, change }) => path === "gone" && change === "created"));
    const lost = [{ kind: "token", path: "gone", change: "created", fate: "missing" }];
    expect(told()).toEqual(lost);
    operate(a).replication.dr.primaryDisable();
    await joined("performance", b, a, "a");
    expect(told()).toEqual(lost);
  });

  test("what a primary never had is not kept back by its filter", async () => {
    const { clusters, write, operate, rows } = world(["a", "b", "c"]);
    const [a, b, c] = clusters as Three;
    write(c, "x");
    operate(a).replication.performance.primaryEnable();
    operate(a).replication.performance.pathsFilter.write({ id: "b", mode: "deny", paths: ["kv"] });
    await joined("performance", a, b);
    expect(rows(c, b)).toEqual([{ kind: "lost", because: { reason: "apart" }, objects: [missing("x")] }]);
  });

  test("nobody who gets it through a filter holds what that keeps back", async () => {
    const { sim, clusters, write, operate, promote } = world(["a", "b", "c"]);
    const [a, b, c] = clusters as Three;
    await joined("dr", a, b);
    promote(b);
    operate(b).replication.performance.primaryEnable();
    operate(b).replication.performance.pathsFilter.write({ id: "c", mode: "deny", paths: ["kv"] });
    await joined("performance", b, c, "c");
    write(b, "x");
    const holders = sim.lossForecast(a).filter(({ commits }) => commits.includes(sim.position));
    expect(holders).toMatchObject([{ cluster: "b", writer: "b" }]);
  });

  test("a cluster that was independent for a while and joined anew was cleared: nothing parted by birth", async () => {
    const { sim, clusters, operate } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("performance", a, b);
    operate(b).replication.performance.secondaryDisable();
    b.createToken({ id: "gone", policies: [] });
    await joined("dr", a, b, "d");
    const wiped = { reason: "wipe", position: sim.position };
    const told = sim.lossReport(b, a).filter(({ objects }) => objects.some(({ path }) => path === "gone"));
    expect(told).toMatchObject([{ because: wiped, objects: [{ fate: "missing" }] }]);
  });
});

describe("stories that random schedules found", () => {
  test("tokens of a primary that came with its snapshot are local to a performance secondary", async () => {
    const { sim, clusters, operate, promote } = world(["a", "b", "c"]);
    const [a, b, c] = clusters as Three;
    await joined("performance", a, b);
    await joined("dr", b, c, "c");
    const { position } = sim;
    a.createToken({ id: "own", policies: [] });
    operate(a).snapshots.write({ name: "s", interval: "30m", ...CLOUD1 });
    sim.clock.advance("31m");
    promote(c);
    operate(b).replication.performance.secondaryDisable();
    b.restoreSnapshot(sim.stores.list("cloud1://bucket/")[0]?.url ?? "");
    const ofA = sim.lossForecast(c).filter(({ writer }) => writer === "a");
    expect(ofA.flatMap(({ commits }) => commits)).not.toContain(position + 1);
  });

  test("what somebody else removed later is missing; what it removed itself is removed", async () => {
    const { sim, clusters, operate, promote } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("dr", a, b);
    a.createToken({ id: "theirs", policies: [] });
    a.createToken({ id: "own", policies: [] });
    promote(b);
    const { position } = sim;
    operate(b).tokens.revoke({ token: "own" });
    await joined("performance", a, b, "p");
    operate(a).tokens.revoke({ token: "theirs" });
    const told = sim.lossReport(b, b, { at: position }).flatMap(({ objects }) => objects);
    expect(told.filter(({ path, change }) => change === "created" && ["own", "theirs"].includes(path))).toEqual([
      { kind: "token", path: "theirs", change: "created", fate: "missing" },
      { kind: "token", path: "own", change: "created", fate: "removed" },
    ]);
  });

  test("cut: at the demotion, after which it never reached its performance primary again", async () => {
    const { sim, clusters, write, operate, operationToken, rows } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("performance", a, b);
    operate(b).replication.dr.primaryEnable();
    operate(b).replication.dr.primaryDemote();
    const because = { reason: "cut", position: sim.position };
    operate(a).replication.performance.primaryDisable();
    b.as().replication.dr.secondaryDisable({ dr_operation_token: operationToken(b) });
    write(a, "x");
    expect(rows(a, b)).toEqual([{ kind: "lost", because, objects: [missing("x")] }]);
  });

  test("promotion: it is on its way still to who follows the promoted cluster", async () => {
    const { sim, clusters, write, operate, rows } = world(["a", "b", "c"]);
    const [a, b, c] = clusters as Three;
    await joined("performance", a, b);
    await joined("dr", b, c, "c");
    sim.network.setLag(b, c, "5s");
    operate(b).replication.performance.promote();
    const promoted = sim.log.commits().find(({ command }) => command.name.endsWith("performance.promote"));
    write(a, "x");
    expect(rows(a, c)).toEqual([
      { kind: "lost", because: { reason: "promotion", position: promoted?.position }, objects: [missing("x")] },
    ]);
  });

  test("promotion: not when who was followed was cleared, and began anew with what is its own", async () => {
    const { sim, clusters, promote } = world(["a", "b", "c"]);
    const [a, b, c] = clusters as Three;
    await joined("dr", a, b);
    await join("dr", a, c, "c");
    promote(b);
    const because = { reason: "promotion", position: sim.position };
    sim.network.cut(a, c);
    await joined("performance", b, a, "a");
    b.createToken({ id: "own", policies: [] });
    expect(sim.lossReport(b, c).at(-1)).toMatchObject({ because, objects: [{ path: "own" }] });
  });

  test("what a promoted primary lacks is lost at its secondary, and not kept back by the filter between them", async () => {
    const { sim, clusters, write, operate, promote, rows } = world(["a", "b", "c"]);
    const [a, b, c] = clusters as Three;
    await joined("dr", a, b);
    sim.network.cut(a, b);
    const because = { reason: "cut", position: sim.position };
    write(a, "x");
    promote(b);
    operate(b).replication.performance.primaryEnable();
    operate(b).replication.performance.pathsFilter.write({ id: "c", mode: "deny", paths: ["kv"] });
    await joined("performance", b, c, "c");
    expect(rows(a, c)).toEqual([{ kind: "lost", because, objects: [missing("x")] }]);
  });

  test("what a filter kept from a performance secondary is kept from who lags behind it, also once that is promoted", async () => {
    const { sim, clusters, write, operate, promote, rows } = world(["a", "b", "c"]);
    const [a, b, c] = clusters as Three;
    await joined("performance", a, b);
    await joined("dr", b, c, "c");
    sim.network.setLag(b, c, "5s");
    operate(a).replication.performance.pathsFilter.write({ id: "b", mode: "deny", paths: ["kv"] });
    write(a, "x");
    promote(b, "performance");
    expect(rows(a, c)).toEqual([]);
    expect(rows(a, c, { all: true })).toEqual([
      { kind: "filtered", because: { reason: "filter" }, objects: [missing("x")] },
    ]);
  });

  test("cut: at the demotion, of what was local to a cluster that then took the storage of its performance primary", async () => {
    const { sim, clusters, promote, operate, attach } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("dr", a, b);
    promote(b);
    await joined("performance", a, b, "p");
    b.createToken({ id: "own", policies: [] });
    operate(b).replication.dr.primaryDemote();
    const because = { reason: "cut", position: sim.position };
    await attach(b, a, "dr", "again");
    const told = sim.lossReport(b, a).filter(({ objects }) => objects.some(({ path }) => path === "own"));
    expect(told).toMatchObject([{ kind: "lost", because }]);
  });

  test("restore: of whom a detached secondary followed, who took the storage of another cluster", async () => {
    const { sim, clusters, operate, operationToken } = world(["a", "b", "c"]);
    const [a, b, c] = clusters as Three;
    operate(a).snapshots.write({ name: "s", interval: "30m", ...CLOUD1 });
    sim.clock.advance("31m");
    await joined("performance", a, b);
    await joined("dr", b, c, "c");
    await c.as().replication.dr.updatePrimary({ token: "", dr_operation_token: operationToken(c) });
    operate(b).replication.performance.secondaryDisable();
    b.restoreSnapshot(sim.stores.list("cloud1://bucket/")[0]?.url ?? "");
    const because = { reason: "restore", position: sim.position };
    a.createToken({ id: "own", policies: [] });
    expect(sim.lossReport(a, c).at(-1)).toMatchObject({ because, objects: [{ path: "own" }] });
  });

  test("local: tokens of a promoted cluster, to whom it was a copy of and who joined anew under the same name", async () => {
    const { sim, clusters, promote, operate } = world(["a", "b", "c"]);
    const [a, b, c] = clusters as Three;
    await joined("performance", a, b);
    await joined("dr", b, c, "c");
    promote(c);
    c.createToken({ id: "own", policies: [] });
    const { position } = sim;
    promote(c, "performance");
    operate(b).replication.performance.secondaryDisable();
    await join("performance", c, b, "b");
    expect(sim.lossReport(c, b).filter((row) => row.position === position)).toEqual([]);
  });
});

describe("a row of a loss report says why the commit is not there", () => {
  type Breaking = readonly [reason: string, who: string, (sim: Simulator, a: ClusterHandle, b: ClusterHandle) => void];
  const BREAKING: readonly Breaking[] = [
    ["cut", "both", (sim, a, b) => sim.network.cut(a, b)],
    ["stopped", "a", (sim, a) => sim.network.stop(a)],
    ["sealed", "a", (_, a) => a.seal()],
    ["stopped", "b", (sim, _, b) => sim.network.stop(b)],
    ["sealed", "b", (_, __, b) => b.seal()],
  ];

  test.each(BREAKING)("%s (%s): it was on its way then", async (reason, who, breaks) => {
    const { sim, clusters, write, promote, rows } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("dr", a, b);
    sim.network.setLag(a, b, "5s");
    write(a, "x");
    breaks(sim, a, b);
    const because = { reason, position: sim.position };
    expect(rows(a, b)).toEqual([{ kind: "lost", because, objects: [missing("x")] }]);
    if (who === "b") return;
    // That was certain before the promotion.
    promote(b);
    expect(rows(a, b)).toEqual([{ kind: "lost", because, objects: [missing("x")] }]);
  });

  test("cut: also when it was written behind the cut, and of who follows the promoted cluster", async () => {
    const { sim, clusters, write, promote, attach, rows } = world(["a", "b", "c"]);
    const [a, b, c] = clusters as Three;
    await joined("dr", a, b, "b");
    await join("dr", a, c, "c");
    sim.network.cut(a, b);
    const because = { reason: "cut", position: sim.position };
    write(a, "x");
    promote(b);
    await attach(c, b);
    expect(rows(a, b)).toEqual([{ kind: "lost", because, objects: [missing("x")] }]);
    expect(rows(a, c)).toEqual(rows(a, b));
  });

  test("cut: an operator has taken the secondary from its primary", async () => {
    const { sim, clusters, write, operate, rows } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("dr", a, b);
    operate(a).replication.dr.revokeSecondary({ id: "b" });
    const because = { reason: "cut", position: sim.position };
    write(a, "x");
    expect(rows(a, b)).toEqual([{ kind: "lost", because, objects: [missing("x")] }]);
  });

  test("promotion: nothing was broken, and it was on its way", async () => {
    const { sim, clusters, write, promote, rows } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("dr", a, b);
    sim.network.setLag(a, b, "5s");
    write(a, "x");
    promote(b);
    const promoted = { reason: "promotion", position: sim.position };
    expect(rows(a, b)).toEqual([{ kind: "lost", because: promoted, objects: [missing("x")] }]);
    write(b, "y");
    expect(rows(b, a)).toEqual([{ kind: "lost", because: promoted, objects: [missing("y")] }]);
  });

  test("in flight: nothing is broken", async () => {
    const { sim, clusters, write, rows } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("performance", a, b);
    sim.network.setLag(a, b, "5s");
    write(a, "x");
    expect(rows(a, b)).toEqual([{ kind: "lost", because: { reason: "in flight" }, objects: [missing("x")] }]);
    sim.settle();
    expect(rows(a, b)).toEqual([]);
  });

  test("apart: the two never met", () => {
    const { clusters, write, rows } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    write(a, "x");
    expect(rows(a, b)).toEqual([{ kind: "lost", because: { reason: "apart" }, objects: [missing("x")] }]);
  });

  test("wipe: what a cluster wrote before it joined is cleared, its own tokens as well where it was for disasters", async () => {
    const { sim, clusters, write, rows } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    write(b, "x");
    await joined("dr", a, b);
    const [joins] = sim.log.commits().filter(({ command }) => command.name.endsWith("dr.secondaryEnable"));
    const because = { reason: "wipe", position: joins?.position };
    expect(rows(b, a)).toEqual([{ kind: "lost", because, objects: [missing("x")] }]);
    expect(sim.lossReport(b, a).map(({ command }) => command)).toContain("control.createToken");
  });

  test("restore: what came after the snapshot, at the cluster itself and at its secondary", async () => {
    const { sim, clusters, write, operate, rows } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("dr", a, b);
    operate(a).snapshots.write({ name: "s", interval: "30m", ...CLOUD1 });
    sim.clock.advance("31m");
    write(a, "x");
    const before = sim.position;
    a.restoreSnapshot(sim.stores.list("cloud1://bucket/")[0]?.url ?? "");
    const because = { reason: "restore", position: sim.position };
    expect(rows(a, a, { at: before })).toEqual([{ kind: "lost", because, objects: [missing("x")] }]);
    expect(rows(a, b)).toEqual([{ kind: "lost", because, objects: [missing("x")] }]);
    expect(rows(a, b, { at: before })).toEqual([]);
  });

  test("local and filter: told apart, and only when asked for", async () => {
    const { sim, clusters, write, operate, rows } = world(["a", "b"]);
    const [a, b] = clusters as Three;
    await joined("performance", a, b);
    operate(a).mounts.write({ path: "own", type: "kv", local: true });
    operate(a).mounts.write({ path: "kept", type: "kv" });
    operate(a).replication.performance.pathsFilter.write({ id: "b", mode: "deny", paths: ["kept"] });
    operate(a).at("own").kv.write({ path: "x", v: 1 });
    operate(a).at("kept").kv.write({ path: "x", v: 1 });
    write(a, "shared");
    expect(rows(a, b)).toEqual([]);
    const of = (path: string): object => ({ kind: "secret", path, change: "created", fate: "missing" });
    expect(rows(a, b, { all: true })).toEqual([
      { kind: "local", because: { reason: "local" }, objects: [of("own/x")] },
      { kind: "filtered", because: { reason: "filter" }, objects: [of("kept/x")] },
    ]);
    // It never had it, whatever becomes of the two.
    sim.network.cut(a, b);
    operate(b).replication.performance.promote();
    expect(rows(a, b)).toEqual([]);
    expect(rows(a, b, { all: true })).toHaveLength(2);
  });
});

describe("a row of a loss report says what became of each object", () => {
  async function parted(
    prepare: (a: ClusterHandle, write: (at: ClusterHandle, path: string) => void) => void = () => {},
  ) {
    const parting = world(["a", "b"]);
    const [a, b] = parting.clusters as Three;
    await joined("dr", a, b);
    prepare(a, parting.write);
    const shippedAt = parting.sim.position;
    parting.sim.network.cut(a, b);
    const cutAt = parting.sim.position;
    return { ...parting, a, b, shippedAt, because: { reason: "cut", position: cutAt } };
  }

  test("other content: both sides wrote it, and both positions are told", async () => {
    const { sim, a, b, write, promote, because, rows } = await parted();
    promote(b);
    write(a, "x");
    write(b, "x");
    const [ofA, ofB] = [sim.position - 2, sim.position];
    expect(rows(a, b)).toEqual([
      { kind: "diverged", because, objects: [secret("x", "created", { fate: "other", rival: ofB })] },
    ]);
    expect(rows(b, a)).toEqual([
      { kind: "diverged", because, objects: [secret("x", "created", { fate: "other", rival: ofA })] },
    ]);
  });

  test("other content: what was shipped before is there still", async () => {
    const { a, b, write, shippedAt, because, rows } = await parted((primary, write) => write(primary, "x"));
    write(a, "x");
    expect(rows(a, b)).toEqual([
      { kind: "lost", because, objects: [secret("x", "changed", { fate: "other", rival: shippedAt })] },
    ]);
  });

  test("removed: who wrote it removed it later, with its mount too", async () => {
    const { a, b, write, operate, because, rows } = await parted((primary) =>
      primary.as(rootOf(primary)).mounts.write({ path: "m", type: "kv" }),
    );
    write(a, "x");
    operate(a).kv.delete({ path: "x" });
    operate(a).at("m").kv.write({ path: "y", v: 1 });
    operate(a).mounts.delete({ path: "m" });
    const removed = { fate: "removed" };
    expect(rows(a, b)).toEqual([
      { kind: "lost", because, objects: [secret("x", "created", removed)] },
      { kind: "lost", because, objects: [secret("x", "deleted", removed)] },
      { kind: "lost", because, objects: [{ kind: "secret", path: "m/y", change: "created", ...removed }] },
    ]);
  });

  test("what one removed and the other wrote otherwise has diverged", async () => {
    const { sim, a, b, write, operate, promote, because, rows } = await parted((primary, write) => write(primary, "x"));
    promote(b);
    operate(a).kv.delete({ path: "x" });
    write(b, "x");
    expect(rows(a, b)).toEqual([
      { kind: "diverged", because, objects: [secret("x", "deleted", { fate: "other", rival: sim.position })] },
    ]);
  });

  test("a removal that did not arrive: it is there still", async () => {
    const { a, b, operate, shippedAt, because, rows } = await parted((primary, write) => write(primary, "x"));
    operate(a).kv.delete({ path: "x" });
    expect(rows(a, b)).toEqual([
      { kind: "lost", because, objects: [secret("x", "deleted", { fate: "other", rival: shippedAt })] },
    ]);
  });

  test("a mount that both made is another one, whatever was written to it since", async () => {
    const { sim, a, b, operate, promote } = await parted();
    promote(b);
    operate(a).mounts.write({ path: "m", type: "kv" });
    operate(b).mounts.write({ path: "m", type: "kv" });
    const rival = sim.position;
    operate(b).at("m").kv.write({ path: "y", v: 1 });
    const [row] = sim.lossReport(a, b).filter(({ command }) => command === "secrets.mounts.write");
    expect(row).toMatchObject({
      kind: "diverged",
      objects: [{ kind: "mount", path: "m/", change: "created", fate: "other", rival }],
    });
  });

  test("timers are told by what they did, and not as acknowledged commits", async () => {
    const { sim, a, b } = await parted();
    const { token } = a.createToken({ policies: ["default"], ttl: "1m" });
    sim.clock.advance("2m");
    expect(sim.lossReport(a, b)).toMatchObject([
      { command: "control.createToken", objects: [{ kind: "token", path: token, change: "created", fate: "removed" }] },
    ]);
  });

  test("it is known whom it was acknowledged to, also when the token has ended since", async () => {
    const { sim, a, b } = await parted();
    const { token, accessor } = a.createToken({ policies: ["root"], displayName: "shop" });
    sim.program("shop").as(a, token).kv.write({ path: "x", v: 1 });
    a.as(token).tokens.revokeSelf();
    expect(sim.lossReport(a, b).map(({ command, acknowledgedTo }) => [command, acknowledgedTo])).toEqual([
      ["control.createToken", { program: "author" }],
      ["secrets.kv.write", { program: "shop", accessor, displayName: "token-shop" }],
      ["secrets.tokens.revokeSelf", { program: "author", accessor, displayName: "token-shop" }],
    ]);
  });
});

describe("a forecast of losses", () => {
  test("tells what others of the set hold and a cluster lacks, by who acknowledged it", async () => {
    const { sim, clusters, write } = world(["a", "b", "c", "d"]);
    const [a, b, c] = clusters as Three;
    await joined("dr", a, b, "b");
    await join("dr", a, c, "c");
    sim.network.setLag(a, b, "5s");
    sim.network.setLag(a, c, "1s");
    write(a, "x");
    const own = [sim.position - 1, sim.position];
    expect(sim.lossForecast(b)).toEqual([{ cluster: "a", writer: "a", commits: own }]);
    sim.clock.advance("1s");
    expect(sim.lossForecast(b)).toEqual([
      { cluster: "a", writer: "a", commits: own },
      { cluster: "c", writer: "a", commits: own },
    ]);
    sim.settle();
    expect(sim.lossForecast(b)).toEqual([]);
  });
});

describe("what is asked of a loss report", () => {
  const { sim, clusters } = world(["a", "b"]);
  const [a, b] = clusters as Three;

  test.each([
    ["options that are none", () => sim.lossReport(a, b, 5 as never), "lossReport: options: the argument"],
    ["an option that nobody knows", () => sim.lossReport(a, b, { since: 3 } as never), "lossReport: options: since"],
    ["a place that is none", () => sim.lossReport(a, b, { at: true as never }), "lossReport: options: at"],
    ["no cluster", () => sim.lossForecast({} as never), "lossForecast: an object is no cluster"],
    ["a cluster and itself, now", () => sim.lossReport(a, a), "lossReport: both clusters are a"],
  ])("%s is refused", (_, call, message) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });

  test("a place that lies ahead is refused", () => {
    expect(() => sim.lossReport(a, b, { at: 5 })).toThrow(expect.objectContaining({ code: "unknown_place" }));
  });
});
