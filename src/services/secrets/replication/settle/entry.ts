import type { FoldMeta } from "../../../../kernel/evolvers.ts";
import { deepFreeze } from "../../../../kernel/plain.ts";
import type { Storage } from "../../storage.ts";
import type { Connected, UpstreamMark, WalEntry } from "../connections.ts";

/** The storage of a cluster as it is, by reference. */
export function entryOf(cluster: Storage & Connected, { atMs, position }: FoldMeta): WalEntry {
  const { replicated, local, ignored } = cluster;
  const { lineage } = ignored;
  const upstreamLink = upstreamMark(cluster);
  return deepFreeze({
    atMs,
    position,
    lineage,
    replicated,
    local,
    ...(upstreamLink === undefined ? {} : { upstreamLink }),
  });
}

/** How a cluster stands to a performance primary by what it stores, whether it answers as its secondary now or not. */
export function upstreamMark({ ignored, local }: Connected): UpstreamMark | undefined {
  const link = ignored.links.performance;
  if (link === undefined || local.performance.mode !== "secondary") return undefined;
  const { upstream, applied, filtered, stale, bootstrapping } = link;
  return {
    upstream,
    applied,
    ...(filtered === undefined ? {} : { filtered }),
    ...(stale === undefined ? {} : { stale }),
    ...(bootstrapping === undefined ? {} : { bootstrapping }),
  };
}
