import { sealMachine } from "../../../../machines/seal.machine.ts";
import { arrivedAt } from "../../../kernel/machine.ts";
import {
  nextNumber,
  type ObjectPlace,
  objectAt,
  storedAt,
  storesOf,
  urlOf,
} from "../../../surroundings/stores/state.ts";
import { SEAL_UNASKED } from "../cluster/decide.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { ClusterName } from "../place.ts";
import { refuse } from "../rejections.ts";
import { isPerformanceSecondary } from "../replication/roles.ts";
import { clusterOf } from "../world.ts";
import { downloadAt, downloadsOf } from "./destination.ts";
import { StorageImage } from "./image.ts";

/**
 * Puts the storage that a snapshot holds in the place of a cluster's: all that is replicated or local. What is overdue by now in it
 * happens right after.
 *
 * Source: decisions-replication.md, 6.9.
 */
export function restoreSnapshot(decision: SecretsRecorder, cluster: ClusterName, url: string): void {
  refuseSecondary(decision, cluster);
  const place = objectAt(url, cluster);
  if (place === undefined || imageAt(decision, place) === undefined) refuse("snapshot_not_found", { url });
  else decision.record({ type: "SnapshotRestored", data: { cluster, place } });
}

/** A client takes a snapshot. Gives its URL (README.md). */
export function downloadSnapshot(decision: SecretsRecorder, cluster: ClusterName): string {
  const stores = storesOf(decision.state);
  const at = downloadsOf(cluster);
  const place = { ...at, number: nextNumber(stores, at, decision.nowMs) };
  decision.record({ type: "SnapshotDownloaded", data: { cluster, place, bytes: stores.snapshotBytes } });
  return urlOf(place);
}

/** A client brings a snapshot back. One of other keys is refused, or seals the cluster under them (README.md). */
export function uploadSnapshot(decision: SecretsRecorder, cluster: ClusterName, url: string, force: boolean): void {
  refuseSecondary(decision, cluster);
  if (url === "") refuse("snapshot_unreadable", {});
  const place = downloadAt(url);
  const image = place === undefined ? undefined : imageAt(decision, place);
  const { seal } = clusterOf(decision.state, cluster).ignored;
  const isOfSameKeys = image?.keys.key === seal.key;
  if (!isOfSameKeys && !force) refuse("snapshot_of_other_keys", { url });
  if (place === undefined || image === undefined) {
    refuse("snapshot_not_found", { url });
  } else if (isOfSameKeys) {
    decision.record({ type: "SnapshotRestored", data: { cluster, place } });
  } else {
    const status = arrivedAt(decision.step(sealMachine, seal.status, SEAL_UNASKED, { type: "seal" }), "sealed");
    decision.record({ type: "SnapshotRestored", data: { cluster, place, status } });
  }
}

/** One of disaster recovery takes no calls at all. */
function refuseSecondary({ state }: SecretsRecorder, cluster: ClusterName): void {
  if (isPerformanceSecondary(clusterOf(state, cluster))) refuse("secondary_not_restored", {});
}

function imageAt({ state }: SecretsRecorder, place: ObjectPlace): StorageImage | undefined {
  const content = storedAt(storesOf(state), place)?.content;
  return content instanceof StorageImage ? content : undefined;
}
