import { describe, expect, test } from "vitest";
import { rehearse, replay, runScenario } from "../../src/index.ts";
import { historyFaults } from "../support/replication-checker.ts";
import { stories } from "./replicated-stories.ts";

describe.each(stories)("$name", (scenario) => {
  test.each([undefined, 2, "three"])("ends as told, with seed %s", async (seed) => {
    const { ok, steps, sim } = await runScenario(scenario, seed === undefined ? {} : { seed });
    expect(steps.map(({ title, error }) => ({ title, error }))).toEqual(
      scenario.steps.map(({ title }) => ({ title, error: undefined })),
    );
    expect(ok).toBe(true);
    expect(await rehearse(sim.log.lines())).toEqual({ ok: true });
    expect(historyFaults(sim)).toEqual([]);
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
  });
});
