import { describe, expect, test } from "vitest";
import { type ClusterHandle, Rejection } from "../../../../src/index.ts";
import { reach } from "../../transports.ts";
import { activationToken, join, joined, KINDS, replicatedWorld, rootOf, statusOf } from "./replicated-world.ts";

// decisions-replication.md, 5 and 6: what operators do, in order.

function world(names: readonly string[], options = {}) {
  const made = replicatedWorld(names, options);
  const clusters = names.map((name) => made.cluster(name));
  const write = (cluster: ClusterHandle, v: unknown, token = cluster.rootToken): void => {
    cluster.as(token).kv.write({ path: "x", v });
  };
  const read = (cluster: ClusterHandle, token: string): unknown => cluster.as(token).kv.read({ path: "x" }).data["v"];
  const promote = (cluster: ClusterHandle, fields = {}) =>
    cluster.as().replication.dr.promote({ dr_operation_token: made.operationToken(cluster), ...fields });
  const attach = (cluster: ClusterHandle, fields: object) =>
    cluster.as().replication.dr.updatePrimary({ dr_operation_token: made.operationToken(cluster), ...fields });
  const isRejected = (code: string, does: () => unknown): void => {
    try {
      does();
    } catch (error) {
      if (error instanceof Rejection) return void expect(error.code).toBe(code);
      throw error;
    }
    expect.fail("it was accepted");
  };
  return { ...made, clusters, write, read, promote, attach, isRejected };
}

describe("6.2 a planned failover", () => {
  test("loses nothing: tokens and leases work on, and the old primary comes back without a wipe", async () => {
    const { sim, clusters, write, read, promote, attach, operationToken } = world(["a", "b"]);
    const [a, b] = clusters as [ClusterHandle, ClusterHandle];
    await joined("dr", a, b);
    const client = a.createToken({ policies: ["root"], ttl: "10h" }).token;
    write(a, 1, client);
    expect(statusOf(b, "dr")["last_remote_wal"]).toBe(statusOf(a, "dr")["last_wal"]);
    const { cluster_id } = statusOf(a, "dr");
    a.as(a.rootToken).replication.dr.primaryDemote();
    expect(statusOf(a, "dr")).toMatchObject({
      mode: "secondary",
      cluster_id,
      secondary_id: "",
      primaries: [],
      primary_cluster_addr: "",
      known_primary_cluster_addrs: [],
      last_remote_wal: 0,
      state: "idle",
    });
    const wal = statusOf(b, "dr")["last_remote_wal"];
    const { progress, required, complete, data, warnings } = promote(b);
    expect({ progress, required, complete, data }).toEqual({
      progress: 0,
      required: 1,
      complete: false,
      data: { progress: 0, required: 1, complete: false },
    });
    expect(warnings).toEqual([expect.stringContaining("promoted")]);
    expect(statusOf(b, "dr")).toMatchObject({
      mode: "primary",
      cluster_id,
      known_secondaries: [],
      secondaries: [],
      last_wal: wal,
    });
    expect(read(b, client)).toBe(1);
    expect(b.as(client).tokens.lookupSelf().data.ttl).toBe(36_000);
    const token = await activationToken("dr", b, "a");
    const held = sim.state.secrets["a"]?.replicated;
    await attach(a, { token });
    expect(statusOf(a, "dr")).toMatchObject({ state: "stream-wals", secondary_id: "a" });
    expect(sim.state.secrets["a"]?.replicated).toBe(held);
    write(b, 2, client);
    expect(sim.state.secrets["a"]?.replicated).toBe(sim.state.secrets["b"]?.replicated);
    expect(sim.lossReport(a, b)).toEqual([]);
    // 6.4: and back again, with tokens of its own.
    b.as(client).replication.dr.primaryDemote();
    promote(a);
    expect(read(a, client)).toBe(2);
    await attach(b, { token: await activationToken("dr", a, "b") });
    expect(statusOf(b, "dr")["state"]).toBe("stream-wals");
    expect(operationToken(b)).toBeDefined();
    expect(sim.clock.pending().filter(({ owner }) => owner?.["cluster" as never] === "b")).toEqual([]);
  });
});

