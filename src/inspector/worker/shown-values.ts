import type { Difference } from "../../kernel/diff.ts";
import type { Changed } from "../protocol.ts";

/** So many are told of what can be many; the others are counted. */
export const TOLD = 200;

/** A value can be a whole subtree: longer texts are cut. */
const LONGEST_JSON = 20_000;
const LONGEST_TEXT = 200;

/** A value as JSON in lines. */
export function jsonShown(value: unknown): string {
  return cut(JSON.stringify(value, undefined, 2) ?? "nothing", LONGEST_JSON);
}

/** A text on one line. */
export function textShown(text: string): string {
  return cut(text, LONGEST_TEXT);
}

/** Differences, as they are shown. */
export function changedShown(differences: readonly Difference[]): Changed {
  return {
    changes: differences.slice(0, TOLD).map(({ path, before, after }) => ({
      path,
      ...(before === undefined ? {} : { before: jsonShown(before) }),
      ...(after === undefined ? {} : { after: jsonShown(after) }),
    })),
    changeCount: differences.length,
  };
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}...`;
}
