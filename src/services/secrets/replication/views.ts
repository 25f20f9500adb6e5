import { type EpochMs, epochMs } from "../../../kernel/brand.ts";
import { rfc3339 } from "../../../languages/instant.ts";
import { nodeClusterAddress, nodeUrl } from "../cluster/nodes.ts";
import { numbersOf, stoppedSinceMs } from "../cluster/state.ts";
import type { SecretsReading } from "../declare.ts";
import type { ClusterName } from "../place.ts";
import type { Cluster } from "../state.ts";
import { clusterOf } from "../world.ts";
import { clusterAtAddress } from "./addresses.ts";
import type { Link, Peer } from "./connections.ts";
import { type ConnectionStatus, connectionStatus, knows, lastHeartbeatMs, secondaryState } from "./links.ts";
import { lastCheck } from "./merkle/own-check.ts";
import { merkleRootOf } from "./merkle/root.ts";
import { roleOf } from "./roles.ts";
import type { PrimaryRole, ReplicationKind, SecondaryRole } from "./state.ts";

// Source of all rules in this file: decisions-replication.md, 2.

/** What a status shows of a cluster that stands alone. */
export interface DisabledStatus {
  readonly mode: "disabled";
}

/** What both ends of a link show of each other. */
interface ConnectionShown {
  readonly api_address: string;
  readonly cluster_address: string;
  readonly connection_status: ConnectionStatus;
  readonly last_heartbeat: string;
}

/** A secondary as its primary shows it. */
type SecondaryShown = ConnectionShown & { readonly node_id: string };

export interface PrimaryStatus {
  readonly cluster_id: string;
  readonly known_secondaries: readonly string[];
  readonly last_wal: number;
  readonly merkle_root: string;
  readonly mode: "primary";
  readonly secondaries: readonly SecondaryShown[];
  /** Disaster recovery only: what the primary's own check found last. */
  readonly corrupted_merkle_tree?: boolean;
  readonly last_corruption_check_epoch?: string;
}

export interface SecondaryStatus {
  readonly cluster_id: string;
  readonly known_primary_cluster_addrs: readonly string[];
  readonly last_remote_wal: number;
  readonly merkle_root: string;
  readonly mode: "secondary";
  readonly primaries: readonly ConnectionShown[];
  readonly primary_cluster_addr: string;
  readonly secondary_id: string;
  readonly state: string;
}

export type ReplicationStatus = DisabledStatus | PrimaryStatus | SecondaryStatus;

/** The status of a cluster in one kind of replication. */
export function statusOf(reading: SecretsReading, kind: ReplicationKind): ReplicationStatus {
  const cluster = clusterOf(reading.state, reading.caller.cluster);
  const role = roleOf(cluster, kind);
  switch (role.mode) {
    case "disabled":
      return { mode: "disabled" };
    case "primary":
      return primaryStatus(reading, cluster, kind, role);
    case "secondary":
      return secondaryStatus(reading, cluster, kind, role);
    default:
      return role satisfies never;
  }
}

function primaryStatus(
  reading: SecretsReading,
  cluster: Cluster,
  kind: ReplicationKind,
  role: PrimaryRole,
): PrimaryStatus {
  return {
    cluster_id: role.clusterId,
    known_secondaries: [...role.secondaries.keys()],
    last_wal: cluster.ignored.walIndex,
    merkle_root: merkleRootOf(cluster, kind, reading.nowMs),
    mode: "primary",
    secondaries: secondariesShown(reading, cluster, kind, role),
    ...(kind === "dr" ? lastCheck(reading.nowMs, cluster, role) : {}),
  };
}

/** What of a reading connections are computed from. */
type Instant = Pick<SecretsReading, "state" | "nowMs">;

/** The secondaries that have connected at least once. */
export function secondariesShown(
  reading: Instant,
  cluster: Cluster,
  kind: ReplicationKind,
  role: PrimaryRole,
): readonly SecondaryShown[] {
  return [...role.secondaries.entries()]
    .filter(([, { connected }]) => connected)
    .map(([id]) => ({ ...secondaryShown(reading, cluster, kind, role, id), node_id: id }));
}

const ZERO_TIME = "0001-01-01T00:00:00Z";

