import type { Brand } from "../../../kernel/brand.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import { Table } from "../../../kernel/table.ts";
import type { LeaseId } from "../leases/state.ts";
import type { InMount } from "../place.ts";
import { noPlaces, type Places, withoutPlace, withPlace } from "./places.ts";

/** A set's name: lower-case, with slashes for a hierarchy. */
export type SetName = Brand<string, "SetName">;

/** The sets of one directory engine and the accounts that they lend (decisions-directory.md, 7). */
export interface Library {
  readonly sets: Table<LibrarySet>;
  /** Accounts by name: each is in one set only. */
  readonly accounts: Table<LibraryAccount>;
  /** Where in the lists of sets accounts stand that can be lent: a check-out takes the first. */
  readonly available: Places;
  /** Where accounts stand that are lent, by set and borrower: a check-in without names looks here. */
  readonly loans: Places;
}

export interface LibrarySet extends SetSettings {
  /** Its accounts in the order in which they are lent. */
  readonly names: readonly string[];
}

export interface SetSettings {
  /** 0 = no limit of the set's own. */
  readonly ttlSeconds: number;
  readonly maxTtlSeconds: number;
  readonly disableCheckInEnforcement: boolean;
}

interface AccountBase {
  readonly set: SetName;
  /** Its place in the set's list. */
  readonly place: number;
  /** As the engine knows it; handed out at the next check-out. */
  readonly password: string;
}

/** Spelled as the states of the library account chart. */
export type LibraryAccount =
  | (AccountBase & { readonly status: "available" })
  | (AccountBase & { readonly status: "checked_out"; readonly borrower: Borrower; readonly lease: LeaseId });

/** Who has an account: two tokens of one entity are one borrower. */
export interface Borrower {
  /** 40 hexadecimal digits that stand for the token. */
  readonly tokenHash: string;
  /** Empty when the token has no entity. */
  readonly entityId: string;
}

interface SetAt extends InMount {
  readonly set: SetName;
}

interface AccountAt extends InMount {
  readonly account: string;
}

export interface NewAccount {
  readonly name: string;
  readonly password: string;
}

/** The facts of library sets. */
export interface LibraryEvents {
  LibrarySetCreated: SetAt & { readonly settings: SetSettings; readonly added: readonly NewAccount[] };
  /** `names` only when the list changed. */
  LibrarySetChanged: SetAt & {
    readonly settings: SetSettings;
    readonly names?: readonly string[];
    readonly added: readonly NewAccount[];
  };
  LibrarySetDeleted: SetAt;
  ServiceAccountCheckedOut: AccountAt & {
    readonly status: "checked_out";
    readonly borrower: Borrower;
    readonly lease: LeaseId;
  };
  /** It came back, with a new password. `by` tells how: its lease ended, or somebody checked it in. */
  ServiceAccountCheckedIn: AccountAt & {
    readonly status: "available";
    readonly password: string;
    readonly by: "borrower" | "manager" | "lease";
  };
}

export const emptyLibrary: Library = Object.freeze({
  sets: Table.of<LibrarySet>(),
  accounts: Table.of<LibraryAccount>(),
  available: noPlaces,
  loans: noPlaces,
});

export const libraryEvolvers: FlatEvolvers<Library, LibraryEvents> = {
  LibrarySetCreated: (library, { set, settings, added }) => {
    const names = added.map(({ name }) => name);
    library.sets = library.sets.set(set, { ...settings, names });
    putAccounts(library, set, names, added);
  },
  LibrarySetChanged: (library, { set, settings, names, added }) => {
    const before = library.sets.get(set)?.names ?? [];
    library.sets = library.sets.set(set, { ...settings, names: names ?? before });
    if (names === undefined) return;
    const stay = new Set(names);
    for (const name of before) if (!stay.has(name)) removeAccount(library, name);
    putAccounts(library, set, names, added);
  },
  LibrarySetDeleted: (library, { set }) => {
    for (const name of library.sets.get(set)?.names ?? []) removeAccount(library, name);
    library.sets = library.sets.delete(set);
  },
  ServiceAccountCheckedOut: (library, { account: name, status, borrower, lease }) => {
    const before = library.accounts.get(name);
    if (before === undefined) return;
    const { set, place, password } = before;
    replaceAccount(library, name, before, { status, set, place, password, borrower, lease });
  },
  ServiceAccountCheckedIn: (library, { account: name, status, password }) => {
    const before = library.accounts.get(name);
    if (before === undefined) return;
    replaceAccount(library, name, before, { status, set: before.set, place: before.place, password });
  },
};

/** Gives every account of a set its place in the list; what is new to the set can be lent at once. */
function putAccounts(
  library: Flat<Library>,
  set: SetName,
  names: readonly string[],
  added: readonly NewAccount[],
): void {
  const passwords = new Map(added.map(({ name, password }) => [name, password]));
  // All leave the shelf before any comes back: the place of one may be where another stood.
  for (const name of names) {
    const before = library.accounts.get(name);
    if (before !== undefined) takeFromShelf(library, before);
  }
  names.forEach((name, place) => {
    const password = passwords.get(name);
    const account: LibraryAccount | undefined =
      password === undefined ? library.accounts.get(name) : { status: "available", set, place, password };
    if (account !== undefined) shelve(library, name, account.place === place ? account : { ...account, place });
  });
}

function replaceAccount(library: Flat<Library>, name: string, before: LibraryAccount, after: LibraryAccount): void {
  takeFromShelf(library, before);
  shelve(library, name, after);
}

/** Stores an account under its name and where it is looked for. */
function shelve(library: Flat<Library>, name: string, account: LibraryAccount): void {
  const { status, set, place } = account;
  library.accounts = library.accounts.set(name, account);
  if (status === "available") library.available = withPlace(library.available, setPrefix(set), place);
  else library.loans = withPlace(library.loans, borrowerPrefix(set, account.borrower), place);
}

function removeAccount(library: Flat<Library>, name: string): void {
  const account = library.accounts.get(name);
  if (account === undefined) return;
  takeFromShelf(library, account);
  library.accounts = library.accounts.delete(name);
}

function takeFromShelf(library: Flat<Library>, account: LibraryAccount): void {
  const { status, set, place } = account;
  if (status === "available") library.available = withoutPlace(library.available, setPrefix(set), place);
  else library.loans = withoutPlace(library.loans, borrowerPrefix(set, account.borrower), place);
}

// --- where accounts are looked for ----------------------------------------------------------------------------------

/** The start of all keys of a set: no name holds a space. */
export function setPrefix(set: SetName): string {
  return `${set} `;
}

/** The start of the keys of a borrower's loans from a set: the entity if there is one, else the token. */
export function borrowerPrefix(set: SetName, { tokenHash, entityId }: Borrower): string {
  return `${set} ${entityId === "" ? tokenHash : JSON.stringify(entityId)} `;
}
