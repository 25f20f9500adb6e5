import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { createSimulator, replay } from "../../../../src/index.ts";
import { property } from "../../../support/property.ts";
import { send } from "../../driver.ts";
import { drPair, generatedToken } from "./dr-secondary.ts";
import { join, joined, KINDS, replicatedWorld, rootOf, statusOf } from "./replicated-world.ts";

// decisions-replication.md, 2 (`merkle_root`) and 8.4.

const ROOT = /^[0-9a-f]{40}$/;
const NEVER = "-62135596800";

describe("a root", () => {
  it.each(KINDS)("is the same on both ends, and 40 lower-case hexadecimal digits: %s", async (kind) => {
    const { cluster } = replicatedWorld(["a", "b"]);
    const [a, b] = [cluster("a"), cluster("b")];
    await joined(kind, a, b);
    const { kv } = a.as(a.rootToken);
    const roots = new Set<unknown>();
    for (const v of [1, 2, 3]) {
      kv.write({ path: "x", v });
      roots.add(statusOf(a, kind)["merkle_root"]);
      expect(statusOf(b, kind)["merkle_root"]).toBe(statusOf(a, kind)["merkle_root"]);
    }
    expect(roots.size).toBe(3);
    for (const root of roots) expect(root).toMatch(ROOT);
  });

  it.each(KINDS)("is the old one when the old content is back, whatever came between: %s", async (kind) => {
    const { sim, cluster } = replicatedWorld(["a", "b"]);
    const [a, b] = [cluster("a"), cluster("b")];
    await joined(kind, a, b);
    const ann = a.as(a.rootToken);
    ann.kv.write({ path: "x", v: 1 });
    const before = statusOf(a, kind)["merkle_root"];
    ann.kv.write({ path: "x", v: 2 });
    ann.policies.write({ name: "p", policy: 'path "x" { capabilities = ["read"] }' });
    ann.mounts.write({ path: "more", type: "kv" });
    const { token } = a.createToken({ policies: ["p"], ttl: "1h" });
    sim.clock.advance("2h");
    expect(statusOf(a, kind)["merkle_root"]).not.toBe(before);
    ann.kv.write({ path: "x", v: 1 });
    ann.policies.delete({ name: "p" });
    ann.mounts.delete({ path: "more" });
    expect(() => a.as(token).tokens.lookupSelf()).toThrow();
    expect(statusOf(a, kind)["merkle_root"]).toBe(before);
    expect(statusOf(b, kind)["merkle_root"]).toBe(before);
  });

  test("is that of the content, whatever deadlines wait for it", async () => {
    const { sim, cluster } = replicatedWorld(["a"]);
    const a = cluster("a");
    a.as(a.rootToken).replication.dr.primaryEnable();
    const { token } = a.createToken({ policies: ["root"], ttl: "1h" });
    const renewed = () => {
      a.as(token).tokens.renewSelf({ increment: 60 });
      return [statusOf(a, "dr")["merkle_root"], Object.keys(sim.state.secrets["a"]?.local.calendar.toJSON() ?? {})];
    };
    const [root, deadlines] = renewed();
    const [again, others] = renewed();
    expect(others).not.toEqual(deadlines);
    expect(again).toBe(root);
  });

  test("of performance says nothing of what is local, and that of disaster recovery does", async () => {
    const { cluster } = replicatedWorld(["a"]);
    const a = cluster("a");
    const { replication, kv, cubbyhole } = a.as(a.rootToken);
    replication.dr.primaryEnable();
    replication.performance.primaryEnable();
    const roots = () => KINDS.map((kind) => statusOf(a, kind)["merkle_root"]);
    const [dr, performance] = roots();
    cubbyhole.write({ path: "x", v: 1 });
    const [drLater, performanceLater] = roots();
    expect(drLater).not.toBe(dr);
    expect(performanceLater).toBe(performance);
    kv.write({ path: "x", v: 1 });
    expect(roots()[1]).not.toBe(performance);
  });

  property([
    fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,3}$/), fc.jsonValue()), { selector: ([path]) => path }),
    fc.array(fc.stringMatching(/^[a-z]{1,3}$/)),
  ])("is what is stored, in whatever order it came and went", (entries, others) => {
    const rootAfter = (
      write: (kv: (path: string, v: unknown) => void, drop: (path: string) => void) => void,
    ): unknown => {
      const { cluster } = replicatedWorld(["a"]);
      const a = cluster("a");
      const { kv, replication } = a.as(a.rootToken);
      replication.performance.primaryEnable();
      write(
        (path, v) => kv.write({ path, v }),
        (path) => kv.delete({ path }),
      );
      return statusOf(a, "performance")["merkle_root"];
    };
    const straight = rootAfter((put) => {
      for (const [path, v] of entries) put(path, v);
    });
    const roundabout = rootAfter((put, drop) => {
      for (const path of others) put(path, "gone");
      for (const [path] of [...entries].reverse()) put(path, "before");
      for (const [path, v] of [...entries].reverse()) put(path, v);
      for (const path of others) if (!entries.some(([kept]) => kept === path)) drop(path);
    });
    expect(roundabout).toBe(straight);
  });

  test("tells data from what the simulator keeps beside it, also under its names", () => {
    const { cluster } = replicatedWorld(["a"]);
    const a = cluster("a");
    const { kv, replication } = a.as(a.rootToken);
    replication.performance.primaryEnable();
    const roots = [
      { deadline: "tomorrow" },
      { deadline: "today" },
      { calendar: { a: 1 } },
      { calendar: { a: 2 } },
      {},
    ].map((body) => {
      kv.write({ path: "x", v: 1, ...body });
      return statusOf(a, "performance")["merkle_root"];
    });
    expect(new Set(roots).size).toBe(5);
  });
});

