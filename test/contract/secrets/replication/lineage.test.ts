import { describe, expect, test } from "vitest";
import type { ClusterHandle } from "../../../../src/index.ts";
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
