import { expect, test } from "vitest";
import { codeReplayed } from "../../scenarios/code-replayed.ts";
import { keyRotationUnderLoad } from "../../scenarios/key-rotation-under-load.ts";
import { rehearse, runScenario } from "../../src/index.ts";
import { historyFaults } from "../support/replication-checker.ts";

test("a key rotates under load", async () => {
  const { ok, steps, sim } = await runScenario(keyRotationUnderLoad);
  expect(steps.filter((step) => !step.ok)).toEqual([]);
  expect(ok).toBe(true);
  expect(await rehearse(sim.log.lines())).toEqual({ ok: true });
  expect(historyFaults(sim)).toEqual([]);
}, 60_000);

test("a code is shown twice", async () => {
  const { ok, steps, sim } = await runScenario(codeReplayed);
  expect(steps.filter((step) => !step.ok)).toEqual([]);
  expect(ok).toBe(true);
  expect(await rehearse(sim.log.lines())).toEqual({ ok: true });
  expect(historyFaults(sim)).toEqual([]);
}, 60_000);