interface Report {
  readonly corrupted_root: boolean;
  readonly corrupted_tree_map: Record<"1" | "2", Record<string, unknown>>;
  readonly last_corruption_check_epoch: string;
}

async function checking(options: Parameters<typeof drPair>[0] = {}) {
  const pair = await drPair(options);
  const dr_operation_token = await generatedToken(pair.b);
  const { dr } = pair.b.as().replication;
  return {
    ...pair,
    check: (): Report => dr.merkleCheck({ dr_operation_token }).data.merkle_corruption_report as never,
    pages: () => {
      const { corrupted_tree_map: map } = dr.merkleCheck({ dr_operation_token }).data.merkle_corruption_report;
      return [map["1"].corrupted_index_tuples_map, map["2"].corrupted_index_tuples_map];
    },
    reindex: (how: object = {}) => dr.reindex({ dr_operation_token, ...how }),
    dr_operation_token,
  };
}

describe("a check", () => {
  test("answers as the contract's example does", async () => {
    const { sim, b, dr_operation_token } = await checking();
    sim.clock.advanceTo("2026-01-01T00:10:00Z");
    sim.faults.corruptStorage(b, { page: 12, subpages: [3] });
    const body = JSON.stringify({ dr_operation_token });
    const path = "/v1/sys/replication/dr/secondary/merkle-check";
    const answer = await send(sim, "POST", path, { cluster: "b", body, asking: { token: null } });
    const tree = { root_hash: expect.stringMatching(/^[A-Za-z0-9+/]{27}=$/), corrupted_subtree_root: false };
    const data = {
      merkle_corruption_report: {
        corrupted_root: false,
        corrupted_tree_map: {
          "1": {
            tree_type: "replicated",
            ...tree,
            corrupted_index_tuples_map: { "12": { corrupted: false, subpages: [3] } },
          },
          "2": { tree_type: "local", ...tree, corrupted_index_tuples_map: null },
        },
        // Easily missed 28: RFC 3339 here.
        last_corruption_check_epoch: "2026-01-01T00:10:00Z",
      },
    };
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      lease_id: "",
      renewable: false,
      lease_duration: 0,
      data,
      wrap_info: null,
      warnings: null,
      auth: null,
    });
  });

  test("finds a sound pair of trees, and commits nothing", async () => {
    const { sim, check, pages } = await checking();
    const { position } = sim;
    expect(pages()).toEqual([null, null]);
    expect(check().corrupted_root).toBe(false);
    expect(sim.position).toBe(position);
  });

  test("tells pages in ascending order, subpages too, and whole pages without any", async () => {
    const { sim, b, pages } = await checking();
    sim.faults.corruptStorage(b, { page: 200, subpages: [9, 3, 9] });
    sim.faults.corruptStorage(b, { page: 0 });
    sim.faults.corruptStorage(b, { page: 200, subpages: [255, 0] });
    sim.faults.corruptStorage(b, { tree: "local", page: 255, subpages: [1] });
    sim.faults.corruptStorage(b, { tree: "local", page: 255 });
    expect(pages()).toEqual([
      { "0": { corrupted: true, subpages: [] }, "200": { corrupted: false, subpages: [0, 3, 9, 255] } },
      { "255": { corrupted: true, subpages: [] } },
    ]);
    const { position } = sim;
    sim.faults.corruptStorage(b, { page: 0 });
    sim.faults.corruptStorage(b, { page: 0, subpages: [4] });
    sim.faults.corruptStorage(b, { page: 200, subpages: [0, 255] });
    expect(sim.position).toBe(position);
  });

  test("is of one cluster, whose root is another one then", async () => {
    const { sim, a, b, check } = await checking();
    const [sound] = [statusOf(b, "dr")["merkle_root"]];
    const before = check().corrupted_tree_map["1"]["root_hash"];
    sim.faults.corruptStorage(b, { page: 1 });
    expect(statusOf(a, "dr")["merkle_root"]).toBe(sound);
    expect(statusOf(b, "dr")["merkle_root"]).not.toBe(sound);
    expect(check().corrupted_tree_map["1"]["root_hash"]).not.toBe(before);
    expect(statusOf(b, "dr")["last_remote_wal"]).toBe(statusOf(a, "dr")["last_wal"]);
  });

  test("shows nothing in a secondary's status", async () => {
    const { sim, b, check } = await checking();
    sim.faults.corruptStorage(b, { page: 1 });
    check();
    expect(Object.keys(statusOf(b, "dr")).filter((field) => field.includes("corrupt"))).toEqual([]);
  });

  // 4 and 8.3.
  it.each(["reindex", "merkle-check"])("or a reindex wants an operation token, and a secondary: %s", async (call) => {
    const { sim, a } = await drPair();
    const path = `/v1/sys/replication/dr/secondary/${call}`;
    expect(await send(sim, "POST", path, { cluster: "b" })).toMatchObject({
      status: 400,
      code: "dr_operation_token_missing",
    });
    const body = JSON.stringify({ dr_operation_token: a.rootToken });
    expect(await send(sim, "POST", path, { cluster: "b", body })).toMatchObject({ status: 403 });
    for (const cluster of ["a", "c"]) {
      const refused = await send(sim, "POST", path, { cluster, body });
      expect(refused).toMatchObject({ status: 400 });
      expect(refused.errors).toContain("not a DR secondary");
      expect(await send(sim, "POST", path, { cluster, body, asking: { token: null } })).toMatchObject({ status: 403 });
    }
  });
});

