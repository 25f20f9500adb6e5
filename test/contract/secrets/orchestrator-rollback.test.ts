import { describe, expect, it } from "vitest";
import { createSimulator, Rejection, rehearse, replay } from "../../../src/index.ts";
import { MODES, type OrchestratorTestWorld, orchestratorWorld } from "./orchestrator-world.ts";

// decisions-orchestrator.md, 7: half-created objects, and the passes that roll them back.

const START = Date.UTC(2026, 0, 1);

/** A world in which a request in mode 3 has just failed, leaving its role and its binding. */
async function halfCreated(afterMs = 0): Promise<OrchestratorTestWorld> {
  const world = orchestratorWorld();
  await world.role("dev", MODES[3]);
  if (afterMs > 0) world.sim.clock.advance(afterMs);
  await fails(world);
  return world;
}

async function fails({ sim, creds }: OrchestratorTestWorld): Promise<void> {
  sim.orchestrator.failNext({ count: 1, kind: "ServiceAccount", verb: "create" });
  await expect(creds("dev")).rejects.toBeInstanceOf(Rejection);
}

const passes = ({ sim }: OrchestratorTestWorld): readonly number[] =>
  sim.clock
    .pending()
    .filter(({ command }) => command === "timer.rollback")
    .map(({ dueAtMs }) => dueAtMs - START);

const notes = ({ sim }: OrchestratorTestWorld): number => sim.state.secrets["main"]?.local.rollbackNotes.size ?? -1;

