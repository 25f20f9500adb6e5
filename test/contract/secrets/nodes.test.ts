import { describe, expect, it } from "vitest";
import { createSimulator, replay, type Simulator } from "../../../src/index.ts";
import { joined, replicatedWorld, rootOf } from "./replication/replicated-world.ts";

// control-surface.md, "Their line" and "Settled"; cluster/README.md, 1.10 and 1.11.

const NO_ACTIVE_NODE = "local node not active but active cluster node not found";

function world(options: { nodes?: number; license?: "enterprise" | "community"; electionDuration?: string } = {}) {
  const sim = createSimulator({ seed: 29, secrets: { nodes: 3, ...options } });
  const main = sim.secrets.cluster("main");
  const get = async (path: string, url = main.url) => {
    const response = await sim.fetch(`${url}/v1/${path}`, { headers: { "X-Secrets-Token": main.rootToken } });
    const text = await response.text();
    return {
      status: response.status,
      body: text === "" ? {} : JSON.parse(text),
      why: response.headers.get("x-hindcast-why"),
    };
  };
  const leader = async () => (await get("sys/leader")).body.leader_address;
  return { sim, main, get, leader };
}

describe("an active node that is stopped", () => {
  it("is followed by the next after electionDuration, and no earlier", async () => {
    const { sim, main, leader } = world();
    sim.network.stopNode(main, 0);
    expect(sim.clock.pending()).toMatchObject([{ dueAtMs: sim.clock.now() + 10_000, command: "timer.election" }]);
    sim.clock.advance(9_999);
    expect(await leader()).toBe("");
    sim.clock.advance(1);
    expect(await leader()).toBe(main.nodeUrl(1));
    expect(main.as(main.rootToken).mounts.list().data).toBeDefined();
  });

  it.each<[license: "enterprise" | "community", health: number]>([
    ["enterprise", 473],
    ["community", 429],
  ])("leaves a cluster with the %s licence that answers as a standby, health %i", async (license, health) => {
    const { sim, main, get } = world({ license });
    sim.network.stopNode(main, 0);
    for (const url of [main.url, main.nodeUrl(1), main.nodeUrl(2)]) {
      const answered = await get("sys/health", url);
      expect(answered).toMatchObject({ status: health, body: { standby: true, sealed: false } });
      expect(await get("sys/leader", url)).toMatchObject({
        status: 200,
        body: { is_self: false, leader_address: "", leader_cluster_address: "", active_time: "0001-01-01T00:00:00Z" },
      });
      expect((await get("sys/seal-status", url)).status).toBe(200);
      for (const path of [
        "kv/app",
        "sys/mounts",
        "sys/host-info",
        "sys/ha-status",
        "auth/token/lookup-self",
        "nowhere",
      ]) {
        expect(await get(path, url)).toMatchObject({ status: 500, body: { errors: [NO_ACTIVE_NODE] } });
      }
    }
  });

  it("is not listening at its own address, while the others are", async () => {
    const { sim, main, get } = world();
    sim.network.stopNode(main, 0);
    sim.clock.advance("10s");
    const refused = await get("sys/health", main.nodeUrl(0)).catch((error: TypeError) => error.cause);
    expect(refused).toMatchObject({ code: "ECONNREFUSED", message: expect.stringContaining("the node is stopped") });
    expect((await get("sys/health", main.nodeUrl(1))).status).toBe(200);
    sim.network.startNode(main, 0);
    expect((await get("sys/health", main.nodeUrl(0))).status).toBe(473);
  });

  it("refuses typed calls with a code, and says why", async () => {
    const { sim, main, get } = world({ electionDuration: "1m" });
    sim.network.stopNode(main, 0);
    expect(() => main.as(main.rootToken).kv.read({ path: "app" })).toThrow(
      expect.objectContaining({ code: "no_active_node", status: 500 }),
    );
    expect(() => main.createToken({ policies: ["default"] })).toThrow(
      expect.objectContaining({ code: "no_active_node" }),
    );
    expect((await get("kv/app")).why).toBe(
      "the active node of main is stopped since 2026-01-01T00:00:00Z (#1, control.network.stopNode); another is elected at 2026-01-01T00:01:00Z",
    );
  });

  it("lets no other deadline fire before the election has ended, and all that are overdue then", () => {
    const { sim, main } = world({ electionDuration: "1h" });
    const { token } = main.createToken({ policies: ["default"], ttl: "5m" });
    sim.network.stopNode(main, 0);
    sim.clock.advance("59m");
    expect(sim.state.secrets["main"]?.local.tokens.has(token)).toBe(true);
    const fired = sim.clock.advance("1m").map(({ command }) => command);
    expect(fired).toEqual(["timer.election", "timer.tokenExpiry"]);
  });
});

