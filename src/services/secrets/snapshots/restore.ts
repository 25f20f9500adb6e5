import { objectAt, storedAt, storesOf } from "../../../surroundings/stores/state.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { ClusterName } from "../place.ts";
import { refuse } from "../rejections.ts";
import { isPerformanceSecondary } from "../replication/roles.ts";
import { clusterOf } from "../world.ts";

/**
 * Puts the storage that a snapshot holds in the place of a cluster's: all that is replicated or local. What is overdue by now in it
 * happens right after.
 *
 * Source: decisions-replication.md, 6.9.
 */
export function restoreSnapshot(decision: SecretsRecorder, cluster: ClusterName, url: string): void {
  // One of disaster recovery takes no control calls at all.
  if (isPerformanceSecondary(clusterOf(decision.state, cluster))) refuse("secondary_not_restored", {});
  const place = objectAt(url, cluster);
  if (place === undefined || storedAt(storesOf(decision.state), place) === undefined) {
    refuse("snapshot_not_found", { url });
  } else {
    decision.record({ type: "SnapshotRestored", data: { cluster, place } });
  }
}
