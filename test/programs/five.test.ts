import { describe, expect, test, vi } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { Keeper } from "./keeper.ts";
import { following, injected, installed, type Place } from "./modes.ts";
import { loansOf } from "./pool.ts";
import { DAY_HOURS, HOUR, MINUTE, SECOND, START_MS, stories } from "./stories.ts";

const fakeTimers = following("following vi.useFakeTimers", {
  begin: (now) => void vi.useFakeTimers({ now }),
  tick: (ms) => void vi.advanceTimersByTime(ms),
  end: () => void vi.useRealTimers(),
});

/** Every so often, for a day. */
function every(ms: number): number[] {
  return Array.from({ length: Math.floor((DAY_HOURS * HOUR) / ms) + 1 }, (_, index) => index * ms);
}

// With node:test they run in a process of their own: test/node/command-line/package.test.ts.
describe.each([injected, installed, fakeTimers])("24 hours, $name", (mode) => {
  test("the keeper renews at two thirds and reads again before a lease ends, each to the millisecond", async () => {
    const { told, ttl } = await stories.keeper(mode);
    const at = (wanted: string): number[] => told.flatMap(([what, atMs]) => (what === wanted ? [atMs - START_MS] : []));
    expect(at("renewed")).toEqual(every(40 * MINUTE));
    expect(at("read")).toEqual(every(24 * MINUTE));
    expect(at("failed")).toEqual([]);
    expect(ttl).toBe(3_600);
  });

  test("the keeper comes back from an outage", async () => {
    const { told } = await stories.keeperInOutage(mode);
    expect(told.map(([what, atMs]) => [what, (atMs - START_MS) / SECOND])).toEqual([
      ["renewed", 0],
      ["read", 0],
      ["read", 1_440],
      ["failed", 2_400],
      ["failed", 2_410],
      ["failed", 2_440],
      ["renewed", 2_500],
      ["read", 2_880],
    ]);
  });

  const tags = mode === injected ? [] : ["full"];
  test("twenty workers share three accounts, and wait where all are lent", { tags }, async () => {
    const { told, refused } = await stories.pool(mode);
    const loans = loansOf(told);
    expect(loans).toHaveLength(20);
    expect(Math.min(...loans)).toBeGreaterThan(10);
    expect(refused).toBeGreaterThan(0);
    expect(told.every(([, , , atMs]) => (atMs - START_MS) % (10 * SECOND) === 0)).toBe(true);
  });

  test("the watcher has each change in its file at the instant of the change", async () => {
    const { told, answers, ended } = await stories.watcher(mode);
    expect(ended).toContain("AbortError");
    expect(told).toEqual([
      ["p1", START_MS + 1 * HOUR + 20 * SECOND],
      ["p1 p2", START_MS + 2 * HOUR + 20 * SECOND],
      ["p1 p2 p3", START_MS + 3 * HOUR + 20 * SECOND],
    ]);
    // Its patience is five minutes, and up to a sixteenth of that more.
    expect(answers).toBeGreaterThan(40);
  });

  test("the poller sees each check to its end, or gives up", async () => {
    const { told, expected } = await stories.poller(mode);
    expect(told.map(([check, status, atMs]) => [check, status, atMs - START_MS])).toEqual(expected);
    expect(expected).toHaveLength(23);
  });

  test("the runbook fails over after three looks, and back", async () => {
    const { sim, told } = await stories.runbook(mode);
    expect(told.map(([to, atMs]) => [to, atMs - START_MS])).toEqual([
      [sim.secrets.cluster("west").url, 7 * HOUR + 40 * SECOND],
      [sim.secrets.cluster("east").url, 9.5 * HOUR + 40 * SECOND],
    ]);
  });
});

test("a keeper that was given no timers is told of", async () => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const { token } = main.createToken({ policies: ["root"], period: "1h" });
  const armed: NodeJS.Timeout[] = [];
  const place: Place = {
    fetch: sim.fetch,
    setTimeout: (callback, ms) => armed.push(setTimeout(callback, ms)),
    clearTimeout: () => undefined,
    now: () => Date.now(),
  };
  new Keeper(place, main.url, token).start();
  await sim.clock.run("1h");
  for (const timer of armed) clearTimeout(timer);
  expect(warned.mock.calls.map(([, options]) => (options as unknown as { code: string }).code)).toContain(
    "HINDCAST_REAL_TIMER",
  );
});