describe("a reindex", () => {
  test("repairs both trees and nothing else", async () => {
    const { sim, a, b, pages, reindex } = await checking();
    a.as(a.rootToken).kv.write({ path: "x", v: 1 });
    const before = statusOf(b, "dr");
    sim.faults.corruptStorage(b, { page: 1 });
    sim.faults.corruptStorage(b, { tree: "local", page: 2 });
    const answer = reindex();
    expect(answer).toMatchObject({ data: null });
    expect(answer.warnings).toHaveLength(1);
    expect(pages()).toEqual([null, null]);
    expect(statusOf(b, "dr")).toEqual(before);
    expect(statusOf(b, "dr")["merkle_root"]).toBe(statusOf(a, "dr")["merkle_root"]);
  });

  test("takes its time, and another one has to wait", async () => {
    const { sim, b, pages, reindex } = await checking({ reindexDuration: "1m" });
    sim.faults.corruptStorage(b, { page: 1 });
    reindex();
    // It has no deadline: what it changes follows from the time.
    expect(sim.clock.pending()).toEqual([]);
    sim.clock.advance("59999ms");
    expect(pages()).toEqual([{ "1": { corrupted: true, subpages: [] } }, null]);
    expect(() => reindex()).toThrow("already running");
    sim.faults.corruptStorage(b, { page: 2 });
    sim.clock.advance(1);
    expect(pages()).toEqual([null, null]);
    sim.faults.corruptStorage(b, { page: 3 });
    expect(pages()[0]).toEqual({ "3": { corrupted: true, subpages: [] } });
    reindex();
    sim.clock.advance("1m");
    expect(pages()).toEqual([null, null]);
  });

  it.each([
    ["diff", "maybe"],
    ["force", 7],
    ["skip_flush", "no way"],
  ])("wants booleans: %s", async (field, value) => {
    const { sim, dr_operation_token } = await checking();
    const body = JSON.stringify({ dr_operation_token, [field]: value });
    const path = "/v1/sys/replication/dr/secondary/reindex";
    const refused = await send(sim, "POST", path, { cluster: "b", body, asking: { token: null } });
    expect(refused).toMatchObject({ status: 400, code: "field_validation_failed" });
  });

  test("that skipped the flush was in vain when the node stops before that has ended", async () => {
    const { sim, b, pages, reindex } = await checking({ reindexDuration: "1m", flushDuration: "1m" });
    const restart = () => {
      sim.network.stop(b);
      sim.clock.advance("1h");
      sim.network.start(b);
    };
    sim.faults.corruptStorage(b, { page: 1 });
    reindex({ skip_flush: true });
    sim.clock.advance("119999ms");
    expect(pages()).toEqual([null, null]);
    restart();
    expect(pages()[0]).toEqual({ "1": { corrupted: true, subpages: [] } });
    reindex({ skip_flush: true });
    sim.clock.advance("2m");
    restart();
    expect(pages()).toEqual([null, null]);
    sim.faults.corruptStorage(b, { page: 1 });
    reindex();
    sim.clock.advance("1m");
    restart();
    expect(pages()).toEqual([null, null]);
  });

  test("that a stop ends has repaired nothing, and runs no more", async () => {
    const { sim, b, pages, reindex } = await checking({ reindexDuration: "1m" });
    sim.faults.corruptStorage(b, { page: 1 });
    reindex();
    sim.clock.advance("30s");
    sim.network.stop(b);
    sim.clock.advance("30s");
    sim.network.start(b);
    expect(pages()[0]).toEqual({ "1": { corrupted: true, subpages: [] } });
    reindex();
  });

  test("is not needed after a wipe", async () => {
    const { sim, a, b, cluster } = await drPair();
    const c = cluster("c");
    sim.faults.corruptStorage(c, { page: 1 });
    await join("dr", a, c, "c");
    expect(statusOf(c, "dr")["merkle_root"]).toBe(statusOf(b, "dr")["merkle_root"]);
  });
});

