import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { behindOf, comparisonOf, markdownOf } from "./comparison/comparison.ts";
import { backends, entryId, type Section, sections } from "./comparison/contests.ts";
import { contestOf, rowsOf } from "./comparison/entries.ts";
import type { Answer, Ask } from "./harness/messages.ts";
import { type Circumstances, type Measured, reportOf } from "./harness/report.ts";
import { row } from "./harness/row.ts";
import { runFamily } from "./harness/run-family.ts";
import { quiet } from "./quiet.ts";

const toy: Section = {
  title: "Toys",
  contestants: ["ours", "the other's"],
  contests: [
    { id: "turns", what: "turns of a top", unit: "1/s", better: "higher" },
    { id: "weight", what: "weight of a top", unit: "bytes", better: "lower" },
  ],
  remark: "Both are made of wood.",
};

const prepare = (): (() => number) => () => 1;
const entries = { ours: { prepare }, "the other's": { prepare } };
const rows = toy.contests.flatMap((contest) => rowsOf(toy, contest, entries));

function compared(values: Readonly<Record<string, Measured>>, circumstances: Circumstances = quiet) {
  return comparisonOf([toy], reportOf(rows, new Map(Object.entries(values)), circumstances));
}

const measured = {
  "turns/ours": { values: [100, 110, 90] },
  "turns/the-other-s": { values: [200, 220, 180] },
  "weight/ours": { values: [1_000] },
  "weight/the-other-s": { values: [4_000] },
};

describe("rows of a contest", () => {
  test("each contestant has one, all of one contest, compared with the first", () => {
    expect(rows.map(({ id, unit, contest, comparedWith }) => [id, unit, contest, comparedWith])).toEqual([
      ["turns/ours", "1/s", "turns", undefined],
      ["turns/the-other-s", "1/s", "turns", "turns/ours"],
      ["weight/ours", "bytes", "weight", undefined],
      ["weight/the-other-s", "bytes", "weight", "weight/ours"],
    ]);
  });

  test("one out of whose reach it is has none", () => {
    const turns = rowsOf(toy, contestOf(toy, "turns"), { ...entries, "the other's": "out of reach" });
    expect(turns.map(({ id }) => id)).toEqual(["turns/ours"]);
  });

  test("nobody may be missing, and no stranger take part", () => {
    const turns = contestOf(toy, "turns");
    expect(() => rowsOf(toy, turns, { ours: { prepare } })).toThrow("turns: nothing is said of the other's");
    expect(() => rowsOf(toy, turns, { ...entries, theirs: { prepare } })).toThrow(
      "turns: theirs is no contestant of Toys",
    );
    expect(() => contestOf(toy, "colour")).toThrow("Toys has no contest colour");
  });
});

describe("a comparison", () => {
  test("says how many times as good the others are, more or less being better", () => {
    const [section] = compared(measured).sections;
    expect(section?.contests.map(({ standings }) => standings.map(({ timesAsGood }) => timesAsGood))).toEqual([
      [undefined, 2],
      [undefined, 0.25],
    ]);
  });

  test("names those who are ahead", () => {
    expect(behindOf(compared(measured))).toMatchObject([
      { contest: "turns", ahead: [{ contestant: "the other's", timesAsGood: 2 }] },
    ]);
  });

  test("leaves out what was not measured, and can be written as JSON", () => {
    const [, , ...weights] = rows;
    const values = new Map(Object.entries<Measured>(measured));
    const comparison = comparisonOf([toy, backends], reportOf(weights, values, quiet));
    expect(comparison.sections.map(({ contests }) => contests.map(({ id }) => id))).toEqual([["weight"]]);
    expect(JSON.parse(JSON.stringify(comparison))).toEqual(comparison);
  });

  test("is a page of Markdown: a table for each section, with what a reader has to know", () => {
    expect(markdownOf(compared(measured)).split("\n").slice(2)).toEqual([
      "### Toys",
      "",
      "|                 |         ours | the other's |",
      "| --------------- | -----------: | ----------: |",
      "| turns of a top  | 100 1/s ±10% |     2× ±10% |",
      "| weight of a top |  1,000 bytes |       0.25× |",
      "",
      "Both are made of wood.",
      "",
    ]);
  });

  test("tells the machine by its cores and Node, and whether it was a smoke test", () => {
    expect(markdownOf(compared(measured))).toContain("Node 20.20.2 on 2 cores (a processor)");
    expect(markdownOf(compared(measured))).not.toContain("Quick");
    expect(markdownOf(compared(measured, { ...quiet, quick: true }))).toContain("Quick");
  });

  test("tells when others wanted the cores, too", () => {
    expect(markdownOf(compared(measured))).not.toContain("busy");
    expect(markdownOf(compared(measured, { ...quiet, yardstickMs: [5, 9, 9] }))).toContain("The machine was busy");
  });

  test("tells who failed, and why", () => {
    const page = markdownOf(compared({ ...measured, "turns/the-other-s": { values: [], failure: "out of memory" } }));
    expect(page).toMatch(/\| turns of a top +\| 100 1\/s ±10% \| +failed \|/);
    expect(page).toContain("FAILED: turns/the-other-s: out of memory");
  });
});

