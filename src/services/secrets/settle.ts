import type { FoldMeta } from "../../kernel/evolvers.ts";
import { copyOfIgnored } from "./copies.ts";
import { withPart } from "./folding.ts";
import type { ClusterName } from "./place.ts";
import type { ConnectedWorld } from "./replication/addresses.ts";
import { type Link, NO_LINKS } from "./replication/connections.ts";
import { reviewed } from "./replication/lineage/state.ts";
import { answering } from "./replication/links.ts";
import { roleOf } from "./replication/roles.ts";
import { breakLog, trim, writeEntry } from "./replication/settle/log.ts";
import { Pass } from "./replication/settle/pass.ts";
import { rewire } from "./replication/settle/rewire.ts";
import { beginSync, catchUp, endSync } from "./replication/settle/ship.ts";
import type { ReplicationKind } from "./replication/state.ts";
import type { Cluster } from "./state.ts";

/**
 * What follows from a commit by itself: a cluster whose storage changed has written one more entry to its log, however many facts there
 * were, and whoever is connected to it gets that entry, at once or after the lag (decisions-replication.md, 1).
 */
export function settleClusters<W extends ConnectedWorld>(before: W, after: W, meta: FoldMeta): W {
  if (before.secrets === after.secrets && before.network === after.network) return after;
  const rewired = before.network !== after.network;
  let changes: Changes | undefined = rewired ? { rewired, changed: [], restored: [], due: [] } : undefined;
  let alone: ClusterName | undefined;
  for (const name in after.secrets) {
    const was = before.secrets[name];
    const is = after.secrets[name] as Cluster;
    if (was === is) continue;
    if (changes === undefined && alone === undefined && was !== undefined && standsAlone(was, is)) {
      alone = name as ClusterName;
      continue;
    }
    changes ??= { rewired, changed: [], restored: [], due: [] };
    note(changes, name as ClusterName, was, is);
  }
  if (changes === undefined) return alone === undefined ? after : withEntryAlone(before, after, alone);
  if (alone !== undefined) note(changes, alone, before.secrets[alone], after.secrets[alone] as Cluster);
  return settled(before, after, changes, meta);
}

/** What a commit changed, as far as something may follow from it between clusters. */
interface Changes {
  /** Links may come or go. */
  rewired: boolean;
  /** The storage of these is another one. */
  readonly changed: ClusterName[];
  /** The storage of these was replaced. */
  readonly restored: ClusterName[];
  /** A deadline of these was used up or armed. */
  readonly due: ClusterName[];
}

/** A cluster that nobody is connected to, and of which nothing changed that somebody might connect by: most are such, most of the time. */
function standsAlone(was: Cluster, is: Cluster): boolean {
  const { ignored } = is;
  return (
    ignored.peers.length === 0 &&
    ignored.links === NO_LINKS &&
    ignored.restores === was.ignored.restores &&
    (was.ignored === ignored || !mayRewire(was, is)) &&
    was.local.performance === is.local.performance
  );
}

/** The whole of what follows for such a cluster: its log is longer. */
function withEntryAlone<W extends ConnectedWorld>(before: W, after: W, name: ClusterName): W {
  const was = before.secrets[name] as Cluster;
  const is = after.secrets[name] as Cluster;
  if (was.replicated === is.replicated && was.local === is.local) return after;
  const ignored = copyOfIgnored(is.ignored);
  ignored.walIndex += 1;
  // All that is copied is frozen.
  return withPart(after, { cluster: name }, "ignored", () => Object.freeze(ignored));
}

function note(changes: Changes, name: ClusterName, was: Cluster | undefined, is: Cluster): void {
  if (was === undefined || mayRewire(was, is)) changes.rewired = true;
  if (was === undefined) return;
  if (was.ignored.calendar !== is.ignored.calendar) changes.due.push(name);
  // What a disaster-recovery secondary holds is its primary's.
  if (is.ignored.dr.mode === "secondary") return;
  if (was.replicated !== is.replicated || was.local !== is.local) changes.changed.push(name);
  if (was.ignored.restores !== is.ignored.restores) changes.restored.push(name);
}

function settled<W extends ConnectedWorld>(before: W, after: W, changes: Changes, meta: FoldMeta): W {
  const { rewired, changed, restored, due } = changes;
  const pass = new Pass(before, after, meta, rewired);
  for (const name of rewired ? pass.names : restored) review(pass, name);
  for (const name of changed) writeEntry(pass, name);
  for (const name of restored) breakLog(pass, name);
  // What performance secondaries get is an entry of their own logs, which their disaster-recovery secondaries get in turn.
  for (const kind of KINDS) {
    for (const name of restored) compareAgain(pass, name, kind);
    if (rewired) rewire(pass, kind);
    for (const name of due) arrive(pass, name, kind);
    ship(pass, kind);
  }
  let isBehind = false;
  for (const name of pass.written) isBehind = trim(pass, name) || isBehind;
  // Whoever lacks what was forgotten compares the trees at once.
  if (isBehind) for (const kind of KINDS) ship(pass, kind);
  return pass.settled<W>();
}

/** What a cluster acknowledges follows from what it is. */
function review(pass: Pass, name: ClusterName): void {
  const changed = reviewed(pass.get(name), name, pass.meta.position);
  if (changed !== undefined) pass.putIgnored(name, changed);
}

const KINDS: readonly ReplicationKind[] = ["performance", "dr"];

/** Whether a link may come or go with what has changed of a cluster. */
function mayRewire(was: Cluster, is: Cluster): boolean {
  const [before, after] = [was.ignored, is.ignored];
  return (
    before.running !== after.running ||
    before.seal.status !== after.seal.status ||
    before.nodes !== after.nodes ||
    before.dr !== after.dr ||
    was.local.performance !== is.local.performance
  );
}

/** A sync has ended, or an entry has arrived. */
function arrive(pass: Pass, name: ClusterName, kind: ReplicationKind): void {
  const link: Link | undefined = pass.link(name, kind);
  if (link?.deadline === undefined || pass.get(name).ignored.calendar.has(link.deadline)) return;
  if (link.sync === undefined) catchUp(pass, name, kind);
  else endSync(pass, name, kind);
  trim(pass, link.upstream);
}

/**
 * The storage of a primary is another one: whoever is connected compares its tree with it (decisions-replication.md, 6.9). Whom the
 * primary does not know any more, as the performance secondaries are known that it had then, gets nothing of it.
 */
function compareAgain(pass: Pass, name: ClusterName, kind: ReplicationKind): void {
  for (const { kind: ofKind, cluster, down } of pass.get(name).ignored.peers) {
    if (ofKind !== kind || down !== undefined) continue;
    const role = roleOf(pass.get(cluster), kind);
    const answer = role.mode === "secondary" ? answering(pass.world, cluster, kind, role) : undefined;
    if (typeof answer === "object" && answer.primary === name) beginSync(pass, cluster, kind);
  }
}

function ship(pass: Pass, kind: ReplicationKind): void {
  for (const name of pass.written) {
    for (const { kind: ofKind, cluster, down } of pass.get(name).ignored.peers) {
      if (ofKind === kind && down === undefined) catchUp(pass, cluster, kind);
    }
  }
}