describe("a primary's own check", () => {
  test("comes every hour, from when it began to lead, and shows what it found", async () => {
    const { sim, a, b } = await drPair();
    const shown = () => [statusOf(a, "dr")["corrupted_merkle_tree"], statusOf(a, "dr")["last_corruption_check_epoch"]];
    const startedS = Math.floor(sim.clock.now() / 1000);
    sim.clock.advance("10m");
    sim.faults.corruptStorage(a, { page: 7 });
    expect(shown()).toEqual([false, NEVER]);
    sim.clock.advance("2999999ms");
    expect(shown()).toEqual([false, NEVER]);
    sim.clock.advance(1);
    // Easily missed 28: epoch seconds in a text here.
    expect(shown()).toEqual([true, `${startedS + 3600}`]);
    sim.clock.advance("90m");
    expect(shown()).toEqual([true, `${startedS + 7200}`]);
    expect(sim.clock.pending()).toEqual([]);
    expect(statusOf(b, "dr")).not.toHaveProperty("corrupted_merkle_tree");
    expect(statusOf(a, "performance")).toEqual({ mode: "disabled" });
  });

  test("does not see what came after it", async () => {
    const { sim, a } = await drPair();
    sim.clock.advance("90m");
    sim.faults.corruptStorage(a, { page: 7 });
    expect(statusOf(a, "dr")["corrupted_merkle_tree"]).toBe(false);
    sim.clock.advance("29m");
    expect(statusOf(a, "dr")["corrupted_merkle_tree"]).toBe(false);
    sim.clock.advance("1m");
    expect(statusOf(a, "dr")["corrupted_merkle_tree"]).toBe(true);
  });

  test("comes as often as the option says, and begins anew with a promotion", async () => {
    const { sim, b, dr_operation_token } = await checking({ merkleCheckEvery: "1m" });
    sim.faults.corruptStorage(b, { page: 7 });
    sim.clock.advance("90s");
    b.as().replication.dr.promote({ dr_operation_token });
    const { dr } = b.as(b.createToken({ policies: ["root"] }).token).replication;
    expect(dr.status().data).toMatchObject({ corrupted_merkle_tree: false, last_corruption_check_epoch: NEVER });
    sim.clock.advance("1m");
    expect(dr.status().data).toMatchObject({ corrupted_merkle_tree: true });
  });

  test("says no more than that it is a performance primary of one", async () => {
    const { cluster } = replicatedWorld(["a", "b"]);
    await joined("performance", cluster("a"), cluster("b"));
    expect(statusOf(cluster("a"), "performance")).not.toHaveProperty("corrupted_merkle_tree");
    expect(rootOf(cluster("a"))).toMatch(/^scs\./);
  });
});

