import { refuse } from "../rejections.ts";

/**
 * Paths of stored values: segments that are not empty, in any letters (decisions-secrets-core.md, D.5).
 *
 * Our choice: NUL and halves of surrogate pairs are no letters, so such a path is none (A.4).
 */
export const VALUE_PATH = /^[^/\0\p{Cs}]+(\/[^/\0\p{Cs}]+)*$/u;

/** Refuses a path that would climb. */
export function refuseRelative(path: string): void {
  if (path.split("/").some((segment) => segment === "." || segment === "..")) refuse("path_relative", { path });
}
