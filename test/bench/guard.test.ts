import { describe, expect, test } from "vitest";
import { checks } from "./guard/checks.ts";
import { type Check, guard } from "./guard/guard.ts";
import { timesAsLong } from "./guard/side-by-side.ts";
import { atLeast, atMost } from "./harness/row.ts";

const measuring = (check: Omit<Check, "measure">, ...values: number[]): Check => {
  const left = [...values];
  return { ...check, measure: () => left.shift() ?? Number.NaN };
};

const atMostTen = { id: "commands", what: "many against few", bound: atMost(10) };

async function run(...all: Check[]): Promise<{ readonly holds: boolean; readonly said: string }> {
  const lines: string[] = [];
  const holds = await guard(all, (line) => lines.push(line));
  return { holds, said: lines.join("\n") };
}

describe("the guard", () => {
  test("holds while every ratio is within its bound", async () => {
    const { holds, said } = await run(
      measuring(atMostTen, 1.4),
      measuring({ ...atMostTen, id: "listener", bound: atLeast(0.1) }, 0.6),
    );
    expect(holds).toBe(true);
    expect(said).toMatch(/^ok {4}commands {2}1\.4 \(<= 10\)/);
    expect(said).toContain("no order of magnitude is lost");
  });

  test("fails on a ratio that stays beyond its bound, and names it", async () => {
    const { holds, said } = await run(
      measuring(atMostTen, 14, 15, 14),
      measuring({ ...atMostTen, id: "replay" }, 1),
      measuring({ ...atMostTen, id: "listener", bound: atLeast(0.1) }, 0.01, 0.02, 0.03),
    );
    expect(holds).toBe(false);
    expect(said).toMatch(/^LOST {2}commands {2}14, 15, 14 \(<= 10\)/);
    expect(said).toContain("an order of magnitude is lost: commands, listener");
  });

  test("measures again before it fails: a disturbed moment passes", async () => {
    expect((await run(measuring(atMostTen, 40, 12, 3))).holds).toBe(true);
    expect((await run(measuring(atMostTen, 40, 12, 11))).holds).toBe(false);
  });

  test("passes nothing that is no measurement", async () => {
    await expect(run(measuring(atMostTen, Number.NaN))).rejects.toThrow("commands measured NaN");
    await expect(run(measuring(atMostTen, Number.POSITIVE_INFINITY))).rejects.toThrow("commands measured Infinity");
    await expect(run()).rejects.toThrow("there is nothing to guard");
  });
});

describe("the checks", () => {
  test.each(checks)("$id: a doctored measurement fails it", async ({ bound, ...check }) => {
    const beyond = bound.better === "higher" ? bound.value / 2 : bound.value * 2;
    expect((await run({ ...check, bound, measure: () => beyond })).holds).toBe(false);
  });

  test.each(checks)("$id: what is ten times as bad as any good value is beyond its bound", ({ bound }) => {
    // Good values are at most 3 times the yardstick's, or at least 0.5 of its rate; all bounds lie between them and ten times that.
    expect(bound.value).toBeLessThanOrEqual(bound.better === "higher" ? 0.1 : 15);
    expect(bound.better === "higher" ? bound.value : 1 / bound.value).toBeGreaterThan(0.05);
  });

  test("each has an id of its own", () => {
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
  });
});

describe("side by side", () => {
  const FEW = { batches: 5 };
  const spin = (steps: number) => () => {
    let mixed = 1;
    for (let step = 0; step < steps; step++) mixed = Math.imul(mixed ^ (mixed >>> 15), step | 1);
    return mixed;
  };

  test("forty times the work is found to take more than ten times as long", async () => {
    expect(await timesAsLong(spin(80_000), spin(2_000), FEW)).toBeGreaterThan(10);
    expect(await timesAsLong(spin(2_000), spin(80_000), FEW)).toBeLessThan(0.1);
  });

  test("the same work is found to take about as long, promised or not", async () => {
    const same = await timesAsLong(spin(20_000), async () => spin(20_000)(), FEW);
    expect(same).toBeGreaterThan(0.1);
    expect(same).toBeLessThan(10);
  });
});
