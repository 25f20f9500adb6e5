import { refuse } from "../rejections.ts";

/**
 * Paths of stored values: segments that are not empty, in any letters (decisions-secrets-core.md, D.5). The store itself is one without any.
 *
 * Our choice: control characters and halves of surrogate pairs are no letters, so such a path is none (A.4).
 */
export const VALUE_PATH = /^([^/\p{Cc}\p{Cs}]+(\/[^/\p{Cc}\p{Cs}]+)*)?$/u;

/** What listings begin with: the same, and a slash at the end may be there or not (A.4). */
export const VALUE_PREFIX = /^[^/\p{Cc}\p{Cs}]+(\/[^/\p{Cc}\p{Cs}]+)*\/?$/u;

/** The keys of a listing begin with this. */
export function keysBelow(prefix: string): string {
  if (prefix === "") return "";
  const bare = prefix.endsWith("/") ? prefix.slice(0, -1) : prefix;
  refuseRelative(bare);
  return `${bare}/`;
}

const RELATIVE = /(^|\/)\.\.?(\/|$)/;

/** Refuses a path that would climb. */
export function refuseRelative(path: string): void {
  if (path.includes(".") && RELATIVE.test(path)) refuse("path_relative", { path });
}
