import type { Flat } from "../../kernel/draft.ts";
import type { FlatEvolvers } from "../../kernel/evolvers.ts";
import { Table } from "../../kernel/table.ts";
import { ancestors, type NormalisedDn } from "../../languages/ldif/dn.ts";
import type { LdifValue, Modification } from "../../languages/ldif/record.ts";
import { HeldValues } from "./modifications.ts";

/** Whoever has a directory. */
export interface DirectoryWorld {
  readonly directory: Directory;
}

/**
 * The directory server that engines act on: one per simulator, outside every cluster.
 *
 * Source: decisions-directory.md, 2.
 */
export interface Directory {
  /** Entries by their normalised DN. */
  readonly entries: Table<DirectoryEntry>;
  /** The same entries from the root down, so that a subtree is one stretch of keys; the value is the normalised DN. */
  readonly tree: Table<NormalisedDn>;
  /** Who has a value: attribute, value and place in the tree; the value is the normalised DN. */
  readonly byValue: Table<NormalisedDn>;
  /** Ancestors of seeded names, and suffixes: usable as base and as parent, found by no search. */
  readonly containers: Table<true>;
  readonly available: boolean;
  /** Servers that are not as servers are: down, or slow. */
  readonly servers: Table<DirectoryServer>;
  readonly failures: readonly InjectedFailure[];
}

export interface DirectoryEntry {
  /** The DN as it was first given. */
  readonly dn: string;
  /** Attributes by their lower-case names. */
  readonly attributes: Readonly<Record<string, DirectoryAttribute>>;
}

export interface DirectoryAttribute {
  /** The name as it was first given. */
  readonly name: string;
  readonly values: readonly LdifValue[];
}

export interface DirectoryServer {
  readonly available: boolean;
  readonly delayMs: number;
}

/** What an operation does to the directory. */
export type DirectoryOperation = "bind" | "search" | "add" | "modify" | "delete";

/** The next operations that fail. */
export interface InjectedFailure {
  readonly count: number;
  /** Absent = any entry. */
  readonly entry?: NormalisedDn;
  /** Absent: it counts password changes and LDIF entries, each as a whole. */
  readonly operation?: DirectoryOperation;
  readonly resultCode: number;
}

/** The facts of the directory. */
export interface DirectoryEvents {
  DirectoryEntryAdded: EntryAt & { readonly dn: string; readonly attributes: readonly DirectoryAttribute[] };
  /** An engine has added it, by LDIF: what is above it becomes no container. */
  DirectoryEntryCreated: EntryAt & { readonly dn: string; readonly attributes: readonly DirectoryAttribute[] };
  /** An engine has changed it, by LDIF: one modification after the other. */
  DirectoryEntryModified: EntryAt & { readonly modifications: readonly Modification[] };
  DirectoryEntryRemoved: EntryAt;
  DirectorySuffixAdded: EntryAt;
  /** A password was written: `attributes` replace those of the same names. */
  DirectoryPasswordChanged: EntryAt & { readonly attributes: readonly DirectoryAttribute[] };
  DirectoryAvailabilityChanged: { readonly available: boolean };
  DirectoryServerChanged: { readonly url: string; readonly available?: boolean; readonly delayMs?: number };
  DirectoryFailureInjected: InjectedFailure;
  /** An injected failure has struck; `index` is its place among those that wait. */
  DirectoryFailureUsed: { readonly index: number };
}

interface EntryAt {
  readonly entry: NormalisedDn;
}

export const emptyDirectory: Directory = Object.freeze({
  entries: Table.of<DirectoryEntry>(),
  tree: Table.of<NormalisedDn>(),
  byValue: Table.of<NormalisedDn>(),
  containers: Table.of<true>(),
  available: true,
  servers: Table.of<DirectoryServer>(),
  failures: Object.freeze([]),
});

/** A copy that may be written to. V8 copies a frozen object by `{ ...directory }` member by member, and a literal at once. */
export function copyOfDirectory(directory: Directory): Flat<Directory> {
  return {
    entries: directory.entries,
    tree: directory.tree,
    byValue: directory.byValue,
    containers: directory.containers,
    available: directory.available,
    servers: directory.servers,
    failures: directory.failures,
  };
}

