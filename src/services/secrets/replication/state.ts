import type { EpochMs } from "../../../kernel/brand.ts";
import type { DeadlineKey } from "../../../kernel/calendar.ts";
import type { Table } from "../../../kernel/table.ts";
import type { ClusterName } from "../place.ts";
import type { Local, Replicated } from "../state.ts";
import type { Filter } from "./filters/state.ts";

// What clusters know of each other. Roles are facts; links, peers and the log follow from commits by themselves (./settle).
// Source of all rules: decisions-replication.md, 1 and 2.

/** The two kinds of replication. A cluster has a role in each. */
export type ReplicationKind = "dr" | "performance";

/**
 * What a cluster is in one kind of replication; `mode` is spelled as the states of the chart. The disaster-recovery role is of class
 * ignored, the performance role of class local: it survives a disaster-recovery promotion.
 */
export type ReplicationRole = DisabledRole | PrimaryRole | SecondaryRole;

export interface DisabledRole {
  readonly mode: "disabled";
}

export interface PrimaryRole {
  readonly mode: "primary";
  /** Names the set: the same on all its clusters. */
  readonly clusterId: string;
  /** The cluster address that is given to secondaries; empty for the cluster's own. */
  readonly primaryClusterAddr: string;
  /** Since when it leads: its own checks are counted from there. */
  readonly sinceMs: EpochMs;
  /** Every id that a token was made for and that was not revoked. */
  readonly secondaries: Table<KnownSecondary>;
  /** What does not leave for whom, by id. Performance only: disaster-recovery secondaries get everything. */
  readonly filters: Table<Filter>;
}

/** An id that activation tokens were made for. */
export interface KnownSecondary {
  /** Its last token, as long as nobody has used it. */
  readonly activation?: Activation;
  /** What lets it connect: the `jti` of the token that it used last. */
  readonly credential?: string;
  /** It has connected at least once. */
  readonly connected: boolean;
}

/** An activation token that waits to be used. */
export interface Activation {
  /** The id of the wrapping token inside. */
  readonly jti: string;
  readonly expiresAtMs: EpochMs;
  /** Only the cluster that has the other half can use it. */
  readonly publicKey?: string;
}

/** The token of a primary that has such a wrapping token inside, by the id that it was made for. */
export function activationNamed(
  role: ReplicationRole,
  jti: string,
): readonly [id: string, activation: Activation] | undefined {
  if (role.mode !== "primary") return undefined;
  for (const [id, { activation }] of role.secondaries.entries()) {
    if (activation?.jti === jti) return [id, activation];
  }
  return undefined;
}

export interface SecondaryRole {
  readonly mode: "secondary";
  readonly clusterId: string;
  /** Empty after a demotion, until a token attaches it. */
  readonly secondaryId: string;
  /** What its primary knows it by; null when it knows none. */
  readonly credential: string | null;
  /** The cluster address that its primary gave; empty when it knows none. */
  readonly primaryClusterAddr: string;
}

/**
 * How a secondary stands to the cluster that answers as its primary. It is of class ignored, and follows from commits; what of it time
 * changes is computed when it is read.
 */
export interface Link {
  readonly status: LinkStatus;
  /** Who answered last. */
  readonly upstream: ClusterName;
  /** Since when heartbeats are counted: the instant of connecting. */
  readonly sinceMs: EpochMs;
  /** When it broke; absent while it is up. */
  readonly downAtMs?: EpochMs;
  /** The index of the last entry that was processed (`last_remote_wal`). */
  readonly applied: number;
  /** The first sync has not ended. */
  readonly bootstrapping?: true;
  /** What it holds need not be a past of what its primary has: the trees are to be compared first. */
  readonly stale?: true;
  /** A comparison or a sync runs. */
  readonly sync?: Sync;
  /** The end of the sync, or the arrival of the next entry. */
  readonly deadline?: DeadlineKey;
  /** Performance, with a filter: what was received last, before anything was left out, and by which filter. */
  readonly filtered?: Filtered;
  /** Disaster recovery: how the primary stood to a performance primary of its own, for whoever is promoted. */
  readonly upstreamLink?: UpstreamMark;
}

/**
 * - `up`: both ends run unsealed, nothing is cut, and the primary knows the secondary.
 * - `down`: it was, and is not any more.
 * - `refused`: somebody answers, and does not know this secondary any more.
 * - `detached`: the operator made it forget its primary.
 * - `restored`: a promotion or a snapshot brought it, and no heartbeat has come since.
 */
export type LinkStatus = "up" | "down" | "refused" | "detached" | "restored";

export interface Sync {
  readonly startedAtMs: EpochMs;
  /** Until then trees are compared, and from then on keys are fetched. */
  readonly diffUntilMs: EpochMs;
  /** The same instant when the trees are equal. */
  readonly untilMs: EpochMs;
}

export interface Filtered {
  readonly filter: Filter;
  readonly source: Replicated;
}

/** How far a performance secondary had come when a version of its storage was made, and whether that had to be compared first. */
export type UpstreamMark = Pick<Link, "upstream" | "applied" | "filtered" | "stale" | "bootstrapping">;

/** The links of a cluster as a secondary, by kind. */
export type Links = { readonly [K in ReplicationKind]?: Link };

/** A cluster that has connected as a secondary. */
export interface Peer {
  readonly kind: ReplicationKind;
  readonly id: string;
  readonly credential: string;
  readonly cluster: ClusterName;
  readonly sinceMs: EpochMs;
  /** It is not connected any more, and had come so far. */
  readonly down?: { readonly atMs: EpochMs; readonly applied: number };
}

/**
 * What of a primary's log some secondary still lacks. An entry is a version of the storage by reference: to ship it is to share it.
 */
export interface Wal {
  /** The last entry that is not held any more. Whoever has it, or a later one, can be streamed to. */
  readonly base: number;
  /** Entries by `walKey`. */
  readonly entries: Table<WalEntry>;
}

/** The storage of a cluster as one commit left it. */
export interface WalEntry {
  readonly atMs: EpochMs;
  readonly replicated: Replicated;
  readonly local: Local;
  readonly upstreamLink?: UpstreamMark;
}

/** The key of an entry: its index, of fixed width. */
export function walKey(index: number): string {
  return index.toString().padStart(12, "0");
}

/** How long things take, and how much is kept: options of the simulator. */
export interface ReplicationOptions {
  readonly diffMs: number;
  readonly syncMs: number;
  readonly reindexMs: number;
  readonly flushMs: number;
  readonly merkleCheckEveryMs: number;
  /** Entries that a primary keeps for secondaries that lack them. */
  readonly walBuffer: number;
  /** For so long nothing answers after a change of role. */
  readonly roleChangeOutageMs: number;
}

export const DEFAULT_REPLICATION: ReplicationOptions = Object.freeze({
  diffMs: 0,
  syncMs: 0,
  reindexMs: 0,
  flushMs: 0,
  merkleCheckEveryMs: 3_600_000,
  walBuffer: 16_384,
  roleChangeOutageMs: 0,
});

export function isDefaultReplication(options: ReplicationOptions): boolean {
  return Object.entries(DEFAULT_REPLICATION).every(
    ([name, value]) => options[name as keyof ReplicationOptions] === value,
  );
}

export const DISABLED: DisabledRole = Object.freeze({ mode: "disabled" });
export const NO_LINKS: Links = Object.freeze({});
export const NO_PEERS: readonly Peer[] = Object.freeze([]);
