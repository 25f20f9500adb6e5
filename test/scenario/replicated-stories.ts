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
import type { Scenario } from "../../src/index.ts";

export { drOfAPerformancePrimary };

/** The stories of replication (decisions-replication.md, 6). */
export const stories = [
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
