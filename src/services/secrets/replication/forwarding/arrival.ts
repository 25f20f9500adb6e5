import { lagMsBetween } from "../../../../surroundings/network/state.ts";
import type { SecretsReading } from "../../declare.ts";
import type { ClusterName } from "../../place.ts";
import { clusterOf } from "../../world.ts";
import type { ConnectedWorld } from "../addresses.ts";

/** The real service waits so long for an entry before it answers (decisions-replication.md, 3). */
const LATE_AFTER_MS = 2_000;

/** Whether what a performance primary writes now will not have reached a secondary within two seconds. */
export function arrivesLate({ state, nowMs }: SecretsReading, cluster: ClusterName): boolean {
  const link = clusterOf(state, cluster).ignored.links.performance;
  if (link === undefined) return true;
  if (link.sync !== undefined) return link.sync.untilMs - nowMs > LATE_AFTER_MS;
  const world: ConnectedWorld = state;
  return (lagMsBetween(world, { cluster: link.upstream }, { cluster }) ?? 0) > LATE_AFTER_MS;
}
