import { Table } from "../../../index.ts";
import { type Asserting, hasPart, isMembers, isObject, type Tester } from "./received.ts";

/** So many members of a table or an object are shown, and so deep. */
const MEMBERS_SHOWN = 20;
const LEVELS_SHOWN = 4;

/** Tables of the state have keys as objects have members: what is expected of one is written as an object. */
export function tablesAsObjects(asserting: Asserting): Tester {
  const tester: Tester = (left, right) => {
    if (!(left instanceof Table) || right instanceof Table || !isMembers(right)) return undefined;
    return Object.entries(right).every(([key, part]) => hasPart(asserting, left.get(key), part, tester));
  };
  return tester;
}

/** Of a value what the other one names: a difference then shows nothing that nobody asked for. */
export function sharedPart(value: unknown, named: unknown): unknown {
  if (!isMembers(value) || !isMembers(named) || named instanceof Table) return plain(value, LEVELS_SHOWN);
  const has = (name: string): boolean => (value instanceof Table ? value.has(name) : Object.hasOwn(value, name));
  const memberOf = (name: string): unknown => (value instanceof Table ? value.get(name) : value[name]);
  const members = Object.keys(named).filter(has);
  return Object.fromEntries(members.map((name) => [name, sharedPart(memberOf(name), named[name])]));
}

/** A value as people are shown it: tables as objects, and of what is large the beginning. */
function plain(value: unknown, levels: number): unknown {
  if (Array.isArray(value)) return levels === 0 ? "[...]" : value.map((item) => plain(item, levels - 1));
  if (!isObject(value) || !(value instanceof Table || isPlain(value))) return value;
  if (levels === 0) return "{...}";
  const entries: Iterable<readonly [string, unknown]> =
    value instanceof Table ? (value as Table<unknown>).entries() : Object.entries(value);
  const members = firstOf(entries, MEMBERS_SHOWN).map(([name, member]) => [name, plain(member, levels - 1)] as const);
  const size = value instanceof Table ? value.size : Object.keys(value).length;
  const rest = size > MEMBERS_SHOWN ? [["...", `${size - MEMBERS_SHOWN} more`] as const] : [];
  return Object.fromEntries([...members, ...rest]);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** So many of them, if there are so many: the rest of a table is not looked at. */
export function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length === count) break;
    first.push(item);
  }
  return first;
}
