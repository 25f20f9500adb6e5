import { libraryAccountMachine } from "../../../../machines/library-account.machine.ts";
import type { SecretsRecorder } from "../declare.ts";
import { rotateAccountPassword } from "../directory-config/rotate.ts";
import { endLease } from "../leases/issue.ts";
import type { LeaseId } from "../leases/state.ts";
import { localMountKey, type MountPlace } from "../place.ts";
import { isChangingRole } from "../replication/outage.ts";
import { isPerformanceSecondary, reachedPrimary } from "../replication/roles.ts";
import { clusterOf, hasQuirk, mountAt } from "../world.ts";
import type { LibraryAccount } from "./state.ts";

/** Why an account could not be given back, in the words of the directory; undefined when it was. */
export type GiveBackFailure = string | undefined;

/**
 * Takes an account back because its lease ended, where its set is written.
 *
 * Our choice: a performance secondary that still has the lease of a check-out, as a primary has that was demoted, has that done by its
 * primary, as all that is written to a shared mount (decisions-replication.md, 3 and 4.6). As long as it reaches none the revocation
 * fails. What is lent there under another lease, or not at all, stays as it is.
 */
export function takeBackLoan(decision: SecretsRecorder, at: MountPlace, lease: LeaseId, name: string): GiveBackFailure {
  const own = clusterOf(decision.state, at.cluster);
  if (!isPerformanceSecondary(own) || own.local.mounts.has(localMountKey(at))) {
    return takeBackAccount(decision, at, name);
  }
  const primary = reachedPrimary(decision.state, at.cluster);
  if (primary === undefined || isChangingRole(clusterOf(decision.state, primary), decision.nowMs)) return NOT_FORWARDED;
  const there = { ...at, cluster: primary };
  const mount = mountAt(decision.state, there);
  const account = mount?.type === "ldap" ? mount.library.accounts.get(name) : undefined;
  const isLent = account?.status === "checked_out" && account.lease === lease;
  return isLent ? takeBackAccount(decision, there, name) : undefined;
}

const NOT_FORWARDED = "failed to forward the return of the account to the primary: it cannot be reached";

/**
 * Takes an account back because its lease ended, whoever has it: its password is rotated, then it is available.
 *
 * An account that is in no set any more gets its new password all the same (decisions-directory.md, 7).
 */
function takeBackAccount(decision: SecretsRecorder, at: MountPlace, name: string): GiveBackFailure {
  const mount = mountAt(decision.state, at);
  // Unmounting revokes its leases first, so a lease without a mount has nothing left to undo.
  if (mount?.type !== "ldap") return undefined;
  const account = mount.library.accounts.get(name);
  const rotated = rotateAccountPassword(decision, at, name);
  if (!rotated.ok) return rotated.reason;
  if (account === undefined) return undefined;
  const next = decision.step(libraryAccountMachine, account.status, { callerMayReturn: true }, { type: "takeBack" });
  if (next?.value !== "available") throw new Error(`a ${account.status} account cannot be taken back`);
  decision.record({
    type: "ServiceAccountCheckedIn",
    data: { at, account: name, status: next.value, password: rotated.password, by: "lease" },
  });
  return undefined;
}

/**
 * Gives a lent account back because somebody checked it in, and ends its lease with it. The real service leaves the lease
 * running; that is the quirk `check-in-keeps-lease`.
 */
export function giveBackAccount(
  decision: SecretsRecorder,
  at: MountPlace,
  name: string,
  account: LibraryAccount & { readonly status: "checked_out" },
  by: "borrower" | "manager",
): GiveBackFailure {
  const lease = hasQuirk(decision.state, at.cluster, "check-in-keeps-lease")
    ? undefined
    : clusterOf(decision.state, at.cluster).local.leases.get(account.lease);
  const rotated = rotateAccountPassword(decision, at, name);
  if (!rotated.ok) return rotated.reason;
  const next = decision.step(libraryAccountMachine, account.status, { callerMayReturn: true }, { type: "checkIn" });
  if (next?.value !== "available") throw new Error(`a ${account.status} account cannot be checked in`);
  decision.record({
    type: "ServiceAccountCheckedIn",
    data: { at, account: name, status: next.value, password: rotated.password, by },
  });
  if (lease !== undefined) endLease(decision, at.cluster, account.lease, lease);
  return undefined;
}
