import { describe, expect, it } from "vitest";
import { doors } from "../driver.ts";
import { expectDone, expectRefused } from "../expectations.ts";
import { MODES, orchestratorWorld } from "./orchestrator-world.ts";

// decisions-orchestrator.md, 8: the end of a lease.

const statusOf = (sim: ReturnType<typeof orchestratorWorld>["sim"], lease: string) =>
  sim.state.secrets["main"]?.local.leases.get(lease)?.status;

describe.each(doors())("a lease of credentials, ended through %s", (_, { open }) => {
  it.each([1, 2, 3] as const)("in mode %i", async (mode) => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[mode]);
    const { lease, jwt } = await world.creds("dev", { ttl: "1h" });
    expectDone(await open(world.sim).call("leases.revoke", { lease_id: lease }));
    expect(world.generated()).toEqual([]);
    expect(await world.sim.orchestrator.reviewToken(jwt)).toMatchObject({ authenticated: mode === 1 });
    expect(world.sim.clock.pending()).toEqual([]);
    world.sim.clock.advance("1h");
    expect(await world.sim.orchestrator.reviewToken(jwt)).toMatchObject({ authenticated: false });
  });

  it("fails while the orchestrator is away, and is retried", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[3]);
    const { lease } = await world.creds("dev");
    world.sim.orchestrator.setAvailable(false);
    expectRefused(await open(world.sim).call("leases.revoke", { lease_id: lease }), 400, "failed to revoke entry");
    expect(statusOf(world.sim, lease)).toBe("retrying");
    world.sim.orchestrator.setAvailable(true);
    world.sim.clock.advance("20s");
    expect(statusOf(world.sim, lease)).toBeUndefined();
    expect(world.generated()).toEqual([]);
  });
});

describe("a lease of credentials", () => {
  it("ends with its time, and what was made for it", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[2]);
    const { jwt } = await world.creds("dev", { ttl: "1h" });
    world.sim.clock.advance(3_599_999);
    expect(world.kinds()).toEqual(["RoleBinding", "ServiceAccount"]);
    world.sim.clock.advance(1);
    expect(world.kinds()).toEqual([]);
    expect(await world.sim.orchestrator.reviewToken(jwt)).toMatchObject({ authenticated: false });
  });

  it("ends with the token that asked for it", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[3]);
    const main = world.sim.secrets.cluster("main");
    const [revoked, expiring] = [
      main.createToken({ policies: ["root"] }),
      main.createToken({ policies: ["root"], ttl: "30m" }),
    ];
    await world.creds("dev", {}, revoked.token);
    await world.creds("dev", {}, expiring.token);
    main.as(world.root).tokens.revoke({ token: revoked.token });
    expect(world.kinds()).toEqual(["Role", "RoleBinding", "ServiceAccount"]);
    world.sim.clock.advance("30m");
    expect(world.kinds()).toEqual([]);
  });

  it("deletes what it says, whatever became of its role", async () => {
    const world = orchestratorWorld();
    await world.role("changed", MODES[3]);
    await world.role("deleted", MODES[3]);
    const leases = [(await world.creds("changed")).lease, (await world.creds("deleted")).lease];
    const { orchestrator, leases: ends } = world.sim.secrets.cluster("main").as(world.root);
    await orchestrator.roles.write({ name: "changed", generated_role_rules: "", ...MODES[1] });
    orchestrator.roles.delete({ role: "deleted" });
    for (const lease_id of leases) ends.revoke({ lease_id });
    expect(world.kinds()).toEqual([]);
  });

  it("tries each object even if another cannot be deleted", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[3]);
    const { lease } = await world.creds("dev");
    const { leases } = world.sim.secrets.cluster("main").as(world.root);
    world.sim.orchestrator.failNext({ count: 1, verb: "delete", kind: "Role" });
    expect(() => leases.revoke({ lease_id: lease })).toThrow("delete of a Role");
    expect(world.kinds()).toEqual(["Role"]);
    world.sim.clock.advance("20s");
    expect(world.kinds()).toEqual([]);
  });

  it("is done with objects that are gone", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[3]);
    const { lease } = await world.creds("dev");
    world.sim.orchestrator.removeNamespace("shop");
    world.sim.secrets.cluster("main").as(world.root).leases.revoke({ lease_id: lease });
    expect(statusOf(world.sim, lease)).toBeUndefined();
  });

  it.each([1, 3] as const)(
    "in mode %i fails without configuration, after 20, 40, 80, 160 and 320 s again",
    async (mode) => {
      const world = orchestratorWorld();
      await world.role("dev", MODES[mode]);
      const { lease } = await world.creds("dev");
      const { orchestrator, leases } = world.sim.secrets.cluster("main").as(world.root);
      orchestrator.config.delete();
      expect(() => leases.revoke({ lease_id: lease })).toThrow("could not load backend configuration");
      for (const seconds of [20, 40, 80, 160, 320]) {
        expect(statusOf(world.sim, lease)).toBe("retrying");
        expect(world.sim.clock.next()).toHaveLength(1);
        world.sim.clock.advance(0);
        expect(seconds).toBeGreaterThan(0);
      }
      expect(statusOf(world.sim, lease)).toBe("irrevocable");
      expect(world.sim.clock.now()).toBe(Date.UTC(2026, 0, 1) + 620_000);
      expect(world.sim.clock.pending()).toEqual([]);
      orchestrator.config.write({ orchestrator_host: "https://api.test" });
      leases.revoke({ lease_id: lease });
      expect(statusOf(world.sim, lease)).toBeUndefined();
      expect(world.kinds()).toEqual([]);
    },
  );

  it("that is revoked by force goes though its objects stay", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[3]);
    await world.creds("dev");
    world.sim.orchestrator.setAvailable(false);
    world.sim.secrets.cluster("main").as(world.root).leases.revokeForce({ prefix: "orchestrator/creds/dev" });
    expect(world.sim.state.secrets["main"]?.local.leases.size).toBe(0);
    expect(world.kinds()).toEqual(["Role", "RoleBinding", "ServiceAccount"]);
  });

  it("shorter than its token leaves the token of mode 1 alive", async () => {
    const world = orchestratorWorld();
    world.sim.orchestrator.setMinTokenTtl("2h");
    await world.role("dev", MODES[1]);
    const { jwt } = await world.creds("dev", { ttl: "1h" });
    world.sim.clock.advance("90m");
    expect(world.sim.state.secrets["main"]?.local.leases.size).toBe(0);
    expect(await world.sim.orchestrator.reviewToken(jwt)).toMatchObject({ authenticated: true });
    world.sim.clock.advance("30m");
    expect(await world.sim.orchestrator.reviewToken(jwt)).toMatchObject({ authenticated: false });
  });

  it("of an engine that is unmounted ends before it", async () => {
    const world = orchestratorWorld();
    await world.role("dev", MODES[3]);
    await world.creds("dev");
    const { mounts } = world.sim.secrets.cluster("main").as(world.root);
    world.sim.orchestrator.setAvailable(false);
    expect(() => mounts.delete({ path: "orchestrator" })).toThrow("failed to revoke entry");
    world.sim.orchestrator.setAvailable(true);
    mounts.delete({ path: "orchestrator" });
    expect(world.kinds()).toEqual([]);
    expect(world.sim.clock.pending()).toEqual([]);
  });
});
