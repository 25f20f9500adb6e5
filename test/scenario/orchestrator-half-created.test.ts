import { expect, test } from "vitest";
import { orchestratorHalfCreated } from "../../scenarios/orchestrator-half-created.ts";
import { rehearse, runScenario } from "../../src/index.ts";
import { historyFaults } from "../support/replication-checker.ts";

test.each([23, 1, "another"])("half of a credential is cleaned up, with seed %j", async (seed) => {
  const { ok, steps, sim } = await runScenario(orchestratorHalfCreated, { seed });
  expect(steps.filter((step) => !step.ok)).toEqual([]);
  expect(ok).toBe(true);
  expect(await rehearse(sim.log.lines())).toEqual({ ok: true });
  expect(historyFaults(sim)).toEqual([]);
});