describe("nodes that are stopped and started", () => {
  it("change nothing for clients where they stand by", async () => {
    const { sim, main, get } = world();
    sim.network.stopNode(main, 1);
    expect((await get("sys/health")).status).toBe(200);
    const nodes = async () =>
      (await get("sys/ha-status")).body.nodes.map((node: { hostname: string }) => node.hostname);
    expect(await nodes()).toHaveLength(3);
    sim.clock.advance("15s");
    expect(await nodes()).toEqual(["secrets-main-0", "secrets-main-2"]);
    expect((await get("sys/storage/raft/configuration")).body.data.config.servers).toHaveLength(3);
  });

  it("are passed over by elections and by a node that steps down", async () => {
    const { sim, main, leader } = world();
    sim.network.stopNode(main, 1);
    sim.network.stopNode(main, 0);
    sim.clock.advance("10s");
    expect(await leader()).toBe(main.nodeUrl(2));
    main.as(main.rootToken).nodes.stepDown();
    expect(await leader()).toBe(main.nodeUrl(2));
    expect(() => main.setActiveNode(1)).toThrow(expect.objectContaining({ code: "node_stopped" }));
  });

  it("take part in an election that they come back to", async () => {
    const { sim, main, leader } = world({ nodes: 2 });
    sim.network.stopNode(main, 0);
    sim.network.startNode(main, 0);
    expect(await leader()).toBe("");
    sim.network.stopNode(main, 1);
    sim.clock.advance("10s");
    expect(await leader()).toBe(main.nodeUrl(0));
  });

  it("end an election where the test author names the active one", async () => {
    const { sim, main, leader } = world();
    sim.network.stopNode(main, 0);
    main.setActiveNode(2);
    expect(await leader()).toBe(main.nodeUrl(2));
    expect(sim.clock.pending()).toEqual([]);
  });

  it.each([1, 2])("stop the cluster with the last of %i", async (nodes) => {
    const { sim, main, get } = world({ nodes });
    for (let node = 0; node < nodes; node += 1) sim.network.stopNode(main, node);
    expect(sim.clock.pending()).toEqual([]);
    await expect(get("sys/health")).rejects.toThrow("fetch failed");
    sim.network.startNode(main, nodes - 1);
    expect((await get("sys/health", main.nodeUrl(nodes - 1))).status).toBe(200);
  });

  it("all run again when a stopped cluster is started as a whole", async () => {
    const { sim, main, get } = world({ nodes: 2 });
    sim.network.stopNode(main, 0);
    sim.network.stop(main);
    sim.network.start(main);
    expect((await get("sys/health", main.nodeUrl(0))).status).toBe(200);
    expect((await get("sys/health", main.nodeUrl(1))).status).toBe(473);
  });

  it.each([3, -1, 0.5, "0", undefined])("are named by their numbers: %s is a TypeError", (node) => {
    const { sim, main } = world();
    const commits = sim.position;
    expect(() => sim.network.stopNode(main, node as never)).toThrow(TypeError);
    expect(() => sim.network.startNode(main, node as never)).toThrow(TypeError);
    expect(sim.position).toBe(commits);
  });

  it("can be stopped later, as a fault", () => {
    const { sim, main } = world();
    sim.faults.schedule("1m", { type: "network.stopNode", args: [main, 0] });
    const fired = sim.clock.advance("2m").map(({ command }) => command);
    expect(fired).toEqual(["fault.network.stopNode", "timer.election"]);
  });
});

describe("an election", () => {
  it("is the same in a fork and in a replay, which keep its duration", () => {
    const { sim, main } = world({ electionDuration: "30s" });
    sim.network.stopNode(main, 0);
    const same = (one: Simulator) => {
      one.clock.advance("29s");
      const before = one.state.secrets["main"]?.ignored.election;
      one.clock.advance("1s");
      return [before?.dueAtMs, one.state.secrets["main"]?.ignored.nodes];
    };
    const [fork, replayed] = [sim.fork(), replay(sim.log.toNdjson())];
    const expected = same(sim);
    expect(expected[0]).toBeDefined();
    expect(same(fork)).toEqual(expected);
    expect(same(replayed)).toEqual(expected);
  });

  it("goes on while the cluster is sealed, and then the seal decides", async () => {
    const { sim, main, get } = world();
    sim.network.stopNode(main, 0);
    main.seal();
    expect((await get("sys/health")).status).toBe(503);
    expect(await get("kv/app")).toMatchObject({ status: 503 });
    sim.clock.advance("10s");
    main.unseal();
    expect((await get("sys/health")).status).toBe(200);
  });

  it("of a primary holds up what it is forwarded, and what it wrote reaches its secondary afterwards", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b"], { nodes: 2 });
    const [a, b] = [cluster("a"), cluster("b")];
    await joined("performance", a, b);
    const [onA, onB] = [a.as(rootOf(a)), b.as(rootOf(b))];
    sim.network.cut(a, b);
    onA.kv.write({ path: "app", n: 1 });
    sim.network.stopNode(a, 0);
    sim.network.heal();
    expect(() => onB.kv.write({ path: "app", n: 2 })).toThrow(expect.objectContaining({ code: "forwarding_failed" }));
    sim.clock.advance("10s");
    sim.settle();
    expect(onB.kv.read({ path: "app" }).data).toEqual({ n: 1 });
    onB.kv.write({ path: "app", n: 2 });
    sim.clock.advance("1m");
    expect(onB.replication.performance.status().data).toMatchObject({
      primaries: [{ connection_status: "disconnected" }, { connection_status: "connected" }],
    });
  });

  it("of a primary that loses what it had not shipped is told of as one that was stopped", async () => {
    const { sim, cluster } = replicatedWorld(["a", "b"], { nodes: 2, electionDuration: "1h" });
    const [a, b] = [cluster("a"), cluster("b")];
    await joined("dr", a, b);
    sim.network.setLag(a, b, "5s");
    a.as(rootOf(a)).kv.write({ path: "app", n: 1 });
    const stoppedAt = sim.position;
    sim.network.stopNode(a, 0);
    const because = { reason: "stopped", position: stoppedAt + 1 };
    expect(sim.lossReport(a, b)).toMatchObject([{ because }, { because }]);
  });
});
