import type { FoldMeta } from "../../../kernel/evolvers.ts";
import { addHashes, type ContentHashed, type Hash, hashOf, hashOfEntry, hexOf } from "../../../kernel/hash.ts";
import { deepFreeze } from "../../../kernel/plain.ts";
import type { SealState } from "../cluster/state.ts";
import { type Lineage, lineageThrough } from "../replication/lineage/state.ts";
import type { Local, Replicated, Storage } from "../storage.ts";

/** What opens a cluster that has this storage. */
export type SealKeys = Pick<SealState, "key" | "shares" | "threshold">;

/**
 * The storage of a cluster as it was at an instant, by reference: what did not change since is there once.
 *
 * It is one value to whoever walks states: their differences and texts would else hold the whole storage for each snapshot.
 */
export class StorageImage implements ContentHashed {
  readonly #replicated: Replicated;
  readonly #local: Local;
  readonly #lineage: Lineage;
  readonly #keys: SealKeys;

  constructor({ replicated, local }: Storage, lineage: Lineage, { key, shares, threshold }: SealKeys) {
    this.#replicated = replicated;
    this.#local = local;
    this.#lineage = lineage;
    this.#keys = Object.freeze({ key, shares, threshold });
    Object.freeze(this);
  }

  get replicated(): Replicated {
    return this.#replicated;
  }

  get local(): Local {
    return this.#local;
  }

  /** What it holds of which epochs. */
  get lineage(): Lineage {
    return this.#lineage;
  }

  /** What the cluster was opened with when it was taken. */
  get keys(): SealKeys {
    return this.#keys;
  }

  /** The parts that it holds. */
  get size(): number {
    return 2;
  }

  contentHash(): Hash {
    return addHashes(hashOfEntry("replicated", this.#replicated), hashOfEntry("local", this.#local));
  }

  /** For JSON and for people: enough to tell one from another. */
  toJSON(): { readonly stateHash: string } {
    return { stateHash: hexOf(hashOf(this)) };
  }
}

/** What a cluster stores as of a commit. */
export function imageOf(
  { ignored: { lineage, seal }, ...storage }: Storage & { readonly ignored: SealedLineage },
  { position }: FoldMeta,
): StorageImage {
  return new StorageImage(storage, deepFreeze(lineageThrough(lineage, position)), seal);
}

interface SealedLineage {
  readonly lineage: Lineage;
  readonly seal: SealState;
}
