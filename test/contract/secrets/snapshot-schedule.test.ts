import { describe, expect, it } from "vitest";
import { createSimulator, rehearse, replay } from "../../../src/index.ts";
import {
  CLOUD1,
  CLOUD2,
  CLOUD3,
  HOUR_MS,
  LOCAL,
  objectName,
  START_MS,
  snapshotWorld,
  urlsIn,
} from "./snapshot-world.ts";

// decisions-secrets-core.md, B.2 to B.4. The typed door: what is asked is asked of both in the tests of configurations.

const NEVER = "0001-01-01T00:00:00Z";
const at = (hours: number): string => new Date(START_MS + hours * HOUR_MS).toISOString().replace(".000", "");
const nth = (hours: number): string => `file:///backups/${objectName(START_MS + hours * HOUR_MS)}`;

describe("attempts", () => {
  it("come one interval after the configuration was written, and then one after each end", () => {
    const { sim, configure, begun } = snapshotWorld();
    sim.clock.advance("30m");
    configure("a", {});
    sim.clock.advance("3h");
    expect(begun()).toEqual([
      ["a", 1.5],
      ["a", 2.5],
      ["a", 3.5],
    ]);
  });

  it("that take time drift: the interval counts from the end", () => {
    const { sim, configure, begun } = snapshotWorld();
    sim.stores.setSnapshotDuration("30m");
    configure("a", {});
    sim.clock.advance("6h");
    expect(begun().map(([, hours]) => hours)).toEqual([1, 2.5, 4, 5.5]);
  });

  it("that fail are not tried again in between", () => {
    const { sim, configure, begun, status } = snapshotWorld();
    sim.stores.setAvailable("local", false);
    sim.stores.setSnapshotDuration("15m");
    configure("a", {});
    sim.clock.advance("3h");
    expect(begun().map(([, hours]) => hours)).toEqual([1, 2.25]);
    expect(status("a").last_snapshot_error).not.toBe("");
  });

  it("may come every second", () => {
    const { sim, configure, begun } = snapshotWorld();
    configure("a", { interval: 1 });
    sim.clock.advance("1m");
    expect(begun()).toHaveLength(60);
  });

  it("never come when the interval reaches beyond the end of time", () => {
    const { sim, configure } = snapshotWorld({ startAt: "9999-12-01T00:00:00Z" });
    configure("a", { interval: "31d" });
    expect(sim.clock.pending()).toEqual([]);
    sim.clock.advance("1d");
    configure("a", { interval: "1d" });
    expect(sim.clock.pending()).toHaveLength(1);
  });

  it("of several configurations are independent, and those of one instant come in the order of their names", () => {
    const { sim, configure, begun } = snapshotWorld();
    configure("c", { interval: "2h" });
    sim.clock.advance("1h");
    configure("b", { interval: "1h" });
    configure("a", { interval: "1h" });
    configure("B", { interval: "1h" });
    sim.clock.advance("1h");
    expect(begun()).toEqual(["B", "a", "b", "c"].map((name) => [name, 2]));
  });

  it("of one instant come after all else that is due then", () => {
    const { sim, main, root, configure } = snapshotWorld();
    configure("a", {});
    const { token } = main.createToken({ policies: ["default"], ttl: "1h" });
    sim.clock.advance("1h");
    const [stored] = sim.stores.list("");
    main.restoreSnapshot(stored?.url ?? "");
    expect(() => root.tokens.lookup({ token })).toThrow("bad token");
    expect(sim.log.commits().filter(({ command }) => command.name === "timer.tokenExpiry")).toHaveLength(1);
  });

  it("commit nothing to the storage: the log of the cluster does not grow", () => {
    const { sim, configure } = snapshotWorld();
    configure("a", {});
    const before = sim.state.secrets["main"]?.ignored.walIndex;
    const { replicated, local } = sim.state.secrets["main"] ?? expect.fail();
    sim.stores.setSnapshotDuration("1m");
    sim.clock.advance("5h");
    expect(sim.state.secrets["main"]?.ignored.walIndex).toBe(before);
    expect(sim.state.secrets["main"]?.replicated).toBe(replicated);
    expect(sim.state.secrets["main"]?.local).toBe(local);
  });

  it("leave nothing pending once their configuration is gone", () => {
    const { sim, root, configure } = snapshotWorld();
    sim.stores.setSnapshotDuration("10m");
    configure("a", {});
    sim.clock.advance("65m");
    expect(sim.clock.pending().map(({ command }) => command)).toEqual(["timer.snapshotEnd"]);
    root.snapshots.delete({ name: "a" });
    expect(sim.clock.pending()).toEqual([]);
    sim.clock.advance("1d");
    expect(urlsIn(sim)).toEqual([]);
  });

  it("show as deadlines of their cluster, and are kept by a fork and a replay", async () => {
    const { sim, configure } = snapshotWorld();
    sim.stores.setSnapshotDuration("10m");
    configure("a", {});
    configure("b", { ...CLOUD1 });
    sim.clock.advance("65m");
    const pending = sim.clock.pending();
    expect(pending).toEqual(
      ["a", "b"].map(() => ({
        dueAtMs: START_MS + HOUR_MS + 600_000,
        command: "timer.snapshotEnd",
        owner: { cluster: "main" },
      })),
    );
    const others = [sim.fork(), replay(sim.log.toNdjson())];
    for (const other of others) expect(other.clock.pending()).toEqual(pending);
    for (const each of [sim, ...others]) each.clock.advance("1d");
    for (const other of others) expect(other.stateHash()).toBe(sim.stateHash());
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  });
});