describe("6.3 an unplanned failover", () => {
  test("what had not been shipped is missing, and is discarded when the old primary is attached", async () => {
    const { sim, clusters, write, read, promote, attach } = world(["a", "b"]);
    const [a, b] = clusters as [ClusterHandle, ClusterHandle];
    await joined("dr", a, b);
    const joinedAt = sim.position;
    const kept = rootOf(a);
    write(a, "shipped", kept);
    sim.network.setLag(a, b, "5s");
    const unshipped = a.createToken({ policies: ["root"] }).token;
    write(a, "unshipped", unshipped);
    sim.clock.advance("1s");
    sim.network.stop(a);
    sim.clock.advance("11s");
    expect(statusOf(b, "dr")["state"]).toBe("idle");
    promote(b);
    expect(read(b, kept)).toBe("shipped");
    expect(() => read(b, unshipped)).toThrow(/permission_denied/);
    const report = sim.lossReport(a, b);
    expect(report.map(({ command, objects }) => ({ command, objects }))).toEqual([
      {
        command: "control.createToken",
        objects: [{ kind: "token", path: unshipped, change: "created", fate: "missing" }],
      },
      {
        command: "secrets.kv.write",
        // What is there is what was shipped.
        objects: [{ kind: "secret", path: "kv/x", change: "changed", fate: "other", rival: joinedAt + 2 }],
      },
    ]);
    // It starts again, and is a primary still.
    sim.network.start(a);
    expect(read(a, unshipped)).toBe("unshipped");
    write(a, "later", unshipped);
    write(b, "survivor", kept);
    expect(statusOf(a, "dr")).toMatchObject({ mode: "primary", secondaries: [{ connection_status: "disconnected" }] });
    a.as(unshipped).replication.dr.primaryDemote();
    await attach(a, { token: await activationToken("dr", b, "a") });
    expect(sim.state.secrets["a"]?.replicated).toBe(sim.state.secrets["b"]?.replicated);
    expect(sim.state.secrets["a"]?.local).toBe(sim.state.secrets["b"]?.local);
    expect(sim.lossReport(a, b)).toHaveLength(3);
    // What b wrote before it joined went when it did (amendments.md, R4).
    expect(sim.lossReport(b, a).filter(({ position }) => position > joinedAt)).toEqual([]);
  });

  // amendments.md, R4.
  test.each(KINDS)(
    "what the old primary acknowledged stays lost when it joins the new one's set of %s anew",
    async (kind) => {
      const { sim, clusters, write, promote } = world(["a", "b"]);
      const [a, b] = clusters as [ClusterHandle, ClusterHandle];
      await joined(kind, a, b);
      const token = rootOf(a);
      sim.network.stop(b);
      write(a, "unshipped", token);
      sim.network.stop(a);
      sim.network.start(b);
      if (kind === "dr") promote(b);
      else b.as(rootOf(b)).replication.performance.promote();
      sim.network.start(a);
      const lost = sim.lossReport(a, b).map(({ command }) => command);
      expect(lost).toEqual(["secrets.kv.write"]);
      a.as(token).replication[kind].primaryDisable();
      await join(kind, b, a, "a");
      expect(sim.lossReport(a, b).map(({ command }) => command)).toEqual(expect.arrayContaining(lost));
      sim.clock.advance("1h");
      expect(sim.lossReport(a, b).map(({ command }) => command)).toEqual(expect.arrayContaining(lost));
    },
  );

  // amendments.md, R3.
  test("who is demoted and promoted at once goes on with its own index", async () => {
    const { clusters, write, read, promote } = world(["a", "b"]);
    const [a, b] = clusters as [ClusterHandle, ClusterHandle];
    await joined("dr", a, b);
    const token = rootOf(a);
    write(a, 1, token);
    const index = statusOf(a, "dr")["last_wal"] as number;
    a.as(token).replication.dr.primaryDemote();
    promote(a);
    expect(statusOf(a, "dr")).toMatchObject({ mode: "primary", last_wal: index });
    write(a, 2, token);
    expect(statusOf(a, "dr")["last_wal"]).toBe(index + 1);
    expect(read(a, token)).toBe(2);
  });

  test("leases that came due meanwhile are revoked at the instant of the promotion, each an entry of its own", async () => {
    const { sim, clusters, promote } = world(["a", "b"]);
    const [a, b] = clusters as [ClusterHandle, ClusterHandle];
    await joined("dr", a, b);
    const tokens = ["1h", "2h", "5h"].map((ttl) => a.createToken({ policies: ["default"], ttl }).token);
    sim.network.stop(a);
    sim.clock.advance("3h");
    const held = (): readonly boolean[] => tokens.map((id) => sim.state.secrets["b"]?.local.tokens.has(id) ?? false);
    expect(held()).toEqual([true, true, true]);
    expect(sim.clock.pending()).toEqual([]);
    const before = statusOf(b, "dr")["last_remote_wal"] as number;
    promote(b);
    expect(held()).toEqual([false, false, true]);
    expect(statusOf(b, "dr")["last_wal"]).toBe(before + 2);
    expect(sim.clock.pending()).toHaveLength(1);
    sim.clock.advance("2h");
    expect(held()).toEqual([false, false, false]);
  });

  test("disabling does it, too", async () => {
    const { sim, clusters, operationToken } = world(["a", "b"]);
    const [a, b] = clusters as [ClusterHandle, ClusterHandle];
    await joined("dr", a, b);
    const { token } = a.createToken({ policies: ["default"], ttl: "1h" });
    sim.network.stop(a);
    sim.clock.advance("3h");
    b.as().replication.dr.secondaryDisable({ dr_operation_token: operationToken(b) });
    expect(statusOf(b, "dr")).toEqual({ mode: "disabled" });
    expect(sim.state.secrets["b"]?.local.tokens.has(token)).toBe(false);
    expect(sim.state.secrets["b"]?.ignored.drOperationTokens.size).toBe(0);
  });
});

