import { expect, test } from "vitest";
import { tokenExpiryStorm } from "../../scenarios/token-expiry-storm.ts";
import { rehearse, runScenario } from "../../src/index.ts";
import { historyFaults } from "../support/replication-checker.ts";

test("one token expires, and 5,000 with it", { tags: "full" }, async () => {
  const { ok, steps, sim } = await runScenario(tokenExpiryStorm);
  expect(steps.filter((step) => !step.ok)).toEqual([]);
  expect(ok).toBe(true);
  expect(await rehearse(sim.log.lines())).toEqual({ ok: true });
  expect(historyFaults(sim)).toEqual([]);
});
