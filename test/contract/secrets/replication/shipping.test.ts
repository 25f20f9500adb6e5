import { describe, expect, test } from "vitest";
import type { ClusterHandle, Simulator } from "../../../../src/index.ts";
import { objectOf } from "../../../../src/services/secrets/kv/state.ts";
import { reach } from "../../transports.ts";
import { activationToken, join, joined, KINDS, replicatedWorld, rootOf, statusOf } from "./replicated-world.ts";

// decisions-replication.md, 1 and 2: what arrives when, and what both ends say of each other.

const write = (cluster: ClusterHandle, v: number): void => {
  cluster.as(rootOf(cluster)).kv.write({ path: "x", v });
};

/** A value as the storage of a cluster has it, whoever may read it there. */
function held(sim: Simulator, { name }: ClusterHandle): unknown {
  const mount = sim.state.secrets[name]?.replicated.mounts.get("kv/");
  return mount?.type === "kv" ? objectOf(mount.entries.get("x") ?? {})["v"] : undefined;
}

const walOf = (sim: Simulator, { name }: ClusterHandle): number => sim.state.secrets[name]?.ignored.walIndex ?? -1;

describe.each(KINDS)("%s:", (kind) => {
  async function world(options = {}) {
    const made = replicatedWorld(["a", "b"], options);
    const [a, b] = [made.cluster("a"), made.cluster("b")];
    await joined(kind, a, b);
    made.sim.settle();
    return { ...made, a, b };
  }

  test("after the set-up both ends name one set, have one root, and each other", async () => {
    const { a, b, sim } = await world();
    const [ofA, ofB] = [statusOf(a, kind), statusOf(b, kind)];
    expect(ofB["cluster_id"]).toBe(ofA["cluster_id"]);
    expect(ofB["merkle_root"]).toBe(ofA["merkle_root"]);
    expect(ofA).toMatchObject({ mode: "primary", known_secondaries: ["b"], last_wal: walOf(sim, a) });
    expect(ofA["secondaries"]).toEqual([
      {
        node_id: "b",
        api_address: b.url,
        cluster_address: b.clusterAddress,
        connection_status: "connected",
        last_heartbeat: "2026-01-01T00:00:00Z",
      },
    ]);
    expect(ofB).toEqual({
      cluster_id: ofA["cluster_id"],
      known_primary_cluster_addrs: [a.clusterAddress],
      last_remote_wal: walOf(sim, a),
      merkle_root: ofA["merkle_root"],
      mode: "secondary",
      primaries: [
        {
          api_address: a.url,
          cluster_address: a.clusterAddress,
          connection_status: "connected",
          last_heartbeat: "2026-01-01T00:00:00Z",
        },
      ],
      primary_cluster_addr: a.clusterAddress,
      secondary_id: "b",
      state: "stream-wals",
    });
    expect(Object.keys(ofA).sort()).toEqual(
      [
        ...["cluster_id", "known_secondaries", "last_wal", "merkle_root", "mode", "secondaries"],
        ...(kind === "dr" ? ["corrupted_merkle_tree", "last_corruption_check_epoch"] : []),
      ].sort(),
    );
  });

  test("by default an entry has arrived when its request is answered", async () => {
    const { a, b, sim } = await world();
    write(a, 1);
    expect(held(sim, b)).toBe(1);
    expect(statusOf(b, kind)["last_remote_wal"]).toBe(statusOf(a, kind)["last_wal"]);
    expect(sim.clock.pending()).toEqual([]);
  });

  test("with a lag each entry arrives that long after its commit, in order", async () => {
    const { a, b, sim } = await world();
    sim.network.setLag(a, b, "3s");
    write(a, 1);
    sim.clock.advance("1s");
    write(a, 2);
    sim.clock.advance("1999ms");
    expect(held(sim, b)).toBeUndefined();
    sim.clock.advance("1ms");
    expect(held(sim, b)).toBe(1);
    expect(sim.clock.pending()).toHaveLength(1);
    sim.clock.advance("999ms");
    expect(held(sim, b)).toBe(1);
    sim.clock.advance("1ms");
    expect(held(sim, b)).toBe(2);
    expect(sim.clock.pending()).toEqual([]);
    expect(statusOf(b, kind)["last_remote_wal"]).toBe(statusOf(a, kind)["last_wal"]);
  });

  test("a lag of the way back holds nothing up", async () => {
    const { a, b, sim } = await world();
    sim.network.setLag(b, a, "3s", { oneWay: true });
    write(a, 1);
    expect(held(sim, b)).toBe(1);
  });

  test("what is on its way follows a lag that is changed", async () => {
    const { a, b, sim } = await world();
    sim.network.setLag(a, b, "1h");
    write(a, 1);
    sim.clock.advance("10s");
    sim.network.setLag(a, b, "11s");
    expect(held(sim, b)).toBeUndefined();
    sim.clock.advance("1s");
    expect(held(sim, b)).toBe(1);
    write(a, 2);
    sim.network.setLag(a, b, 0);
    expect(held(sim, b)).toBe(2);
  });

  test("settle lets arrive what is in flight, and no more time pass", async () => {
    const { a, b, sim } = await world();
    sim.network.setLag(a, b, "3s");
    write(a, 1);
    sim.clock.advance("1s");
    sim.settle();
    expect(held(sim, b)).toBe(1);
    expect(new Date(sim.clock.now()).toISOString()).toBe("2026-01-01T00:00:03.000Z");
    sim.network.cut(a, b);
    write(a, 2);
    sim.settle();
    expect(new Date(sim.clock.now()).toISOString()).toBe("2026-01-01T00:00:03.000Z");
  });

  test.each(["cut", "stop", "seal"] as const)("a %s holds entries back, and they come when it is over", async (how) => {
    const { a, b, sim } = await world();
    const shares = b.keyShares;
    ({ cut: () => sim.network.cut(a, b), stop: () => sim.network.stop(b), seal: () => b.seal() })[how]();
    write(a, 1);
    write(a, 2);
    expect(held(sim, b)).toBeUndefined();
    sim.clock.advance("1m");
    expect(held(sim, b)).toBeUndefined();
    expect(shares).toEqual(b.keyShares);
    ({ cut: () => sim.network.heal(a, b), stop: () => sim.network.start(b), seal: () => b.unseal() })[how]();
    expect(held(sim, b)).toBe(2);
    expect(statusOf(b, kind)).toMatchObject({ state: "stream-wals", last_remote_wal: walOf(sim, a) });
  });

  test("entries that were on their way when the link was cut do not arrive", async () => {
    const { a, b, sim } = await world();
    sim.network.setLag(a, b, "3s");
    write(a, 1);
    sim.clock.advance("2s");
    sim.network.cut(a, b);
    sim.clock.advance("1h");
    expect(held(sim, b)).toBeUndefined();
    write(a, 2);
    sim.clock.advance("1s");
    sim.network.heal();
    // What was written meanwhile, too, takes its time from now on (amendments.md, R1).
    sim.clock.advance("2999ms");
    expect(held(sim, b)).toBeUndefined();
    sim.clock.advance("1ms");
    expect(held(sim, b)).toBe(2);
  });

  test("the state stays stream-wals for ten seconds after a cut, and is idle then", async () => {
    const { a, b, sim } = await world();
    sim.clock.advance("2500ms");
    sim.network.cut(a, b);
    const seen = (): readonly unknown[] => {
      const { state, primaries } = statusOf(b, kind) as {
        state: string;
        primaries: readonly { connection_status: string }[];
      };
      return [state, primaries[0]?.connection_status];
    };
    expect(seen()).toEqual(["stream-wals", "connected"]);
    // The last heartbeat was at the second second.
    sim.clock.advance("9500ms");
    expect(seen()).toEqual(["stream-wals", "connected"]);
    sim.clock.advance("1ms");
    expect(seen()).toEqual(["stream-wals", "disconnected"]);
    sim.clock.advance("499ms");
    expect(seen()).toEqual(["stream-wals", "disconnected"]);
    sim.clock.advance("1ms");
    expect(seen()).toEqual(["idle", "disconnected"]);
    expect(statusOf(a, kind)["secondaries"]).toMatchObject([
      { connection_status: "disconnected", last_heartbeat: "2026-01-01T00:00:02Z" },
    ]);
    sim.network.heal();
    expect(seen()).toEqual(["stream-wals", "connected"]);
    expect(statusOf(a, kind)["secondaries"]).toMatchObject([{ connection_status: "connected" }]);
  });

  test("heartbeats come at the instant of connecting and every full second after it", async () => {
    const { a, sim } = await world();
    const heartbeat = (): unknown =>
      (statusOf(a, kind)["secondaries"] as { last_heartbeat: string }[])[0]?.last_heartbeat;
    expect(heartbeat()).toBe("2026-01-01T00:00:00Z");
    sim.clock.advance("999ms");
    expect(heartbeat()).toBe("2026-01-01T00:00:00Z");
    sim.clock.advance("1ms");
    expect(heartbeat()).toBe("2026-01-01T00:00:01Z");
    sim.clock.advance("1h");
    expect(heartbeat()).toBe("2026-01-01T01:00:01Z");
    expect(sim.clock.pending()).toEqual([]);
  });

  test("a first sync takes as long as it is told to, and the cluster bootstraps meanwhile", async () => {
    const made = replicatedWorld(["a", "b"], { syncDurations: { diff: "1s", sync: "2s" } });
    const [a, b] = [made.cluster("a"), made.cluster("b")];
    write(a, 1);
    await joined(kind, a, b);
    const mode = (): unknown => {
      const health = b.as().health.read({ drsecondarycode: 200 }) as { readonly [name: string]: unknown };
      return health[kind === "dr" ? "replication_dr_mode" : "replication_performance_mode"];
    };
    expect([statusOf(b, kind)["state"], mode(), held(made.sim, b)]).toEqual([
      "merkle-diff",
      "bootstrapping",
      undefined,
    ]);
    made.sim.clock.advance("1s");
    expect(statusOf(b, kind)["state"]).toBe("merkle-sync");
    write(a, 2);
    made.sim.clock.advance("1999ms");
    expect([statusOf(b, kind)["state"], held(made.sim, b)]).toEqual(["merkle-sync", undefined]);
    made.sim.clock.advance("1ms");
    expect([statusOf(b, kind)["state"], mode(), held(made.sim, b)]).toEqual(["stream-wals", "secondary", 2]);
    expect(statusOf(b, kind)["last_remote_wal"]).toBe(statusOf(a, kind)["last_wal"]);
    expect(made.sim.clock.pending()).toEqual([]);
  });

  test("a sync that is cut off begins anew", async () => {
    const made = replicatedWorld(["a", "b"], { syncDurations: { sync: "2s" } });
    const [a, b] = [made.cluster("a"), made.cluster("b")];
    write(a, 1);
    await joined(kind, a, b);
    made.sim.clock.advance("1s");
    made.sim.network.cut(a, b);
    made.sim.clock.advance("1h");
    expect(held(made.sim, b)).toBeUndefined();
    expect(statusOf(b, kind)["state"]).toBe("idle");
    made.sim.network.heal();
    made.sim.clock.advance("1999ms");
    expect(statusOf(b, kind)["state"]).toBe("merkle-sync");
    made.sim.clock.advance("1ms");
    expect([statusOf(b, kind)["state"], held(made.sim, b)]).toEqual(["stream-wals", 1]);
  });

  test.each([
    [3, "stream-wals"],
    [4, "stream-wals"],
    [5, "merkle-diff"],
  ])("with a buffer of four, %i entries behind it goes on by %s", async (entries, state) => {
    const { a, b, sim } = await world({ walBuffer: 4, syncDurations: { diff: "1s" } });
    const token = rootOf(a);
    sim.clock.advance("5s");
    expect(statusOf(b, kind)["state"]).toBe("stream-wals");
    sim.network.cut(a, b);
    for (let v = 0; v < entries; v++) a.as(token).kv.write({ path: "x", v });
    sim.network.heal();
    expect(statusOf(b, kind)["state"]).toBe(state);
    sim.clock.advance("1s");
    expect([statusOf(b, kind)["state"], held(sim, b)]).toEqual(["stream-wals", entries - 1]);
  });

  // amendments.md, R2.
  test("who is connected, and falls behind by more than the buffer, compares the trees at once", async () => {
    const { a, b, sim } = await world({ walBuffer: 4, syncDurations: { diff: "1s" } });
    const token = rootOf(a);
    sim.clock.advance("5s");
    sim.network.setLag(a, b, "1m");
    for (let v = 0; v < 4; v++) a.as(token).kv.write({ path: "x", v });
    expect([statusOf(b, kind)["state"], held(sim, b)]).toEqual(["stream-wals", undefined]);
    a.as(token).kv.write({ path: "x", v: 4 });
    expect(statusOf(b, kind)["state"]).toBe("merkle-diff");
    sim.clock.advance("1s");
    expect([statusOf(b, kind)["state"], held(sim, b)]).toEqual(["stream-wals", 4]);
    expect(sim.fork(sim.position).stateHash()).toBe(sim.stateHash());
  });

  test("entries are kept for whoever has connected, and for nobody else", async () => {
    const { a, b, sim } = await world();
    const kept = (): number => sim.state.secrets["a"]?.ignored.wal?.entries.size ?? 0;
    await activationToken(kind, a, "never-used");
    write(a, 1);
    expect(kept()).toBe(0);
    sim.network.stop(b);
    for (let v = 0; v < 5; v++) write(a, v);
    // Each write here is made with a token of its own.
    expect(kept()).toBe(10);
    sim.network.start(b);
    expect(kept()).toBe(0);
  });

  test("a history that replicates is replayed to the same state", async () => {
    const { a, b, sim } = await world({ syncDurations: { diff: "1s" } });
    sim.network.setLag(a, b, "3s");
    for (let v = 0; v < 5; v++) {
      write(a, v);
      sim.clock.advance("1s");
    }
    const fork = sim.fork();
    fork.settle();
    sim.settle();
    expect(fork.stateHash()).toBe(sim.stateHash());
    expect(sim.fork(sim.position).stateHash()).toBe(sim.stateHash());
    for (let position = 0; position < sim.position; position++) sim.at(position).stateHash();
  });
});

