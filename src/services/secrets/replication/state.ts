import type { EpochMs } from "../../../kernel/brand.ts";
import type { Table } from "../../../kernel/table.ts";
import type { Filter } from "./filters/state.ts";

// What clusters are to each other: roles are facts. Source of all rules: decisions-replication.md, 1 and 2.

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

/** What of a cluster tells what it is to others. */
export interface Replicating {
  readonly local: LocalReplicationSlice;
  readonly ignored: ReplicationSlice;
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
/** What a cluster's key pair for activation tokens is made of (decisions-replication.md, 4.1). */
export interface SecondaryKey {
  readonly seed: string;
}

interface SecondaryKeySlice {
  /** What activation tokens of a kind can be encrypted to, where that kind's role lies; absent until one is asked for. */
  readonly secondaryKey?: SecondaryKey;
}

export interface LocalReplicationSlice extends SecondaryKeySlice {
  readonly performance: ReplicationRole;
  /** How many activation tokens for secondaries were made here: each is an entry of the log. */
  readonly activationTokens: number;
}

export interface ReplicationSlice extends SecondaryKeySlice {
  readonly dr: ReplicationRole;
  /** When a role of it changed last; absent when none ever did. */
  readonly roleChangedAtMs?: EpochMs;
  readonly replication: ReplicationOptions;
}
