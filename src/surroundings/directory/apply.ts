import { type NormalisedDn, parentDn } from "../../languages/ldif/dn.ts";
import type { LdifRecord, LdifValue, Modification } from "../../languages/ldif/record.ts";
import { HeldValues } from "./modifications.ts";
import { storedValue } from "./passwords.ts";
import { resultText } from "./result-codes.ts";
import {
  bind,
  connect,
  type DirectoryDecision,
  type DirectoryError,
  type DirectorySession,
  directoryName,
  exists,
  strike,
} from "./session.ts";
import { type Directory, type DirectoryAttribute, type DirectoryEntry, treeKey, valueKey } from "./state.ts";

const ENTRY_ALREADY_EXISTS = 68;
const NO_SUCH_OBJECT = 32;
const NOT_ALLOWED_ON_NON_LEAF = 66;
const ATTRIBUTE_OR_VALUE_EXISTS = 20;
const NO_SUCH_ATTRIBUTE = 16;
const INVALID_DN_SYNTAX = 34;
const PROTOCOL_ERROR = 2;

/**
 * Carries out one entry of an LDIF text: connects, binds, and adds, modifies or deletes.
 *
 * An injected failure that strikes is used up, a fact that stays although the entry fails.
 *
 * Source: decisions-directory.md, 2 "Operations on LDIF entries".
 */
export function applyRecord(
  decision: DirectoryDecision,
  session: DirectorySession,
  record: LdifRecord,
): DirectoryError | undefined {
  const refused = connect(decision, session) ?? bind(decision, session) ?? strike(decision, undefined, undefined);
  if (refused !== undefined) return refused;
  const { dn } = directoryName(record.dn);
  if (dn === undefined || dn === "") return resultText(dn === "" ? NO_SUCH_OBJECT : INVALID_DN_SYNTAX);
  const struck = strike(decision, undefined, dn) ?? strike(decision, record.change, dn);
  if (struck !== undefined) return struck;
  const code = change(decision, dn, record);
  return code === undefined ? undefined : resultText(code);
}

/** The result code of what cannot be done. */
function change(decision: DirectoryDecision, entry: NormalisedDn, record: LdifRecord): number | undefined {
  const { directory } = decision.state;
  switch (record.change) {
    case "add":
      return add(decision, entry, record.dn, record.attributes);
    case "modify": {
      const before = directory.entries.get(entry);
      return before === undefined ? NO_SUCH_OBJECT : modify(decision, entry, before, record.modifications);
    }
    case "delete":
      if (!directory.entries.has(entry)) return NO_SUCH_OBJECT;
      if (hasChildren(directory, entry)) return NOT_ALLOWED_ON_NON_LEAF;
      decision.record({ type: "DirectoryEntryRemoved", data: { entry } });
      return undefined;
    default:
      return record satisfies never;
  }
}

function add(
  decision: DirectoryDecision,
  entry: NormalisedDn,
  dn: string,
  attributes: readonly DirectoryAttribute[],
): number | undefined {
  const { directory } = decision.state;
  if (directory.entries.has(entry)) return ENTRY_ALREADY_EXISTS;
  const parent = parentDn(entry);
  // Our choice: an entry at the top has no parent to be there, but only a suffix stands at the top.
  const isSuffix = directory.containers.has(entry);
  if (!isSuffix && (parent === undefined || !exists(directory, parent))) return NO_SUCH_OBJECT;
  const stored = attributes.map(({ name, values }) => ({
    name,
    values: values.map((each) => storedValue(name, each)),
  }));
  if (stored.some(({ name, values }) => hasDuplicates(name, values))) return ATTRIBUTE_OR_VALUE_EXISTS;
  decision.record({ type: "DirectoryEntryCreated", data: { entry, dn, attributes: stored } });
  return undefined;
}

function hasDuplicates(name: string, values: readonly LdifValue[]): boolean {
  return new Set(values.map((value) => valueKey(name, value))).size < values.length;
}

function hasChildren({ tree }: Directory, entry: NormalisedDn): boolean {
  const key = treeKey(entry);
  return tree.firstFrom(`${key}\0`)?.[0].startsWith(key) ?? false;
}

/** All modifications of an entry, or none of them. */
function modify(
  decision: DirectoryDecision,
  entry: NormalisedDn,
  before: DirectoryEntry,
  written: readonly Modification[],
): number | undefined {
  const modifications = written.map((modification) => ({
    ...modification,
    values: modification.values.map((value) => storedValue(modification.name, value)),
  }));
  const changed = new Map<string, HeldValues>();
  for (const modification of modifications) {
    const key = modification.name.toLowerCase();
    const own = Object.hasOwn(before.attributes, key) ? before.attributes[key]?.values : undefined;
    const held = changed.get(key) ?? new HeldValues(key, own ?? [], valueKey);
    const code = modificationFault(held, modification);
    if (code !== undefined) return code;
    held.change(modification);
    changed.set(key, held);
  }
  decision.record({ type: "DirectoryEntryModified", data: { entry, modifications } });
  return undefined;
}

/** The result code of a modification that cannot be carried out. */
function modificationFault(held: HeldValues, { operation, name, values }: Modification): number | undefined {
  switch (operation) {
    case "add":
      // Our choice: adding no value is none of the protocol's requests.
      if (values.length === 0) return PROTOCOL_ERROR;
      return hasDuplicates(name, values) || values.some((value) => held.has(value))
        ? ATTRIBUTE_OR_VALUE_EXISTS
        : undefined;
    case "replace":
      return hasDuplicates(name, values) ? ATTRIBUTE_OR_VALUE_EXISTS : undefined;
    case "delete":
      return held.size === 0 || !values.every((value) => held.has(value)) ? NO_SUCH_ATTRIBUTE : undefined;
    default:
      return operation satisfies never;
  }
}
