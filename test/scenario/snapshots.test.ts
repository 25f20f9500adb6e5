import { describe, expect, test } from "vitest";
import { restoreYesterday } from "../../scenarios/restore-yesterday.ts";
import { snapshotDiskFull } from "../../scenarios/snapshot-disk-full.ts";
import { rehearse, runScenario } from "../../src/index.ts";
import { historyFaults } from "../support/replication-checker.ts";

describe.each([snapshotDiskFull, restoreYesterday])("$name", (scenario) => {
  test.each([undefined, 1, 2])("holds with seed %s", async (seed) => {
    const { ok, steps, sim } = await runScenario(scenario as never, seed === undefined ? {} : { seed });
    expect(steps.filter((step) => !step.ok)).toEqual([]);
    expect(ok).toBe(true);
    expect(await rehearse(sim.log.lines())).toEqual({ ok: true });
    expect(historyFaults(sim)).toEqual([]);
  });
});