describe("contestants of one contest", () => {
  const run = async (answers: Readonly<Record<string, string | undefined>>) => {
    const asked: string[] = [];
    const contestants = Object.keys(answers).map((id) => row({ id, unit: "1/s", rounds: 1, contest: "same", prepare }));
    const startSubject = () => ({
      ask: async ({ ask, id }: Ask): Promise<Answer> => {
        asked.push(`${ask} ${id}`);
        const told = answers[id];
        if (told === "broken") return { answer: "failed", why: "it fell over" };
        return ask === "prepare"
          ? { answer: "prepared", ...(told === undefined ? {} : { answers: told }) }
          : { answer: "measured", value: 7, yardstickMs: 4 };
      },
      end: async () => {},
    });
    const family = { name: "toy", rows: contestants };
    const outcome = await runFamily(family, { startSubject, quick: false, progress: () => {} });
    return { asked, measured: outcome.measured };
  };

  test("are measured when they answer alike", async () => {
    const { measured: outcome } = await run({ one: "200 yes", other: "200 yes" });
    expect([...outcome.values()]).toEqual([{ values: [7] }, { values: [7] }]);
  });

  test("are not measured when they answer otherwise than the first, and the first difference is told", async () => {
    const { asked, measured: outcome } = await run({
      one: "200 yes\n404",
      other: "200 yes\n403",
      third: "200 yes\n404",
    });
    expect(outcome.get("other")).toEqual({
      values: [],
      failure: 'it does not answer as one does: expected "200 yes\\n404", got "200 yes\\n403"',
    });
    expect(asked).not.toContain("round other");
    expect(outcome.get("third")).toEqual({ values: [7] });
  });

  test.each([
    { one: "", other: "" },
    { one: undefined, other: "200 yes" },
    { one: "200 yes", other: undefined },
  ])("are not measured when there is nothing to compare: %j", async (answers) => {
    const { measured: outcome } = await run(answers);
    expect(outcome.get("other")?.failure).toMatch("no answers of both");
  });

  test("are compared with the first that is there at all", async () => {
    const { measured: outcome } = await run({ one: "broken", other: "200 yes", third: "200 no" });
    expect(outcome.get("one")?.failure).toBe("it fell over");
    expect(outcome.get("other")?.failure).toBeUndefined();
    expect(outcome.get("third")?.failure).toMatch("it does not answer as other does");
  });
});

describe("what is compared", () => {
  const contests = sections.flatMap((section) => section.contests.map((contest) => ({ section, contest })));

  test("each contest has an id of its own, and each entry", () => {
    const ids = contests.flatMap(({ section, contest }) =>
      section.contestants.map((name) => entryId(contest.id, name)),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z0-9@/-]+$/.test(id))).toEqual([]);
  });

  test("hindcast is the first in each section", () => {
    expect(sections.map(({ contestants }) => contestants[0]?.startsWith("hindcast"))).toEqual(sections.map(() => true));
  });

  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const tables = readme.slice(
    readme.indexOf("<!-- tables of npm run bench:peers -->"),
    readme.indexOf("<!-- end of tables -->"),
  );

  test.each(sections)("the README shows $title: contestants, contests and what to know", (section) => {
    const [, shown = ""] = tables.split(`### ${section.title}\n`);
    const [head = [], , ...lines] = (/(?:\|.*\n)+/.exec(shown)?.[0] ?? "").trimEnd().split("\n").map(cellsOf);
    expect(head).toEqual(["", ...section.contestants]);
    expect(lines.map(([what]) => what)).toEqual(section.contests.map(({ what }) => what));
    expect(lines.flat().filter((cell) => cell === "failed" || cell === "")).toEqual([]);
    expect(shown).toContain(section.remark);
  });

  test("the README's tables are of a whole run, and name the machine", () => {
    expect(tables).toMatch(/Made with Node \d+\.\d+\.\d+ on \d+ cores/);
    expect(tables).not.toContain("Quick");
  });
});

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}
