import { Rejection } from "../kernel/rejection.ts";

/** What a schedule failed with. */
export interface Failed {
  /** Who says so: the name of a judge or of a rule, or `program shop`. */
  readonly judge: string;
  readonly message: string;
  /** Two failures with one key are the same: of the same judge, with the same refusal or the same words. */
  readonly key: string;
  readonly error?: unknown;
}

export function failedWith(judge: string, error: unknown): Failed {
  const message = error instanceof Error ? error.message : String(error);
  return { judge, message, key: `${judge}|${shapeOf(error, message)}`, error };
}

const LONGEST_SHAPE = 200;

/** What of an error stays the same when ids, instants, counts and lists are others: a long list is told in other words than a short one. */
function shapeOf(error: unknown, message: string): string {
  if (error instanceof Rejection) return error.code;
  const words = message
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<instant>")
    .replace(/\b[\w-]+\.[\w-]{16,}|\b[\w-]{24,}/g, "<id>")
    .replace(/\[[^[\]]*\]/g, "<list>")
    .replace(/\d+/g, "<n>");
  return words.slice(0, LONGEST_SHAPE);
}
