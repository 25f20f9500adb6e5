import { type EpochMs, epochMs } from "../../../../kernel/brand.ts";
import type { Flat } from "../../../../kernel/draft.ts";
import type { FlatEvolvers } from "../../../../kernel/evolvers.ts";
import type { InCluster } from "../../place.ts";

// What is wrong with the trees over a cluster's storage, and the reindex that repairs it (decisions-replication.md, 8.4). Trees are made
// of the storage when somebody looks, so there is nothing else to keep; what time changes is told by instants, and nothing ticks.

/** There is a tree for each class of what is shipped. */
export const MERKLE_TREES = ["replicated", "local"] as const;
export type MerkleTree = (typeof MERKLE_TREES)[number];

/** A tree has so many pages, and each of them so many subpages. */
export const PAGES = 256;

/** What a test author made of a page. */
export interface Damage {
  readonly tree: MerkleTree;
  readonly page: number;
  /** Ascending; none for the whole page. */
  readonly subpages: readonly number[];
}

/** Damage since some instant, and, where a reindex has seen to it, until some other. */
export interface Corruption extends Damage {
  readonly sinceMs: EpochMs;
  readonly repair?: Reindex;
}

export interface Reindex {
  /** When it repairs what it found. */
  readonly endsAtMs: EpochMs;
  /** When what it made is in storage: should the node stop before, it was in vain. */
  readonly flushedAtMs: EpochMs;
}

export interface MerkleState {
  readonly corruptions: readonly Corruption[];
  /** The last one, while it may run. */
  readonly reindex?: Reindex;
}

export interface MerkleSlice {
  /** Absent while nothing is wrong. */
  readonly merkle?: MerkleState;
}

export interface MerkleEvents {
  StorageCorrupted: InCluster & Damage;
  ReindexStarted: InCluster & Reindex;
}

export const merkleEvolvers: FlatEvolvers<MerkleSlice, MerkleEvents> = {
  StorageCorrupted: (ignored, { cluster: _, ...damage }, { atMs }) => {
    const { corruptions, reindex } = ignored.merkle ?? SOUND;
    const repair = reindex !== undefined && atMs < reindex.endsAtMs ? { repair: reindex } : {};
    const added: Corruption = { ...damage, sinceMs: atMs, ...repair };
    put(ignored, [...corruptions.filter((corruption) => !isFlushed(corruption, atMs)), added], reindex);
  },
  ReindexStarted: (ignored, { endsAtMs, flushedAtMs }, { atMs }) => {
    const reindex = { endsAtMs, flushedAtMs };
    const { corruptions } = ignored.merkle ?? SOUND;
    const repaired = corruptions.map((corruption) => ({ ...corruption, repair: sooner(corruption.repair, reindex) }));
    put(
      ignored,
      repaired.filter((corruption) => !isFlushed(corruption, atMs)),
      endsAtMs > atMs ? reindex : undefined,
    );
  },
};

const SOUND: MerkleState = Object.freeze({ corruptions: Object.freeze([]) });

function put(ignored: Flat<MerkleSlice>, corruptions: readonly Corruption[], reindex: Reindex | undefined): void {
  if (corruptions.length === 0 && reindex === undefined) delete ignored.merkle;
  else ignored.merkle = reindex === undefined ? { corruptions } : { corruptions, reindex };
}

function sooner(before: Reindex | undefined, now: Reindex): Reindex {
  if (before === undefined) return now;
  return {
    endsAtMs: epochMs(Math.min(before.endsAtMs, now.endsAtMs)),
    flushedAtMs: epochMs(Math.min(before.flushedAtMs, now.flushedAtMs)),
  };
}

function isFlushed({ repair }: Corruption, nowMs: EpochMs): boolean {
  return repair !== undefined && repair.flushedAtMs <= nowMs;
}

/** Whether something is wrong at an instant. */
export function isCorrupt({ sinceMs, repair }: Corruption, atMs: EpochMs): boolean {
  return sinceMs <= atMs && (repair === undefined || atMs < repair.endsAtMs);
}

/** What a node that stops leaves: a reindex that runs ends without having repaired anything, and what is not flushed is lost. */
export function merkleAfterStop({ corruptions }: MerkleState, atMs: EpochMs): MerkleState {
  const left = corruptions.filter((corruption) => !isFlushed(corruption, atMs));
  return {
    corruptions: left.map(({ repair, ...damage }) =>
      repair !== undefined && repair.endsAtMs <= atMs ? { ...damage, sinceMs: atMs } : damage,
    ),
  };
}

/** What is wrong with a tree now. */
export function corruptionsOf({ merkle }: MerkleSlice, tree: MerkleTree, nowMs: EpochMs): readonly Corruption[] {
  if (merkle === undefined) return NONE;
  return merkle.corruptions.filter((corruption) => corruption.tree === tree && isCorrupt(corruption, nowMs));
}

const NONE: readonly Corruption[] = Object.freeze([]);

/** Whether a reindex runs. */
export function isReindexing({ merkle }: MerkleSlice, nowMs: EpochMs): boolean {
  return merkle?.reindex !== undefined && nowMs < merkle.reindex.endsAtMs;
}
