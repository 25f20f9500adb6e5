import { describe, expect, it, test } from "vitest";
import { createSimulator, type Fault, rehearse, replay, type Simulator } from "../../src/index.ts";

// control-surface.md, "Network and faults".

function world(): Simulator {
  return createSimulator({
    seed: "faults",
    scheduler: { regions: ["eu", "us"] },
    secrets: { clusters: ["east", "west"] },
  });
}

const RULE = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };

const eastOf = (sim: Simulator) => sim.secrets.cluster("east");
const westOf = (sim: Simulator) => sim.secrets.cluster("west");

describe("a fault", () => {
  test("that is scheduled waits with the other deadlines, and happens at its instant", () => {
    const sim = world();
    const atMs = sim.clock.now();
    sim.faults.schedule("90s", { type: "network.stop", args: [eastOf(sim)] });
    expect(sim.clock.pending()).toEqual([{ dueAtMs: atMs + 90_000, command: "fault.network.stop", owner: {} }]);
    sim.clock.advance("89s");
    expect(sim.state.secrets["east"]?.ignored.running).toBe(true);
    const fired = sim.clock.advance("1s");
    expect(fired).toEqual([{ dueAtMs: atMs + 90_000, command: "fault.network.stop", owner: {}, position: 2 }]);
    expect(sim.state.secrets["east"]?.ignored.running).toBe(false);
    expect(sim.clock.pending()).toEqual([]);
    expect(sim.log.events().map(({ type }) => type)).toEqual(["FaultScheduled", "ClusterStopped"]);
    expect(sim.log.commits().map(({ command }) => command.via)).toEqual(["control", "timer"]);
  });

  test("leaves what the call leaves", () => {
    const now = world();
    const then = world();
    const faults: readonly ((sim: Simulator) => Fault)[] = [
      (sim) => ({ type: "network.cut", args: [eastOf(sim), westOf(sim)] }),
      (sim) => ({ type: "network.setLag", args: [eastOf(sim), westOf(sim), "3s", { oneWay: true }] }),
      (sim) => ({ type: "network.cut", args: [sim.scheduler.region("eu"), sim.scheduler.region("us")] }),
      (sim) => ({ type: "network.heal", args: [sim.scheduler.region("eu"), sim.scheduler.region("us")] }),
      () => ({ type: "network.heal", args: [] }),
      (sim) => ({ type: "network.stop", args: [westOf(sim)] }),
      (sim) => ({ type: "network.start", args: [westOf(sim)] }),
      (sim) => ({ type: "network.pointAddress", args: [eastOf(sim).clusterAddress, westOf(sim)] }),
      (sim) => ({ type: "faults.failNextRequests", args: [{ service: eastOf(sim), count: 2, status: 503 }] }),
      (sim) => ({ type: "faults.failNextRequests", args: [{ service: sim.scheduler.region("us"), count: 1 }] }),
      () => ({ type: "faults.failNextRequests", args: [{ service: "runs", count: 1 }] }),
      (sim) => ({ type: "faults.corruptStorage", args: [eastOf(sim), { page: 1, tree: "local", subpages: [2] }] }),
      () => ({ type: "directory.addEntry", args: ["cn=a,dc=test", { cn: "a", bytes: new Uint8Array([1, 255]) }] }),
      () => ({ type: "directory.addSuffix", args: ["dc=test"] }),
      () => ({ type: "directory.removeEntry", args: ["cn=a,dc=test"] }),
      () => ({ type: "directory.setAvailable", args: [false] }),
      () => ({ type: "directory.failNext", args: [{ count: 2, operation: "bind" }] }),
      () => ({ type: "directory.server.setAvailable", args: ["ldap://x", false] }),
      () => ({ type: "directory.server.setDelay", args: ["ldap://x", "2s"] }),
      () => ({ type: "orchestrator.addNamespace", args: ["shop", { labels: { team: "sales" } }] }),
      () => ({ type: "orchestrator.setNamespaceLabels", args: ["shop", {}] }),
      () => ({ type: "orchestrator.addServiceAccount", args: ["shop", "till"] }),
      () => ({ type: "orchestrator.addRole", args: ["shop", "reader", [RULE]] }),
      () => ({ type: "orchestrator.addClusterRole", args: ["reader", [RULE]] }),
      () => ({ type: "orchestrator.removeNamespace", args: ["shop"] }),
      () => ({ type: "orchestrator.setAvailable", args: [false] }),
      () => ({ type: "orchestrator.failNext", args: [{ count: 2 }] }),
      () => ({ type: "orchestrator.requireToken", args: ["a.b.c"] }),
      () => ({ type: "orchestrator.setMaxTokenTtl", args: ["1h"] }),
      () => ({ type: "orchestrator.setMinTokenTtl", args: ["10m"] }),
      () => ({ type: "stores.setAvailable", args: ["cloud1-bucket", false] }),
      () => ({ type: "stores.setFreeBytes", args: ["file:///", 100] }),
      () => ({ type: "stores.setSnapshotBytes", args: [10] }),
      () => ({ type: "stores.setSnapshotDuration", args: ["10m"] }),
    ];
    for (const fault of faults) {
      const { type, args } = fault(now);
      if (type.startsWith("directory.server.")) {
        const [url, value] = args as [string, never];
        now.directory.server(url)[type.endsWith("Delay") ? "setDelay" : "setAvailable"](value);
      } else {
        const [handle, call] = type.split(".") as ["network", "heal"];
        (now[handle] as unknown as Record<string, (...given: readonly unknown[]) => void>)[call]?.(...args);
      }
      then.faults.schedule("0s", fault(then));
    }
    const { faults: _, ...left } = then.state;
    const { faults: __, ...made } = now.state;
    // An id is drawn at the position of its commit.
    const textOf = (state: object): string => JSON.stringify(state).replace(/"uid":"[^"]*"/g, "");
    expect(textOf(left)).toBe(textOf(made));
    expect(
      then.log
        .events()
        .filter(({ type }) => type !== "FaultScheduled")
        .map(({ type }) => type),
    ).toEqual(now.log.events().map(({ type }) => type));
  });

  test("takes an instant as well, and ties fire in the order in which they were scheduled", () => {
    const sim = world();
    const atMs = sim.clock.now() + 3_600_000;
    sim.faults.schedule(new Date(atMs), { type: "network.stop", args: [eastOf(sim)] });
    sim.faults.schedule(new Date(atMs).toISOString(), { type: "network.start", args: [eastOf(sim)] });
    sim.faults.schedule(3_600_000, { type: "network.stop", args: [westOf(sim)] });
    expect(sim.clock.pending().map(({ dueAtMs }) => dueAtMs)).toEqual([atMs, atMs, atMs]);
    expect(sim.clock.next().map(({ command }) => command)).toEqual([
      "fault.network.stop",
      "fault.network.start",
      "fault.network.stop",
    ]);
    expect(sim.state.secrets["east"]?.ignored.running).toBe(true);
    expect(sim.state.secrets["west"]?.ignored.running).toBe(false);
  });

  test("is kept by a fork and by a replay, and decided alike once more", async () => {
    const sim = world();
    sim.faults.schedule("1h", { type: "network.cut", args: [eastOf(sim), westOf(sim)] });
    sim.faults.schedule("2h", { type: "directory.setAvailable", args: [false] });
    const fork = sim.fork();
    const again = replay(sim.log.toNdjson());
    for (const one of [sim, fork, again]) one.clock.advance("1h");
    expect(fork.stateHash()).toBe(sim.stateHash());
    expect(again.stateHash()).toBe(sim.stateHash());
    expect(fork.log.toNdjson()).toBe(sim.log.toNdjson());
    expect(fork.clock.pending()).toHaveLength(1);
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
    expect(sim.explain(3).operation).toBe("fault.network.cut");
  });

  test("takes handles of another simulator by their names", () => {
    const [sim, other] = [world(), world()];
    sim.faults.schedule("1s", { type: "network.cut", args: [eastOf(other), westOf(other)] });
    expect(sim.log.commits()[0]?.command.input).toMatchObject({
      fault: { type: "network.cut", input: { a: { cluster: "east" }, b: { cluster: "west" } } },
    });
  });

  test("that the world has made needless by then leaves nothing but its commit", () => {
    const sim = world();
    sim.faults.schedule("1s", { type: "network.stop", args: [eastOf(sim)] });
    sim.network.stop(eastOf(sim));
    sim.clock.advance("1s");
    expect(sim.log.commits().at(-1)?.events).toEqual([]);
    expect(sim.clock.pending()).toEqual([]);
  });
});

