import { readFileSync } from "node:fs";
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

test("a story tells what became of what was there, and of no secret", async () => {
  const text = (await told()).join("\n");
  expect(text).toContain(
    '    now       ...library.accounts["svc-1"].status: "available" -> "checked_out"\n' +
      '              ...library.accounts["svc-2"].status: "available" -> "checked_out"\n' +
      "  ok      nothing is left to lend",
  );
  expect(text).not.toMatch(/password: "/);
});

test("a story tells few changes, and counts the others", async () => {
  const many = defineScenario({
    ...libraryLoan,
    steps: [
      {
        title: "Six accounts are lent",
        does: (sim, { operator }) => {
          const east = sim.secrets.cluster("east").as(operator);
          const names = ["a", "b", "c", "d", "e", "f"];
          for (const name of names) sim.directory.addEntry(`cn=${name},dc=example`, { cn: name });
          east.ldapConfig.write({ binddn: "cn=engine,dc=example", bindpass: "secret", userdn: "dc=example" });
          east.library.write({ set_name: "ops", service_account_names: names });
        },
      },
      {
        title: "All are lent",
        does: (sim, { operator }) => {
          for (let loan = 0; loan < 6; loan++)
            sim.secrets.cluster("east").as(operator).library.checkOut({ set_name: "ops" });
        },
      },
    ],
  });
  const story = new Story(many, PLAIN_STYLE);
  const lines: string[] = [];
  await runScenario(many, { onStep: (step, sim, cast) => lines.push(...story.step(step, sim, cast)) });
  expect(lines.filter((line) => line.includes("->"))).toHaveLength(4);
  expect(lines.at(-2)).toBe("              and 2 more");
});

test("a step that fails shows what it changed and how that came about, within eighty columns", async () => {
  const failing = defineScenario({
    ...libraryLoan,
    steps: libraryLoan.steps.slice(0, 4).map((step, index) => ({
      ...step,
      expect: () => {
        if (index === 3) throw new Error('expected ["svc-2"], but it is ["svc-1","svc-2"]');
      },
    })),
  });
  const story = new Story(failing, PLAIN_STYLE);
  const lines: string[] = [];
  await runScenario(failing, { onStep: (step, sim, cast) => lines.push(...story.step(step, sim, cast)) });
  const text = lines.join("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(text).toContain(blockInReadme());
  expect(text).toContain("    last came\n      #11 at 2026-01-01T01:00:00Z: timer.leaseRevocation\n");
  expect(text).toContain('      chart     library-account: takeBack from "checked_out" to "available"');
});

/** What the README shows of a story that fails. */
function blockInReadme(): string {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const [, block] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
  return block ?? expect.fail("the README shows no story");
}

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
