import { isObject, own } from "../languages/objects.ts";
import { hashOf, hexOf, isContentHashed } from "./hash.ts";
import { type PathStep, pathText } from "./state-path.ts";
import { Table } from "./table.ts";

/** A place at which two states differ. A side is undefined where there is nothing. */
export interface Difference {
  /** As a person writes it: `secrets.east.local.leases["..."].expiresAtMs`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Where two states differ. What they share is skipped without a look, so the cost is that of what changed.
 *
 * An object or entry that is on one side only is one difference, with all that is in it.
 */
export function differences(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];
  compare(before, after, [], found);
  return found;
}

function compare(before: unknown, after: unknown, path: PathStep[], found: Difference[]): void {
  if (Object.is(before, after)) return;
  if (before instanceof Table && after instanceof Table) {
    for (const [key, left, right] of Table.changes(before as Table<unknown>, after as Table<unknown>)) {
      descend({ kind: "key", key }, left, right, path, found);
    }
  } else if (isOneValue(before) && isOneValue(after)) {
    if (hexOf(hashOf(before)) !== hexOf(hashOf(after))) found.push({ path: pathText(path), before, after });
  } else if (isList(before) && isList(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++) {
      descend({ kind: "index", index }, before[index], after[index], path, found);
    }
  } else if (isMembers(before) && isMembers(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    for (const name of names) descend({ kind: "member", name }, own(before, name), own(after, name), path, found);
  } else {
    found.push({ path: pathText(path), before, after });
  }
}

function descend(step: PathStep, before: unknown, after: unknown, path: PathStep[], found: Difference[]): void {
  if (Object.is(before, after)) return;
  path.push(step);
  compare(before, after, path, found);
  path.pop();
}

/** Whether a value is compared by its hash as a whole, and not member by member. */
function isOneValue(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof Table) && isContentHashed(value);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !isContentHashed(value);
}
