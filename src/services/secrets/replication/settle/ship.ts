import { epochMs } from "../../../../kernel/brand.ts";
import { arm, disarm } from "../../../../kernel/calendar.ts";
import type { Flat } from "../../../../kernel/draft.ts";
import { deepFreeze } from "../../../../kernel/plain.ts";
import { ignoredWith } from "../../copies.ts";
import type { ClusterName } from "../../place.ts";
import type { Cluster, Ignored } from "../../state.ts";
import type { Replicated } from "../../storage.ts";
import { type Link, type UpstreamMark, type WalEntry, walKey } from "../connections.ts";
import { filtered, filteredAgain } from "../filters/filtered-view.ts";
import type { Filter } from "../filters/state.ts";
import { filteredBy, heldThrough, lineageThrough } from "../lineage/state.ts";
import { linkAfter, linkState } from "../links.ts";
import { merkleRootOf } from "../merkle/root.ts";
import type { ReplicationKind } from "../state.ts";
import { writeEntry } from "./log.ts";
import type { Pass } from "./pass.ts";
import { lagMs } from "./prompt.ts";

/** The end of a sync, or the arrival of an entry. */
export const REPLICATION_DUE = "timer.replicationDue";
/** Something that is shared is gone: what hung on it here goes, too. */
export const SHARED_GONE = "timer.sharedGone";

/** Applies what has arrived at a secondary, in order, and arms the arrival of what comes next. */
export function catchUp(pass: Pass, cluster: ClusterName, kind: ReplicationKind): void {
  const link = pass.link(cluster, kind);
  if (link?.status !== "stream-wals") return;
  const { walIndex, wal } = pass.get(link.upstream).ignored;
  const lag = lagMs(pass, link.upstream, cluster);
  let { applied } = link;
  if (applied >= walIndex && link.deadline === undefined) return;
  // Of several entries at once a disaster-recovery secondary holds the last: that one is all of the storage.
  if (lag === 0 && applied < walIndex && (kind === "dr" || walIndex === applied + 1)) {
    apply(pass, cluster, kind, pass.entryOf(link.upstream), walIndex);
    if (link.deadline !== undefined) armAt(pass, cluster, kind, undefined);
    return;
  }
  for (; applied < walIndex; applied++) {
    const entry = wal?.entries.get(walKey(applied + 1));
    // It has fallen out of the buffer while it was on its way (amendments.md, R2).
    if (entry === undefined) {
      beginSync(pass, cluster, kind);
      return;
    }
    // What was written during a cut is on its way from when the line is there again (amendments.md, R1).
    if (Math.max(entry.atMs, link.sinceMs) + lag > pass.meta.atMs) break;
    apply(pass, cluster, kind, entry, applied + 1);
  }
  const next = applied < walIndex ? wal?.entries.get(walKey(applied + 1)) : undefined;
  armAt(pass, cluster, kind, next === undefined ? undefined : Math.max(next.atMs, link.sinceMs) + lag);
}

/** Compares the trees of a secondary and its primary, and fetches what differs: at once, or for as long as that takes. */
export function beginSync(pass: Pass, cluster: ClusterName, kind: ReplicationKind): void {
  const link = pass.link(cluster, kind);
  if (link === undefined) return;
  const { diffMs, syncMs } = pass.get(cluster).ignored.replication;
  const { atMs: startedAtMs } = pass.meta;
  const diffUntilMs = epochMs(startedAtMs + diffMs);
  const untilMs = epochMs(diffUntilMs + (syncMs > 0 && differs(pass, cluster, kind, link) ? syncMs : 0));
  const status = linkAfter(link.status, "fallBehind");
  pass.putLink(cluster, kind, { ...link, status, stale: true, sync: { startedAtMs, diffUntilMs, untilMs } });
  if (untilMs <= startedAtMs) endSync(pass, cluster, kind);
  else armAt(pass, cluster, kind, untilMs);
}

/** The secondary has what its primary has now, whatever it had before. */
export function endSync(pass: Pass, cluster: ClusterName, kind: ReplicationKind): void {
  const link = pass.link(cluster, kind);
  if (link === undefined) return;
  const { sync: _, stale: __, bootstrapping: ___, filtered: ____, ...synced } = link;
  const status = linkAfter(linkState(link, pass.meta.atMs), "synced");
  pass.putLink(cluster, kind, { ...synced, status });
  apply(pass, cluster, kind, pass.entryOf(link.upstream), pass.get(link.upstream).ignored.walIndex);
  armAt(pass, cluster, kind, undefined);
}

function differs(pass: Pass, cluster: ClusterName, kind: ReplicationKind, { upstream }: Link): boolean {
  const [own, theirs] = [pass.get(cluster), pass.get(upstream)];
  if (own.replicated === theirs.replicated && (kind === "performance" || own.local === theirs.local)) return false;
  const { atMs } = pass.meta;
  return merkleRootOf(own, kind, atMs) !== merkleRootOf(theirs, kind, atMs);
}

function apply(pass: Pass, cluster: ClusterName, kind: ReplicationKind, entry: WalEntry, index: number): void {
  if (kind === "dr") applyAll(pass, cluster, entry, index);
  else applyShared(pass, cluster, entry, index);
}