test("6.5 promote first, demote later: two primaries, none of which ships to the other", async () => {
  const { sim, clusters, write, read, promote } = world(["a", "b"]);
  const [a, b] = clusters as [ClusterHandle, ClusterHandle];
  await joined("dr", a, b);
  const token = rootOf(a);
  promote(b);
  write(a, "a", token);
  write(b, "b", token);
  expect([read(a, token), read(b, token)]).toEqual(["a", "b"]);
  expect(statusOf(a, "dr")["mode"]).toBe("primary");
  sim.clock.advance("11s");
  expect(statusOf(a, "dr")["secondaries"]).toMatchObject([{ node_id: "b", connection_status: "disconnected" }]);
  a.as(token).replication.dr.primaryDemote();
  expect(statusOf(a, "dr")["mode"]).toBe("secondary");
});

test("6.6 a second DR secondary stays idle until a token of the new primary attaches it", async () => {
  const { sim, clusters, write, promote, attach } = world(["a", "b", "c"]);
  const [a, b, c] = clusters as [ClusterHandle, ClusterHandle, ClusterHandle];
  await joined("dr", a, b);
  await join("dr", a, c, "c");
  const token = rootOf(a);
  write(a, 1, token);
  sim.network.stop(a);
  promote(b);
  sim.clock.advance("11s");
  expect(statusOf(c, "dr")["state"]).toBe("idle");
  await expect(attach(c, { update_primary_addrs: [b.clusterAddress] })).rejects.toMatchObject({
    status: 400,
    code: "no_primary_responds",
  });
  const held = sim.state.secrets["c"]?.replicated;
  await attach(c, { token: await activationToken("dr", b, "c") });
  expect(statusOf(c, "dr")["state"]).toBe("stream-wals");
  expect(sim.state.secrets["c"]?.replicated).toBe(held);
});

