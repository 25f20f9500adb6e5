import { valueAt } from "../../../../kernel/state-path.ts";
import { Table } from "../../../../kernel/table.ts";
import { localMountKey } from "../../place.ts";
import type { Storage } from "../../storage.ts";
import type { Part } from "../lineage/state.ts";

/** An object that a commit touched. */
export interface TouchedObject {
  /** What it is: `token`, `lease`, `secret`, `policy` and so on. */
  readonly kind: string;
  /** A full path, the id of a lease, or a token. */
  readonly path: string;
  readonly change: "created" | "changed" | "deleted";
  /** Where it lies in the storage: the part, and the names and keys below it. */
  readonly place: readonly string[];
  /** The mount or the namespace that it is, or lies in, by its full path: filters know no others. */
  readonly within: string;
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
  ["tokenRoles", "token role"],
  ["entries", "secret"],
  ["secrets", "secret"],
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
  ["groupAliases", "group alias"],
  ["members", "group member"],
  ["subgroups", "member group"],
  ["keys", "named key"],
  ["assignments", "assignment"],
  ["scopes", "scope"],
  ["clients", "client"],
  ["providers", "provider"],
  ["identityRoles", "identity role"],
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
  "mergedEntities",
  "aliasesByLogin",
  "aliasesByEntity",
  "groupsByName",
  "groupsOfEntity",
  "parentsOfGroup",
  "groupAliasesByLogin",
  "groupAliasesByGroup",
  "clientsById",
  "clientsByKey",
  "clientsByAssignment",
  "providersByScope",
  "identityRolesByKey",
  "oidcExpiries",
  "activationTokens",
]);

/** The objects in which a part of two versions of a cluster differs. Nothing is listed below a mount that came or went. */
export function touchedObjects(before: Storage, after: Storage, part: Part): readonly TouchedObject[] {
  const touched: TouchedObject[] = [];
  compare(before[part], after[part], { path: "", place: [part] }, touched);
  return touched;
}

/** How far the way into a storage has led. */
interface Way {
  /** The full path of the mount or the namespace; empty at the top. */
  readonly path: string;
  readonly place: readonly string[];
}

type Members = { readonly [name: string]: unknown };

/** Goes through the members of a part, a namespace or a mount: tables hold objects, all else is a setting. */
function compare(before: object, after: object, way: Way, touched: TouchedObject[]): void {
  const [was, is] = [before as Members, after as Members];
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const [left, right] = [was[name], is[name]];
    if (left === right || NO_OBJECTS.has(name)) continue;
    if (isTableOrNone(left) && isTableOrNone(right)) {
      compareTables(name, left ?? Table.of(), right ?? Table.of(), below(way, name), touched);
    } else if (holdsTablesOrIsNone(left) && holdsTablesOrIsNone(right))
      compare(left ?? {}, right ?? {}, below(way, name), touched);
    else {
      const { path, place } = below(way, name);
      touched.push({ kind: name, path: path || name, change: changeOf(left, right), place, within: path });
    }
  }
}

function compareTables(
  name: string,
  before: Table<unknown>,
  after: Table<unknown>,
  way: Way,
  touched: TouchedObject[],
): void {
  for (const [key, was, is] of Table.changes(before, after)) {
    const { place } = below(way, key);
    const path = way.path + withoutSpace(name, key);
    // What holds tables is looked into: a write to a mount is no change of the mount.
    if (holdsTables(was) && holdsTables(is)) compare(was, is, { path, place }, touched);
    else {
      const within = isContainer(place) ? path : way.path;
      touched.push({ kind: KINDS.get(name) ?? name, path, change: changeOf(was, is), place, within });
    }
  }
}

function below({ path, place }: Way, name: string): Way {
  return { path, place: [...place, name] };
}

/** Whether a place is that of a mount or a namespace. */
function isContainer(place: readonly string[]): boolean {
  const table = place.at(-2);
  return table === "mounts" || table === "namespaces";
}

/**
 * What stands at a place of a storage, and the object that holds it. A mount stands for itself, whatever is written to it: another one at
 * the same path has another accessor, and another namespace another id.
 */
export function objectAt(storage: Storage | undefined, place: readonly string[]): ReturnType<typeof valueAt> {
  const found = valueAt(storage, place);
  if (!isContainer(place) || !holdsTables(found.value)) return found;
  const { accessor, id } = found.value as { readonly accessor?: string; readonly id?: string };
  const value = accessor ?? id;
  return { value, holder: value };
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