describe("the index", () => {
  test("a request that commits adds one, whatever it commits; a read and a refused one add none", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b"]);
    const [a, b] = [cluster("a"), cluster("b")];
    await joined("dr", a, b);
    const root = a.as(a.rootToken);
    const added = (does: () => unknown): number => {
      const before = walOf(sim, a);
      try {
        does();
      } catch {
        // What is refused is looked at, too.
      }
      expect(statusOf(b, "dr")["last_remote_wal"]).toBe(walOf(sim, a));
      return walOf(sim, a) - before;
    };
    expect(added(() => root.kv.write({ path: "x", v: 1 }))).toBe(1);
    expect(added(() => root.kv.read({ path: "x" }))).toBe(0);
    expect(added(() => root.kv.read({ path: "none" }))).toBe(0);
    expect(added(() => root.kv.read({ path: "x" }, { wrapTtl: "1m" }))).toBe(1);
    expect(added(() => root.kv.delete({ path: "none" }))).toBe(0);
    expect(added(() => a.as("scs.nobody").kv.write({ path: "x", v: 1 }))).toBe(0);
    const limited = a.createToken({ policies: ["none"], numUses: 3 }).token;
    expect(added(() => a.as(limited).kv.read({ path: "x" }))).toBe(1);
    expect(added(() => root.tokens.create({ ttl: "1h" }))).toBe(1);
    expect(added(() => root.replication.dr.revokeSecondary({ id: "none" }))).toBe(0);
    expect(added(() => a.setActiveNode(0))).toBe(0);
  });

  test("management of DR adds nothing but for tokens; that of performance adds one each", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b", "c"]);
    const [a, b, c] = [cluster("a"), cluster("b"), cluster("c")];
    const root = a.as(a.rootToken).replication;
    const added = async (does: () => unknown): Promise<number> => {
      const before = walOf(sim, a);
      await does();
      return walOf(sim, a) - before;
    };
    expect(await added(() => root.dr.primaryEnable())).toBe(0);
    let token = "";
    const issue = async (kind: "dr" | "performance", id: string): Promise<void> => {
      token = (await root[kind].secondaryToken({ id })).wrap_info?.token ?? "";
    };
    expect(await added(() => issue("dr", "b"))).toBe(1);
    expect(await added(() => b.as(b.rootToken).replication.dr.secondaryEnable({ token }))).toBe(0);
    expect(await added(() => root.dr.revokeSecondary({ id: "b" }))).toBe(0);
    expect(await added(() => root.performance.primaryEnable())).toBe(1);
    expect(await added(() => issue("performance", "c"))).toBe(1);
    expect(await added(() => c.as(c.rootToken).replication.performance.secondaryEnable({ token }))).toBe(1);
    expect(await added(() => root.performance.pathsFilter.write({ id: "c", mode: "deny" }))).toBe(1);
    expect(await added(() => root.performance.pathsFilter.delete({ id: "c" }))).toBe(1);
    expect(await added(() => root.performance.revokeSecondary({ id: "c" }))).toBe(1);
    expect(await added(() => root.performance.primaryDemote())).toBe(1);
    expect(await added(() => root.dr.primaryDemote())).toBe(0);
  });

  test("a performance secondary counts what it applies, and skips what is not meant for it", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b"]);
    const [a, b] = [cluster("a"), cluster("b")];
    a.as(a.rootToken).replication.performance.primaryEnable();
    await join("performance", a, b);
    const before = walOf(sim, b);
    // A token is local: it is counted as processed, and is no entry of the secondary's own.
    a.createToken({ policies: ["default"] });
    expect(walOf(sim, b)).toBe(before);
    expect(statusOf(b, "performance")["last_remote_wal"]).toBe(walOf(sim, a));
    a.as(a.rootToken).kv.write({ path: "x", v: 1 });
    expect(walOf(sim, b)).toBe(before + 1);
    b.createToken({ policies: ["default"] });
    expect(walOf(sim, b)).toBe(before + 2);
    sim.network.cut(a, b);
    for (let v = 0; v < 3; v++) a.as(a.rootToken).kv.write({ path: "x", v });
    a.createToken({ policies: ["default"] });
    sim.network.heal();
    expect(walOf(sim, b)).toBe(before + 5);
    expect(statusOf(b, "performance")["last_remote_wal"]).toBe(walOf(sim, a));
  });

  test("two writes that restore the old content restore the old root", async () => {
    const { cluster } = replicatedWorld(["a"]);
    const a = cluster("a");
    const root = a.as(a.rootToken);
    root.replication.dr.primaryEnable();
    root.kv.write({ path: "x", v: 1 });
    const before = statusOf(a, "dr")["merkle_root"];
    expect(before).toMatch(/^[0-9a-f]{40}$/);
    root.kv.write({ path: "x", v: 2 });
    expect(statusOf(a, "dr")["merkle_root"]).not.toBe(before);
    root.kv.write({ path: "x", v: 1 });
    expect(statusOf(a, "dr")["merkle_root"]).toBe(before);
  });
});

