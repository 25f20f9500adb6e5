import { createClock } from "@sinonjs/fake-timers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";

const START_MS = Date.UTC(2026, 0);

function since(sim: Simulator): number {
  return sim.clock.now() - START_MS;
}

afterEach(() => void vi.useRealTimers());

describe("follow", () => {
  test("services come up to the leader before each request, every deadline at its own instant", async () => {
    vi.useFakeTimers();
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const { token } = main.createToken({ policies: ["root"], ttl: "1m" });
    const stop = sim.clock.follow(globalThis);
    vi.advanceTimersByTime(59_999);
    expect(main.as(token).tokens.lookupSelf().data).toMatchObject({ ttl: 0 });
    vi.advanceTimersByTime(60_001);
    expect(
      (await sim.fetch(`${main.url}/v1/auth/token/lookup-self`, { headers: { "X-Secrets-Token": token } })).status,
    ).toBe(403);
    const ended = sim.log.commits().find(({ command }) => command.name === "timer.tokenExpiry");
    expect(ended?.atMs).toBe(START_MS + 60_000);
    expect(since(sim)).toBe(120_000);
    stop();
    vi.advanceTimersByTime(60_000);
    expect(since(sim)).toBe(120_000);
    sim.clock.advance(1);
  });

  test("whoever waits is woken by a timer that is armed at the leader", async () => {
    const clock = createClock(1_000_000);
    const sim = createSimulator();
    const region = sim.scheduler.region("global");
    const root = region.as().acl.bootstrap().SecretID ?? "";
    const stop = sim.clock.follow(clock);
    const url = `${region.url}/v1/acl/policies`;
    const headers = { "X-Scheduler-Token": root };
    const index = (await sim.fetch(url, { headers })).headers.get("X-Scheduler-Index");
    expect(clock.countTimers()).toBe(0);
    let answeredAt: number | undefined;
    const blocked = sim.fetch(`${url}?index=${index}&wait=10s`, { headers }).then(() => {
      answeredAt = since(sim);
    });
    expect(clock.countTimers()).toBe(1);
    await clock.tickAsync(9_999);
    expect(answeredAt).toBeUndefined();
    await clock.tickAsync(1_000);
    await blocked;
    expect(answeredAt).toBeGreaterThanOrEqual(10_000);
    stop();
    expect(clock.countTimers()).toBe(0);
  });

  test("timers of programs fire at their instants, times the factor", async () => {
    const clock = createClock(0);
    const sim = createSimulator();
    const fired: number[] = [];
    sim.program("shop").timers.setInterval(() => fired.push(since(sim)), 60_000);
    const stop = sim.clock.follow(clock, { factor: 60 });
    await clock.tickAsync(3_000);
    expect(fired).toEqual([60_000, 120_000, 180_000]);
    stop();
  });

  test("nobody else moves the clock, and errors name who leads", async () => {
    const sim = createSimulator();
    const stop = sim.clock.follow(createClock(0));
    const led = /a source, since follow was called at .*follow\.test\.ts:\d+:\d+, leads the time/;
    expect(() => sim.clock.advance(1)).toThrow(led);
    expect(() => sim.clock.advanceTo("2027-01-01T00:00:00Z")).toThrow(led);
    expect(() => sim.clock.next()).toThrow(led);
    await expect(sim.clock.run(1)).rejects.toThrow(led);
    expect(() => sim.clock.follow(globalThis)).toThrow(led);
    expect(() => sim.settle()).toThrow(TypeError);
    stop();
    stop();
    expect(sim.clock.next()).toEqual([]);
  });

  test("time never goes backward when the leader's does", () => {
    let now = 5_000;
    const source = { now: () => now, setTimeout: () => 0, clearTimeout: () => undefined };
    const sim = createSimulator();
    const stop = sim.clock.follow(source);
    now = 1_000;
    expect(since(sim)).toBe(0);
    now = 1_500;
    expect(since(sim)).toBe(500);
    stop();
  });

  test.each<[string, () => unknown, object]>([
    ["a now that is no function", () => ({ now: 5, setTimeout, clearTimeout }), {}],
    ["a source without timers", () => ({ Date }), {}],
    ["nothing", () => undefined, {}],
    ["a factor of 0", () => globalThis, { factor: 0 }],
    ["a text as a factor", () => globalThis, { factor: "2" }],
    ["an unknown option", () => globalThis, { speed: 2 }],
  ])("refuses %s", (_, source, options) => {
    expect(() => createSimulator().clock.follow(source() as never, options as never)).toThrow(TypeError);
  });

  test("real time leads, too, and disposing ends it", async () => {
    const sim = createSimulator();
    sim.clock.follow(globalThis, { factor: 1_000 });
    const woken = sim.timers.sleep("10s").then(() => since(sim));
    expect(await woken).toBeGreaterThanOrEqual(10_000);
    sim.dispose();
  });
});
