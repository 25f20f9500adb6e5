import type { ClusterName } from "../place.ts";
import { clusterOf, type SecretsWorld } from "../world.ts";
import { isConnected, type Link } from "./connections.ts";
import { DISABLED, type Replicating, type ReplicationKind, type ReplicationRole } from "./state.ts";

/**
 * What a cluster is in a kind of replication. The performance role of a disaster-recovery secondary is its primary's, kept for when it
 * is promoted: until then it has none (decisions-replication.md, 5).
 */
export function roleOf({ ignored, local }: Replicating, kind: ReplicationKind): ReplicationRole {
  if (kind === "dr") return ignored.dr;
  return ignored.dr.mode === "secondary" ? DISABLED : local.performance;
}

/** What a cluster's requests are answered by: the gate of 3, or the forwarding of 3. */
export function isDrSecondary({ ignored }: Replicating): boolean {
  return ignored.dr.mode === "secondary";
}

export function isPerformanceSecondary({ ignored, local }: Replicating): boolean {
  return local.performance.mode === "secondary" && ignored.dr.mode !== "secondary";
}

/** The cluster that carries out what a performance secondary forwards; undefined when none is reached. */
export function reachedPrimary(world: SecretsWorld, cluster: ClusterName): ClusterName | undefined {
  const link: Link | undefined = clusterOf(world, cluster).ignored.links.performance;
  return isConnected(link) ? link.upstream : undefined;
}
