import { Table } from "../../../../kernel/table.ts";
import type { ClusterName } from "../../place.ts";
import { isConnected, type Link, type Peer, type WalEntry } from "../connections.ts";
import { answering, linkAfter, linkState } from "../links.ts";
import { roleOf } from "../roles.ts";
import type { ReplicationKind, SecondaryRole } from "../state.ts";
import { trim } from "./log.ts";
import type { Pass } from "./pass.ts";
import { beginSync, catchUp, withoutArrival } from "./ship.ts";

/**
 * Brings the links of one kind in line with roles, network and seals: what cannot go on breaks, whoever reaches its primary connects.
 * It looks at every cluster, and only commits that may change a link make it run.
 */
export function rewire(pass: Pass, kind: ReplicationKind): void {
  const reached = new Map<ClusterName, ClusterName>();
  for (const name of pass.names) {
    const role = roleOf(pass.get(name), kind);
    const link = pass.link(name, kind);
    const answer = role.mode === "secondary" ? answering(pass.world, name, kind, role) : undefined;
    const primary = typeof answer === "object" ? answer.primary : undefined;
    if (primary !== undefined) reached.set(name, primary);
    if (link === undefined) continue;
    if (isConnected(link) && link.upstream !== primary) breakLink(pass, name, kind, link);
    // An operator has taken it from its primary: what was under way does not arrive.
    else if (!isConnected(link) && (link.sync ?? link.deadline) !== undefined) dropUnderWay(pass, name, kind, link);
    if (answer === "refused") {
      const broken = pass.link(name, kind) as Link;
      pass.putLink(name, kind, { ...broken, status: linkAfter(broken.status, "refuse") });
    }
  }
  for (const name of pass.names) reviewPeers(pass, name, kind);
  for (const [name, primary] of reached) {
    if (isConnected(pass.link(name, kind))) catchUp(pass, name, kind);
    else connect(pass, name, kind, primary);
  }
  for (const name of pass.names) trim(pass, name);
}

function breakLink(pass: Pass, name: ClusterName, kind: ReplicationKind, link: Link): void {
  dropUnderWay(pass, name, kind, {
    ...link,
    status: linkAfter(linkState(link, pass.meta.atMs), "breakOff"),
    downAtMs: pass.meta.atMs,
    downAt: pass.meta.position,
  });
}

/** A sync that was under way begins anew: what it had fetched by then is no version of anything. */
function dropUnderWay(pass: Pass, name: ClusterName, kind: ReplicationKind, link: Link): void {
  const { sync: _, ...rest } = link;
  pass.putLink(name, kind, rest);
  withoutArrival(pass, name, kind);
}

/** A primary forgets peers that it does not know any more, and notes of others how far they had come when they went away. */
function reviewPeers(pass: Pass, name: ClusterName, kind: ReplicationKind): void {
  const cluster = pass.get(name);
  const { peers } = cluster.ignored;
  if (peers.length === 0) return;
  const role = roleOf(cluster, kind);
  const reviewed = peers.flatMap((peer) => {
    if (peer.kind !== kind) return [peer];
    if (role.mode === "primary" && role.secondaries.get(peer.id)?.credential !== peer.credential) return [];
    if (peer.down !== undefined) return [peer];
    const link = pass.link(peer.cluster, kind);
    if (isConnected(link) && link.upstream === name) return [peer];
    return [{ ...peer, down: { atMs: pass.meta.atMs, applied: link?.applied ?? 0 } }];
  });
  if (reviewed.length === peers.length && reviewed.every((peer, place) => peer === peers[place])) return;
  pass.putIgnored(name, { peers: reviewed });
}

function connect(pass: Pass, name: ClusterName, kind: ReplicationKind, primary: ClusterName): void {
  const role = roleOf(pass.get(name), kind) as SecondaryRole;
  const { secondaryId: id, credential } = role;
  // Whom it does not know by its log may have come as far by another one.
  const isKnown = pass
    .get(primary)
    .ignored.peers.some((peer) => peer.kind === kind && peer.id === id && peer.credential === credential);
  welcome(pass, primary, { kind, id, credential: credential ?? "", cluster: name, sinceMs: pass.meta.atMs });
  const link = pass.link(name, kind);
  const { wal, walIndex } = pass.get(primary).ignored;
  const { downAtMs: _, downAt: __, sync: ___, ...known } = link ?? { applied: 0, stale: true as const };
  const leadsOn = link?.upstream === primary && link.applied >= (wal?.base ?? 0) && link.applied <= walIndex;
  const isPast = isKnown && leadsOn && !link.stale;
  const status = linkAfter(link?.status ?? "idle", "connect", { isPast, differs: false });
  pass.putLink(name, kind, { ...known, status, upstream: primary, sinceMs: pass.meta.atMs });
  if (status === "stream-wals") catchUp(pass, name, kind);
  else if (status === "merkle-diff") beginSync(pass, name, kind);
}

/** Notes who has connected; a primary keeps its log from then on. */
function welcome(pass: Pass, primary: ClusterName, peer: Peer): void {
  const { peers, wal, walIndex } = pass.get(primary).ignored;
  const others = peers.filter(
    ({ kind, id, cluster }) => kind !== peer.kind || id !== peer.id || cluster !== peer.cluster,
  );
  pass.putIgnored(primary, {
    peers: [...others, peer],
    wal: wal ?? { base: walIndex, entries: Table.of<WalEntry>() },
  });
}
