import { renamedIdentifier, renamedValue } from "../../languages/vocabulary/rename.ts";
import type { Direction, ServiceWords } from "../../languages/vocabulary/words.ts";

/**
 * The URL of a snapshot in other words: its scheme, and what its file begins with, are the service's own (decisions-secrets-core.md, B.3).
 */
export function renamedSnapshotUrl(words: ServiceWords, url: string, to: Direction): string {
  const [, below = "", prefix, number] = /^(.*\/)?([^/]*)-(\d+\.snap)$/s.exec(url) ?? [];
  const named =
    prefix === undefined || number === undefined
      ? url
      : `${below}${renamedValue(words, "file_prefix", prefix, to)}-${number}`;
  return renamedIdentifier(words, named, to);
}

/**
 * The URL of a snapshot as the state has it.
 *
 * Our choice: test authors may give it in either words. In those of the vocabulary it is what answers and `stores.list` show, and so it is
 * read, unless only the other way there is such a snapshot.
 */
export function neutralSnapshotUrl(
  words: ServiceWords | undefined,
  url: string,
  isStored: (url: string) => boolean,
): string {
  if (words === undefined) return url;
  const own = renamedSnapshotUrl(words, url, "neutral");
  return isStored(own) || !isStored(url) ? own : url;
}

/** What begins with a scheme, or is a type of stores, as the state has it: in either words. */
export function neutralStores(words: ServiceWords | undefined, stores: string): string {
  if (words === undefined || STORAGE_TYPES.has(stores)) return stores;
  return renamedValue(words, "storage_type", renamedIdentifier(words, stores, "neutral"), "neutral");
}

const STORAGE_TYPES: ReadonlySet<string> = new Set(["local", "cloud1-bucket", "cloud2-bucket", "cloud3-blob"]);
