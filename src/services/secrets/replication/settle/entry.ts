import { deepFreeze } from "../../../../kernel/plain.ts";
import type { Cluster } from "../../state.ts";
import { isPerformanceSecondary } from "../roles.ts";
import type { UpstreamMark, WalEntry } from "../state.ts";

/** The storage of a cluster as it is, by reference. */
export function entryOf(cluster: Cluster, atMs: WalEntry["atMs"]): WalEntry {
  const { replicated, local } = cluster;
  const upstreamLink = upstreamMark(cluster);
  return deepFreeze({ atMs, replicated, local, ...(upstreamLink === undefined ? {} : { upstreamLink }) });
}

function upstreamMark(cluster: Cluster): UpstreamMark | undefined {
  const link = cluster.ignored.links.performance;
  if (link === undefined || !isPerformanceSecondary(cluster)) return undefined;
  const { upstream, applied, filtered } = link;
  return filtered === undefined ? { upstream, applied } : { upstream, applied, filtered };
}