describe("a rollback", () => {
  it.each([
    { rule: "at an instant of the grid", at: 0, pass: 660_000 },
    { rule: "just after one", at: 1, pass: 660_000 },
    { rule: "later in its first second", at: 999, pass: 660_000 },
    { rule: "a second later", at: 1_000, pass: 660_000 },
    { rule: "in the last second before the next instant", at: 59_999, pass: 660_000 },
    { rule: "at the next instant", at: 60_000, pass: 720_000 },
  ])("of a request $rule comes with the first pass more than ten minutes later", async ({ at, pass }) => {
    const world = await halfCreated(at);
    expect(passes(world)).toEqual([pass]);
    world.sim.clock.advanceTo(new Date(START + pass - 1));
    expect(world.kinds()).toEqual(["Role", "RoleBinding"]);
    world.sim.clock.advance(1);
    expect(world.kinds()).toEqual([]);
    expect(notes(world)).toBe(0);
    expect(world.sim.clock.pending()).toEqual([]);
  });

  it("counts its passes from the instant at which the mount came into being", async () => {
    const world = orchestratorWorld();
    world.sim.clock.advance("10s");
    const main = world.sim.secrets.cluster("main");
    main.mount("k8s", { type: "orchestrator" });
    const engine = main.as(world.root).at("k8s").orchestrator;
    engine.config.write({ orchestrator_host: "https://api.test" });
    await engine.roles.write({ name: "dev", allowed_orchestrator_namespaces: "*", ...MODES[2] });
    world.sim.clock.advance("5s");
    world.sim.orchestrator.failNext({ count: 1, kind: "TokenRequest" });
    await expect(engine.creds({ role: "dev", orchestrator_namespace: "shop" })).rejects.toBeInstanceOf(Rejection);
    expect(passes(world)).toEqual([670_000]);
    world.sim.clock.advance("11m");
    expect(world.kinds()).toEqual([]);
  });

  it("of several requests takes each in its own pass", async () => {
    const world = await halfCreated();
    world.sim.clock.advance("90s");
    await fails(world);
    expect(passes(world)).toEqual([660_000]);
    world.sim.clock.advanceTo(new Date(START + 660_000));
    expect(world.kinds()).toEqual(["Role", "RoleBinding"]);
    expect(passes(world)).toEqual([720_000]);
    world.sim.clock.next();
    expect([world.kinds(), passes(world), notes(world)]).toEqual([[], [], 0]);
  });

  it.each([
    { rule: "in the second before", at: 59_999, left: 0 },
    { rule: "exactly ten minutes before", at: 60_000, left: 1 },
    { rule: "a moment later", at: 60_999, left: 1 },
  ])("takes what was noted $rule its pass along, or leaves it", async ({ at, left }) => {
    const world = await halfCreated();
    world.sim.clock.advance(at);
    await fails(world);
    world.sim.clock.advanceTo(new Date(START + 660_000));
    expect([notes(world), passes(world)]).toEqual([left, left === 0 ? [] : [720_000]]);
  });

  it("is done when somebody else deleted what was noted", async () => {
    const world = await halfCreated();
    world.sim.orchestrator.removeNamespace("shop");
    world.sim.clock.advance("11m");
    expect([notes(world), passes(world)]).toEqual([0, []]);
  });

  it("that fails comes again with the next pass, and gives up a day after the request", async () => {
    const world = await halfCreated();
    world.sim.orchestrator.setAvailable(false);
    world.sim.clock.advance("11m");
    expect([notes(world), passes(world)]).toEqual([1, [720_000]]);
    world.sim.clock.advanceTo(new Date(START + 86_400_000));
    expect([notes(world), passes(world)]).toEqual([1, [86_460_000]]);
    world.sim.clock.advance("1m");
    expect([notes(world), passes(world)]).toEqual([0, []]);
    world.sim.orchestrator.setAvailable(true);
    expect(world.kinds()).toEqual(["Role", "RoleBinding"]);
  });

  it("that could work again within the day does", async () => {
    const world = await halfCreated();
    world.sim.orchestrator.failNext({ count: 3, verb: "delete" });
    world.sim.clock.advance("13m");
    expect(world.kinds()).toEqual(["Role", "RoleBinding"]);
    world.sim.clock.advance("1m");
    expect(world.kinds()).toEqual([]);
  });

  it("without configuration is tried again and again, also after the day", async () => {
    const world = await halfCreated();
    const { config, roles } = world.sim.secrets.cluster("main").as(world.root).orchestrator;
    config.delete();
    roles.delete({ role: "dev" });
    world.sim.clock.advance("25h");
    expect(notes(world)).toBe(1);
    config.write({ orchestrator_host: "https://api.test" });
    world.sim.clock.advance("1m");
    expect([world.kinds(), notes(world), passes(world)]).toEqual([[], 0, []]);
  });

  it("is due for a name that was taken, and takes what has it", async () => {
    const world = orchestratorWorld();
    await world.role("dev", { ...MODES[3], name_template: "fixed" });
    await world.creds("dev");
    await expect(world.creds("dev")).rejects.toThrow("already exists");
    expect(notes(world)).toBe(1);
    world.sim.clock.advance("11m");
    expect(world.kinds()).toEqual([]);
  });

  it("is never due after a request in mode 1, nor after one that went well", async () => {
    const world = orchestratorWorld();
    await world.role("one", { service_account_name: "nobody" });
    await world.role("three", MODES[3]);
    await expect(world.creds("one")).rejects.toBeInstanceOf(Rejection);
    await world.creds("three");
    expect([notes(world), passes(world)]).toEqual([0, []]);
  });

  it("keeps what a request without a use left to spare has left", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[3]);
    const { token } = world.sim.secrets.cluster("main").createToken({ policies: ["root"], numUses: 2, ttl: "1h" });
    world.sim.orchestrator.failNext({ count: 1, kind: "TokenRequest" });
    await expect(world.creds("dev", {}, token)).rejects.toMatchObject({ code: "orchestrator_call_failed" });
    expect(notes(world)).toBe(1);
    // The last use cannot be a lease: what it made goes with it.
    await expect(world.creds("dev", {}, token)).rejects.toMatchObject({ code: "lease_of_spent_token", status: 400 });
    expect(world.kinds()).toEqual(["Role", "RoleBinding", "ServiceAccount"]);
    world.sim.clock.advance("11m");
    expect(world.kinds()).toEqual([]);
  });
});

describe("passes of a cluster that was away", () => {
  it.each(["sealed", "stopped"] as const)("and %s come at the next instant of the same grid", async (how) => {
    const world = await halfCreated();
    const main = world.sim.secrets.cluster("main");
    if (how === "sealed") main.seal();
    else world.sim.network.stop(main);
    world.sim.clock.advance("20m30s");
    expect(world.kinds()).toEqual(["Role", "RoleBinding"]);
    if (how === "sealed") main.unseal();
    else world.sim.network.start(main);
    expect(world.kinds()).toEqual(["Role", "RoleBinding"]);
    expect(passes(world)).toEqual([21 * 60_000]);
    world.sim.clock.advance("30s");
    expect([world.kinds(), passes(world)]).toEqual([[], []]);
  });
});

