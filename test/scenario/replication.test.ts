import { describe, expect, test } from "vitest";
import { activationTokenExpired } from "../../scenarios/activation-token-expired.ts";
import { corruptedStorageReindexed } from "../../scenarios/corrupted-storage-reindexed.ts";
import { drFailback } from "../../scenarios/dr-failback.ts";
import { drFailoverPlanned } from "../../scenarios/dr-failover-planned.ts";
import { drFailoverUnplanned } from "../../scenarios/dr-failover-unplanned.ts";
import { drOfAPerformancePrimary } from "../../scenarios/dr-of-a-performance-primary.ts";
import { drOfAPerformanceSecondary } from "../../scenarios/dr-of-a-performance-secondary.ts";
import { lostKeyShare } from "../../scenarios/lost-key-share.ts";
import { performanceSwitch } from "../../scenarios/performance-switch.ts";
import { replacedForeignSecondary } from "../../scenarios/replaced-foreign-secondary.ts";
import { revokedSecondaryReturns } from "../../scenarios/revoked-secondary-returns.ts";
import { secondDrSecondary } from "../../scenarios/second-dr-secondary.ts";
import { splitBrain } from "../../scenarios/split-brain.ts";
import { rehearse, replay, runScenario, type Scenario } from "../../src/index.ts";

const SCENARIOS = [
  activationTokenExpired,
  corruptedStorageReindexed,
  drFailback,
  drFailoverPlanned,
  drFailoverUnplanned,
  drOfAPerformancePrimary,
  drOfAPerformanceSecondary,
  lostKeyShare,
  performanceSwitch,
  replacedForeignSecondary,
  revokedSecondaryReturns,
  secondDrSecondary,
  splitBrain,
] as unknown as readonly Scenario[];

describe.each(SCENARIOS)("$name", (scenario) => {
  test.each([undefined, 2, "three"])("ends as told, with seed %s", async (seed) => {
    const { ok, steps, sim } = await runScenario(scenario, seed === undefined ? {} : { seed });
    expect(steps.map(({ title, error }) => ({ title, error }))).toEqual(
      scenario.steps.map(({ title }) => ({ title, error: undefined })),
    );
    expect(ok).toBe(true);
    expect(await rehearse(sim.log.lines())).toEqual({ ok: true });
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
  });
});
