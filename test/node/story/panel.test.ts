import { describe, expect, it, test } from "vitest";
import { join } from "../../../scenarios/support/replication.ts";
import { type ClusterHandle, createSimulator, runScenario, type Simulator } from "../../../src/index.ts";
import { layoutFor, panelLines } from "../../../src/node/story/panel.ts";
import { PLAIN_STYLE, type Style } from "../../../src/node/terminal/style.ts";
import { type PlaceStatus, placesOf } from "../../../src/scenario/places.ts";
import * as replicated from "../../scenario/replicated-stories.ts";

const cluster = (name: string, more: Partial<PlaceStatus> = {}): PlaceStatus => ({
  kind: "cluster",
  name,
  role: "secondary",
  state: "stream-wals",
  lastWal: 12,
  lag: "2 entries",
  connected: ["east"],
  ...more,
});

const drawn = (places: readonly PlaceStatus[], columns: number): string[] =>
  panelLines(places, [], layoutFor(columns), PLAIN_STYLE);

describe("a panel", () => {
  const east = cluster("east", {
    role: "primary",
    state: "running",
    lastWal: 14,
    lag: "",
    connected: ["west", "north"],
  });

  it("shows clusters side by side: role, state, last WAL, lag, and who is connected", () => {
    expect(drawn([east, cluster("west")], 80)).toEqual([
      "    cluster   east          west",
      "    role      primary       secondary",
      "    state     running       stream-wals",
      "    last wal  14            12",
      "    lag       -             2 entries",
      "    linked    west, north   east",
    ]);
  });

  it("shows what somebody is besides, and how far a secondary has come, where anybody does", () => {
    const both = { ...east, role: "DR primary", also: "performance primary" };
    expect(drawn([both, cluster("west", { role: "DR secondary", lastRemoteWal: 12 })], 80)).toEqual([
      "    cluster   east                 west",
      "    role      DR primary           DR secondary",
      "    and       performance primary  -",
      "    state     running              stream-wals",
      "    last wal  14                   12",
      "    remote    -                    12",
      "    lag       -                    2 entries",
      "    linked    west, north          east",
    ]);
    expect(drawn([{ ...both, connected: [] }], 80)).toEqual([
      "    cluster   east: DR primary, and performance primary, running, last wal 14",
    ]);
  });

  it("puts below each other what does not fit beside each other", () => {
    const lines = drawn([east, cluster("west"), cluster("north", { connected: [] })], 40);
    expect(lines.filter((line) => line.includes("cluster"))).toEqual([
      "  cluster   east          west",
      "  cluster   north",
    ]);
    expect(lines.at(-1)).toBe("  linked    -");
  });

  it("tells one that stands alone on a line", () => {
    expect(drawn([cluster("east", { role: "stand-alone", state: "sealed", lag: "", connected: [] })], 80)).toEqual([
      "    cluster   east: stand-alone, sealed, last wal 12",
    ]);
  });

  it.each([80, 40, 30])("fits %s columns, however long names are", (columns) => {
    const long = cluster("a-cluster-with-a-name-that-is-very-long-indeed", { connected: ["x".repeat(70)] });
    for (const line of drawn([long, cluster("b"), cluster("c")], columns)) {
      expect(line.length).toBeLessThanOrEqual(columns);
    }
  });

  it("marks what is new since the last one, and says nothing by the mark alone", () => {
    const style: Style = { ...PLAIN_STYLE, strong: (text) => `*${text}*` };
    const [west, north] = [cluster("west"), cluster("north")];
    const lines = panelLines([cluster("west", { state: "idle" }), north], [west, north], layoutFor(80), style);
    expect(lines[2]).toBe("    state     *idle*          stream-wals");
  });
});

