import { libraryAccountMachine } from "../../../../machines/library-account.machine.ts";
import { arrivedAt } from "../../../kernel/machine.ts";
import type { SecretsRecorder } from "../declare.ts";
import { rotateAccountPassword } from "../directory-config/rotate.ts";
import { endLease } from "../leases/issue.ts";
import type { LeaseId } from "../leases/state.ts";
import { localMountKey, type MountPlace } from "../place.ts";
import { isChangingRole } from "../replication/outage.ts";
import { isPerformanceSecondary, reachedPrimary } from "../replication/roles.ts";
import { clusterOf, hasQuirk, mountAt } from "../world.ts";
import { stepLoan } from "./loan.ts";
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
  const isWritten = !isPerformanceSecondary(own) || own.local.mounts.has(localMountKey(at));
  const writer = isWritten ? at.cluster : reachedPrimary(decision.state, at.cluster);
  if (writer === undefined) return NOT_FORWARDED;
  if (!isWritten && isChangingRole(clusterOf(decision.state, writer), decision.nowMs)) return NOT_FORWARDED;
  const there = { ...at, cluster: writer };
  const mount = mountAt(decision.state, there);
  // Unmounting revokes its leases first, so a lease without a mount has nothing left to undo.
  if (mount?.type !== "ldap") return undefined;
  const account = mount.library.accounts.get(name);
  const next = stepLoan(decision, account, lease, "end", isWritten);
  return next?.actions.includes("takeBack") ? takeBackAccount(decision, there, name, account) : undefined;
}

const NOT_FORWARDED = "failed to forward the return of the account to the primary: it cannot be reached";

/**
 * Takes an account back because its lease ended, whoever has it: its password is rotated, then it is available.
 *
 * An account that is in no set any more gets its new password all the same (decisions-directory.md, 7).
 */
function takeBackAccount(
  decision: SecretsRecorder,
  at: MountPlace,
  name: string,
  account: LibraryAccount | undefined,
): GiveBackFailure {
  const rotated = rotateAccountPassword(decision, at, name);
  if (!rotated.ok) return rotated.reason;
  if (account === undefined) return undefined;
  const next = decision.step(libraryAccountMachine, account.status, NOBODY_ASKED, { type: "takeBack" });
  const status = arrivedAt(next, "available");
  decision.record({
    type: "ServiceAccountCheckedIn",
    data: { at, account: name, status, password: rotated.password, by: "lease" },
  });
  return undefined;
}

/** What the chart is told where no caller is asked. */
export const NOBODY_ASKED = { callerMayReturn: false };

/** A lent account that its chart lets come back. */
export interface Return {
  readonly name: string;
  readonly lease: LeaseId;
  readonly status: "available";
}

/**
 * Gives a lent account back because somebody checked it in, and ends its lease with it. The real service leaves the lease
 * running; that is the quirk `check-in-keeps-lease`.
 */
export function giveBackAccount(
  decision: SecretsRecorder,
  at: MountPlace,
  { name, lease: lent, status }: Return,
  by: "borrower" | "manager",
): GiveBackFailure {
  const lease = hasQuirk(decision.state, at.cluster, "check-in-keeps-lease")
    ? undefined
    : clusterOf(decision.state, at.cluster).local.leases.get(lent);
  const rotated = rotateAccountPassword(decision, at, name);
  if (!rotated.ok) return rotated.reason;
  decision.record({
    type: "ServiceAccountCheckedIn",
    data: { at, account: name, status, password: rotated.password, by },
  });
  if (lease !== undefined) endLease(decision, at.cluster, lent, lease);
  return undefined;
}
