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
  /** Where in their lists the accounts of sets stand. Each has its own, so that what a command touches of one lies close together. */
  readonly shelves: Table<Shelf>;
}

/** Where in a set's list its accounts stand. */
export interface Shelf {
  /** Those that can be lent: a check-out takes the first. */
  readonly available: Places;
  /** Those that are lent, by borrower: a check-in without names looks here. */
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

export const emptyLibrary = Object.freeze<Library>({
  sets: Table.of(),
  accounts: Table.of(),
  shelves: Table.of(),
});

const emptyShelf: Shelf = Object.freeze({ available: noPlaces, loans: noPlaces });

/** The shelf of a set; an empty one for a set that has no accounts. */
export function shelfOf({ shelves }: Pick<Library, "shelves">, set: SetName): Shelf {
  return shelves.get(set) ?? emptyShelf;
}

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
    for (const name of before) if (!stay.has(name)) library.accounts = library.accounts.delete(name);
    putAccounts(library, set, names, added);
  },
  LibrarySetDeleted: (library, { set }) => {
    for (const name of library.sets.get(set)?.names ?? []) library.accounts = library.accounts.delete(name);
    library.sets = library.sets.delete(set);
    library.shelves = library.shelves.delete(set);
  },
  ServiceAccountCheckedOut: (library, { account: name, status, borrower, lease }) => {
    replaceAccount(library, name, ({ set, place, password }) => ({ status, set, place, password, borrower, lease }));
  },
  ServiceAccountCheckedIn: (library, { account: name, status, password }) => {
    replaceAccount(library, name, ({ set, place }) => ({ status, set, place, password }));
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
  // The shelf is filled anew: the place of one may be where another stood.
  let shelf = emptyShelf;
  names.forEach((name, place) => {
    const password = passwords.get(name);
    const before: LibraryAccount | undefined =
      password === undefined ? library.accounts.get(name) : { status: "available", set, place, password };
    if (before === undefined) return;
    const account = before.place === place ? before : { ...before, place };
    library.accounts = library.accounts.set(name, account);
    shelf = shelved(shelf, account);
  });
  library.shelves = library.shelves.set(set, shelf);
}

function replaceAccount(
  library: Flat<Library>,
  name: string,
  replace: (before: LibraryAccount) => LibraryAccount,
): void {
  library.accounts = library.accounts.update(name, (before) => {
    const after = replace(before);
    library.shelves = library.shelves.update(before.set, (shelf) => shelved(unshelved(shelf, before), after));
    return after;
  });
}

// --- where accounts are looked for ----------------------------------------------------------------------------------

function shelved({ available, loans }: Shelf, account: LibraryAccount): Shelf {
  const { status, place } = account;
  return status === "available"
    ? { available: withPlace(available, ALL, place), loans }
    : { available, loans: withPlace(loans, borrowerPrefix(account.borrower), place) };
}

function unshelved({ available, loans }: Shelf, account: LibraryAccount): Shelf {
  const { status, place } = account;
  return status === "available"
    ? { available: withoutPlace(available, ALL, place), loans }
    : { available, loans: withoutPlace(loans, borrowerPrefix(account.borrower), place) };
}

/** The start of all keys of a shelf. */
export const ALL = "";

/** The start of the keys of a borrower's loans: the entity if there is one, else the token. */
export function borrowerPrefix({ tokenHash, entityId }: Borrower): string {
  return `${entityId === "" ? tokenHash : JSON.stringify(entityId)} `;
}
