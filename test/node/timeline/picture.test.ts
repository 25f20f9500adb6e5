import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PendingDeadline } from "../../../src/kernel/clock.ts";
import type { Commit } from "../../../src/kernel/commit.ts";
import type { LogHeader } from "../../../src/kernel/log-format.ts";
import { PLAIN_STYLE } from "../../../src/node/terminal/style.ts";
import { Bins } from "../../../src/node/timeline/bins.ts";
import { pictureLines } from "../../../src/node/timeline/picture.ts";
import { Survey } from "../../../src/node/timeline/survey.ts";
import type { LogOutcome } from "../../../src/simulator/log.ts";
import { property } from "../../support/property.ts";

const START = Date.UTC(2026, 0, 1);

describe("counts over time", () => {
  property([
    fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat({ max: 10 ** 12 })), { minLength: 1 }),
    fc.integer({ min: 1, max: 100 }),
  ])("lose nothing, however long it goes on, and put everything where it belongs", (events, columns) => {
    const inOrder = events.sort(([, left], [, right]) => left - right);
    const bins = new Bins(START);
    for (const [kind, afterMs] of inOrder) bins.add(kind, START + afterMs);
    const spanMs = inOrder.at(-1)?.[1] ?? 0;
    for (const [kind, total] of bins.totals()) {
      const counts = bins.columns(kind, START + spanMs, columns);
      expect(counts).toHaveLength(columns);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total);
      const expected = new Array<number>(columns).fill(0);
      for (const [other, afterMs] of inOrder) {
        if (other !== kind) continue;
        const column = Math.min(columns - 1, Math.floor((afterMs * columns) / (spanMs + 1)));
        expected[column] = (expected[column] ?? 0) + 1;
      }
      // An interval may lie across the border of two columns: then what is in it stands in the first of them.
      let [seen, wanted] = [0, 0];
      counts.forEach((count, column) => {
        const before = wanted;
        seen += count;
        wanted += expected[column] ?? 0;
        const next = wanted + (expected[column + 1] ?? 0);
        expect(seen).toBeGreaterThanOrEqual(before);
        expect(seen).toBeLessThanOrEqual(next);
      });
    }
    expect(bins.totals().reduce((sum, [, count]) => sum + count, 0)).toBe(events.length);
  });

  it("that all fall into one instant stand in the first column", () => {
    const bins = new Bins(START);
    for (let n = 0; n < 5; n++) bins.add("a", START);
    expect(bins.columns("a", START, 4)).toEqual([5, 0, 0, 0]);
  });
});

function surveyOf(...facts: readonly (readonly [type: string, afterMs: number, times?: number])[]): Survey {
  const survey = new Survey();
  survey.begin({ seed: 7, startAtMs: START } as LogHeader);
  for (const [type, afterMs, times = 1] of facts) {
    const events = Array.from({ length: times }, () => ({ type, v: 1, data: {} }));
    survey.commit({ atMs: START + afterMs, events } as unknown as Commit);
  }
  return survey;
}

const outcomeOf = (afterMs: number, pending: readonly PendingDeadline[] = []): LogOutcome =>
  ({ end: { nowMs: START + afterMs, marks: new Map() }, pending }) as unknown as LogOutcome;

const deadline = (command: string, afterMs: number): PendingDeadline =>
  ({ command, dueAtMs: START + afterMs, owner: {} }) as unknown as PendingDeadline;

describe("a picture", () => {
  it("stands for more by each sign", () => {
    const survey = surveyOf(
      ...[1, 2, 9, 10, 99, 100, 999, 1_000].map((times, index) => ["SomethingHappened", index * 1_000, times] as const),
    );
    const [, , line = ""] = pictureLines(survey, outcomeOf(7_999), 80, PLAIN_STYLE);
    expect(line).toMatch(/^something happened +2,220 \.[ ]+:[ ]+:[ ]+\+[ ]+\+[ ]+\*[ ]+\*[ ]+#/);
  });

  it("adds up what has no line of its own", () => {
    const survey = surveyOf(...Array.from({ length: 30 }, (_, index) => [`Kind${index}Seen`, index] as const));
    const lines = pictureLines(survey, outcomeOf(30), 80, PLAIN_STYLE);
    expect(lines.filter((line) => /^kind/.test(line))).toHaveLength(15);
    expect(lines.find((line) => line.startsWith("15 other kinds"))).toMatch(/^15 other kinds +15 /);
  });

  it("of nothing says that there is nothing", () => {
    expect(pictureLines(surveyOf(), outcomeOf(0), 80, PLAIN_STYLE)).toContain("ahead  no deadline");
  });

  it.each([80, 60, 59, 40, 30])("fits %s columns", (columns) => {
    const survey = surveyOf([`${"VeryLong".repeat(20)}Name`, 5, 100_000], ["Short", 10]);
    const outcome = outcomeOf(10, [
      deadline("timer.someThingWithAVeryLongNameIndeed", 10 ** 10),
      deadline("timer.b", 11),
    ]);
    for (const line of pictureLines(survey, outcome, columns, PLAIN_STYLE)) {
      expect(line.length).toBeLessThanOrEqual(columns);
    }
  });

  it("shows what lies ahead behind the present", () => {
    const outcome = outcomeOf(1_000, [deadline("timer.soon", 1_000), deadline("timer.late", 9_000)]);
    const lines = pictureLines(surveyOf(["Begun", 0]), outcome, 80, PLAIN_STYLE);
    expect(lines.find((line) => line.startsWith("soon"))).toMatch(/^soon +1 +\|\.$/);
    expect(lines.find((line) => line.startsWith("late"))).toMatch(/\| +\.$/);
    expect(lines).toContain("ahead  2026-01-01 00:00:01 to 2026-01-01 00:00:09, 888.9 ms a column");
  });
});