describe("an accepted write of the configuration", () => {
  it("arms the next attempt anew, whatever was due", () => {
    const { sim, configure, begun } = snapshotWorld();
    configure("a", {});
    sim.clock.advance("59m");
    configure("a", {});
    sim.clock.advance("59m");
    expect(begun()).toEqual([]);
    configure("a", { interval: "1m" });
    sim.clock.advance("1m");
    expect(begun()).toHaveLength(1);
  });

  it("lets an attempt in progress finish under the old values", () => {
    const { sim, configure, begun, status } = snapshotWorld();
    sim.stores.setSnapshotDuration("30m");
    configure("a", {});
    sim.clock.advance("75m");
    configure("a", { interval: "2h", path_prefix: "/elsewhere" });
    sim.clock.advance("15m");
    expect(urlsIn(sim)).toEqual([nth(1)]);
    expect(status("a").last_snapshot_url).toBe(nth(1));
    expect(sim.clock.pending()).toHaveLength(1);
    sim.clock.advance("3h");
    expect(begun().map(([, hours]) => hours)).toEqual([1, 3.25]);
    expect(urlsIn(sim)[0]).toContain("file:///backups/");
    expect(urlsIn(sim)[1]).toContain("file:///elsewhere/");
  });

  it("whose first attempt is due while one is in progress waits for an interval after its end", () => {
    const { sim, configure, begun } = snapshotWorld();
    sim.stores.setSnapshotDuration("3h");
    configure("a", {});
    sim.clock.advance("70m");
    configure("a", {});
    sim.clock.advance("4h");
    expect(begun().map(([, hours]) => hours)).toEqual([1, 5]);
  });

  it("keeps the status", () => {
    const { sim, configure, status } = snapshotWorld();
    configure("a", {});
    sim.clock.advance("1h");
    const before = status("a");
    configure("a", { interval: "5h" });
    expect(status("a")).toEqual(before);
  });
});

