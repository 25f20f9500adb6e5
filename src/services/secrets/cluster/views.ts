import { rfc3339 } from "../../../languages/instant.ts";
import type { SecretsReading } from "../declare.ts";
import type { Connected } from "../replication/connections.ts";
import { roleOf as roleIn } from "../replication/roles.ts";
import type { ReplicationKind } from "../replication/state.ts";
import { clusterOf } from "../world.ts";
import { nodeClusterAddress, nodeUrl } from "./nodes.ts";
import type { ClusterSlice } from "./state.ts";

// Source of all rules in this file: decisions-secrets-core.md, A.11 and D.4.

/** Our choice: the day on which the version that is simulated by default came out. */
export const BUILD_DATE = "2023-09-22T21:29:05Z";
const ZERO_TIME = "0001-01-01T00:00:00Z";

/** What a node is to its cluster. */
export type NodeRole = "active" | "standby" | "performance_standby";

/** The role of the node that was asked: by default the active one, if there is one. */
export function roleOf({ caller }: SecretsReading, { nodes, license, election }: ClusterSlice): NodeRole {
  const isActive = caller.node === undefined || caller.node === nodes.active;
  if (isActive && election === undefined) return "active";
  return license === "enterprise" ? "performance_standby" : "standby";
}

/** The body of a health answer. */
export function healthBody(reading: SecretsReading): object {
  const cluster = clusterOf(reading.state, reading.caller.cluster);
  const { ignored } = cluster;
  const sealed = ignored.seal.status === "sealed";
  const role = roleOf(reading, ignored);
  return {
    initialized: true,
    sealed,
    standby: sealed || role !== "active",
    performance_standby: role === "performance_standby",
    // Nobody knows it of a sealed one (amendments.md, S10).
    replication_performance_mode: sealed ? "unknown" : healthMode(cluster, "performance"),
    replication_dr_mode: sealed ? "unknown" : healthMode(cluster, "dr"),
    server_time_utc: Math.floor(reading.nowMs / 1000),
    version: ignored.version,
    ...(sealed ? {} : { cluster_name: reading.caller.cluster, cluster_id: ignored.id }),
  };
}

/** What a cluster is, as health spells it: a secondary bootstraps until its first sync has ended. */
function healthMode(cluster: Connected, kind: ReplicationKind): string {
  const { mode } = roleIn(cluster, kind);
  return mode === "secondary" && cluster.ignored.links[kind]?.bootstrapping ? "bootstrapping" : mode;
}

/** The body of a seal status, which an unseal answers, too. */
export function sealStatusBody({ state, caller }: SecretsReading): object {
  const { ignored } = clusterOf(state, caller.cluster);
  const { seal, version, id } = ignored;
  const sealed = seal.status === "sealed";
  return {
    type: "shamir",
    initialized: true,
    sealed,
    t: seal.threshold,
    n: seal.shares.length,
    progress: seal.given.length,
    nonce: seal.nonce,
    version,
    build_date: BUILD_DATE,
    migration: false,
    recovery_seal: false,
    storage_type: "raft",
    ...(sealed ? {} : { cluster_name: caller.cluster, cluster_id: id }),
  };
}

/** The body of a leader answer: who is active, and how far its log reaches. */
export function leaderBody(reading: SecretsReading): object {
  const { ignored } = clusterOf(reading.state, reading.caller.cluster);
  const { nodes, walIndex, election } = ignored;
  const role = roleOf(reading, ignored);
  return {
    ha_enabled: true,
    is_self: role === "active",
    active_time: role === "active" ? rfc3339(nodes.activeSinceMs) : ZERO_TIME,
    leader_address: election === undefined ? nodeUrl(ignored, nodes.active) : "",
    leader_cluster_address: election === undefined ? nodeClusterAddress(ignored, nodes.active) : "",
    performance_standby: role === "performance_standby",
    performance_standby_last_remote_wal: role === "performance_standby" ? walIndex : 0,
    last_wal: role === "active" ? walIndex : 0,
    raft_committed_index: walIndex,
    raft_applied_index: walIndex,
  };
}
