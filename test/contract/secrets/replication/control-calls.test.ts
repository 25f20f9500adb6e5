import { describe, expect, test } from "vitest";
import { createSimulator, Rejection, rehearse, replay } from "../../../../src/index.ts";
import { reach } from "../../transports.ts";
import { joined, replicatedWorld } from "./replicated-world.ts";

// control-surface.md: the calls of several clusters and of the network between them.

describe("addCluster", () => {
  test("adds a cluster that stands alone, with options of its own", async () => {
    const sim = createSimulator({ seed: 3, secrets: { clusters: ["east"], keyShares: 4, keyThreshold: 2 } });
    const spare = sim.secrets.addCluster("spare", { keyShares: 2, keyThreshold: 1, nodes: 2, license: "community" });
    expect([spare.name, spare.url, spare.keyShares.length]).toEqual(["spare", "https://secrets-spare.test", 2]);
    expect((await reach(sim)(`${spare.nodeUrl(1)}/v1/sys/health`)).status).toBe(429);
    spare.as(spare.rootToken).kv.write({ path: "a", v: 1 });
    expect(sim.secrets.addCluster("plain").keyShares).toHaveLength(4);
    expect(sim.secrets.cluster("plain").rootToken).not.toBe(spare.rootToken);
    const log = sim.log.toNdjson();
    expect(replay(log).stateHash()).toBe(sim.stateHash());
    expect(await rehearse(log)).toEqual({ ok: true });
  });

  test.each([
    [["Spare"], TypeError],
    [[""], TypeError],
    [[7], TypeError],
    [["spare", { shares: 1 }], TypeError],
    [["spare", { keyShares: 0 }], TypeError],
    [["spare", { keyShares: 2, keyThreshold: 3 }], TypeError],
    [["spare", { nodes: 1.5 }], TypeError],
    [["spare", { license: "free" }], TypeError],
    [["spare", null], TypeError],
    [["east"], Rejection],
  ] as const)("%j is refused, and changes nothing", (given, error) => {
    const sim = createSimulator({ secrets: { clusters: ["east"] } });
    const before = sim.stateHash();
    const add = sim.secrets.addCluster as (...given: readonly unknown[]) => unknown;
    expect(() => add(...given)).toThrow(error);
    expect([sim.stateHash(), sim.position]).toEqual([before, 0]);
  });

  test("its address must be free, and a view of the past adds none", () => {
    const sim = createSimulator({ secrets: { clusters: ["east"], url: () => "https://one.test" } });
    expect(() => sim.secrets.addCluster("west")).toThrow(/is taken/);
    expect(() => sim.at(0).secrets.addCluster("west")).toThrow(/view of the past/);
  });
});

describe("the network", () => {
  const sim = createSimulator({ secrets: { clusters: ["a", "b"] } });
  const [a, b] = [sim.secrets.cluster("a"), sim.secrets.cluster("b")];
  const region = sim.scheduler.region("global");

  test.each([
    ["twice the same", () => sim.network.cut(a, a)],
    ["a region and a cluster", () => sim.network.cut(a, region)],
    ["a name", () => sim.network.cut("a" as never, b)],
    ["a cluster of nobody", () => sim.network.cut(a, { name: "b" } as never)],
    ["one of two", () => sim.network.heal(a)],
    ["no duration", () => sim.network.setLag(a, b, "soon")],
    ["no address", () => sim.network.pointAddress("", b)],
    ["no cluster", () => sim.network.pointAddress("https://a.test", {} as never)],
    ["a report of one cluster", () => sim.lossReport(a, a)],
    ["a report of a region", () => sim.lossReport(a, region as never)],
  ])("%s is refused", (_, call) => {
    expect(call).toThrow(TypeError);
    expect(sim.position).toBe(0);
  });

  test("a handle of a fork means this simulator's own", () => {
    const fork = sim.fork();
    fork.network.cut(a, b);
    fork.network.cut(fork.secrets.cluster("b"), a);
    expect(fork.position).toBe(1);
    fork.network.heal(b, a);
    fork.network.heal();
    expect(fork.position).toBe(2);
  });

  test("an address that leads where it led changes nothing", () => {
    const fork = sim.fork();
    fork.network.pointAddress(a.clusterAddress, a);
    expect(fork.position).toBe(0);
    fork.network.pointAddress(a.clusterAddress, b);
    fork.network.pointAddress(a.clusterAddress, b);
    expect(fork.position).toBe(1);
  });
});