describe("promotion", () => {
  test("a first sync that never ended is a reason to refuse, but for who forces it", async () => {
    const { sim, clusters, promote, write, isRejected } = world(["a", "b"], {
      syncDurations: { diff: "1s", sync: "1s" },
    });
    const [a, b] = clusters as [ClusterHandle, ClusterHandle];
    write(b, 1);
    await joined("dr", a, b);
    isRejected("promotion_unsafe", () => promote(b));
    sim.clock.advance("1s");
    isRejected("promotion_unsafe", () => promote(b));
    sim.network.stop(a);
    sim.clock.advance("1h");
    isRejected("promotion_unsafe", () => promote(b));
    promote(b, { force: true });
    // Nothing was applied, whatever it had counted before it joined.
    expect(statusOf(b, "dr")).toMatchObject({ mode: "primary", last_wal: 0 });
    expect(() => b.as(a.rootToken).kv.read({ path: "x" })).toThrow(/permission_denied/);
    expect(b.as(rootOf(b)).replication.dr.status().data.mode).toBe("primary");
  });

  test("a refused promotion does not use its token up", async () => {
    const { clusters, operationToken, isRejected } = world(["a", "b"], { syncDurations: { diff: "1s" } });
    const [a, b] = clusters as [ClusterHandle, ClusterHandle];
    await joined("dr", a, b);
    const dr_operation_token = operationToken(b);
    isRejected("promotion_unsafe", () => b.as().replication.dr.promote({ dr_operation_token }));
    b.as().replication.dr.promote({ dr_operation_token, force: true });
    expect(statusOf(b, "dr")["mode"]).toBe("primary");
  });

  test("that the primary is up, or that it is behind or idle, is none", async () => {
    const { sim, clusters, promote, write } = world(["a", "b", "c"]);
    const [a, b, c] = clusters as [ClusterHandle, ClusterHandle, ClusterHandle];
    await joined("dr", a, b);
    await join("dr", a, c, "c");
    sim.network.cut(a, c);
    write(a, 1);
    sim.clock.advance("1h");
    promote(c);
    promote(b);
    for (const cluster of [a, b, c]) expect(statusOf(cluster, "dr")["mode"]).toBe("primary");
  });

  test("an address that it is given is handed on to secondaries", async () => {
    const { sim, clusters, promote } = world(["a", "b", "c"]);
    const [a, b, c] = clusters as [ClusterHandle, ClusterHandle, ClusterHandle];
    await joined("dr", a, b);
    promote(b, { primary_cluster_addr: "https://lb.test:8201" });
    sim.network.pointAddress("https://lb.test:8201", b);
    await join("dr", b, c, "c");
    expect(statusOf(c, "dr")["primary_cluster_addr"]).toBe("https://lb.test:8201");
  });

  test("a demoted cluster takes no addresses until a token has attached it", async () => {
    const { clusters, promote, attach } = world(["a", "b"]);
    const [a, b] = clusters as [ClusterHandle, ClusterHandle];
    await joined("dr", a, b);
    a.as(a.rootToken).replication.dr.primaryDemote();
    promote(b);
    const addresses = { update_primary_addrs: [b.clusterAddress] };
    await expect(attach(a, addresses)).rejects.toMatchObject({ status: 400, code: "update_needs_token" });
    await attach(a, { token: await activationToken("dr", b, "a") });
    await attach(a, addresses);
    expect(statusOf(a, "dr")["state"]).toBe("stream-wals");
  });
});

test("6.7 a performance switch: clients log in again, and the secondary's own tokens stay valid", async () => {
  const { sim, clusters, write, read } = world(["p", "s"]);
  const [p, s] = clusters as [ClusterHandle, ClusterHandle];
  await joined("performance", p, s);
  const [ofP, ofS] = [rootOf(p), rootOf(s)];
  write(p, 1, ofP);
  const index = statusOf(p, "performance")["last_wal"];
  expect(index).toBeDefined();
  const { cluster_id } = statusOf(p, "performance");
  p.as(ofP).replication.performance.primaryDemote();
  expect(() => write(s, 2, ofS)).toThrow(/forwarding_failed/);
  expect(read(p, ofP)).toBe(1);
  expect(() => write(p, 2, ofP)).toThrow(/forwarding_failed/);
  const own = sim.state.secrets["s"]?.ignored.walIndex;
  s.as(ofS).replication.performance.promote();
  expect(statusOf(s, "performance")).toMatchObject({ mode: "primary", cluster_id, last_wal: (own ?? 0) + 1 });
  write(s, 3, ofS);
  expect(() => read(s, ofP)).toThrow(/permission_denied/);
  const token = await activationToken("performance", s, "p");
  await p.as(ofP).replication.performance.updatePrimary({ token });
  expect(read(p, ofP)).toBe(3);
  write(p, 4, ofP);
  expect(read(s, ofS)).toBe(4);
});