export const directoryEvolvers: FlatEvolvers<Directory, DirectoryEvents> = {
  DirectoryEntryAdded: (directory, { entry, dn, attributes }) => {
    removeEntry(directory, entry);
    addEntry(directory, entry, dn, attributes);
    addContainers(directory, ancestors(entry));
  },
  DirectoryEntryCreated: (directory, { entry, dn, attributes }) => {
    removeEntry(directory, entry);
    addEntry(directory, entry, dn, attributes);
  },
  DirectoryEntryModified: (directory, { entry, modifications }) => {
    const before = directory.entries.get(entry);
    if (before === undefined) return;
    const attributes = new Map(Object.entries(before.attributes));
    const changed = new Map<string, HeldValues>();
    for (const modification of modifications) {
      const key = modification.name.toLowerCase();
      const { name, values } = attributes.get(key) ?? { name: modification.name, values: [] };
      const held = changed.get(key) ?? new HeldValues(name, values, valueKey);
      reindex(directory, entry, modification.name, held.change(modification));
      changed.set(key, held);
      if (held.size === 0) attributes.delete(key);
      else attributes.set(key, { name, values });
    }
    for (const [key, held] of changed) {
      const attribute = attributes.get(key);
      if (attribute !== undefined) attributes.set(key, { ...attribute, values: held.list() });
    }
    directory.entries = directory.entries.set(entry, { dn: before.dn, attributes: Object.fromEntries(attributes) });
  },
  DirectoryEntryRemoved: (directory, { entry }) => removeEntry(directory, entry),
  DirectorySuffixAdded: (directory, { entry }) => addContainers(directory, [entry, ...ancestors(entry)]),
  DirectoryPasswordChanged: (directory, { entry, attributes }) => {
    directory.entries = directory.entries.update(entry, (before) => {
      const changed = { ...before.attributes };
      for (const attribute of attributes) changed[attribute.name.toLowerCase()] = attribute;
      // What it holds is frozen already: said so, none of it is looked at again.
      return { dn: before.dn, attributes: Object.freeze(changed) };
    });
  },
  DirectoryAvailabilityChanged: (directory, { available }) => {
    directory.available = available;
  },
  DirectoryServerChanged: (directory, { url, available, delayMs }) => {
    const server = directory.servers.get(url) ?? { available: true, delayMs: 0 };
    directory.servers = directory.servers.set(url, {
      available: available ?? server.available,
      delayMs: delayMs ?? server.delayMs,
    });
  },
  DirectoryFailureInjected: (directory, failure) => {
    directory.failures = [...directory.failures, failure];
  },
  DirectoryFailureUsed: (directory, { index }) => {
    const used = directory.failures[index];
    if (used === undefined) return;
    const left = used.count > 1 ? [{ ...used, count: used.count - 1 }] : [];
    directory.failures = [...directory.failures.slice(0, index), ...left, ...directory.failures.slice(index + 1)];
  },
};

function addEntry(
  directory: Flat<Directory>,
  entry: NormalisedDn,
  dn: string,
  attributes: readonly DirectoryAttribute[],
): void {
  const byName: Record<string, DirectoryAttribute> = {};
  for (const attribute of attributes) byName[attribute.name.toLowerCase()] = attribute;
  directory.entries = directory.entries.set(entry, { dn, attributes: byName });
  directory.tree = directory.tree.set(treeKey(entry), entry);
  for (const place of placesOf(entry, attributes)) directory.byValue = directory.byValue.set(place, entry);
}

/** Where the values of a modified attribute are looked for; those that stay are left alone. */
function reindex(
  directory: Flat<Directory>,
  entry: NormalisedDn,
  name: string,
  { goes, comes }: ReturnType<HeldValues["change"]>,
): void {
  for (const place of placesOf(entry, [{ name, values: goes }])) directory.byValue = directory.byValue.delete(place);
  for (const place of placesOf(entry, [{ name, values: comes }])) {
    directory.byValue = directory.byValue.set(place, entry);
  }
}

function removeEntry(directory: Flat<Directory>, entry: NormalisedDn): void {
  const before = directory.entries.get(entry);
  if (before === undefined) return;
  directory.entries = directory.entries.delete(entry);
  directory.tree = directory.tree.delete(treeKey(entry));
  for (const place of placesOf(entry, Object.values(before.attributes))) {
    directory.byValue = directory.byValue.delete(place);
  }
}

function addContainers(directory: Flat<Directory>, names: readonly NormalisedDn[]): void {
  for (const name of names) {
    if (!directory.containers.has(name)) directory.containers = directory.containers.set(name, true);
  }
}

// --- indexes --------------------------------------------------------------------------------------------------------

/**
 * A name from the root down. Everything at or below a name starts with its tree key, and nothing else does: each level
 * ends with a character that no name holds.
 */
export function treeKey(name: NormalisedDn): string {
  return name
    .split(",")
    .reverse()
    .map((level) => `${level}\0`)
    .join("");
}

/** Attributes that hold passwords: written often, searched never, so they are kept out of the index. */
const PASSWORD_ATTRIBUTES: ReadonlySet<string> = new Set([
  "userpassword",
  "unicodepwd",
  "racfpassword",
  "racfpassphrase",
  "racfattributes",
]);

export function isIndexed(attribute: string): boolean {
  return !PASSWORD_ATTRIBUTES.has(attribute.toLowerCase());
}

/** What equal values of an attribute have in common: case does not matter but in passwords (decisions-directory.md, 2). */
export function valueKey(attribute: string, value: LdifValue): string {
  if (typeof value !== "string") return `base64:${value.base64}`;
  return `text:${isIndexed(attribute) ? value.toLowerCase() : value}`;
}

/** Where the index has an attribute's value: all its entries below a base are one stretch of keys. */
export function valuePrefix(attribute: string, value: string): string {
  return `${attribute.toLowerCase()}\0${JSON.stringify(value.toLowerCase())}\0`;
}

function* placesOf(entry: NormalisedDn, attributes: readonly DirectoryAttribute[]): Generator<string> {
  for (const { name, values } of attributes) {
    if (!isIndexed(name)) continue;
    for (const value of values) if (typeof value === "string") yield valuePrefix(name, value) + treeKey(entry);
  }
}