describe("a fault is refused, and nothing is scheduled", () => {
  const sim = world();
  const [east, west] = [eastOf(sim), westOf(sim)];
  const heal = { type: "network.heal", args: [] } as const;

  it.each([
    [
      "for an unknown call",
      () => sim.fork().faults.schedule(1, { type: "network.melt", args: [] } as never),
      /network\.melt/,
    ],
    [
      "for another source",
      () => sim.fork().faults.schedule(1, { type: "clock.advance", args: ["1s"] } as never),
      /clock/,
    ],
    [
      "for a call of a call",
      () => sim.fork().faults.schedule(1, { type: "network.cut.call", args: [] } as never),
      /call/,
    ],
    [
      "for what every object has",
      () => sim.fork().faults.schedule(1, { type: "network.toString" } as never),
      /toString/,
    ],
    ["for its prototype", () => sim.fork().faults.schedule(1, { type: "network.__proto__" } as never), /__proto__/],
    [
      "for scheduling",
      () => sim.fork().faults.schedule(1, { type: "faults.schedule", args: [1, heal] } as never),
      /schedule/,
    ],
    [
      "for a read",
      () => sim.fork().faults.schedule(1, { type: "directory.search", args: ["", "(cn=*)"] } as never),
      /no fault/,
    ],
    [
      "for one handle too few",
      () => sim.fork().faults.schedule(1, { type: "network.cut", args: [east] } as never),
      TypeError,
    ],
    [
      "for what is no handle",
      () => sim.fork().faults.schedule(1, { type: "network.stop", args: ["east"] } as never),
      /east/,
    ],
    [
      "for a link with one end",
      () => sim.fork().faults.schedule(1, { type: "network.cut", args: [east, east] }),
      /two ends/,
    ],
    [
      "for a wrong page",
      () => sim.fork().faults.schedule(1, { type: "faults.corruptStorage", args: [west, { page: 256 }] }),
      /255/,
    ],
    ["for a wrong DN", () => sim.fork().faults.schedule(1, { type: "directory.removeEntry", args: ["x"] }), TypeError],
    [
      "for a wrong count",
      () => sim.fork().faults.schedule(1, { type: "directory.failNext", args: [{ count: 0 }] }),
      /count/,
    ],
    [
      "for arguments that are no array",
      () => sim.fork().faults.schedule(1, { type: "network.heal", args: east } as never),
      /args/,
    ],
    ["for another member", () => sim.fork().faults.schedule(1, { ...heal, when: 1 } as never), /when/],
    ["for no fault", () => sim.fork().faults.schedule(1, undefined as never), /no fault/],
    ["without a type", () => sim.fork().faults.schedule(1, { args: [] } as never), /type/],
    ["for a past instant", () => sim.fork().faults.schedule("2025-01-01T00:00:00Z", heal), /before now/],
    ["for no duration", () => sim.fork().faults.schedule("soon", heal), TypeError],
    ["for no time at all", () => sim.fork().faults.schedule(undefined as never, heal), TypeError],
    ["for an instant beyond the clock's", () => sim.fork().faults.schedule("3650000d", heal), TypeError],
  ] as const)("%s", (_, call, message) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
    expect(sim.position).toBe(0);
  });

  test("and leaves the world as it was", () => {
    const own = world();
    const before = own.stateHash();
    expect(() => own.faults.schedule(1, { type: "network.cut", args: [eastOf(own), eastOf(own)] })).toThrow(TypeError);
    expect(own.position).toBe(0);
    expect(own.stateHash()).toBe(before);
    expect(own.clock.pending()).toEqual([]);
  });
});
