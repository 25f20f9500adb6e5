import { libraryAccountMachine } from "../../../../machines/library-account.machine.ts";
import { rotateAccountPassword } from "../directory-config/rotate.ts";
import { endLease } from "../leases/issue.ts";
import type { MountPlace } from "../place.ts";
import { hasQuirk } from "../quirks.ts";
import type { SecretsRecorder } from "../recorder.ts";
import { clusterOf, mountAt } from "../state.ts";
import type { LibraryAccount } from "./state.ts";

/** Why an account could not be given back, in the words of the directory; undefined when it was. */
export type GiveBackFailure = string | undefined;

/**
 * Takes an account back because its lease ended, whoever has it: its password is rotated, then it is available.
 *
 * An account that is in no set any more gets its new password all the same (decisions-directory.md, 7).
 */
export function takeBackAccount(decision: SecretsRecorder, at: MountPlace, name: string): GiveBackFailure {
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