describe("an engine that goes", () => {
  it("rolls back first what it has left half made, whatever its age", async () => {
    const world = await halfCreated();
    world.sim.secrets.cluster("main").as(world.root).mounts.delete({ path: "orchestrator" });
    expect([world.kinds(), notes(world), passes(world)]).toEqual([[], 0, []]);
  });

  it("stays while that cannot be done", async () => {
    const world = await halfCreated();
    const { mounts } = world.sim.secrets.cluster("main").as(world.root);
    world.sim.orchestrator.setAvailable(false);
    expect(() => mounts.delete({ path: "orchestrator" })).toThrow("failed to roll back");
    expect([notes(world), passes(world)]).toEqual([1, [660_000]]);
    world.sim.orchestrator.setAvailable(true);
    mounts.delete({ path: "orchestrator" });
    expect(world.kinds()).toEqual([]);
  });

  it("tries all that it has noted, whatever of it fails", async () => {
    const world = await halfCreated();
    await fails(world);
    expect(notes(world)).toBe(2);
    world.sim.orchestrator.failNext({ count: 1, verb: "delete" });
    const { mounts } = world.sim.secrets.cluster("main").as(world.root);
    expect(() => mounts.delete({ path: "orchestrator" })).toThrow("injected");
    expect([notes(world), world.kinds()]).toEqual([1, ["Role", "RoleBinding"]]);
    world.sim.clock.advance("11m");
    expect([notes(world), world.kinds()]).toEqual([0, []]);
  });

  it("with its namespace takes its notes along, done or not", async () => {
    const world = orchestratorWorld();
    const main = world.sim.secrets.cluster("main");
    main.createNamespace("team");
    main.mount("orchestrator", { type: "orchestrator", namespace: "team" });
    const { orchestrator } = main.as(world.root, { namespace: "team" });
    orchestrator.config.write({ orchestrator_host: "https://api.test" });
    await orchestrator.roles.write({ name: "dev", allowed_orchestrator_namespaces: "*", ...MODES[3] });
    for (const available of [true, false]) {
      const fork = world.sim.fork();
      const there = fork.secrets.cluster("main").as(world.root, { namespace: "team" });
      fork.orchestrator.failNext({ count: 1, kind: "TokenRequest" });
      await expect(there.orchestrator.creds({ role: "dev", orchestrator_namespace: "shop" })).rejects.toThrow();
      fork.orchestrator.setAvailable(available);
      fork.secrets.cluster("main").as(world.root).namespaces.delete({ name: "team" });
      expect(fork.state.secrets["main"]?.local.rollbackNotes.size).toBe(0);
      expect(fork.clock.pending()).toEqual([]);
      expect(fork.orchestrator.objects({ kind: "Role" })).toHaveLength(available ? 0 : 1);
    }
  });
});

it("nothing of it that is shipped names its cluster", async () => {
  const name = "a-cluster-of-a-name";
  const sim = createSimulator({ secrets: { clusters: [name] } });
  const { orchestrator } = sim.secrets.cluster(name).as(sim.secrets.cluster(name).rootToken);
  orchestrator.config.write({ orchestrator_host: "https://api.test" });
  await orchestrator.roles.write({ name: "dev", allowed_orchestrator_namespaces: "*", ...MODES[3] });
  await orchestrator.creds({ role: "dev", orchestrator_namespace: "default" }, { wrapTtl: "1h" });
  sim.orchestrator.failNext({ count: 1, kind: "TokenRequest" });
  await expect(orchestrator.creds({ role: "dev", orchestrator_namespace: "default" })).rejects.toThrow();
  const { replicated, local } = sim.state.secrets[name] ?? expect.fail("no cluster");
  expect([local.leases.size, local.rollbackNotes.size, local.rollbackPasses.size, local.wrapped.size]).toEqual([
    1, 1, 1, 1,
  ]);
  expect(JSON.stringify({ replicated, local })).not.toContain(name);
});

it("a history of rollbacks is replayed and decided again", async () => {
  const world = await halfCreated();
  world.sim.orchestrator.failNext({ count: 1, verb: "delete" });
  world.sim.clock.advance("11m30s");
  const log = world.sim.log.toNdjson();
  expect(await rehearse(log)).toEqual({ ok: true });
  const again = replay(log);
  expect(again.stateHash()).toBe(world.sim.stateHash());
  again.clock.advance("1m");
  expect(again.clock.pending()).toEqual([]);
});
