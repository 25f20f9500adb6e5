import type { Difference } from "./diff.ts";

/** Values longer than this are cut: a difference can hold a whole subtree. */
const VALUE_CHARACTERS = 120;

/** So much that two values have in common is shown of them before the place at which they part. */
const CONTEXT_CHARACTERS = 20;

/**
 * Differences as text for people: each a path with its two sides below it, of which one with nothing is left out.
 *
 * @param most how many are told; those that are left over are counted. Default: all
 */
export function differencesText(differences: readonly Difference[], most = Number.POSITIVE_INFINITY): string {
  if (differences.length === 0) return "no difference";
  const lines = differences.slice(0, most).flatMap(differenceLines);
  const untold = differences.length - most;
  if (untold > 0) lines.push(`and ${untold} more`);
  return lines.join("\n");
}

/** A difference on one line. A side with nothing is called so. */
export function differenceLine({ path, before, after }: Difference): string {
  return `${path}: ${shownValue(before)} -> ${shownValue(after)}`;
}

/** The path of a difference and, each on a line of its own, its sides. */
export function differenceLines({ path, before, after }: Difference): string[] {
  const lines = [path === "" ? "(everything)" : path];
  const start = before === undefined || after === undefined ? 0 : startOfDifference(jsonOf(before), jsonOf(after));
  if (before !== undefined) lines.push(`  - ${cut(jsonOf(before), start)}`);
  if (after !== undefined) lines.push(`  + ${cut(jsonOf(after), start)}`);
  return lines;
}

/** A value as JSON, on one line, cut where it is long. */
export function shownValue(value: unknown): string {
  return cut(jsonOf(value), 0);
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}

/** Where two long texts are to be shown from, so that the place at which they part is not cut off. */
function startOfDifference(left: string, right: string): number {
  let same = 0;
  while (same < left.length && left[same] === right[same]) same += 1;
  return same < VALUE_CHARACTERS - CONTEXT_CHARACTERS ? 0 : same - CONTEXT_CHARACTERS;
}

function cut(text: string, start: number): string {
  const head = start === 0 ? "" : "...";
  // Half of a surrogate pair is no character.
  const rest = start === 0 ? text : text.slice(start).replace(/^[\udc00-\udfff]/, "");
  const room = VALUE_CHARACTERS - head.length;
  if (rest.length <= room) return head + rest;
  return `${head}${rest.slice(0, room - 3).replace(/[\ud800-\udbff]$/, "")}...`;
}
