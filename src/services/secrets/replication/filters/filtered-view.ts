import type { Deadline } from "../../../../kernel/calendar.ts";
import { Table } from "../../../../kernel/table.ts";
import { disarmMount } from "../../mounts/state.ts";
import type { Namespace } from "../../namespaces/state.ts";
import { disarmKeys } from "../../oidc/keys/state.ts";
import type { Replicated } from "../../storage.ts";
import type { Filter } from "./state.ts";

// Source of all rules in this file: decisions-replication.md, 7.

/**
 * Whether a filter ships a mount or a namespace, by its full path. The deepest entry that covers it decides; all entries of a filter say
 * the same, so any one does.
 */
export function ships({ mode, paths }: Filter, path: string): boolean {
  const listed = paths.some((entry) => path.startsWith(entry));
  return mode === "allow" ? listed : !listed;
}

/**
 * Whether a namespace is there for a secondary. One that is not shipped itself but has something listed below it is: what is listed
 * could not be reached without it.
 */
export function shipsNamespace(filter: Filter, path: string): boolean {
  return ships(filter, path) || (filter.mode === "allow" && filter.paths.some((entry) => entry.startsWith(path)));
}

/** What a filter leaves of a version of the storage. What is not shipped is not due there either, should the secondary be promoted. */
export function filtered(source: Replicated, filter: Filter): Replicated {
  let { mounts, namespaces } = source;
  const holder = { calendar: source.calendar };
  for (const [path, mount] of source.mounts.entries()) {
    if (ships(filter, path)) continue;
    mounts = mounts.delete(path);
    disarmMount(holder, mount);
  }
  for (const [path, namespace] of source.namespaces.entries()) {
    const left = filteredNamespace(namespace, path, filter);
    if (left === undefined) {
      namespaces = namespaces.delete(path);
      disarmKeys(holder, namespace);
    } else if (left !== namespace) namespaces = namespaces.set(path, left);
    for (const [mount, engine] of namespace.mounts.entries()) if (!left?.mounts.has(mount)) disarmMount(holder, engine);
  }
  if (mounts === source.mounts && namespaces === source.namespaces) return source;
  return Object.freeze({ ...source, mounts, namespaces, ...holder });
}

/** Whether what a deadline is of is shipped: an engine, or a key of a namespace. */
function shipsDeadline(filter: Filter, { input }: Deadline): boolean {
  const { namespace = "", mount } = input as { readonly namespace?: string; readonly mount?: string };
  if (mount !== undefined && !ships(filter, namespace + mount)) return false;
  return namespace === "" || shipsNamespace(filter, namespace);
}

function filteredNamespace(namespace: Namespace, path: string, filter: Filter): Namespace | undefined {
  if (!shipsNamespace(filter, path)) return undefined;
  let { mounts } = namespace;
  for (const mount of namespace.mounts.keys()) if (!ships(filter, path + mount)) mounts = mounts.delete(mount);
  return mounts === namespace.mounts ? namespace : { ...namespace, mounts };
}

/**
 * What a filter leaves of a version, from what it left of the one before: the cost is that of what changed between the two, and what it
 * does not ship leaves the view as it is.
 */
export function filteredAgain(view: Replicated, before: Replicated, after: Replicated, filter: Filter): Replicated {
  if (before === after) return view;
  let { mounts, namespaces, calendar } = view;
  for (const [path, , mount] of Table.changes(before.mounts, after.mounts)) {
    if (!ships(filter, path)) continue;
    mounts = mount === undefined ? mounts.delete(path) : mounts.set(path, mount);
  }
  for (const [path, , namespace] of Table.changes(before.namespaces, after.namespaces)) {
    const left = namespace === undefined ? undefined : filteredNamespace(namespace, path, filter);
    if (left === undefined) namespaces = namespaces.delete(path);
    else if (!sameNamespace(namespaces.get(path), left)) namespaces = namespaces.set(path, left);
  }
  for (const [key, , deadline] of Table.changes(before.calendar, after.calendar)) {
    if (deadline === undefined) calendar = calendar.delete(key);
    else if (shipsDeadline(filter, deadline)) calendar = calendar.set(key, deadline);
  }
  const next = Object.freeze({ ...after, mounts, namespaces, calendar });
  return sameMembers(view, next) ? view : next;
}

/** Mounts that are left of two versions are the same values in other tables: only a look inside tells. */
function sameNamespace(known: Namespace | undefined, next: Namespace): boolean {
  if (known === undefined) return false;
  const { mounts, ...others } = next;
  if (!Table.changes(known.mounts, mounts).next().done) return false;
  return sameMembers(known, { ...others, mounts: known.mounts });
}

function sameMembers<T extends object>(left: T, right: T): boolean {
  for (const name in right) if (left[name] !== right[name]) return false;
  return true;
}
