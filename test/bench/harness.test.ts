import { describe, expect, test } from "vitest";
import { chosenFamilies, readArguments } from "./harness/arguments.ts";
import type { Answer, Ask } from "./harness/messages.ts";
import { hottest, selfTimes } from "./harness/profile.ts";
import { type Measured, ratioOf, reportOf, shownNumber, tableOf } from "./harness/report.ts";
import { atLeast, atMost, Effort, type Family, isMet, type Row, row, shared } from "./harness/row.ts";
import { roundsInTurn, runFamily } from "./harness/run-family.ts";
import { median, quantile, rounded, spread } from "./harness/statistics.ts";
import { quiet } from "./quiet.ts";
import { families, USUAL } from "./rows.ts";

const prepare = (): (() => number) => () => 1;
const rate = row({ id: "rate", unit: "commands/s", goal: atLeast(40_000), comparedWith: "rate@100", prepare });
const rateAt100 = row({ id: "rate@100", unit: "commands/s", prepare });

const measured = (values: Readonly<Record<string, readonly number[]>>): ReadonlyMap<string, Measured> =>
  new Map(Object.entries(values).map(([id, of]) => [id, { values: of }]));

describe("statistics", () => {
  test("the median is the value in the middle, or halfway between the two there", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(() => median([])).toThrow(RangeError);
  });

  test("a quantile is interpolated between the values beside it", () => {
    const values = Array.from({ length: 101 }, (_, index) => 100 - index);
    expect(quantile(values, 0.99)).toBe(99);
    expect(quantile([10, 20], 0.75)).toBe(17.5);
  });

  test("the spread is half the way from the least to the greatest, by the median", () => {
    expect(spread([90, 100, 130])).toBe(0.2);
    expect(spread([7])).toBe(0);
    expect(spread([0, 0])).toBe(0);
  });

  test("values keep four significant digits", () => {
    expect(rounded(123_456)).toBe(123_500);
    expect(rounded(0.000123456, 2)).toBe(0.00012);
  });

  test("a ratio goes round by round where both have as many, else by the medians", () => {
    expect(ratioOf([10, 30, 80], [10, 20, 40])).toBe(1.5);
    expect(ratioOf([10, 30, 50], [10])).toBe(3);
    expect(ratioOf([], [1])).toBeUndefined();
  });
});