/** A disaster-recovery secondary holds the very parts of its primary, and has its index. */
function applyAll(pass: Pass, cluster: ClusterName, entry: WalEntry, index: number): void {
  const { ignored } = pass.get(cluster);
  const { dr: link } = ignored.links;
  if (link === undefined) return;
  const { replicated, local, upstreamLink } = entry;
  const lineage = lineageThrough(entry.lineage, entry.position);
  const dr = withUpstream({ ...link, applied: index }, upstreamLink);
  // All that is copied is frozen: looking at each member again would be most of what an entry costs.
  const links = Object.freeze({ ...ignored.links, dr: Object.freeze(dr) });
  pass.putFrozen(cluster, {
    replicated,
    local,
    ignored: Object.freeze(ignoredWith(ignored, { walIndex: index, links, lineage: deepFreeze(lineage) })),
  });
  // It led others before it was demoted, and what it holds now does not follow from what they got of it.
  if (ignored.peers.length > 0) {
    pass.putIgnored(cluster, { peers: [] });
    pass.dropLog(cluster);
  }
}

function withUpstream(link: Link, upstreamLink: UpstreamMark | undefined): Link {
  if (link.upstreamLink === upstreamLink) return link;
  const { upstreamLink: _, ...rest } = link;
  return upstreamLink === undefined ? rest : { ...rest, upstreamLink: Object.freeze(upstreamLink) };
}

/** A performance secondary holds what is shared, but for what its filter removes; an entry with nothing for it is skipped. */
function applyShared(pass: Pass, cluster: ClusterName, entry: WalEntry, index: number): void {
  const before = pass.get(cluster);
  const { performance: link } = before.ignored.links;
  if (link === undefined) return;
  const filter = filterFor(before, entry);
  const replicated = sharedBy(before.replicated, link, entry, filter);
  const performance = Object.freeze(withFilter({ ...link, applied: index }, filter, entry.replicated));
  const { ignored } = before;
  const shared = filteredBy(heldThrough(entry.lineage.replicated, entry.position), filter);
  const linked = ignoredWith(ignored, {
    links: Object.freeze({ ...ignored.links, performance }),
    lineage: deepFreeze({ ...ignored.lineage, replicated: shared }),
  });
  if (replicated === before.replicated) {
    pass.putFrozen(cluster, { ...before, ignored: Object.freeze(linked) });
    return;
  }
  armCleanUp(pass, linked, before.replicated, replicated);
  if (ignored.peers.length === 0) {
    // Nobody gets it in turn, so that it is an entry of its own by its number only.
    linked.walIndex += 1;
    pass.putFrozen(cluster, { replicated, local: before.local, ignored: Object.freeze(linked) });
    return;
  }
  pass.put(cluster, { ...before, replicated, ignored: linked });
  writeEntry(pass, cluster);
}

function withFilter(link: Link, filter: Filter | undefined, source: Replicated): Link {
  if (filter !== undefined) return { ...link, filtered: Object.freeze({ filter, source }) };
  if (link.filtered === undefined) return link;
  const { filtered: _, ...unfiltered } = link;
  return unfiltered;
}

/** The filter that its primary had for it at that version. */
function filterFor({ local }: Cluster, entry: WalEntry): Filter | undefined {
  const [own, theirs] = [local.performance, entry.local.performance];
  if (own.mode !== "secondary" || theirs.mode !== "primary") return undefined;
  return theirs.filters.get(own.secondaryId);
}

function sharedBy(view: Replicated, link: Link, entry: WalEntry, filter: Filter | undefined): Replicated {
  if (filter === undefined) return entry.replicated;
  if (link.filtered?.filter !== filter) return filtered(entry.replicated, filter);
  return filteredAgain(view, link.filtered.source, entry.replicated, filter);
}

/** Arms the end of what hung on mounts and namespaces that are not there any more. */
function armCleanUp(pass: Pass, ignored: Flat<Ignored>, before: Replicated, after: Replicated): void {
  const gone = pass.vanished(before, after);
  if (gone !== undefined) arm(ignored, pass.meta.atMs, { command: SHARED_GONE, input: gone }, pass.meta);
}

/** A link has one deadline at a time. */
function armAt(pass: Pass, cluster: ClusterName, kind: ReplicationKind, dueAtMs: number | undefined): void {
  const { ignored } = pass.get(cluster);
  const link = ignored.links[kind];
  if (link === undefined || (link.deadline === undefined && dueAtMs === undefined)) return;
  const { deadline, ...rest } = link;
  const holder = { calendar: ignored.calendar };
  disarm(holder, deadline);
  const key =
    dueAtMs === undefined
      ? undefined
      : arm(holder, epochMs(dueAtMs), { command: REPLICATION_DUE, input: { kind } }, pass.meta);
  const next: Link = key === undefined ? rest : { ...rest, deadline: key };
  pass.putIgnored(cluster, { calendar: holder.calendar, links: { ...ignored.links, [kind]: next } });
}

/** A link that is broken has nothing on its way any more. */
export function withoutArrival(pass: Pass, cluster: ClusterName, kind: ReplicationKind): void {
  armAt(pass, cluster, kind, undefined);
}
