import { Table } from "../../../../kernel/table.ts";
import { ignoredWith } from "../../copies.ts";
import type { ClusterName } from "../../place.ts";
import { type Peer, type Wal, type WalEntry, walKey } from "../connections.ts";
import type { Pass } from "./pass.ts";
import { isPrompt } from "./prompt.ts";

/**
 * Writes the present storage of a cluster to its log. The entry is only kept where somebody who has connected will not have it before
 * this commit is over.
 */
export function writeEntry(pass: Pass, name: ClusterName): void {
  pass.written.add(name);
  const cluster = pass.get(name);
  const { ignored } = cluster;
  const walIndex = ignored.walIndex + 1;
  if (ignored.peers.length === 0) {
    pass.put(name, { ...cluster, ignored: ignoredWith(ignored, { walIndex }) });
    return;
  }
  const base = ignored.wal?.base ?? ignored.walIndex;
  const entries = ignored.wal?.entries ?? Table.of<WalEntry>();
  const everybodyHasIt = !pass.rewired && ignored.peers.every(({ cluster: peer, kind }) => isPrompt(pass, peer, kind));
  const wal: Wal = everybodyHasIt
    ? { base: walIndex, entries: Table.of<WalEntry>() }
    : { base, entries: entries.set(walKey(walIndex), pass.entryOf(name)) };
  pass.put(name, { ...cluster, ignored: ignoredWith(ignored, { walIndex, wal: Object.freeze(wal) }) });
}

/**
 * Forgets the entries that everybody has who has connected, and the oldest ones beyond the buffer in any case.
 *
 * @returns whether some secondary lacks what was forgotten
 */
export function trim(pass: Pass, name: ClusterName): boolean {
  const { ignored } = pass.get(name);
  const { wal, peers, walIndex, replication } = ignored;
  if (wal === undefined || (wal.base === walIndex && peers.length > 0)) return false;
  let had = walIndex;
  for (const peer of peers) had = Math.min(had, appliedBy(pass, name, peer));
  const through = Math.max(wal.base, had, walIndex - replication.walBuffer);
  if (peers.length === 0) {
    pass.dropLog(name);
    return false;
  }
  if (through === wal.base) return false;
  let { entries } = wal;
  if (through === walIndex) entries = Table.of<WalEntry>();
  for (let first = entries.first(); first !== undefined; first = entries.first()) {
    if (first[0] > walKey(through)) break;
    entries = entries.delete(first[0]);
  }
  pass.putIgnored(name, { wal: { base: through, entries } });
  return through > had;
}

function appliedBy(pass: Pass, name: ClusterName, { down, cluster, kind }: Peer): number {
  if (down !== undefined) return down.applied;
  const link = pass.link(cluster, kind);
  // What was never compared, or is compared now, gets all there is when that ends.
  if (link?.upstream !== name || link.stale || link.sync !== undefined) return Number.POSITIVE_INFINITY;
  return link.applied;
}

/** What comes next does not follow from what was: nobody who has an earlier entry can be streamed to. */
export function breakLog(pass: Pass, name: ClusterName): void {
  const { wal, walIndex } = pass.get(name).ignored;
  if (wal !== undefined) pass.putIgnored(name, { wal: { base: walIndex, entries: Table.of<WalEntry>() } });
}