test("a DR secondary holds the very parts of its primary", async () => {
  const { sim, cluster } = replicatedWorld(["a", "b"]);
  const [a, b] = [cluster("a"), cluster("b")];
  await joined("dr", a, b);
  write(a, 1);
  expect(sim.state.secrets["b"]?.replicated).toBe(sim.state.secrets["a"]?.replicated);
  expect(sim.state.secrets["b"]?.local).toBe(sim.state.secrets["a"]?.local);
});

test("the check of a DR primary follows from the time", async () => {
  const { sim, cluster } = replicatedWorld(["a"], { merkleCheckEvery: "10m" });
  const a = cluster("a");
  sim.clock.advance("5s");
  a.as(a.rootToken).replication.dr.primaryEnable();
  const checked = (): unknown => statusOf(a, "dr")["last_corruption_check_epoch"];
  expect(checked()).toBe("-62135596800");
  sim.clock.advance("599999ms");
  expect(checked()).toBe("-62135596800");
  sim.clock.advance("1ms");
  expect(checked()).toBe(`${Date.UTC(2026, 0, 1, 0, 10, 5) / 1000}`);
  sim.clock.advance("59m");
  expect(checked()).toBe(`${Date.UTC(2026, 0, 1, 1, 0, 5) / 1000}`);
  expect(sim.clock.pending()).toEqual([]);
});

test("during an outage after a change of role nothing answers", async () => {
  const { sim, cluster } = replicatedWorld(["a"], { roleChangeOutage: "3s" });
  const a = cluster("a");
  a.as(a.rootToken).replication.dr.primaryEnable();
  const health = async (): Promise<number> => (await reach(sim)(`${a.url}/v1/sys/health`)).status;
  expect(await health()).toBe(503);
  expect(() => a.as(a.rootToken).kv.write({ path: "x", v: 1 })).toThrow(/changing_role/);
  sim.clock.advance("2999ms");
  expect(await health()).toBe(503);
  sim.clock.advance("1ms");
  expect(await health()).toBe(200);
});
