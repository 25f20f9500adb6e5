import type { StateValueFrom } from "xstate";
import type { secondaryLinkMachine } from "../../../../machines/secondary-link.machine.ts";
import type { EpochMs, LogPosition } from "../../../kernel/brand.ts";
import type { DeadlineKey } from "../../../kernel/calendar.ts";
import type { Table } from "../../../kernel/table.ts";
import type { ClusterName } from "../place.ts";
import type { Replicated, Storage } from "../storage.ts";
import type { Filter } from "./filters/state.ts";
import type { Lineage, LineageSlice } from "./lineage/state.ts";
import type { Replicating, ReplicationKind, ReplicationSlice } from "./state.ts";

// What clusters know of each other: links, peers and the log follow from commits by themselves (./settle). Source of all rules:
// decisions-replication.md, 1 and 2.

/** How a cluster is connected, and what it ships. */
export interface ConnectionSlice {
  /** One more with each commit that changed what is replicated or local. */
  readonly walIndex: number;
  /** What secondaries that have connected still lack of the log; absent where none has. */
  readonly wal?: Wal;
  /** As a secondary: how it stands to its primaries. */
  readonly links: Links;
  /** As a primary: who has connected to it. */
  readonly peers: readonly Peer[];
  /** How often its storage was replaced by that of another time: its log does not lead from the one to the other. */
  readonly restores: number;
}

/**
 * How a secondary stands to the cluster that answers as its primary. It is of class ignored, and follows from commits; what of it time
 * changes is computed when it is read.
 */
export interface Link {
  /** `merkle-sync` follows from the time that a comparison has taken (`linkState`). */
  readonly status: LinkState;
  /** Who answered last. */
  readonly upstream: ClusterName;
  /** Since when heartbeats are counted: the instant of connecting. */
  readonly sinceMs: EpochMs;
  /** When it broke; absent while it is up. */
  readonly downAtMs?: EpochMs;
  /** The commit by which it broke: attaching it elsewhere, where nobody is reached, changes nothing of that. */
  readonly downAt?: LogPosition;
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

/** Both ends run unsealed, nothing is cut, and the primary knows the secondary. */
export function isConnected(link: Link | undefined): link is Link & { readonly status: "stream-wals" | "merkle-diff" } {
  return link?.status === "stream-wals" || link?.status === "merkle-diff";
}

/** A state of the chart. */
export type LinkState = StateValueFrom<ReturnType<typeof secondaryLinkMachine>>;

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
export interface WalEntry extends Storage {
  readonly atMs: EpochMs;
  /** The commit that wrote it. */
  readonly position: LogPosition;
  /** What the storage held then; what went on then is held through its position. */
  readonly lineage: Lineage;
  readonly upstreamLink?: UpstreamMark;
}

/** The key of an entry: its index, of fixed width. */
export function walKey(index: number): string {
  return index.toString().padStart(12, "0");
}

/** What of a cluster tells what it is to others, and how it is connected. */
export interface Connected extends Replicating {
  readonly ignored: ReplicationSlice & ConnectionSlice & LineageSlice;
}

export const NO_LINKS: Links = Object.freeze({});
export const NO_PEERS: readonly Peer[] = Object.freeze([]);
