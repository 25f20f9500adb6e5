import type { SecretsRecorder } from "../../declare.ts";
import type { ClusterName } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { clusterOf } from "../../world.ts";
import { isChangingRole } from "../outage.ts";
import { isPerformanceSecondary, reachedPrimary } from "../roles.ts";

/** The cluster on which something shared is written: that of a performance secondary is its primary. */
export function homeOfShared(
  { state, nowMs }: Pick<SecretsRecorder, "state" | "nowMs">,
  cluster: ClusterName,
  path: string,
): ClusterName {
  if (!isPerformanceSecondary(clusterOf(state, cluster))) return cluster;
  const primary = reachedPrimary(state, cluster) ?? refuse("forwarding_failed", { path });
  return isChangingRole(clusterOf(state, primary), nowMs) ? refuse("changing_role", {}) : primary;
}
