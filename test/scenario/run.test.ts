import { describe, expect, test } from "vitest";
import { libraryLoan } from "../../scenarios/library-loan.ts";
import { lostManagementTokens } from "../../scenarios/lost-management-tokens.ts";
import { overrideSoftFailed } from "../../scenarios/override-soft-failed.ts";
import { policyOutage } from "../../scenarios/policy-outage.ts";
import { regionOutage } from "../../scenarios/region-outage.ts";
import { type Cast, defineScenario, type Scenario, type Step } from "../../src/scenario/define.ts";
import { runScenario } from "../../src/scenario/run.ts";
import type { Simulator } from "../../src/simulator/types.ts";
import { replay } from "../../src/simulator.ts";
import { historyFaults } from "../support/replication-checker.ts";

const story = <C extends Cast>(steps: readonly Step<C>[], cast: () => C) =>
  defineScenario({ name: "a-story", title: "A story", world: { seed: 5 }, cast, steps });

const SCENARIOS = [
  libraryLoan,
  lostManagementTokens,
  overrideSoftFailed,
  policyOutage,
  regionOutage,
] as unknown as readonly Scenario[];

test.each(SCENARIOS)("the scenario $name ends as told, under any seed", async (scenario) => {
  for (const seed of [undefined, 2, "three"]) {
    const { ok, steps, sim } = await runScenario(scenario, seed === undefined ? {} : { seed });
    expect(steps.map(({ title, error }) => ({ title, error }))).toEqual(
      scenario.steps.map(({ title }) => ({ title, error: undefined })),
    );
    expect(ok).toBe(true);
    expect(historyFaults(sim)).toEqual([]);
  }
});

test("a world can be made by a function, such as a fork of a log, and keeps its seed", async () => {
  const log = (await runScenario(libraryLoan)).sim.log.toNdjson();
  const later = defineScenario({
    name: "later",
    title: "Later",
    world: async () => replay(log).fork(2),
    cast: () => ({}),
    steps: [{ title: "An hour passes", does: (sim) => sim.clock.advance("1h") }],
  });
  const { ok, sim } = await runScenario(later);
  expect(ok).toBe(true);
  const again = replay(log).fork(2);
  again.clock.advance("1h");
  expect(sim.stateHash()).toBe(again.stateHash());
  await expect(runScenario(later, { seed: 3 })).rejects.toThrow(
    "later: seed is 3, and a world that is made by a function has its own",
  );
});

test("two runs of one scenario leave the same log", async () => {
  const [one, other] = [await runScenario(libraryLoan), await runScenario(libraryLoan)];
  expect(JSON.stringify(other.sim.log.commits())).toBe(JSON.stringify(one.sim.log.commits()));
  expect(other.sim.stateHash()).toBe(one.sim.stateHash());
});

test("the cast is made once, cloned and frozen", async () => {
  const given = { ann: { names: ["Ann"] } };
  const { cast } = await runScenario(story([{ title: "nothing" }], () => given));
  expect(cast).toEqual(given);
  expect(Object.isFrozen(cast.ann.names)).toBe(true);
  expect(Object.isFrozen(given.ann.names)).toBe(false);
});

test("an expectation runs on a fork, so what it tries leaves no trace", async () => {
  const steps = [
    { title: "try", expect: (sim: { clock: { advance(by: string): unknown } }) => sim.clock.advance("1h") },
  ];
  const { ok, sim } = await runScenario(story(steps, () => ({})));
  expect(ok).toBe(true);
  expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1));
});

test("a story ends at the first step that fails, with what was thrown", async () => {
  const fault = new Error("not as told");
  const seen: string[] = [];
  const { ok, steps } = await runScenario(
    story(
      [
        { title: "one" },
        {
          title: "two",
          expectation: "it holds",
          expect: () => Promise.reject(fault),
        },
        { title: "three", does: () => seen.push("three") },
      ],
      () => ({}),
    ),
    { onStep: (step) => seen.push(step.title) },
  );
  expect(ok).toBe(false);
  expect(steps).toMatchObject([
    { title: "one", ok: true, position: 0 },
    { title: "two", ok: false, error: fault, expectation: "it holds" },
  ]);
  expect(seen).toEqual(["one", "two"]);
});

describe("a step that fails says why:", () => {
  const policy = 'path "x" { capabilities = ["read"] }';
  const write = (name: string) => (sim: Simulator) => sim.secrets.cluster("main").writePolicy(name, policy);
  const fail = () => {
    throw new Error("not as told");
  };

  async function whyOf(...steps: Step<Cast>[]): Promise<readonly string[]> {
    const { ok, steps: reports } = await runScenario(story(steps, () => ({})));
    expect(ok).toBe(false);
    return reports.at(-1)?.why?.split("\n") ?? [];
  }

  test("what it changed, since the step before it, and how its last commit came about", async () => {
    const both = (sim: Simulator): void => {
      for (const name of ["b", "c"]) write(name)(sim);
    };
    const why = await whyOf({ title: "one", does: write("a") }, { title: "two", does: both, expect: fail });
    expect(why.map((line) => line.slice(0, 70))).toEqual([
      "changed by commits #2 to #3:",
      '  secrets.main.replicated.policies["b"]',
      expect.stringMatching(/^ {4}\+ \{/),
      '  secrets.main.replicated.policies["c"]',
      expect.stringMatching(/^ {4}\+ \{/),
      "  secrets.main.ignored.walIndex",
      "    - 1",
      "    + 3",
      "last came",
      "  #3 at 2026-01-01T00:00:00Z: control.writePolicy",
      expect.stringMatching(/^ {2}caller {4}/),
      expect.stringMatching(/^ {2}fact {6}PolicyWritten/),
      ...why.slice(12).map(() => expect.stringMatching(/^ {2}answer/)),
    ]);
  });

  test("what its expectation came to in its fork", async () => {
    const why = await whyOf({
      title: "one",
      expect: (sim) => {
        write("tried")(sim);
        fail();
      },
    });
    expect(why.slice(0, 2)).toEqual([
      "in its fork, the expectation came to",
      "  #1 at 2026-01-01T00:00:00Z: control.writePolicy",
    ]);
  });

  test("that it recorded nothing", async () => {
    expect(await whyOf({ title: "one", does: fail })).toEqual(["the step recorded nothing"]);
  });

  test("a few changes, and how many more", async () => {
    const does = (sim: Simulator): void => {
      for (let index = 0; index < 20; index++) write(`p${index}`)(sim);
    };
    expect(await whyOf({ title: "one", does, expect: fail })).toContain("  and 13 more");
  });

  test("and a step that holds says nothing", async () => {
    const { steps } = await runScenario(story([{ title: "one", does: write("a") }], () => ({})));
    expect(steps[0]).not.toHaveProperty("why");
  });
});

test("a step may be async, and is waited for", async () => {
  const done: string[] = [];
  const steps = [
    {
      title: "slow",
      does: async () => {
        await Promise.resolve();
        done.push("slow");
      },
    },
    { title: "next", does: () => done.push("next") },
  ];
  await runScenario(story(steps, () => ({})));
  expect(done).toEqual(["slow", "next"]);
});

test.each(["", "Two Words", "-x", "x_y"])("%j is no name of a scenario", (name) => {
  const define = () => defineScenario({ name, title: "", world: {}, cast: () => ({}), steps: [{ title: "one" }] });
  expect(define).toThrow(TypeError);
  expect(define).toThrow(JSON.stringify(name));
});

test("a scenario has steps", () => {
  expect(() => story([], () => ({}))).toThrow(TypeError);
});