describe("the report", () => {
  test("a row has its median, its goal, and its ratio to the row that it is compared with", () => {
    const wanted = { ...rate, ratioGoal: atLeast(0.7), note: "half of them lent" };
    const report = reportOf(
      [rateAt100, wanted],
      measured({ rate: [41_000, 40_000, 45_000], "rate@100": [50_000] }),
      quiet,
    );
    expect(report).toEqual({
      node: "v20.20.2",
      cpu: "a processor",
      cores: 2,
      quick: false,
      loadAtStart: 0.25,
      noise: { medianMs: 5, leastMs: 4, greatestMs: 6 },
      rows: [
        { id: "rate@100", value: 50_000, unit: "commands/s", goal: null, spread: 0, rounds: 1 },
        {
          id: "rate",
          value: 41_000,
          unit: "commands/s",
          goal: 40_000,
          better: "higher",
          met: true,
          spread: 0.061,
          rounds: 3,
          comparedWith: "rate@100",
          ratio: 0.82,
          ratioGoal: 0.7,
          ratioBetter: "higher",
          ratioMet: true,
          note: "half of them lent",
        },
      ],
    });
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  test("a row that failed has no value, and says why", () => {
    const [failed] = reportOf([rate], new Map([["rate", { values: [], failure: "out of memory" }]]), quiet).rows;
    expect(failed).toMatchObject({ value: null, goal: 40_000, failure: "out of memory" });
    expect(failed).not.toHaveProperty("met");
    expect(failed).not.toHaveProperty("ratio");
  });

  test("a quick run judges nothing", () => {
    const report = reportOf([rateAt100, rate], measured({ rate: [1], "rate@100": [1] }), { ...quiet, quick: true });
    expect(report.rows.some((reported) => "met" in reported || "ratioMet" in reported)).toBe(false);
    expect(tableOf(report)).toContain("QUICK");
  });

  test("goals are bounds that may be reached", () => {
    expect([isMet(atLeast(5), 5), isMet(atLeast(5), 4.9), isMet(atMost(5), 5), isMet(atMost(5), 5.1)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});

describe("the table", () => {
  test("columns are aligned, values to the right, remarks below", () => {
    const report = reportOf(
      [rateAt100, { ...rate, ratioGoal: atLeast(0.9) }],
      measured({ "rate@100": [500, 510, 490], rate: [1_234_567, 1_234_567, 1_234_567] }),
      quiet,
    );
    expect(tableOf(report).split("\n").slice(0, 5)).toEqual([
      "hindcast bench: node v20.20.2, a processor, 2 cores, load 0.3 before the start",
      "",
      "rate@100        500  commands/s  ±2%",
      "rate      1,235,000  commands/s  ±0%  goal >= 40,000: met",
      "    2,469 times rate@100, goal >= 0.9: met",
    ]);
  });

  test("real rows fit into 100 columns and bring no colours", () => {
    const rows = families.flatMap((family) => family.rows);
    const values = measured(Object.fromEntries(rows.map(({ id }) => [id, [1_234_567, 7_654_321]])));
    const lines = tableOf(reportOf(rows, values, quiet)).split("\n");
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(lines.join("")).not.toContain("\u001b");
  });

  test("a busy machine is told from what a fixed piece of work takes", () => {
    const busy = (yardstickMs: readonly number[]): boolean =>
      tableOf(reportOf([rate], measured({ rate: [1] }), { ...quiet, yardstickMs })).includes("BUSY");
    expect([busy([5, 5, 9]), busy([5, 9, 9]), busy([])]).toEqual([false, true, false]);
  });

  test("numbers have commas between thousands and no more digits than they deserve", () => {
    expect([1_234_567, 40_000, 999.99, 12.3456, 0.00123456, 0].map(shownNumber)).toEqual([
      "1,235,000",
      "40,000",
      "1,000",
      "12.35",
      "0.001235",
      "0",
    ]);
  });
});

describe("the rows", () => {
  const rows = families.flatMap((family) => family.rows);

  test("each has an id of its own", () => {
    const ids = rows.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("each is compared with one that there is", () => {
    const ids = new Set(rows.map(({ id }) => id));
    expect(rows.filter(({ comparedWith }) => comparedWith !== undefined && !ids.has(comparedWith))).toEqual([]);
  });

  test("a ratio that has a goal has a row to divide by", () => {
    expect(rows.filter(({ ratioGoal, comparedWith }) => ratioGoal !== undefined && comparedWith === undefined)).toEqual(
      [],
    );
  });

  test("--only takes ids and beginnings, and brings along what they are compared with", () => {
    const all: Family[] = [
      { name: "rates", rows: [rateAt100, rate] },
      { name: "others", rows: [row({ id: "fork-us", unit: "us", prepare })] },
    ];
    const idsOf = (only: readonly string[]): string[] =>
      chosenFamilies(all, only).flatMap((family) => family.rows.map(({ id }) => id));
    expect(idsOf([])).toEqual(["rate@100", "rate", "fork-us"]);
    expect(idsOf(["rate"])).toEqual(["rate@100", "rate"]);
    expect(idsOf(["rate@*", "fork-us"])).toEqual(["rate@100", "fork-us"]);
    expect(() => idsOf(["rat"])).toThrow(/--only rat: there is no such row; there are\n {2}rate@100/);
  });

  test("the usual rows are there", () => {
    expect(() => chosenFamilies(families, USUAL)).not.toThrow();
  });

  test("arguments are read, and unknown ones refused", () => {
    expect(readArguments(["--only", "a,b", "--only", "c", "--quick"])).toEqual({
      only: ["a", "b", "c"],
      all: false,
      quick: true,
      profile: false,
    });
    expect(() => readArguments(["--fast"])).toThrow(TypeError);
  });
});

describe("a run", () => {
  test("a quick run cuts sizes and counts, but not below what still says something", () => {
    const [full, quick] = [new Effort(false), new Effort(true)];
    expect([full.size(100_000), full.count(500)]).toEqual([100_000, 500]);
    expect([quick.size(50), quick.size(100_000), quick.count(2), quick.count(500)]).toEqual([50, 1_000, 1, 10]);
  });

  test("what rows share is built once", () => {
    let built = 0;
    const history = shared(() => ++built);
    expect([history(new Effort(true)), history(new Effort(true))]).toEqual([1, 1]);
  });

  test("rounds alternate between rows, forward and backward", () => {
    const [a, b, c] = ["a", "b", "c"].map((id) => row({ id, unit: "us", rounds: id === "c" ? 1 : 3, prepare }));
    const order = roundsInTurn([a as Row, b as Row, c as Row], false);
    expect(order.map(({ id }) => id).join("")).toBe("abcbaab");
    expect(roundsInTurn([a as Row, b as Row], true)).toHaveLength(4);
    expect(roundsInTurn([], false)).toEqual([]);
  });

  test("rows of a process share it, all are prepared before any is measured, and a failed row holds up no other", async () => {
    const asked: string[] = [];
    let started = 0;
    let ended = 0;
    const startSubject = () => {
      const own = ++started;
      return {
        ask: async ({ ask, id }: Ask): Promise<Answer> => {
          asked.push(`${own} ${ask} ${id}`);
          if (ask === "prepare") return id === "bad" ? { answer: "failed", why: "no" } : { answer: "prepared" };
          return { answer: "measured", value: 7, detail: "fine", yardstickMs: 4 };
        },
        end: async () => {
          ended += 1;
        },
      };
    };
    const rows = [
      row({ id: "good", unit: "us", rounds: 2, process: "one", prepare }),
      row({ id: "bad", unit: "us", rounds: 2, process: "one", prepare }),
      row({ id: "alone", unit: "us", rounds: 1, prepare }),
    ];
    const progress = (): void => {};
    const { measured: outcome, yardstickMs } = await runFamily(
      { name: "toy", rows },
      { startSubject, quick: false, progress },
    );
    expect([started, ended]).toEqual([2, 2]);
    expect(asked.slice(0, 3).toSorted()).toEqual(["1 prepare bad", "1 prepare good", "2 prepare alone"]);
    expect(asked.slice(3)).toEqual(["1 round good", "2 round alone", "1 round good"]);
    expect(Object.fromEntries(outcome)).toEqual({
      good: { values: [7, 7], detail: "fine" },
      bad: { values: [], failure: "no" },
      alone: { values: [7], detail: "fine" },
    });
    expect(yardstickMs).toEqual([4, 4, 4]);
  });

  test("a profile adds up the time of each place, without that of the profiler", () => {
    const place = (id: number, functionName: string, url = "") => ({
      id,
      callFrame: { functionName, scriptId: "1", url, lineNumber: 9, columnNumber: 0 },
    });
    const times = selfTimes({
      nodes: [place(1, "set", "file:///x/dist-bench/src/kernel/table.js"), place(2, "dispatch"), place(3, "(program)")],
      startTime: 0,
      endTime: 100,
      samples: [1, 2, 1, 3],
      timeDeltas: [30, 500, 30, 20],
    });
    expect(hottest(times)).toEqual([" 75.0%  set  src/kernel/table.js:10", " 25.0%  (program)"]);
  });
});
