import { expect, test } from "vitest";
import { libraryLoan } from "../../scenarios/library-loan.ts";
import { PLAIN_STYLE, Story } from "../../src/node/story.ts";
import { defineScenario } from "../../src/scenario/define.ts";
import { runScenario } from "../../src/scenario/run.ts";

async function told(): Promise<string[]> {
  const story = new Story(libraryLoan, PLAIN_STYLE);
  const lines = story.title();
  const { steps } = await runScenario(libraryLoan, {
    onStep: (step, sim, cast) => lines.push(...story.step(step, sim, cast)),
  });
  return [...lines, ...story.end(steps, 7)];
}

test("a story fits eighty columns and is plain text without a terminal", async () => {
  const lines = await told();
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.join("")).not.toContain("\u001b");
});

test("a story tells when, who, what happened and what was asserted", async () => {
  const text = (await told()).join("\n");
  expect(text).toContain("2026-01-01 01:00:00  The hour is over");
  expect(text).toMatch(/ {4}ann +library\.checkOut +00:00:00 #\d+/);
  expect(text).toMatch(/ {4}clock +leaseRevocation +01:00:00 #\d+/);
  expect(text).toContain("- service account checked in: account svc-1");
  expect(text).toContain("ok      both accounts can be lent");
  expect(text).toContain("5 of 5 steps as expected, seed 7");
  expect(text).not.toContain("undefined");
});

test("a step that fails says why", async () => {
  const scenario = defineScenario({
    name: "wrong",
    title: "Wrong",
    world: {},
    cast: () => ({}),
    steps: [
      {
        title: "one",
        expect: () => {
          throw new RangeError("too far");
        },
      },
      { title: "two" },
    ],
  });
  const story = new Story(scenario, PLAIN_STYLE);
  const { steps, sim, cast } = await runScenario(scenario);
  expect(steps.flatMap((step) => story.step(step, sim, cast))).toContain("  FAILED  RangeError: too far");
  expect(story.end(steps, 1)).toEqual(["0 of 2 steps as expected, seed 1"]);
});
