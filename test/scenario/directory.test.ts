import { expect, test } from "vitest";
import { dynamicAccountHalfCreated } from "../../scenarios/dynamic-account-half-created.ts";
import { revocationGivesUp } from "../../scenarios/revocation-gives-up.ts";
import { rotationWhileDirectoryDown } from "../../scenarios/rotation-while-directory-down.ts";
import { rehearse, replay, runScenario } from "../../src/index.ts";
import { historyFaults } from "../support/replication-checker.ts";

test.each([rotationWhileDirectoryDown, dynamicAccountHalfCreated, revocationGivesUp])("$title", async (scenario) => {
  const { ok, steps, sim } = await runScenario(scenario as typeof revocationGivesUp);
  expect(steps.filter((step) => !step.ok)).toEqual([]);
  expect(ok).toBe(true);
  expect(await rehearse(sim.log.lines())).toEqual({ ok: true });
  expect(historyFaults(sim)).toEqual([]);
  expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
});
