import { addHashes, type ContentHashed, type Hash, hashOf, hashOfEntry, hexOf } from "../../../kernel/hash.ts";
import type { Lineage } from "../replication/lineage/state.ts";
import type { Local, Replicated, Storage } from "../storage.ts";

/**
 * The storage of a cluster as it was at an instant, by reference: what did not change since is there once.
 *
 * It is one value to whoever walks states: their differences and texts would else hold the whole storage for each snapshot.
 */
export class StorageImage implements ContentHashed {
  readonly #replicated: Replicated;
  readonly #local: Local;
  readonly #lineage: Lineage;

  constructor({ replicated, local }: Storage, lineage: Lineage) {
    this.#replicated = replicated;
    this.#local = local;
    this.#lineage = lineage;
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
