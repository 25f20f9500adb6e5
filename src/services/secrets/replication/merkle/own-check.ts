import { type EpochMs, epochMs } from "../../../../kernel/brand.ts";
import type { PrimaryRole, ReplicationSlice } from "../state.ts";
import { isCorrupt, type MerkleSlice } from "./state.ts";

/** The zero time, in epoch seconds: no check has run. */
const NEVER = "-62135596800";

/** What the checks of a cluster look at. */
interface Checked {
  readonly ignored: ReplicationSlice & MerkleSlice;
}

export interface CheckShown {
  readonly corrupted_merkle_tree: boolean;
  readonly last_corruption_check_epoch: string;
}

/**
 * What the last of a primary's own checks found: they follow each other from when it began to lead (decisions-replication.md, 8.4). Our
 * choice: they do so while it is stopped, too, since nobody can tell before it is back.
 */
export function lastCheck(nowMs: EpochMs, { ignored }: Checked, { sinceMs }: PrimaryRole): CheckShown {
  const every = ignored.replication.merkleCheckEveryMs;
  const checks = every > 0 ? Math.floor((nowMs - sinceMs) / every) : 0;
  if (checks < 1) return { corrupted_merkle_tree: false, last_corruption_check_epoch: NEVER };
  const checkedAtMs = epochMs(sinceMs + checks * every);
  return {
    corrupted_merkle_tree:
      ignored.merkle?.corruptions.some((corruption) => isCorrupt(corruption, checkedAtMs)) ?? false,
    last_corruption_check_epoch: `${Math.floor(checkedAtMs / 1000)}`,
  };
}