/** Of several clusters with one id the one that was heard of last counts (decisions-replication.md, 5). */
function secondaryShown(
  reading: Instant,
  { ignored }: Cluster,
  kind: ReplicationKind,
  role: PrimaryRole,
  id: string,
): ConnectionShown {
  let latest: { readonly cluster: ClusterName; readonly heartbeatMs: EpochMs } | undefined;
  for (const peer of ignored.peers) {
    if (peer.kind !== kind || peer.id !== id) continue;
    const heartbeatMs = lastHeartbeatMs(peer.sinceMs, peerUntilMs(peer, reading.nowMs));
    if (latest === undefined || heartbeatMs >= latest.heartbeatMs) latest = { cluster: peer.cluster, heartbeatMs };
  }
  if (latest !== undefined) return heardOf(reading, latest.cluster, latest.heartbeatMs);
  const cluster = Object.keys(reading.state.secrets).find((name) => {
    const other = roleOf(clusterOf(reading.state, name as ClusterName), kind);
    return (
      other.mode === "secondary" && other.clusterId === role.clusterId && other.secondaryId === id && knows(role, other)
    );
  });
  return {
    ...(cluster === undefined
      ? { api_address: "", cluster_address: "" }
      : addressesOf(clusterOf(reading.state, cluster as ClusterName))),
    connection_status: "unknown",
    last_heartbeat: ZERO_TIME,
  };
}

function peerUntilMs({ down }: Peer, nowMs: EpochMs): EpochMs {
  return down?.atMs ?? nowMs;
}

function heardOf({ state, nowMs }: Instant, cluster: ClusterName, heartbeatMs: EpochMs): ConnectionShown {
  return {
    ...addressesOf(clusterOf(state, cluster)),
    connection_status: connectionStatus(heartbeatMs, nowMs),
    last_heartbeat: rfc3339(heartbeatMs),
  };
}

function addressesOf(
  { ignored }: Cluster,
  node = ignored.nodes.active,
): Pick<ConnectionShown, "api_address" | "cluster_address"> {
  return { api_address: nodeUrl(ignored, node), cluster_address: nodeClusterAddress(ignored, node) };
}

function secondaryStatus(
  reading: SecretsReading,
  cluster: Cluster,
  kind: ReplicationKind,
  role: SecondaryRole,
): SecondaryStatus {
  const link = cluster.ignored.links[kind];
  const primaries = primariesShown(reading, role, link);
  return {
    cluster_id: role.clusterId,
    known_primary_cluster_addrs: primaries.map(({ cluster_address }) => cluster_address),
    last_remote_wal: link?.applied ?? 0,
    merkle_root: merkleRootOf(cluster, kind, reading.nowMs),
    mode: "secondary",
    primaries,
    primary_cluster_addr: role.primaryClusterAddr,
    secondary_id: role.secondaryId,
    state: secondaryState(link, reading.nowMs),
  };
}

/** One entry for each node of the cluster that answered last, or that should; none once it was forgotten. */
export function primariesShown(
  reading: Instant,
  role: SecondaryRole,
  link: Link | undefined,
): readonly ConnectionShown[] {
  if (role.primaryClusterAddr === "") return [];
  const known = link?.upstream ?? clusterAtAddress(reading.state, role.primaryClusterAddr);
  if (known === undefined) return [];
  const primary = clusterOf(reading.state, known);
  const { nodes } = primary.ignored;
  return numbersOf(nodes).map((node) => ({
    ...addressesOf(primary, node),
    ...connectionOf(link, reading.nowMs, stoppedSinceMs(nodes, node)),
  }));
}

function connectionOf(
  link: Link | undefined,
  nowMs: EpochMs,
  stoppedMs: EpochMs = nowMs,
): Pick<ConnectionShown, "connection_status" | "last_heartbeat"> {
  if (link === undefined || link.status === "restored") {
    return { connection_status: "unknown", last_heartbeat: ZERO_TIME };
  }
  const heartbeatMs = lastHeartbeatMs(link.sinceMs, epochMs(Math.min(link.downAtMs ?? nowMs, stoppedMs)));
  const connection_status = link.status === "refused" ? "disconnected" : connectionStatus(heartbeatMs, nowMs);
  return { connection_status, last_heartbeat: rfc3339(heartbeatMs) };
}
