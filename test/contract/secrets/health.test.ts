import { describe, expect, it } from "vitest";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { expectNothingChanged } from "../expectations.ts";
import { reach, refusal } from "../transports.ts";

// decisions-secrets-core.md, A.11 and D.4.

const many = (license: "enterprise" | "community" = "enterprise"): Simulator =>
  createSimulator({ seed: 15, secrets: { nodes: 3, license, version: "1.16.1" } });

async function get(
  sim: Simulator,
  url: string,
  path: string,
  method = "GET",
): Promise<[number, Record<string, unknown>]> {
  const response = await reach(sim)(`${url}/v1/sys/${path}`, { method });
  const text = await response.text();
  return [response.status, text === "" ? {} : (JSON.parse(text) as Record<string, unknown>)];
}

describe("health", () => {
  it("of an active node is 200, with a bare body", async () => {
    const sim = many();
    const { url } = sim.secrets.cluster("main");
    expect(await get(sim, url, "health")).toEqual([
      200,
      {
        initialized: true,
        sealed: false,
        standby: false,
        performance_standby: false,
        replication_performance_mode: "disabled",
        replication_dr_mode: "disabled",
        server_time_utc: 1_767_225_600,
        version: "1.16.1",
        cluster_name: "main",
        cluster_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
  });

  it.each<[license: "enterprise" | "community", query: string, status: number]>([
    ["community", "", 429],
    ["community", "?standbyok", 200],
    ["community", "?standbyok=true", 200],
    ["community", "?standbyok=false", 429],
    ["community", "?standbyok&activecode=299", 299],
    ["community", "?standbycode=418", 418],
    ["community", "?perfstandbyok", 429],
    ["enterprise", "", 473],
    ["enterprise", "?perfstandbyok", 200],
    ["enterprise", "?standbyok", 473],
    ["enterprise", "?performancestandbycode=204", 204],
    ["enterprise", "?standbycode=soon", 400],
    ["enterprise", "?standbycode=99", 400],
    ["enterprise", "?activecode=600", 400],
    ["enterprise", "?unknown=1", 473],
  ])("of a standby with the %s licence, asked %s, is %i", async (license, query, status) => {
    const sim = many(license);
    const cluster = sim.secrets.cluster("main");
    const [got, body] = await get(sim, cluster.nodeUrl(1), `health${query}`);
    expect(got).toBe(status);
    if (status !== 400 && status !== 204) {
      expect(body).toMatchObject({ standby: true, performance_standby: license === "enterprise" });
    }
  });

  it("of a sealed cluster is 503 on all nodes, without name and id", async () => {
    const sim = many();
    const cluster = sim.secrets.cluster("main");
    cluster.seal();
    for (const url of [cluster.url, cluster.nodeUrl(2)]) {
      const [status, body] = await get(sim, url, "health");
      expect(status).toBe(503);
      expect(body).toMatchObject({ sealed: true });
      expect(body).not.toHaveProperty("cluster_name");
      expect((await get(sim, url, "health?sealedcode=210"))[0]).toBe(210);
    }
  });

  it("takes HEAD, which no other path does, and commits nothing", async () => {
    const sim = many();
    const { url } = sim.secrets.cluster("main");
    await expectNothingChanged(sim, async () => {
      expect(await get(sim, url, "health", "HEAD")).toEqual([200, {}]);
      expect((await get(sim, url, "leader", "HEAD"))[0]).toBe(405);
    });
  });
});

describe("nodes", () => {
  it("have addresses of their own, unless there is one only", () => {
    const main = many().secrets.cluster("main");
    expect([0, 1, 2].map((node) => main.nodeUrl(node))).toEqual([
      "https://secrets-main-0.test",
      "https://secrets-main-1.test",
      "https://secrets-main-2.test",
    ]);
    expect(() => main.nodeUrl(3)).toThrow(TypeError);
    const one = createSimulator().secrets.cluster("main");
    expect(one.nodeUrl(0)).toBe(one.url);
    const ported = createSimulator({ secrets: { nodes: 2, url: (name) => `http://${name}:8200` } });
    expect(ported.secrets.cluster("main").nodeUrl(1)).toBe("http://main-1:8200");
  });

  it("that stand by hand everything else to the active one", async () => {
    const sim = many();
    const main = sim.secrets.cluster("main");
    const headers = { "X-Secrets-Token": main.rootToken };
    const written = await reach(sim)(`${main.nodeUrl(2)}/v1/kv/a`, { method: "POST", headers, body: '{"v": 1}' });
    expect(written.status).toBe(204);
    expect((await reach(sim)(`${main.nodeUrl(1)}/v1/kv/a`, { headers })).status).toBe(200);
    expect(sim.log.commits().at(-1)?.command.caller).toEqual({ cluster: "main", token: main.rootToken });
  });

  it("take the active role at once", async () => {
    const sim = many();
    const main = sim.secrets.cluster("main");
    sim.clock.advance("1h");
    main.setActiveNode(1);
    expect((await get(sim, main.nodeUrl(1), "health"))[0]).toBe(200);
    expect((await get(sim, main.nodeUrl(0), "health"))[0]).toBe(473);
    expect((await get(sim, main.url, "health"))[0]).toBe(200);
    expect(await get(sim, main.nodeUrl(1), "leader")).toEqual([
      200,
      {
        ha_enabled: true,
        is_self: true,
        active_time: "2026-01-01T01:00:00Z",
        leader_address: "https://secrets-main-1.test",
        leader_cluster_address: "https://secrets-main-1.test:8201",
        performance_standby: false,
        performance_standby_last_remote_wal: 0,
        last_wal: 0,
        raft_committed_index: 0,
        raft_applied_index: 0,
      },
    ]);
    await expectNothingChanged(sim, () => main.setActiveNode(1));
    expect(() => main.setActiveNode(3)).toThrow(expect.objectContaining({ code: "node_unknown" }));
    for (const node of [-1, 1.5, "1"]) expect(() => main.setActiveNode(node as number)).toThrow(TypeError);
  });

  it("tell how far the log of the cluster reaches", async () => {
    const sim = many();
    const main = sim.secrets.cluster("main");
    main.createToken({ policies: [], ttl: "1m" });
    main.as(main.rootToken).kv.write({ path: "a", v: 1 });
    main.as(main.rootToken).kv.read({ path: "a" });
    sim.clock.advance("1m");
    main.setActiveNode(2);
    expect(await get(sim, main.url, "leader")).toMatchObject([200, { last_wal: 3, raft_applied_index: 3 }]);
    expect(await get(sim, main.nodeUrl(0), "leader")).toMatchObject([
      200,
      { is_self: false, last_wal: 0, performance_standby_last_remote_wal: 3 },
    ]);
  });
});

describe("a stopped cluster", () => {
  it("refuses connections, and keeps its state", async () => {
    const sim = many();
    const main = sim.secrets.cluster("main");
    const { token } = main.createToken({ policies: [], ttl: "1m" });
    sim.network.stop(main);
    for (const url of [main.url, main.nodeUrl(1)]) {
      const refused: unknown = await reach(sim)(`${url}/v1/sys/health`).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(TypeError);
      expect(refused).toMatchObject(refusal());
    }
    expect(() => main.as(token).tokens.lookupSelf()).toThrow("fetch failed");
    expect(() => main.createToken({ policies: [] })).toThrow(expect.objectContaining({ code: "cluster_stopped" }));
    expect(sim.clock.advance("1h")).toEqual([]);
    await expectNothingChanged(sim, () => sim.network.stop(main));
    sim.network.start(sim.fork().secrets.cluster("main"));
    expect(() => main.as(token).tokens.lookupSelf()).toThrow("permission denied");
    expect(sim.state.secrets["main"]?.local.tokens.has(token)).toBe(false);
    expect(sim.log.commits().at(-2)?.command).toMatchObject({
      name: "control.network.start",
      input: { cluster: { cluster: "main" } },
    });
  });

  it.each([undefined, null, "main", {}, { name: "nowhere" }])("is no %j", async (cluster) => {
    const sim = many();
    await expectNothingChanged(sim, () => {
      expect(() => sim.network.stop(cluster as { name: string })).toThrow(TypeError);
      expect(() => sim.network.start(cluster as { name: string })).toThrow("main");
    });
  });
});
