import { test } from "hindcast/vitest";
import { describe, expect } from "vitest";

const START_MS = Date.UTC(2026, 0);
const platform = { setTimeout, Date };

describe("simTimers", () => {
  test.override({ simTimers: true });

  test("installs the simulator's timers for the time of the test", async ({ sim }) => {
    let firedAt: number | undefined;
    setTimeout(() => {
      firedAt = Date.now();
    }, 3_600_000);
    await sim.clock.run("2h");
    expect(firedAt).toBe(START_MS + 3_600_000);
  });

  describe("each test meets its own, also", () => {
    for (const hours of [1, 2, 3]) {
      test.concurrent(`at the same time as others: ${hours}`, async ({ sim, expect: expectHere }) => {
        const fired: number[] = [];
        const interval = setInterval(() => fired.push(Date.now()), 3_600_000);
        await sim.clock.run(`${hours}h`);
        await new Promise<void>((resolve) => void platform.setTimeout(resolve, 10));
        clearInterval(interval);
        expectHere(fired.map((at) => (at - START_MS) / 3_600_000)).toEqual([1, 2, 3].slice(0, hours));
      });
    }
  });
});

test("without it the platform's stay", ({ sim }) => {
  expect(sim.clock.now()).toBe(START_MS);
  expect(setTimeout).toBe(platform.setTimeout);
  expect(Date).toBe(platform.Date);
});
