import type { NormalisedDn } from "../../languages/ldif/dn.ts";
import { parseFilter } from "./filter.ts";
import { valuesOf } from "./search.ts";
import {
  bind,
  bindEntry,
  type DirectoryDecision,
  type DirectoryError,
  type DirectoryName,
  type DirectorySession,
  strike,
} from "./session.ts";
import type { DirectoryEntry } from "./state.ts";

/** Binds as somebody with a password; without one the directory lets in whoever has an entry (RFC 4513, 5.1.2). */
export function bindAs(
  decision: DirectoryDecision,
  session: DirectorySession,
  name: DirectoryName,
  password: string,
): DirectoryError | undefined {
  if (password === "") {
    const entry = bindEntry(decision.state.directory, name);
    return strike(decision, "bind", entry) ?? (entry === undefined ? "no such entry" : undefined);
  }
  return bind(decision, { ...session, bind: name, account: name, bindPasswords: [password] });
}

/** The entries at or below a base that a filter means, or what went wrong. */
export function search(
  decision: DirectoryDecision,
  base: DirectoryName | undefined,
  filter: string,
): readonly NormalisedDn[] | DirectoryError {
  const struck = strike(decision, "search", undefined);
  if (struck !== undefined) return struck;
  const { directory } = decision.state;
  const means = parseFilter(filter);
  return [...directory.tree.values({ prefix: base?.tree ?? "" })].filter((name) => {
    const entry = directory.entries.get(name);
    return entry !== undefined && means(entry);
  });
}

/** The values of an attribute that are texts. */
export function textsOf(entry: DirectoryEntry | undefined, attribute: string): readonly string[] {
  return valuesOf(entry, attribute).filter((value) => typeof value === "string");
}

/** A text as a value of a filter (RFC 4515, 3). */
export function filterValue(text: string): string {
  return text.replace(/[\\*()\0]/g, (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
