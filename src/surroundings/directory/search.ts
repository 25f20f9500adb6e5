import type { NormalisedDn } from "../../languages/ldif/dn.ts";
import type { LdifValue } from "../../languages/ldif/record.ts";
import { type Directory, type DirectoryEntry, isIndexed, valuePrefix } from "./state.ts";

/** The values of an attribute, whatever the case of its name. */
export function valuesOf(entry: DirectoryEntry | undefined, attribute: string): readonly LdifValue[] {
  const name = attribute.toLowerCase();
  return entry !== undefined && Object.hasOwn(entry.attributes, name) ? (entry.attributes[name]?.values ?? []) : [];
}

/**
 * The entries in a subtree that hold a value, ignoring case.
 *
 * @param below the tree key of the base; empty for the whole directory
 */
export function findByValue(directory: Directory, below: string, attribute: string, value: string): NormalisedDn[] {
  if (isIndexed(attribute)) return [...directory.byValue.values({ prefix: valuePrefix(attribute, value) + below })];
  const sought = value.toLowerCase();
  return [...directory.tree.values({ prefix: below })].filter((name) => {
    const entry = directory.entries.get(name);
    return valuesOf(entry, attribute).some((held) => typeof held === "string" && held.toLowerCase() === sought);
  });
}
