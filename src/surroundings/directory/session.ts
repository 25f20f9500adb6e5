import type { EventOf } from "../../kernel/commit.ts";
import type { Decision } from "../../kernel/decision.ts";
import { LanguageError } from "../../languages/language-error.ts";
import { type NormalisedDn, normaliseDn } from "../../languages/ldif/dn.ts";
import { passwordOpens } from "./passwords.ts";
import { resultText } from "./result-codes.ts";
import { findByValue } from "./search.ts";
import {
  type Directory,
  type DirectoryAttribute,
  type DirectoryEvents,
  type DirectoryOperation,
  type DirectoryWorld,
  treeKey,
} from "./state.ts";

/** A decision that may act on the directory. */
export type DirectoryDecision = Decision<DirectoryWorld, EventOf<DirectoryEvents>>;

/** How an engine reaches the directory, as whom, and where it looks. Made once per configuration. */
export interface DirectorySession {
  /** Tried from left to right; only a connection error moves on to the next. */
  readonly urls: readonly string[];
  /** A server at least this slow counts as down; 0 = none is too slow. */
  readonly timeoutMs: number;
  /** Who binds: a DN, or the user principal name of an entry. */
  readonly bind: DirectoryName;
  /** Whose entry that is where no entry has the name. */
  readonly account: DirectoryName;
  /** Passwords tried in turn. */
  readonly bindPasswords: readonly string[];
  /** Where searches begin; undefined is the whole directory. */
  readonly base: DirectoryName | undefined;
}

/** A name as somebody wrote it; its one spelling and its place in the tree when it is a DN. */
export interface DirectoryName {
  readonly text: string;
  readonly dn: NormalisedDn | undefined;
  readonly tree: string;
}

/** Which entry is meant: one that holds a value, or one by its DN. */
export type DirectoryTarget =
  | { readonly by: "value"; readonly attribute: string; readonly value: string }
  | { readonly by: "dn"; readonly name: DirectoryName };

/** Reads a name; text that is no DN is a name as well, only not one of an entry. */
export function directoryName(text: string): DirectoryName {
  try {
    const dn = normaliseDn(text);
    return { text, dn, tree: treeKey(dn) };
  } catch (error) {
    if (error instanceof LanguageError) return { text, dn: undefined, tree: "" };
    throw error;
  }
}

/** What went wrong, in the words that clients match on; undefined when nothing did. */
export type DirectoryError = string;

/**
 * Writes a password: connects, binds, finds exactly one entry, and replaces the attributes that hold it.
 *
 * An injected failure that strikes is used up, a fact that stays although the change fails: whoever refuses because of the
 * error has to keep the facts.
 *
 * Source: decisions-directory.md, 2.
 */
export function changePassword(
  decision: DirectoryDecision,
  session: DirectorySession,
  target: DirectoryTarget,
  attributes: readonly DirectoryAttribute[],
): DirectoryError | undefined {
  const refused = connect(decision, session) ?? bind(decision, session) ?? strike(decision, undefined, undefined);
  if (refused !== undefined) return refused;
  const found = find(decision, session, target);
  if ("error" in found) return found.error;
  // A search was for this entry as soon as it has found it.
  const struck =
    strike(decision, undefined, found.entry) ??
    strike(decision, "search", found.entry) ??
    strike(decision, "modify", found.entry);
  if (struck !== undefined) return struck;
  decision.record({ type: "DirectoryPasswordChanged", data: { entry: found.entry, attributes } });
  return undefined;
}

/** Reaches the first server that answers in time; all being down is an error. */
export function connect(decision: DirectoryDecision, session: DirectorySession): DirectoryError | undefined {
  const { directory } = decision.state;
  const reached = session.urls.some((url) => {
    const server = directory.servers.get(url);
    const tooSlow = session.timeoutMs > 0 && (server?.delayMs ?? 0) >= session.timeoutMs;
    return directory.available && server?.available !== false && !tooSlow;
  });
  return reached ? undefined : `error connecting to directory: no server of ${session.urls.join(", ")} can be reached`;
}

/** Binds as the session says. */
export function bind(decision: DirectoryDecision, session: DirectorySession): DirectoryError | undefined {
  const { directory } = decision.state;
  const name = bindEntry(directory, session.bind) ?? bindEntry(directory, session.account);
  const struck = strike(decision, "bind", name);
  if (struck !== undefined) return struck;
  const entry = name === undefined ? undefined : directory.entries.get(name);
  const opens = entry !== undefined && session.bindPasswords.some((password) => passwordOpens(entry, password));
  return opens ? undefined : `error binding as ${session.bind.text}: ${resultText(49)}`;
}

/** The entry that a bind name stands for: the one of that DN, or else the one with that user principal name. */
export function bindEntry(directory: Directory, name: DirectoryName): NormalisedDn | undefined {
  if (name.dn !== undefined && directory.entries.has(name.dn)) return name.dn;
  return findByValue(directory, "", "userPrincipalName", name.text)[0];
}

function find(
  decision: DirectoryDecision,
  session: DirectorySession,
  target: DirectoryTarget,
): { readonly entry: NormalisedDn } | { readonly error: DirectoryError } {
  const base = target.by === "dn" ? target.name : session.base;
  const struck = strike(decision, "search", target.by === "dn" ? target.name.dn : undefined);
  if (struck !== undefined) return { error: struck };
  const { directory } = decision.state;
  if (base !== undefined && !exists(directory, base.dn))
    return { error: `error searching ${base.text}: ${resultText(32)}` };
  const found = target.by === "dn" ? entryAt(directory, target.name) : entriesWith(directory, session, target);
  const [entry] = found;
  if (entry !== undefined && found.length === 1) return { entry };
  return { error: `expected one matching entry, but found ${found.length}` };
}

function entryAt(directory: Directory, { dn }: DirectoryName): readonly NormalisedDn[] {
  return dn !== undefined && directory.entries.has(dn) ? [dn] : [];
}

function entriesWith(
  directory: Directory,
  { base }: DirectorySession,
  { attribute, value }: { readonly attribute: string; readonly value: string },
): readonly NormalisedDn[] {
  return findByValue(directory, base?.tree ?? "", attribute, value);
}

/** Whether a name can be searched from or added under: an entry, or a container. */
export function exists(directory: Directory, dn: NormalisedDn | undefined): boolean {
  return dn !== undefined && (directory.entries.has(dn) || directory.containers.has(dn));
}

/** Uses up the first injected failure that means this operation on this entry. */
export function strike(
  decision: DirectoryDecision,
  operation: DirectoryOperation | undefined,
  entry: NormalisedDn | undefined,
): DirectoryError | undefined {
  const { failures } = decision.state.directory;
  if (failures.length === 0) return undefined;
  const index = failures.findIndex((failure) => {
    if (failure.operation !== operation) return false;
    // A failure of any entry strikes a whole change before its entry is known, that of one entry when it is.
    if (operation === undefined) return failure.entry === entry;
    return failure.entry === undefined || failure.entry === entry;
  });
  const failure = failures[index];
  if (failure === undefined) return undefined;
  decision.record({ type: "DirectoryFailureUsed", data: { index } });
  return resultText(failure.resultCode);
}