describe("corruptStorage", () => {
  const sim = createSimulator({ secrets: { clusters: ["a"] } });
  const a = sim.secrets.cluster("a");

  it.each([
    ["no cluster", () => sim.faults.corruptStorage({ name: "a" } as never, { page: 1 }), /no handle/],
    ["no options", () => sim.faults.corruptStorage(a, undefined as never), /corruptStorage/],
    ["no page", () => sim.faults.corruptStorage(a, {} as never), /page/],
    ["a page too high", () => sim.faults.corruptStorage(a, { page: 256 }), /0 to 255/],
    ["half a page", () => sim.faults.corruptStorage(a, { page: 1.5 }), /0 to 255/],
    ["a subpage below 0", () => sim.faults.corruptStorage(a, { page: 1, subpages: [-1] }), /0 to 255/],
    ["no subpage", () => sim.faults.corruptStorage(a, { page: 1, subpages: [] }), /left out/],
    ["an unknown tree", () => sim.faults.corruptStorage(a, { page: 1, tree: "oak" as never }), /tree/],
    ["an unknown option", () => sim.faults.corruptStorage(a, { page: 1, leaf: 1 } as never), /leaf/],
  ] as const)("refuses %s and changes nothing", (_, call, message) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
    expect(sim.position).toBe(0);
  });

  test("stands in the log", async () => {
    const own = createSimulator({ secrets: { clusters: ["a"] } });
    own.faults.corruptStorage(own.secrets.cluster("a"), { page: 1, subpages: [2] });
    expect(own.log.commits()[0]?.command).toMatchObject({ name: "control.faults.corruptStorage", via: "control" });
    expect(replay(own.log.toNdjson()).stateHash()).toBe(own.stateHash());
  });
});