test("6.8 a foreign secondary is replaced by disabling and joining: that wipes it", async () => {
  const { sim, clusters, write, read } = world(["a", "b", "c"]);
  const [a, b, c] = clusters as [ClusterHandle, ClusterHandle, ClusterHandle];
  await joined("performance", a, b);
  c.as(c.rootToken).replication.performance.primaryEnable();
  write(c, "of c");
  const root = rootOf(b);
  b.as(root).replication.performance.secondaryDisable();
  const token = await activationToken("performance", c, "b");
  await b.as(root).replication.performance.secondaryEnable({ token });
  expect(() => read(b, root)).toThrow(/permission_denied/);
  expect(read(b, rootOf(b))).toBe("of c");
  expect(sim.state.secrets["b"]?.replicated).toBe(sim.state.secrets["c"]?.replicated);
});

describe("5 DR and performance together", () => {
  test("both modes of a primary: one index, two sets", async () => {
    const { clusters } = world(["a"]);
    const [a] = clusters as [ClusterHandle];
    a.as(a.rootToken).replication.dr.primaryEnable();
    a.as(a.rootToken).replication.performance.primaryEnable();
    const [dr, performance] = [statusOf(a, "dr"), statusOf(a, "performance")];
    expect(dr["last_wal"]).toBe(performance["last_wal"]);
    expect(dr["cluster_id"]).not.toBe(performance["cluster_id"]);
    expect(a.as().replication.status().data).toEqual({ dr, performance });
  });

  test("a cluster with a performance mode does not become a DR secondary", async () => {
    const { sim, clusters } = world(["a", "b"]);
    const [a, b] = clusters as [ClusterHandle, ClusterHandle];
    b.as(b.rootToken).replication.performance.primaryEnable();
    a.as(a.rootToken).replication.dr.primaryEnable();
    const token = await activationToken("dr", a, "b");
    const before = sim.stateHash();
    await expect(b.as(b.rootToken).replication.dr.secondaryEnable({ token })).rejects.toMatchObject({
      status: 400,
      code: "performance_in_the_way",
    });
    expect(sim.stateHash()).toBe(before);
  });

  test("the performance status of a DR secondary is disabled, whatever its primary does", async () => {
    const { sim, clusters } = world(["a", "b"]);
    const [a, b] = clusters as [ClusterHandle, ClusterHandle];
    await joined("dr", a, b);
    a.as(a.rootToken).replication.performance.primaryEnable();
    expect(statusOf(b, "performance")).toEqual({ mode: "disabled" });
    const health = await reach(sim)(`${b.url}/v1/sys/health`);
    expect(health.status).toBe(472);
    expect(await health.json()).toMatchObject({
      replication_performance_mode: "disabled",
      replication_dr_mode: "secondary",
    });
    expect(() => b.as(a.rootToken).replication.performance.primaryEnable()).toThrow(/dr_secondary/);
  });

  async function ofAPrimary() {
    const made = world(["a", "b", "s"]);
    const [a, b, s] = made.clusters as [ClusterHandle, ClusterHandle, ClusterHandle];
    await joined("dr", a, b);
    await joined("performance", a, s, "s");
    return { ...made, a, b, s };
  }

  test("the DR secondary of a performance primary is one when it is promoted; its secondaries are unknown to it", async () => {
    const { sim, a, b, s, promote, write, read } = await ofAPrimary();
    const before = statusOf(a, "performance");
    const own = rootOf(s);
    sim.network.stop(a);
    promote(b);
    expect(statusOf(b, "performance")).toMatchObject({
      mode: "primary",
      cluster_id: before["cluster_id"],
      known_secondaries: ["s"],
      secondaries: [{ node_id: "s", api_address: s.url, connection_status: "unknown" }],
    });
    sim.clock.advance("11s");
    expect(statusOf(s, "performance")["state"]).toBe("idle");
    expect(() => write(s, 1, own)).toThrow(/forwarding_failed/);
    await s.as(own).replication.performance.updatePrimary({ update_primary_addrs: [b.clusterAddress] });
    expect(statusOf(s, "performance")["state"]).toBe("stream-wals");
    expect(statusOf(b, "performance")["secondaries"]).toMatchObject([{ connection_status: "connected" }]);
    write(s, 2, own);
    expect(read(s, own)).toBe(2);
    expect(read(b, a.rootToken)).toBe(2);
  });

  test("when the old address leads to the promoted cluster, performance secondaries come by themselves", async () => {
    const { sim, a, b, s, promote, write, read } = await ofAPrimary();
    const own = rootOf(s);
    write(a, 1);
    sim.network.stop(a);
    promote(b);
    const held = sim.state.secrets["s"]?.local;
    sim.network.pointAddress(a.clusterAddress, b);
    expect(statusOf(s, "performance")["state"]).toBe("stream-wals");
    expect(sim.state.secrets["s"]?.local).toBe(held);
    write(s, 2, own);
    expect(read(s, own)).toBe(2);
    expect(statusOf(b, "performance")["secondaries"]).toMatchObject([{ node_id: "s", connection_status: "connected" }]);
  });

  test("with two performance primaries each secondary follows the one that its address reaches; the survivor wins", async () => {
    const { sim, a, b, s, promote, write, read } = await ofAPrimary();
    const own = rootOf(s);
    promote(b);
    write(a, "a");
    write(b, "b", a.rootToken);
    expect(read(s, own)).toBe("a");
    a.as(a.rootToken).replication.performance.primaryDemote();
    const token = await activationToken("performance", b, "s2");
    await s.as(own).replication.performance.updatePrimary({ token });
    expect(read(s, own)).toBe("b");
    expect(sim.lossReport(a, b).at(-1)?.command).toBe("secrets.replication.performance.primaryDemote");
  });

  test("the role that a demotion keeps comes back, unless another primary's has taken its place", async () => {
    const { a, promote } = await ofAPrimary();
    const before = statusOf(a, "performance")["cluster_id"];
    a.as(a.rootToken).replication.dr.primaryDemote();
    expect(statusOf(a, "performance")).toEqual({ mode: "disabled" });
    promote(a);
    expect(statusOf(a, "performance")).toMatchObject({ mode: "primary", cluster_id: before, known_secondaries: ["s"] });
  });

  test("after a failback performance secondaries are compared, also where both have come as far by numbers", async () => {
    const { sim, a, b, s, write, promote, attach } = await ofAPrimary();
    const own = a.rootToken;
    sim.network.cut(a, b);
    for (const v of [1, 2, 3, 4, 5]) write(a, `lost ${v}`);
    const { last_remote_wal } = statusOf(s, "performance");
    sim.network.stop(a);
    promote(b);
    sim.network.cut(a, s);
    sim.network.start(a);
    a.as(own).replication.dr.primaryDemote();
    sim.network.heal(a, b);
    await attach(a, { token: await activationToken("dr", b, "a") });
    while (Number(statusOf(b, "dr")["last_wal"]) < Number(last_remote_wal)) write(b, "kept", own);
    b.as(own).replication.dr.primaryDemote();
    promote(a);
    expect(statusOf(a, "performance")).toMatchObject({
      last_wal: last_remote_wal,
      secondaries: [{ node_id: "s", connection_status: "unknown" }],
    });
    sim.network.heal();
    expect(s.as(rootOf(s)).kv.read({ path: "x" }).data).toEqual({ v: "kept" });
    expect(statusOf(s, "performance")["merkle_root"]).toBe(statusOf(a, "performance")["merkle_root"]);
  });

  async function ofASecondary(options = {}) {
    const made = world(["p", "a", "b"], options);
    const [p, a, b] = made.clusters as [ClusterHandle, ClusterHandle, ClusterHandle];
    await joined("performance", p, a, "a");
    made.sim.settle();
    await joined("dr", a, b);
    made.sim.settle();
    return { ...made, p, a, b };
  }

  test.each([
    ["at once", false],
    ["after it was attached, and never synced", true],
  ])("so does the place that it had come to as a performance secondary: %s", async (_, isAttached) => {
    const { sim, p, a, b, promote, attach } = await ofASecondary({ syncDurations: { diff: "5s" } });
    p.as(p.rootToken).replication.performance.pathsFilter.write({ id: "a", mode: "deny", paths: ["kv"] });
    sim.settle();
    const token = rootOf(a);
    const { last_remote_wal } = statusOf(a, "performance");
    sim.network.cut(p, a);
    a.as(token).replication.dr.primaryDemote();
    if (isAttached) {
      promote(b);
      await attach(a, { token: await activationToken("dr", b, "a") });
      sim.network.cut(a, b);
      sim.clock.advance("11s");
    }
    promote(a);
    expect(statusOf(a, "performance")).toMatchObject({ state: "idle", last_remote_wal });
    const { secondaryDynamicFilter } = a.as(token).replication.performance;
    expect(secondaryDynamicFilter({ id: "a" }).dynamic_filtered_mounts).toEqual(["kv/"]);
    sim.network.heal();
    expect(statusOf(a, "performance")["state"]).toBe("stream-wals");
  });

  test("entries reach the DR secondary of a performance secondary by way of it", async () => {
    const { sim, p, a, b, write } = await ofASecondary();
    write(p, 1);
    expect(sim.state.secrets["b"]?.replicated).toBe(sim.state.secrets["p"]?.replicated);
    expect(sim.state.secrets["b"]?.local).toBe(sim.state.secrets["a"]?.local);
    expect(statusOf(b, "dr")["last_remote_wal"]).toBe(statusOf(a, "dr")["last_wal"]);
    expect(statusOf(b, "dr")["merkle_root"]).toBe(statusOf(a, "dr")["merkle_root"]);
  });

  test("the DR secondary of a performance secondary stands in for it when it is promoted", async () => {
    const { sim, p, a, b, write, read, promote } = await ofASecondary();
    const own = rootOf(a);
    write(p, 1);
    sim.network.stop(a);
    sim.clock.advance("1s");
    promote(b);
    expect(statusOf(b, "performance")).toMatchObject({ mode: "secondary", secondary_id: "a", state: "stream-wals" });
    expect(read(b, own)).toBe(1);
    write(b, 2, own);
    expect(read(p, p.rootToken)).toBe(2);
    expect(statusOf(p, "performance")).toMatchObject({
      known_secondaries: ["a"],
      secondaries: [{ node_id: "a", api_address: b.url, connection_status: "connected" }],
    });
    // When the old one comes back, the latest heartbeat wins: both are heard of now.
    sim.network.start(a);
    write(p, 3);
    expect([read(a, own), read(b, own)]).toEqual([3, 3]);
    expect((statusOf(p, "performance")["secondaries"] as unknown[]).length).toBe(1);
  });

  test("without its primary in reach the promoted one is idle, with all that it held", async () => {
    const { sim, p, a, b, write, read, promote } = await ofASecondary();
    const own = rootOf(a);
    write(p, 1);
    sim.network.stop(a);
    sim.network.stop(p);
    promote(b);
    expect(statusOf(b, "performance")).toMatchObject({
      state: "idle",
      primaries: [{ api_address: p.url, connection_status: "unknown" }],
    });
    expect(read(b, own)).toBe(1);
    sim.network.start(p);
    expect(statusOf(b, "performance")["state"]).toBe("stream-wals");
  });

  test("a first sync that had not ended has not ended for the promoted one either", async () => {
    const { sim, clusters, promote, isRejected } = world(["p", "a", "b"], { syncDurations: { diff: "5s" } });
    const [p, a, b] = clusters as [ClusterHandle, ClusterHandle, ClusterHandle];
    await joined("dr", a, b);
    sim.settle();
    await joined("performance", p, a, "a");
    sim.network.stop(a);
    sim.network.stop(p);
    promote(b);
    isRejected("promotion_unsafe", () => b.as(rootOf(b)).replication.performance.promote());
    sim.network.start(p);
    expect(statusOf(b, "performance")["state"]).toBe("merkle-diff");
    sim.settle();
    expect(statusOf(b, "performance")["merkle_root"]).toBe(statusOf(p, "performance")["merkle_root"]);
  });

  test("local mounts are there after a DR promotion, and never on performance secondaries", async () => {
    const { sim, a, b, s, promote } = await ofAPrimary();
    a.mount("own", { type: "kv", local: true });
    a.as(a.rootToken).at("own").kv.write({ path: "x", v: 1 });
    expect(sim.state.secrets["s"]?.local.mounts.size).toBe(0);
    expect(() => s.as(rootOf(s)).at("own").kv.read({ path: "x" })).toThrow(Rejection);
    sim.network.stop(a);
    promote(b);
    expect(b.as(a.rootToken).at("own").kv.read({ path: "x" }).data).toEqual({ v: 1 });
  });
});
