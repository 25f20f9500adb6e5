import { lagMsBetween } from "../../../../surroundings/network/state.ts";
import type { ClusterName } from "../../place.ts";
import { isConnected } from "../connections.ts";
import type { ReplicationKind } from "../state.ts";
import type { Pass } from "./pass.ts";

/** How long what one cluster sends takes to the other: none unless it was set (decisions-replication.md, 1). */
export function lagMs(pass: Pass, from: ClusterName, to: ClusterName): number {
  const { world } = pass;
  return world.network === undefined ? 0 : (lagMsBetween(world, { cluster: from }, { cluster: to }) ?? 0);
}

/** Whether a link gets every entry in the very commit that writes it. */
export function isPrompt(pass: Pass, cluster: ClusterName, kind: ReplicationKind): boolean {
  const link = pass.link(cluster, kind);
  if (!isConnected(link)) return false;
  return link.sync !== undefined || lagMs(pass, link.upstream, cluster) === 0;
}