describe("a cluster that is away", () => {
  const ways = [
    ["sealed", (w) => w.main.seal(), (w) => w.main.unseal()],
    ["stopped", (w) => w.sim.network.stop(w.main), (w) => w.sim.network.start(w.main)],
    [
      "sealed and stopped",
      (w) => {
        w.main.seal();
        w.sim.network.stop(w.main);
      },
      (w) => {
        w.sim.network.start(w.main);
        w.main.unseal();
      },
    ],
  ] as const satisfies (readonly [string, (w: World) => void, (w: World) => void])[];
  type World = ReturnType<typeof snapshotWorld>;

  it.each(ways)(
    "because it is %s makes no attempts up: the next is one interval after its return",
    (_, leave, back) => {
      const world = snapshotWorld();
      world.configure("a", {});
      world.configure("b", { interval: "90m" });
      world.sim.clock.advance("30m");
      leave(world);
      expect(world.sim.clock.pending()).toEqual([]);
      // Nothing sleeps there either: a calendar may wake for other reasons than that snapshots are taken again.
      expect(world.sim.state.secrets["main"]?.ignored.calendar.size).toBe(0);
      world.sim.clock.advance("3h");
      back(world);
      world.sim.clock.advance("95m");
      expect(world.begun()).toEqual([
        ["a", 4.5],
        ["b", 5],
      ]);
    },
  );

  it.each(ways)("because it is %s for a moment only misses what counted before, too", (_, leave, back) => {
    const world = snapshotWorld();
    world.configure("a", {});
    world.sim.clock.advance("30m");
    leave(world);
    back(world);
    world.sim.clock.advance("1h");
    expect(world.begun()).toEqual([["a", 1.5]]);
  });

  it.each(ways)("because it is %s loses the attempt in progress", (_, leave, back) => {
    const world = snapshotWorld();
    const { sim, configure, status } = world;
    sim.stores.setSnapshotDuration("30m");
    configure("a", {});
    sim.clock.advance("70m");
    leave(world);
    sim.clock.advance("5m");
    back(world);
    expect(status("a")).toEqual({
      snapshot_start: at(1),
      snapshot_url: nth(1),
      last_snapshot_start: at(1),
      last_snapshot_end: at(1.25),
      last_snapshot_url: "",
      last_snapshot_error: expect.stringContaining("interrupted"),
    });
    expect(urlsIn(sim)).toEqual([]);
    sim.clock.advance("1h");
    expect(world.begun().map(([, hours]) => hours)).toEqual([1, 2.25]);
  });

  it("keeps the schedule when another node becomes active", () => {
    const { sim, main, configure, begun } = snapshotWorld({ secrets: { nodes: 3 } });
    sim.stores.setSnapshotDuration("15m");
    configure("a", {});
    sim.clock.advance("30m");
    main.setActiveNode(2);
    sim.clock.advance("35m");
    main.setActiveNode(1);
    sim.clock.advance("70m");
    expect(begun()).toEqual([
      ["a", 1],
      ["a", 2.25],
    ]);
    expect(urlsIn(sim)).toEqual([nth(1)]);
  });
});