describe("failNextRequests", () => {
  test("the next requests fail, before any other check, and only the count is committed", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b"]);
    const [a, b] = [cluster("a"), cluster("b")];
    await joined("dr", a, b);
    const root = a.as(a.rootToken);
    sim.faults.failNextRequests({ service: a, count: 3, status: 502 });
    const index = sim.state.secrets["a"]?.ignored.walIndex;
    const answer = await reach(sim)(`${a.url}/v1/sys/health`);
    expect([answer.status, await answer.json()]).toEqual([502, { errors: [expect.any(String)] }]);
    expect((await reach(sim)(`${a.url}/v1/kv/x`, { method: "POST", body: "{" })).status).toBe(502);
    expect(() => root.kv.write({ path: "x", v: 1 })).toThrow(
      expect.objectContaining({ code: "request_failed", status: 502 }),
    );
    expect(sim.state.secrets["a"]?.ignored.walIndex).toBe(index);
    expect(() => root.kv.read({ path: "x" })).toThrow(/not_found/);
    sim.faults.failNextRequests({ service: b, count: 1 });
    expect((await reach(sim)(`${b.url}/v1/sys/health`)).status).toBe(500);
    expect((await reach(sim)(`${b.url}/v1/sys/health`)).status).toBe(472);
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
  });

  test.each([[{ count: 0 }], [{ count: 1, status: 200 }], [{ count: 1, more: 1 }]])("%j is refused", (options) => {
    const { sim, cluster } = replicatedWorld(["a"]);
    expect(() => sim.faults.failNextRequests({ service: cluster("a"), ...options })).toThrow(TypeError);
    expect(sim.position).toBe(0);
  });
});

describe("options", () => {
  test("they are in the log, and a replay has them", async () => {
    const secrets = {
      clusters: ["a", "b"],
      syncDurations: { diff: "1s", sync: "2s" },
      walBuffer: 3,
      roleChangeOutage: "1s",
      merkleCheckEvery: "10m",
      reindexDuration: "1s",
      flushDuration: "2s",
    };
    const sim = createSimulator({ secrets });
    const again = replay(sim.log.toNdjson());
    expect(again.stateHash()).toBe(sim.stateHash());
    expect(again.state.secrets["a"]?.ignored.replication).toEqual({
      diffMs: 1000,
      syncMs: 2000,
      reindexMs: 1000,
      flushMs: 2000,
      merkleCheckEveryMs: 600_000,
      walBuffer: 3,
      roleChangeOutageMs: 1000,
    });
    expect(again.log.toNdjson()).toBe(sim.log.toNdjson());
  });

  test.each([
    [{ syncDurations: { diff: "soon" } }],
    [{ syncDurations: { other: 1 } }],
    [{ walBuffer: -1 }],
    [{ walBuffer: 1.5 }],
    [{ roleChangeOutage: {} }],
  ])("%j is refused", (secrets) => {
    expect(() => createSimulator({ secrets } as never)).toThrow(TypeError);
  });
});

describe("a report of what was lost", () => {
  test("names what was first written to an engine, and objects that no filter knows", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b"]);
    const [a, b] = [cluster("a"), cluster("b")];
    await joined("performance", a, b);
    const root = a.as(a.rootToken);
    root.replication.performance.pathsFilter.write({ id: "b", mode: "allow", paths: ["ldap/"] });
    sim.network.cut(a, b);
    root.dynamicRoles.write({
      role_name: "dev",
      creation_ldif: "dn: cn=x\ncn: x\n",
      deletion_ldif: "dn: cn=x\ncn: x\n",
    });
    root.plugins.write({ type: "secret", name: "own", sha256: "31", command: "own" });
    root.kv.write({ path: "unlisted", v: 1 });
    expect(sim.lossReport(a, b).map(({ objects }) => objects)).toEqual([
      [{ kind: "dynamic role", path: "ldap/dev", change: "created", fate: "missing" }],
      [{ kind: "plugin", path: "secret/own", change: "created", fate: "missing" }],
    ]);
  });
});
