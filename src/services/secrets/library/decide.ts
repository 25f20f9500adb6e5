import { libraryAccountMachine } from "../../../../machines/library-account.machine.ts";
import { step } from "../../../kernel/machine.ts";
import { bearerOf } from "../access.ts";
import type { SecretsDecision } from "../declare.ts";
import { rotateAccountPassword } from "../directory-config/rotate.ts";
import { cappedTtl, issueLease, leaseTimesOf, newLeaseId } from "../leases/issue.ts";
import type { DirectoryMount } from "../mounts/state.ts";
import type { MountPlace } from "../place.ts";
import { failKeepingFacts, refuse } from "../rejections.ts";
import type { LeaseShown } from "../reply.ts";
import { mountAt } from "../world.ts";
import { borrowerOf } from "./borrower.ts";
import { giveBackAccount } from "./give-back.ts";
import { firstPlace, placesBelow } from "./places.ts";
import {
  ALL,
  type Borrower,
  borrowerPrefix,
  type Library,
  type LibraryAccount,
  type LibrarySet,
  type NewAccount,
  type SetName,
  type SetSettings,
  shelfOf,
} from "./state.ts";

// Source of all rules in this file: decisions-directory.md, 7.

const DAY_SECONDS = 86_400;

/** The engine of a request; whoever routed the request here has found it. */
export function engineAt(reading: Pick<SecretsDecision, "state">, at: MountPlace): DirectoryMount {
  const mount = mountAt(reading.state, at);
  if (mount?.type !== "ldap") throw new TypeError(`no directory engine is mounted at ${at.mount}`);
  return mount;
}

// --- sets -----------------------------------------------------------------------------------------------------------

/** What a set is written with: absent members keep their value, or get their default in a new set. */
export interface WrittenSet {
  readonly names: readonly string[] | undefined;
  readonly ttlSeconds: number | undefined;
  readonly maxTtlSeconds: number | undefined;
  readonly disableCheckInEnforcement: boolean | undefined;
}

/** Creates a set, or changes what is given of one. */
export function writeSet(decision: SecretsDecision, at: MountPlace, set: SetName, written: WrittenSet): void {
  const engine = engineAt(decision, at);
  if (engine.config === undefined) refuse("set_config_missing", {});
  const before = engine.library.sets.get(set);
  if (before === undefined) createSet(decision, at, set, written);
  else changeSet(decision, at, set, written, engine.library, before);
}

function createSet(decision: SecretsDecision, at: MountPlace, set: SetName, written: WrittenSet): void {
  // Our choice: a name given twice is one account, at its first place.
  const names = [...new Set(written.names ?? [])];
  if (names.length === 0) refuse("set_names_missing", {});
  refuseManaged(engineAt(decision, at), names);
  const settings = checkedSettings(names, {
    ttlSeconds: written.ttlSeconds ?? DAY_SECONDS,
    maxTtlSeconds: written.maxTtlSeconds ?? DAY_SECONDS,
    disableCheckInEnforcement: written.disableCheckInEnforcement ?? false,
  });
  const added = rotateAll(decision, at, names);
  decision.record({ type: "LibrarySetCreated", data: { at, set, settings, added } });
}

function changeSet(
  decision: SecretsDecision,
  at: MountPlace,
  set: SetName,
  written: WrittenSet,
  library: Library,
  before: LibrarySet,
): void {
  const names = written.names === undefined ? before.names : [...new Set(written.names)];
  const had = new Set(before.names);
  const has = new Set(names);
  const addedNames = names.filter((name) => !had.has(name));
  refuseManaged(engineAt(decision, at), addedNames);
  for (const name of before.names) if (!has.has(name)) refuseLent(decision, library, name);
  const settings = checkedSettings(names, {
    ttlSeconds: written.ttlSeconds ?? before.ttlSeconds,
    maxTtlSeconds: written.maxTtlSeconds ?? before.maxTtlSeconds,
    disableCheckInEnforcement: written.disableCheckInEnforcement ?? before.disableCheckInEnforcement,
  });
  const added = rotateAll(decision, at, addedNames);
  const sameList = names.length === before.names.length && names.every((name, place) => name === before.names[place]);
  decision.record({
    type: "LibrarySetChanged",
    data: { at, set, settings, ...(sameList ? {} : { names }), added },
  });
}