describe("the places of a world", () => {
  const places = (sim: Simulator): PlaceStatus[] => placesOf(sim);

  test("nothing is told of a cluster that nobody has touched", () => {
    expect(places(createSimulator())).toEqual([]);
  });

  test("a cluster runs, is sealed, is opened share by share, or is stopped", () => {
    const sim = createSimulator({ secrets: { clusters: ["east", "west"] } });
    const [east, west] = ["east", "west"].map((name) => sim.secrets.cluster(name));
    if (east === undefined || west === undefined) throw new Error("two clusters");
    east.seal();
    const [key] = east.keyShares;
    east.as().seal.unseal({ key: key ?? "" });
    sim.network.stop(west);
    expect(places(sim)).toEqual([
      { kind: "cluster", name: "east", role: "stand-alone", state: "sealed, 1 of 3", lastWal: 0 },
      { kind: "cluster", name: "west", role: "stand-alone", state: "stopped", lastWal: 0 },
    ]);
    east.unseal();
    sim.network.start(west);
    west.createToken({ policies: ["default"] });
    expect(places(sim).map(({ state, lastWal }) => [state, lastWal])).toEqual([
      ["running", 0],
      ["running", 1],
    ]);
  });

  test("a cluster has a role in each kind of replication, and an index of each end", async () => {
    const { sim } = await runScenario(replicated.drOfAPerformancePrimary);
    expect(places(sim)).toEqual([
      {
        kind: "cluster",
        name: "paris",
        role: "DR primary",
        also: "performance primary",
        state: "stopped",
        lastWal: 7,
        lacks: [{ of: "lyon", commits: 1 }],
        connected: [],
      },
      {
        kind: "cluster",
        name: "lyon",
        role: "DR primary",
        also: "performance primary",
        state: "running",
        lastWal: 8,
        connected: ["tokyo"],
      },
      {
        kind: "cluster",
        name: "tokyo",
        role: "performance secondary",
        state: "stream-wals",
        lastWal: 6,
        lastRemoteWal: 8,
        lag: "none",
        connected: ["lyon"],
      },
    ]);
  });

  test.each(replicated.stories)(
    "what is told of clusters is what their status says, at every commit of $name",
    async (scenario) => {
      const { sim } = await runScenario(scenario);
      for (let position = 0; position <= sim.position; position++) {
        const view = sim.at(position);
        for (const { name, role, also, state, lastWal, lastRemoteWal, connected = [] } of placesOf(view)) {
          if (state === "stopped" || state.startsWith("sealed")) continue;
          const status = view.secrets.cluster(name).as().replication.status().data;
          const roles = [];
          let links = 0;
          for (const kind of ["dr", "performance"] as const) {
            const shown = status[kind];
            if (shown.mode === "disabled") continue;
            roles.push(`${kind === "dr" ? "DR" : kind} ${shown.mode}`);
            if (shown.mode === "primary") {
              expect(lastWal).toBe(shown.last_wal);
              links += shown.secondaries.filter((other) => other.connection_status === "connected").length;
            } else {
              expect([state, lastRemoteWal]).toEqual([shown.state, shown.last_remote_wal]);
              links += shown.primaries.filter((other) => other.connection_status === "connected").length;
            }
          }
          expect([role, also]).toEqual(roles.length === 0 ? ["stand-alone", undefined] : [roles[0], roles[1]]);
          expect(connected).toHaveLength(links);
        }
      }
    },
  );

  test("what is on its way is counted, and nothing where two logs cannot be compared", async () => {
    const sim = createSimulator({ secrets: { clusters: ["east", "west"], syncDurations: { diff: "1s", sync: "1s" } } });
    const [east, west] = ["east", "west"].map((name) => sim.secrets.cluster(name)) as [ClusterHandle, ClusterHandle];
    const lags = (): unknown => places(sim).map(({ state, lag }) => [state, lag]);
    await join("dr", east, west);
    expect(lags()).toEqual([
      ["running", undefined],
      ["merkle-diff", undefined],
    ]);
    sim.settle();
    sim.network.setLag(east, west, "1s");
    const { kv } = east.as(east.rootToken);
    kv.write({ path: "a", v: 1 });
    expect(lags()).toEqual([
      ["running", undefined],
      ["stream-wals", "1 entry"],
    ]);
    kv.write({ path: "a", v: 2 });
    expect(lags()).toEqual([
      ["running", undefined],
      ["stream-wals", "2 entries"],
    ]);
    sim.settle();
    expect(lags()).toEqual([
      ["running", undefined],
      ["stream-wals", "none"],
    ]);
    east.as(east.rootToken).replication.dr.primaryDemote();
    expect(lags()).toEqual([
      ["idle", undefined],
      ["stream-wals", undefined],
    ]);
  });

  test("a region has its role, its leader, its index, what has not arrived, and its links", () => {
    const sim = createSimulator({ scheduler: { regions: ["eu", "us", "asia"] } });
    const root = sim.scheduler.region("eu").as().acl.bootstrap().SecretID;
    sim.settle();
    const write = (name: string) =>
      sim.scheduler.region("eu").as(root).policies.write({ Name: name, Rules: 'namespace "*" { policy = "read" }' });
    write("one");
    const shown = (): unknown =>
      places(sim).map(({ name, role, state, lag, connected }) => [name, role, state, lag, connected]);
    expect(shown()).toEqual([
      ["eu", "authoritative", "running", undefined, ["us", "asia"]],
      ["us", "copy of eu", "running", "1 on its way", ["eu"]],
      ["asia", "copy of eu", "running", "1 on its way", ["eu"]],
    ]);
    sim.settle();
    sim.network.cut(sim.scheduler.region("eu"), sim.scheduler.region("us"));
    sim.scheduler.region("asia").setLeader(false);
    write("two");
    sim.settle();
    sim.clock.advance("1s");
    expect(shown()).toEqual([
      ["eu", "authoritative", "running", undefined, ["asia"]],
      ["us", "copy of eu", "running", "behind", []],
      ["asia", "copy of eu", "no leader", "1 on its way", ["eu"]],
    ]);
  });
});
