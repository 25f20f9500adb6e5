import { Table } from "../../../../kernel/table.ts";
import { localMountKey } from "../../place.ts";
import type { Storage } from "../../storage.ts";
import { shipsNamespace } from "../filters/filtered-view.ts";
import type { Filter } from "../filters/state.ts";
import type { Part } from "../lineage/state.ts";

/** An object that a commit touched. */
export interface TouchedObject {
  /** What it is: `token`, `lease`, `secret`, `policy` and so on. */
  readonly kind: string;
  /** A full path, the id of a lease, or a token. */
  readonly path: string;
  readonly change: "created" | "changed" | "deleted";
}

/** What the tables of a cluster hold, by their names. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ["tokens", "token"],
  ["leases", "lease"],
  ["wrapped", "wrapped response"],
  ["cubbyholes", "cubbyhole"],
  ["namespaces", "namespace"],
  ["mounts", "mount"],
  ["policies", "policy"],
  ["passwordPolicies", "password policy"],
  ["entries", "secret"],
  ["sets", "library set"],
  ["accounts", "library account"],
  ["staticRoles", "static role"],
  ["dynamicRoles", "dynamic role"],
  ["roles", "orchestrator role"],
  ["rollbackNotes", "rollback note"],
  ["snapshots", "snapshot configuration"],
  ["plugins", "plugin"],
  ["entities", "entity"],
  ["aliases", "entity alias"],
  ["groups", "group"],
  ["members", "group member"],
  ["subgroups", "member group"],
  ["keys", "named key"],
  ["assignments", "assignment"],
  ["scopes", "scope"],
  ["clients", "client"],
  ["providers", "provider"],
  ["oidcCodes", "authorization code"],
  ["users", "user"],
  ["accountRoles", "role of service accounts"],
  ["mappedUsers", "mapped user"],
  ["mappedGroups", "mapped group"],
  ["approles", "approle"],
  ["secretIds", "secret id"],
]);

/** Where the same objects are looked for another way, and what is nobody's object. */
const NO_OBJECTS: ReadonlySet<string> = new Set([
  "calendar",
  "tokensByParent",
  "tokensByAccessor",
  "tokensByNamespace",
  "leasesByToken",
  "shelves",
  "usernames",
  "rotations",
  "deadline",
  "rollbackPasses",
  "approlesById",
  "secretIdsByAccessor",
  "secretIdExpiries",
  "entitiesByName",
  "deletedEntities",
  "aliasesByLogin",
  "aliasesByEntity",
  "groupsByName",
  "groupsOfEntity",
  "parentsOfGroup",
  "clientsById",
  "clientsByKey",
  "clientsByAssignment",
  "providersByScope",
  "oidcExpiries",
  "activationTokens",
]);

/** The objects in which parts of two versions of a cluster differ, but for what a filter keeps back. */
export function touchedObjects(
  before: Storage,
  after: Storage,
  parts: readonly Part[],
  filter: Filter | undefined,
): readonly TouchedObject[] {
  const touched: Found[] = [];
  for (const part of parts) compare(before[part], after[part], "", touched);
  return touched
    .filter(({ within }) => filter === undefined || within === "" || shipsNamespace(filter, within))
    .map(({ within: _, ...object }) => object);
}

/** An object with the mount or the namespace that it is, or lies in: filters know no others. Nothing is listed below a mount. */
interface Found extends TouchedObject {
  readonly within: string;
}

type Members = { readonly [name: string]: unknown };

/** Goes through the members of a part, a namespace or a mount: tables hold objects, all else is a setting. */
function compare(before: object, after: object, prefix: string, touched: Found[]): void {
  const [was, is] = [before as Members, after as Members];
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const [left, right] = [was[name], is[name]];
    if (left === right || NO_OBJECTS.has(name)) continue;
    if (isTableOrNone(left) && isTableOrNone(right)) {
      compareTables(name, left ?? Table.of(), right ?? Table.of(), prefix, touched);
    } else if (holdsTablesOrIsNone(left) && holdsTablesOrIsNone(right))
      compare(left ?? {}, right ?? {}, prefix, touched);
    else touched.push({ kind: name, path: prefix || name, change: changeOf(left, right), within: prefix });
  }
}

function compareTables(
  name: string,
  before: Table<unknown>,
  after: Table<unknown>,
  prefix: string,
  touched: Found[],
): void {
  for (const [key, was, is] of Table.changes(before, after)) {
    const path = prefix + withoutSpace(name, key);
    // What holds tables is looked into: a write to a mount is no change of the mount.
    if (holdsTables(was) && holdsTables(is)) compare(was, is, path, touched);
    else {
      const within = name === "mounts" || name === "namespaces" ? path : prefix;
      touched.push({ kind: KINDS.get(name) ?? name, path, change: changeOf(was, is), within });
    }
  }
}

const LOCAL_ROOT = localMountKey({ mount: "" as never });

/** Keys that have two parts keep them apart by a space. */
function withoutSpace(name: string, key: string): string {
  if (name === "mounts") return key.startsWith(LOCAL_ROOT) ? key.slice(LOCAL_ROOT.length) : key.replace(" ", "");
  // An entry of the plugin catalog that has no version ends with the slash before it.
  return name === "plugins" && key.endsWith("/") ? key.slice(0, -1) : key;
}

/** Engines that were never used have no tables yet. */
function isTableOrNone(value: unknown): value is Table<unknown> | undefined {
  return value === undefined || value instanceof Table;
}

function holdsTablesOrIsNone(value: unknown): value is object | undefined {
  return value === undefined || holdsTables(value);
}

function holdsTables(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.values(value).some(isTableOrHoldsOne);
}

function isTableOrHoldsOne(member: unknown): boolean {
  if (member instanceof Table) return true;
  return typeof member === "object" && member !== null && Object.values(member).some((inner) => inner instanceof Table);
}

function changeOf(before: unknown, after: unknown): TouchedObject["change"] {
  if (before === undefined) return "created";
  return after === undefined ? "deleted" : "changed";
}