/** Forgets a set and frees its accounts, unless one is lent. A set that is not there is deleted already. */
export function deleteSet(decision: SecretsDecision, at: MountPlace, set: SetName): void {
  const { library } = engineAt(decision, at);
  const before = library.sets.get(set);
  if (before === undefined) return;
  for (const name of before.names) refuseLent(decision, library, name);
  decision.record({ type: "LibrarySetDeleted", data: { at, set } });
}

/** A name may be that of one account of the engine's sets and static roles. */
function refuseManaged({ library, roles }: DirectoryMount, names: readonly string[]): void {
  for (const name of names) {
    if (library.accounts.has(name) || roles?.usernames.has(name)) {
      refuse("account_already_managed", { account: name });
    }
  }
}

function refuseLent(decision: SecretsDecision, library: Library, name: string): void {
  const account = library.accounts.get(name);
  if (account === undefined) return;
  const next = decision.step(libraryAccountMachine, account.status, NOBODY_ASKED, { type: "forget" });
  if (next === undefined) refuse("account_checked_out", { account: name });
}

const NOBODY_ASKED = { callerMayReturn: false };

function checkedSettings(names: readonly string[], settings: SetSettings): SetSettings {
  if (names.length === 0) refuse("set_empty", {});
  if (names.includes("")) refuse("account_name_empty", {});
  if (settings.maxTtlSeconds > 0 && settings.maxTtlSeconds < settings.ttlSeconds) refuse("max_ttl_below_ttl", {});
  return settings;
}

/** Gives each account a new password, in the order of the list: this is also the check that it exists. */
function rotateAll(decision: SecretsDecision, at: MountPlace, names: readonly string[]): readonly NewAccount[] {
  return names.map((name) => {
    const rotated = rotateAccountPassword(decision, at, name);
    // The accounts before this one have their new passwords: the directory cannot take them back.
    if (!rotated.ok) return failKeepingFacts("rotation_failed", { account: name, reason: rotated.reason });
    return { name, password: rotated.password };
  });
}

// --- check-out ------------------------------------------------------------------------------------------------------

export interface CheckedOut {
  readonly account: string;
  readonly password: string;
  readonly lease: LeaseShown;
  readonly warnings: readonly string[];
}

/**
 * Lends the first available account of a set, in the order of its list.
 *
 * @param ttlSeconds what was asked for; undefined when nothing was
 * @param path the path of the request, which the lease's id begins with
 */
export function checkOut(
  decision: SecretsDecision,
  at: MountPlace,
  set: SetName,
  ttlSeconds: number | undefined,
  path: string,
): CheckedOut {
  const engine = engineAt(decision, at);
  const { library } = engine;
  const settings = library.sets.get(set);
  if (settings === undefined) return refuse("set_not_found", { set });
  const place = firstPlace(shelfOf(library, set).available, ALL);
  const name = place === undefined ? undefined : settings.names[place];
  const account = name === undefined ? undefined : library.accounts.get(name);
  if (name === undefined || account === undefined) return refuse("no_account_available", { set });
  const next = decision.step(libraryAccountMachine, account.status, NOBODY_ASKED, { type: "checkOut" });
  if (next?.value !== "checked_out") return refuse("no_account_available", { set });

  const bearer = bearerOf(decision);
  const { seconds, warnings } = checkOutTtl(engine, settings, ttlSeconds);
  const lease = newLeaseId(decision, path);
  const borrower = borrowerOf(engine, bearer);
  decision.record({
    type: "ServiceAccountCheckedOut",
    data: { at, account: name, status: next.value, borrower, lease },
  });
  const shown = issueLease(decision, bearer, lease, {
    mount: at.mount,
    grant: { type: "checkOut", set, account: name },
    seconds,
    renewable: true,
  });
  return { account: name, password: account.password, lease: shown, warnings };
}

