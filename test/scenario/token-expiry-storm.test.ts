import { expect, test } from "vitest";
import { tokenExpiryStorm } from "../../scenarios/token-expiry-storm.ts";
import { rehearse, runScenario } from "../../src/index.ts";

test("one token expires, and 5,000 with it", async () => {
  const { ok, steps, sim } = await runScenario(tokenExpiryStorm);
  expect(steps.filter((step) => !step.ok)).toEqual([]);
  expect(ok).toBe(true);
  expect(await rehearse(sim.log.lines())).toEqual({ ok: true });
}, 60_000);