describe("the files", () => {
  it.each<[rule: string, fields: object, url: string]>([
    ["of a local path", { path_prefix: "/a/b" }, "file:///a/b/"],
    ["of a local path with a slash at its end", { path_prefix: "/a/b/" }, "file:///a/b/"],
    ["of a relative local path", { path_prefix: "a/b" }, "file:///a/b/"],
    ["at the top", { path_prefix: "/" }, "file:///"],
    ["of a bucket of the first cloud", CLOUD1, "cloud1://bucket/backups/"],
    ["of such a bucket with a slash", { ...CLOUD1, path_prefix: "backups/" }, "cloud1://bucket/backups/"],
    ["of a bucket of the second cloud", CLOUD2, "cloud2://bucket/backups/"],
    ["of a container of the third cloud", CLOUD3, "cloud3://container/backups/"],
  ])("%s are named after the start of their attempt, in nanoseconds", (_rule, fields, url) => {
    const { sim, configure, status } = snapshotWorld();
    configure("a", { ...LOCAL, ...fields, file_prefix: "mine" });
    sim.clock.advance("1h");
    const expected = url + objectName(START_MS + HOUR_MS, "mine");
    expect(expected).toContain("mine-1767229200000000000.snap");
    expect(urlsIn(sim)).toEqual([expected]);
    expect(status("a").last_snapshot_url).toBe(expected);
  });

  it("appear at the end of the attempt, and hold the storage as it was at its start", () => {
    const { sim, main, root, configure } = snapshotWorld();
    sim.stores.setSnapshotDuration("10m");
    root.kv.write({ path: "a", v: "before" });
    configure("a", {});
    sim.clock.advance("65m");
    root.kv.write({ path: "a", v: "during" });
    expect(urlsIn(sim)).toEqual([]);
    sim.clock.advance("5m");
    expect(sim.stores.list("")).toEqual([
      {
        cluster: "main",
        url: nth(1),
        bytes: 1024,
        storedAtMs: START_MS + HOUR_MS + 600_000,
        stateHash: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    ]);
    main.restoreSnapshot(nth(1));
    expect(root.kv.read({ path: "a" }).data).toEqual({ v: "before" });
  });

  it("are deleted from the oldest on until as many are left as are kept", () => {
    const { sim, configure } = snapshotWorld();
    configure("a", { retain: 3 });
    sim.clock.advance("10h");
    expect(urlsIn(sim)).toEqual([8, 9, 10].map(nth));
  });

  it("are not touched by a lower retention before the next success", () => {
    const { sim, configure } = snapshotWorld();
    configure("a", { retain: 4 });
    sim.clock.advance("4h");
    configure("a", { retain: 2 });
    expect(urlsIn(sim)).toHaveLength(4);
    sim.stores.setAvailable("file:///backups", false);
    sim.clock.advance("1h");
    expect(urlsIn(sim)).toHaveLength(4);
    sim.stores.setAvailable("file:///backups", true);
    sim.clock.advance("1h");
    expect(urlsIn(sim)).toEqual([4, 6].map(nth));
  });

  it("of other prefixes and of other places are never touched", () => {
    const { sim, configure } = snapshotWorld();
    configure("a", { file_prefix: "x" });
    configure("b", { file_prefix: "x-1" });
    configure("c", { file_prefix: "x", path_prefix: "/other" });
    configure("d", { file_prefix: "x", ...CLOUD1 });
    sim.clock.advance("3h");
    const [third] = [START_MS + 3 * HOUR_MS];
    expect(urlsIn(sim)).toEqual([
      `cloud1://bucket/backups/${objectName(third, "x")}`,
      `file:///backups/${objectName(third, "x-1")}`,
      `file:///backups/${objectName(third, "x")}`,
      `file:///other/${objectName(third, "x")}`,
    ]);
  });

  it("of a deleted configuration stay, and count for the next one of the same place", () => {
    const { sim, root, configure, status } = snapshotWorld();
    configure("a", { retain: 5 });
    sim.clock.advance("3h");
    root.snapshots.delete({ name: "a" });
    expect(() => status("a")).toThrow("not_found");
    expect(urlsIn(sim)).toEqual([1, 2, 3].map(nth));
    configure("a", { retain: 2 });
    expect(status("a")).toMatchObject({ snapshot_start: NEVER, last_snapshot_start: NEVER, last_snapshot_url: "" });
    sim.clock.advance("1h");
    expect(urlsIn(sim)).toEqual([3, 4].map(nth));
  });

  it("of two configurations with one place share retention, and have names of their own", () => {
    const { sim, configure } = snapshotWorld();
    configure("a", { retain: 2 });
    configure("b", { retain: 2, path_prefix: "backups/" });
    sim.clock.advance("1h");
    const first = objectName(START_MS + HOUR_MS);
    const second = objectName(START_MS + HOUR_MS, "secrets-snapshot", 1);
    expect(urlsIn(sim)).toEqual([`file:///backups/${first}`, `file:///backups/${second}`]);
    sim.clock.advance("1h");
    expect(urlsIn(sim)).toEqual([
      nth(2),
      `file:///backups/${objectName(START_MS + 2 * HOUR_MS, "secrets-snapshot", 1)}`,
    ]);
  });

  it("of two clusters share a cloud store, and never a local one", () => {
    const sim = createSimulator({ secrets: { clusters: ["east", "west"] } });
    const [east, west] = [sim.secrets.cluster("east"), sim.secrets.cluster("west")];
    for (const cluster of [east, west]) {
      const { snapshots } = cluster.as(cluster.rootToken);
      snapshots.write({ name: "here", interval: "1h", ...LOCAL });
      snapshots.write({ name: "there", interval: "1h", ...CLOUD2 });
    }
    sim.clock.advance("2h");
    expect(sim.stores.list("file://").map(({ cluster, url }) => [cluster, url])).toEqual([
      ["east", nth(2)],
      ["west", nth(2)],
    ]);
    expect(sim.stores.list("file://", { cluster: west }).map(({ cluster }) => cluster)).toEqual(["west"]);
    const cloud = sim.stores.list("cloud2://bucket/backups/");
    expect(cloud).toHaveLength(1);
    expect(cloud[0]).not.toHaveProperty("cluster");
    expect(sim.stores.list("cloud", { cluster: east })).toHaveLength(1);
  });
});

describe("space", () => {
  it("of one snapshot is too little for retain 1: it is written before the old one is deleted", () => {
    const { sim, configure, status } = snapshotWorld();
    configure("a", { local_max_space: 2047 });
    sim.clock.advance("2h");
    expect(urlsIn(sim)).toEqual([nth(1)]);
    expect(status("a").last_snapshot_error).toContain("not enough space");
    configure("a", { local_max_space: 2048 });
    sim.clock.advance("1h");
    expect(urlsIn(sim)).toEqual([nth(3)]);
    expect(status("a").last_snapshot_error).toBe("");
  });

  it("counts what is there under the prefix, of whatever size it was", () => {
    const { sim, configure, status } = snapshotWorld();
    configure("a", { local_max_space: 3000, retain: 9 });
    sim.stores.setSnapshotBytes(1000);
    sim.clock.advance("2h");
    sim.stores.setSnapshotBytes(1001);
    sim.clock.advance("1h");
    expect(status("a").last_snapshot_error).not.toBe("");
    sim.stores.setSnapshotBytes(1000);
    sim.clock.advance("1h");
    expect(status("a").last_snapshot_error).toBe("");
    expect(sim.stores.list("").map(({ bytes }) => bytes)).toEqual([1000, 1000, 1000]);
  });

  it("is shared by configurations of one place, and looked at when an attempt begins", () => {
    const { sim, configure, status } = snapshotWorld();
    sim.stores.setSnapshotDuration("10m");
    configure("a", { local_max_space: 1500, retain: 9 });
    configure("b", { local_max_space: 1500, retain: 9 });
    sim.clock.advance("2h");
    expect(urlsIn(sim)).toHaveLength(2);
    const errors = () => [status("a").last_snapshot_error, status("b").last_snapshot_error];
    expect(errors()).toEqual(["", ""]);
    sim.clock.advance("2h");
    expect(errors()).toEqual([expect.stringContaining("space"), expect.stringContaining("space")]);
  });

  it("that was too little when an attempt began stays so, whatever is deleted meanwhile", () => {
    const { sim, configure, status } = snapshotWorld();
    configure("b", { interval: "1h", retain: 2 });
    sim.clock.advance("2h");
    configure("b", { interval: "1h", retain: 1 });
    sim.stores.setSnapshotDuration("10m");
    sim.clock.advance("5m");
    configure("a", { interval: "1h", local_max_space: 2048 });
    sim.clock.advance("65m"); // b ends at 3:10 and leaves one
    expect(urlsIn(sim)).toEqual([nth(3)]);
    sim.clock.advance("5m"); // a began at 3:05, when there were two
    expect(status("a").last_snapshot_error).toContain("not enough space");
  });

  it("of a store can run out, for whoever writes there", () => {
    const { sim, configure, status } = snapshotWorld();
    sim.stores.setFreeBytes("file:///backups", 2500);
    configure("a", { retain: 5 });
    configure("b", { ...CLOUD1 });
    sim.clock.advance("3h");
    expect(sim.stores.list("file://")).toHaveLength(2);
    expect(status("a").last_snapshot_error).toContain("no space left");
    expect(status("b").last_snapshot_error).toBe("");
    configure("a", { retain: 1 });
    sim.stores.setFreeBytes("file:///backups", 1024);
    sim.clock.advance("1h");
    // Two were deleted: their bytes are free again.
    expect(urlsIn(sim).filter((url) => url.startsWith("file://"))).toEqual([nth(4)]);
    configure("a", { retain: 3 });
    sim.clock.advance("5h");
    expect(sim.stores.list("file://")).toHaveLength(3);
    sim.stores.setFreeBytes("file:///backups", undefined);
    configure("a", { retain: 9 });
    sim.clock.advance("6h");
    expect(sim.stores.list("file://")).toHaveLength(9);
  });
});

describe("the status", () => {
  const nothing = {
    snapshot_start: NEVER,
    snapshot_url: "",
    last_snapshot_start: NEVER,
    last_snapshot_end: NEVER,
    last_snapshot_url: "",
    last_snapshot_error: "",
  };

  it("tells of each moment what the table says", () => {
    const { sim, configure, status } = snapshotWorld();
    sim.stores.setSnapshotDuration("12m");
    configure("a", {});
    expect(status("a")).toEqual(nothing);

    sim.clock.advance("1h"); // the first attempt begins
    expect(status("a")).toEqual({ ...nothing, snapshot_start: at(1), snapshot_url: nth(1) });

    sim.clock.advance("12m"); // and ends
    const first = {
      snapshot_start: at(1),
      snapshot_url: nth(1),
      last_snapshot_start: at(1),
      last_snapshot_end: at(1.2),
      last_snapshot_url: nth(1),
      last_snapshot_error: "",
    };
    expect(status("a")).toEqual(first);

    sim.clock.advance("1h"); // the second begins
    expect(status("a")).toEqual({ ...first, snapshot_start: at(2.2), snapshot_url: nth(2.2) });

    sim.stores.setAvailable("local", false);
    sim.clock.advance("12m"); // and fails
    const second = {
      snapshot_start: at(2.2),
      snapshot_url: nth(2.2),
      last_snapshot_start: at(2.2),
      last_snapshot_end: at(2.4),
      last_snapshot_url: nth(1),
      last_snapshot_error: expect.stringContaining("cannot be reached"),
    };
    expect(status("a")).toEqual(second);

    sim.stores.setAvailable("local", true);
    sim.clock.advance("1h"); // the third begins: the error stays
    expect(status("a")).toEqual({ ...second, snapshot_start: at(3.4), snapshot_url: nth(3.4) });

    sim.clock.advance("12m"); // and clears it
    expect(status("a")).toEqual({
      snapshot_start: at(3.4),
      snapshot_url: nth(3.4),
      last_snapshot_start: at(3.4),
      last_snapshot_end: at(3.6),
      last_snapshot_url: nth(3.4),
      last_snapshot_error: "",
    });
  });

  it("of a first attempt that failed has no URL of a success", () => {
    const { sim, configure, status } = snapshotWorld();
    sim.stores.setAvailable("file://", false);
    configure("a", {});
    sim.clock.advance("1h");
    expect(status("a")).toMatchObject({ snapshot_url: nth(1), last_snapshot_url: "", last_snapshot_start: at(1) });
  });
});
