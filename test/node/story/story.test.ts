import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { libraryLoan } from "../../../scenarios/library-loan.ts";
import { Story } from "../../../src/node/story/story.ts";
import { PLAIN_STYLE } from "../../../src/node/terminal/style.ts";
import { type Cast, defineScenario, type Scenario } from "../../../src/scenario/define.ts";
import { beginScenario, playStep, type StepReport } from "../../../src/scenario/run.ts";
import { stories } from "../../scenario/replicated-stories.ts";

interface Told {
  readonly lines: readonly string[];
  readonly steps: readonly StepReport[];
}

/** What a story tells up to its end, and what came of its steps. */
async function telling<C extends Cast>(scenario: Scenario<C>, columns = 80): Promise<Told> {
  const story = new Story(scenario as unknown as Scenario, PLAIN_STYLE, columns);
  const { sim, cast } = await beginScenario(scenario);
  const title = story.title(sim, cast);
  const lines = [...title.lines];
  const steps: StepReport[] = [];
  let { told } = title;
  for (const step of scenario.steps) {
    const report = await playStep(step, sim, cast);
    const next = story.step(report, sim, cast, told);
    lines.push(...next.lines);
    told = next.told;
    steps.push(report);
    if (!report.ok) break;
  }
  return { lines: [...lines, ...story.end(steps, 7, ["again:  npx hindcast run it --seed 7"])], steps };
}

async function told(): Promise<readonly string[]> {
  return (await telling(libraryLoan)).lines;
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
      "    cluster   east: stand-alone, running, last wal 7\n" +
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
  const { lines } = await telling(many);
  expect(lines.filter((line) => line.includes("->"))).toHaveLength(4);
  expect(lines).toContain("              and 2 more");
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
  const { lines } = await telling(failing);
  const text = lines.join("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(text).toContain(blockInReadme());
  expect(text).toContain("    last came\n      #11 at 2026-01-01T01:00:00Z: timer.leaseRevocation\n");
  expect(text).toContain('      chart     library-account: takeBack from "checked_out" to "available"');
});

/** What the README shows of a story that fails. */
function blockInReadme(): string {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const [, block] = /<!-- a story that fails -->\n```text\n([\s\S]*?)```/.exec(readme) ?? [];
  return block ?? expect.fail("the README shows no story that fails");
}

/** What is told of a story whose first of two steps fails. */
function tellingOf(failure: Error): Promise<Told> {
  const expectation = (): never => {
    throw failure;
  };
  const steps = [{ title: "one", expect: expectation }, { title: "two" }];
  return telling(defineScenario({ name: "wrong", title: "Wrong", world: {}, cast: () => ({}), steps }));
}

test("a step that fails says why", async () => {
  const { lines } = await tellingOf(new RangeError("too far"));
  expect(lines).toContain("  FAILED  RangeError: too far");
  expect(lines.slice(-2)).toEqual(["0 of 2 steps as expected, seed 7", "again:  npx hindcast run it --seed 7"]);
});

test("an error of several lines keeps them", async () => {
  const { lines } = await tellingOf(new Error("they differ:\n\n  {\n+   v: 1\n-   v: 2\n  }"));
  const at = lines.indexOf("  FAILED  Error: they differ:");
  const below = (line: string) => " ".repeat(10) + line;
  expect(lines.slice(at + 1, at + 5)).toEqual([below("  {"), below("+ v: 1"), below("- v: 2"), below("  }")]);
});

test("of many commits and facts a few are told, and the others are counted", async () => {
  const many = defineScenario({
    ...libraryLoan,
    steps: [
      {
        title: "Forty entries, and a set of twenty",
        does: (sim, { operator }) => {
          const names = Array.from({ length: 20 }, (_, index) => `svc-${index}`);
          for (const name of names) sim.directory.addEntry(`cn=${name},dc=example`, { cn: name });
          const east = sim.secrets.cluster("east").as(operator);
          east.ldapConfig.write({ binddn: "cn=engine,dc=example", bindpass: "secret", userdn: "dc=example" });
          for (const name of names) sim.directory.addEntry(`ou=${name},dc=example`, { ou: name });
        },
      },
      {
        title: "The set",
        does: (sim, { operator }) => {
          const names = Array.from({ length: 20 }, (_, index) => `svc-${index}`);
          sim.secrets.cluster("east").as(operator).library.write({ set_name: "ops", service_account_names: names });
        },
      },
    ],
  });
  const text = (await telling(many)).lines.join("\n");
  expect(text).toContain("              - and 29 more: 28 directory.addEntry, 1 ldapConfig.write\n");
  expect(text).toContain("              - and 13 more: 12 directory password changed, 1 library set cr");
});

test("what a terminal would obey is told harmlessly, and a word that is too long for a line is broken", async () => {
  const hostile = defineScenario({
    name: "hostile",
    title: "A title\u001b[2J that clears the screen",
    world: {},
    cast: () => ({}),
    steps: [
      {
        title: "\u0007 rings",
        expect: () => {
          throw new Error(`line\none\u001b[31m ${"x".repeat(200)}`);
        },
      },
    ],
  });
  const { lines } = await telling(hostile, 40);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
  expect(lines.join("\n").replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f]/);
  expect(lines.slice(0, -1).filter((line) => line.length > 40)).toEqual([]);
});

test.each(stories)("the story of $name fits a terminal, and a narrow one", async (scenario) => {
  for (const columns of [80, 40]) {
    const { lines, steps } = await telling(scenario, columns);
    expect(steps.every(({ ok }) => ok)).toBe(true);
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines.join("\n")).not.toContain("undefined");
  }
});

test.each([80, 60, 59, 40, 30])("a story fits %s columns", async (columns) => {
  const { lines } = await telling(libraryLoan, columns);
  expect(lines.filter((line) => line.length > columns)).toEqual([]);
});
