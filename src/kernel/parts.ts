import type { Flat } from "./draft.ts";
import { deepFreeze } from "./plain.ts";
import type { Table } from "./table.ts";

// Steps of the way into a state: each puts what becomes of a part in its place, and gives the same state when nothing did.

/**
 * Changes a member of a frozen object, if it is there.
 *
 * @param copyOf for objects that are copied so often that a copy has a way of its own
 */
export function withMember<O extends object, K extends keyof O>(
  object: O,
  key: K,
  change: (member: NonNullable<O[K]>) => NonNullable<O[K]>,
  copyOf?: (object: O) => Flat<O>,
): O {
  const before = Object.hasOwn(object, key) ? object[key] : undefined;
  if (before === undefined || before === null) return object;
  const after = change(before);
  if (after === before) return object;
  // Twice as fast as naming the member in the copy's literal.
  const copy: Flat<O> = copyOf === undefined ? { ...object } : copyOf(object);
  // What was in the object is frozen, and its copy holds nothing else: no member has to be looked at again.
  copy[key] = deepFreeze(after);
  return Object.freeze(copy);
}

/**
 * Changes an entry of a table, if it is there.
 *
 * @example
 * withMember(library, "accounts", (accounts) => withEntry(accounts, "svc-a", (account) => ({ ...account, place: 3 })));
 */
export function withEntry<V>(table: Table<V>, key: string, change: (value: V) => V): Table<V> {
  return table.update(key, change);
}
