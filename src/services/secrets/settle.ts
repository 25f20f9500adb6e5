import type { FoldMeta } from "../../kernel/evolvers.ts";
import type { ClusterName } from "./place.ts";
import type { ConnectedWorld } from "./replication/addresses.ts";
import { breakLog, trim, writeEntry } from "./replication/settle/log.ts";
import { Pass } from "./replication/settle/pass.ts";
import { rewire } from "./replication/settle/rewire.ts";
import { beginSync, catchUp, endSync } from "./replication/settle/ship.ts";
import type { Link, ReplicationKind } from "./replication/state.ts";
import type { Cluster } from "./state.ts";

/**
 * What follows from a commit by itself: a cluster whose storage changed has written one more entry to its log, however many facts there
 * were, and whoever is connected to it gets that entry, at once or after the lag (decisions-replication.md, 1).
 */
export function settleClusters<W extends ConnectedWorld>(before: W, after: W, meta: FoldMeta): W {
  if (before.secrets === after.secrets && before.network === after.network) return after;
  const pass = new Pass(before, after, meta);
  pass.rewired = before.network !== after.network && after.network !== undefined;
  const changed: ClusterName[] = [];
  const restored: ClusterName[] = [];
  for (const name in after.secrets) {
    const was = before.secrets[name];
    const is = after.secrets[name] as Cluster;
    if (was === is) continue;
    if (was === undefined || mayRewire(was, is)) pass.rewired = true;
    // What a disaster-recovery secondary holds is its primary's.
    if (was === undefined || is.ignored.dr.mode === "secondary") continue;
    if (was.replicated !== is.replicated || was.local !== is.local) changed.push(name as ClusterName);
    if (was.ignored.restores !== is.ignored.restores) restored.push(name as ClusterName);
  }
  for (const name of changed) writeEntry(pass, name);
  for (const name of restored) breakLog(pass, name);
  const due = dueIn(before, after);
  // What performance secondaries get is an entry of their own logs, which their disaster-recovery secondaries get in turn.
  for (const kind of KINDS) {
    for (const name of restored) compareAgain(pass, name, kind);
    if (pass.rewired) rewire(pass, kind);
    for (const name of due) arrive(pass, name, kind);
    ship(pass, kind);
  }
  for (const name of pass.written) trim(pass, name);
  return pass.settled<W>();
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

/** Clusters with a deadline that has just been used up, as far as it may be one of a link. */
function dueIn(before: ConnectedWorld, after: ConnectedWorld): readonly ClusterName[] {
  let due: ClusterName[] | undefined;
  for (const name in after.secrets) {
    const was = before.secrets[name]?.ignored.calendar;
    if (was === undefined || was === after.secrets[name]?.ignored.calendar) continue;
    due ??= [];
    due.push(name as ClusterName);
  }
  return due ?? NOBODY;
}

const NOBODY: readonly ClusterName[] = Object.freeze([]);

/** A sync has ended, or an entry has arrived. */
function arrive(pass: Pass, name: ClusterName, kind: ReplicationKind): void {
  const link: Link | undefined = pass.link(name, kind);
  if (link?.deadline === undefined || pass.get(name).ignored.calendar.has(link.deadline)) return;
  if (link.sync === undefined) catchUp(pass, name, kind);
  else endSync(pass, name, kind);
  trim(pass, link.upstream);
}

/** The storage of a primary is another one: whoever is connected compares its tree with it (decisions-replication.md, 6.9). */
function compareAgain(pass: Pass, name: ClusterName, kind: ReplicationKind): void {
  for (const { kind: ofKind, cluster, down } of pass.get(name).ignored.peers) {
    if (ofKind === kind && down === undefined) beginSync(pass, cluster, kind);
  }
}

function ship(pass: Pass, kind: ReplicationKind): void {
  for (const name of pass.written) {
    for (const { kind: ofKind, cluster, down } of pass.get(name).ignored.peers) {
      if (ofKind === kind && down === undefined) catchUp(pass, cluster, kind);
    }
  }
}
