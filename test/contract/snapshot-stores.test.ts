import { describe, expect, it } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { CLOUD1, CLOUD2, CLOUD3, LOCAL, urlsIn } from "./secrets/snapshot-world.ts";

// control-surface.md, "Surroundings": `sim.stores`.

/** A cluster that writes to a store of each kind every hour. */
function world() {
  const sim = createSimulator({ seed: 3 });
  const main = sim.secrets.cluster("main");
  const { snapshots } = main.as(main.rootToken);
  const kinds = { local: LOCAL, one: CLOUD1, two: CLOUD2, three: CLOUD3 };
  for (const [name, fields] of Object.entries(kinds)) snapshots.write({ name, interval: "1h", retain: 99, ...fields });
  const failed = (): string[] =>
    Object.keys(kinds).filter((name) => snapshots.status({ name }).data.last_snapshot_error !== "");
  const hour = (): string[] => {
    sim.clock.advance("1h");
    return failed();
  };
  return { sim, main, snapshots, hour };
}

describe("stores", () => {
  it.each([
    ["local", "local"],
    ["cloud1-bucket", "one"],
    ["cloud2-bucket", "two"],
    ["cloud3-blob", "three"],
    ["file:///backups", "local"],
    ["cloud1://bucket/", "one"],
    ["cloud2://bucket/backups/secrets", "two"],
    ["cloud3://", "three"],
  ])("that are off by %s fail what is written there, and nothing else", (stores, name) => {
    const { sim, hour } = world();
    sim.stores.setAvailable(stores, false);
    expect(hour()).toEqual([name]);
    sim.stores.setAvailable(stores, true);
    expect(hour()).toEqual([]);
  });

  it("are as the last call says that covers them", () => {
    const { sim, hour } = world();
    sim.stores.setAvailable("cloud1-bucket", false);
    sim.stores.setAvailable("cloud1://bucket", true);
    expect(hour()).toEqual([]);
    sim.stores.setAvailable("cloud1://bucket/backups", false);
    expect(hour()).toEqual(["one"]);
    sim.stores.setAvailable("cloud1-bucket", true);
    expect(hour()).toEqual([]);
  });

  it("that come back before an attempt ends take its object, and those that go meanwhile do not", () => {
    const { sim, hour } = world();
    sim.stores.setSnapshotDuration("10m");
    sim.stores.setAvailable("local", false);
    hour();
    sim.stores.setAvailable("local", true);
    sim.stores.setAvailable("cloud1-bucket", false);
    sim.clock.advance("10m");
    expect(urlsIn(sim).map((url) => url.slice(0, 6))).toEqual(["cloud2", "cloud3", "file:/"]);
  });

  it("list what lies below a prefix, by URL, down to a single one", () => {
    const { sim, main, hour } = world();
    hour();
    hour();
    const urls = urlsIn(sim);
    expect(urls).toHaveLength(8);
    expect(urls).toEqual([...urls].sort());
    for (const url of urls) {
      for (let length = 0; length <= url.length; length++) {
        const prefix = url.slice(0, length);
        expect(sim.stores.list(prefix).map((row) => row.url)).toEqual(urls.filter((each) => each.startsWith(prefix)));
      }
      expect(sim.stores.list(`${url}x`)).toEqual([]);
    }
    expect(sim.stores.list("", { cluster: main })).toHaveLength(8);
    expect(sim.stores.list("nothing")).toEqual([]);
  });

  it("hold snapshots of equal storage under equal hashes", () => {
    const { sim, main, hour } = world();
    hour();
    hour();
    const rows = () => sim.stores.list("file://").map(({ stateHash }) => stateHash);
    expect(rows()[0]).toBe(rows()[1]);
    main.as(main.rootToken).kv.write({ path: "a", v: 1 });
    hour();
    expect(rows()[2]).not.toBe(rows()[1]);
    main.as(main.rootToken).kv.delete({ path: "a" });
    hour();
    expect(rows()[3]).toBe(rows()[1]);
  });

  it("count the bytes that are free below every prefix that was said", () => {
    const { sim, hour } = world();
    sim.stores.setFreeBytes("cloud1://", 5000);
    sim.stores.setFreeBytes("cloud1://bucket/", 1024);
    expect(hour()).toEqual([]);
    expect(hour()).toEqual(["one"]);
    sim.stores.setFreeBytes("cloud1://bucket/", undefined);
    sim.stores.setFreeBytes("cloud1://", 1023);
    expect(hour()).toEqual(["one"]);
    sim.stores.setSnapshotBytes(1023);
    expect(hour()).toEqual([]);
    sim.stores.setSnapshotBytes(0);
    expect(hour()).toEqual([]);
  });

  it("are commands of the log, and none where nothing changes", () => {
    const sim = createSimulator();
    sim.stores.setSnapshotBytes(1024);
    sim.stores.setSnapshotDuration(0);
    sim.stores.setAvailable("local", true);
    sim.stores.setFreeBytes("file:///", undefined);
    expect(sim.position).toBe(0);
    sim.stores.setSnapshotBytes(1);
    sim.stores.setSnapshotDuration("1s");
    sim.stores.setAvailable("local", false);
    sim.stores.setAvailable("file://", false);
    sim.stores.setFreeBytes("file:///", 0);
    sim.stores.setFreeBytes("file:///", 0);
    expect(sim.log.commits().map(({ command: { name, via } }) => `${via} ${name}`)).toEqual([
      "control control.stores.setSnapshotBytes",
      "control control.stores.setSnapshotDuration",
      "control control.stores.setAvailable",
      "control control.stores.setFreeBytes",
    ]);
  });

  it("tell a wrong argument with its value, and change nothing", () => {
    const sim = createSimulator();
    const wrong: readonly (readonly [call: (sim: Simulator) => unknown, piece: string])[] = [
      [({ stores }) => stores.list(undefined as unknown as string), "undefined"],
      [({ stores }) => stores.list("", null as unknown as object), "null"],
      [({ stores }) => stores.list("", { cluster: "main" } as never), '"main"'],
      [({ stores }) => stores.list("", { cluster: { name: "nobody" } }), "no cluster"],
      [({ stores }) => stores.list("", { clusters: [] } as never), "clusters"],
      [({ stores }) => stores.setAvailable("floppy", false), '"floppy"'],
      [({ stores }) => stores.setAvailable("", false), '""'],
      [({ stores }) => stores.setAvailable("local", "no" as unknown as boolean), '"no"'],
      [({ stores }) => stores.setAvailable("constructor", false), '"constructor"'],
      [({ stores }) => stores.setFreeBytes("local", 1), '"local"'],
      [({ stores }) => stores.setFreeBytes("file:///", -1), "-1"],
      [({ stores }) => stores.setFreeBytes("file:///", 1.5), "1.5"],
      [({ stores }) => stores.setFreeBytes("file:///", "1" as unknown as number), '"1"'],
      [({ stores }) => stores.setFreeBytes("file:///", Number.NaN), "NaN"],
      [({ stores }) => stores.setSnapshotBytes(-1), "-1"],
      [({ stores }) => stores.setSnapshotBytes(undefined as unknown as number), "bytes is missing"],
      [({ stores }) => stores.setSnapshotDuration("soon"), 'stores.setSnapshotDuration: duration is "soon"'],
      [({ stores }) => stores.setSnapshotDuration(-1), "-1"],
      [({ stores }) => stores.setSnapshotDuration("90"), '"90"'],
    ];
    for (const [call, piece] of wrong) {
      expect(() => call(sim)).toThrow(TypeError);
      expect(() => call(sim)).toThrow(piece);
    }
    expect(sim.position).toBe(0);
  });

  it("keep names that are like members of every object apart", () => {
    const { sim, snapshots } = world();
    for (const prefix of ["__proto__", "constructor", "a\0b"]) {
      snapshots.write({ name: "odd", interval: "1m", ...LOCAL, path_prefix: prefix, file_prefix: "toString" });
      sim.clock.advance("1m");
    }
    expect(urlsIn(sim).map((url) => url.replace(/-\d+/, ""))).toEqual([
      "file:///__proto__/toString.snap",
      "file:///a%00b/toString.snap",
      "file:///constructor/toString.snap",
    ]);
  });
});
