import type { EpochMs } from "../../../../kernel/brand.ts";
import { corruptionsOf, type MerkleSlice, type MerkleTree } from "./state.ts";

/** A page that is not sound. */
export interface PageShown {
  /** The whole of it is corrupt: which subpages are is then not told. */
  readonly corrupted: boolean;
  readonly subpages: readonly number[];
}

/** The pages of a tree that are corrupt, by their numbers in ascending order. */
export function corruptPages(ignored: MerkleSlice, tree: MerkleTree, nowMs: EpochMs): ReadonlyMap<number, PageShown> {
  const pages = new Map<number, PageShown>();
  for (const { page, subpages } of corruptionsOf(ignored, tree, nowMs)) {
    pages.set(page, joined(pages.get(page), subpages));
  }
  return new Map([...pages].sort(([left], [right]) => left - right));
}

function joined(known: PageShown | undefined, subpages: readonly number[]): PageShown {
  if (known?.corrupted || subpages.length === 0) return { corrupted: true, subpages: [] };
  const all = new Set([...(known?.subpages ?? []), ...subpages]);
  return { corrupted: false, subpages: [...all].sort((left, right) => left - right) };
}