/** The lease time of a check-out: the table of section 7, then the cap. */
function checkOutTtl(
  engine: DirectoryMount,
  { ttlSeconds: setTtl, maxTtlSeconds }: LibrarySet,
  asked: number | undefined,
): { readonly seconds: number; readonly warnings: readonly string[] } {
  const { defaultSeconds, maxSeconds } = leaseTimesOf(engine);
  return cappedTtl(wantedTtl(setTtl, asked) || defaultSeconds, [maxTtlSeconds, maxSeconds]);
}

/** The table of section 7; 0 stands for the mount's default lease time. */
function wantedTtl(setTtl: number, asked: number | undefined): number {
  if (setTtl === 0) return asked ?? 0;
  return asked === undefined || asked >= setTtl ? setTtl : asked;
}

// --- check-in -------------------------------------------------------------------------------------------------------

/** Who checks in: the borrower, whom the set may check, or an operator, whom nobody asks. */
export type CheckInBy = "borrower" | "manager";

/**
 * Gives lent accounts back.
 *
 * @param asked the accounts that were named; empty when none were
 * @returns the accounts that were lent and are not any more
 */
export function checkIn(
  decision: SecretsDecision,
  at: MountPlace,
  set: SetName,
  asked: readonly string[],
  by: CheckInBy,
): readonly string[] {
  const engine = engineAt(decision, at);
  if (engine.config === undefined) refuse("check_in_config_missing", {});
  const { library } = engine;
  const settings = library.sets.get(set);
  if (settings === undefined) return refuse("set_not_found", { set });
  const borrower = borrowerOf(engine, bearerOf(decision));
  const anyone = by === "manager" || settings.disableCheckInEnforcement;
  const names =
    asked.length > 0
      ? authorizedNames(library, set, asked, borrower, anyone)
      : onlyLoan(library, set, settings, anyone ? ALL : borrowerPrefix(borrower));
  for (const name of names) {
    const account = engineAt(decision, at).library.accounts.get(name);
    if (account?.status !== "checked_out") continue;
    const failure = giveBackAccount(decision, at, name, account, by);
    // Those before it in the list are checked in already.
    if (failure !== undefined) failKeepingFacts("rotation_failed", { account: name, reason: failure });
  }
  return names;
}

/** Of the accounts that were named, those that are lent: all of them are the caller's to return, or nothing happens. */
function authorizedNames(
  library: Library,
  set: SetName,
  asked: readonly string[],
  caller: Borrower,
  anyone: boolean,
): readonly string[] {
  const names = asked.length === 1 ? asked : [...new Set(asked)];
  return names.filter((name) => {
    const account = library.accounts.get(name);
    if (account === undefined || account.set !== set) return refuse("account_not_in_set", { account: name, set });
    if (account.status === "available") return false;
    const judgement = { callerMayReturn: anyone || isBorrower(caller, account) };
    // Asked only: the move is made when all of them may be returned.
    const next = step(libraryAccountMachine, account.status, judgement, { type: "checkIn" });
    return next !== undefined || refuse("account_not_yours", { account: name });
  });
}

/** The one account of a set that is lent under a prefix: with more, the caller has to say which. */
function onlyLoan(library: Library, set: SetName, { names }: LibrarySet, prefix: string): readonly string[] {
  const found: string[] = [];
  for (const place of placesBelow(shelfOf(library, set).loans, prefix)) {
    if (found.length === 1) refuse("check_in_ambiguous", { set });
    const name = names[place];
    if (name !== undefined) found.push(name);
  }
  return found;
}

/** The same entity, or the same token: whoever has an entity may return with another token of it. */
function isBorrower(caller: Borrower, account: LibraryAccount & { readonly status: "checked_out" }): boolean {
  const { entityId, tokenHash } = account.borrower;
  return (entityId !== "" && caller.entityId === entityId) || caller.tokenHash === tokenHash;
}
