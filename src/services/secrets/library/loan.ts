import type { EventFromLogic, StateValueFrom } from "xstate";
import { libraryLoanMachine } from "../../../../machines/library-loan.machine.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { LeaseId } from "../leases/state.ts";
import type { LibraryAccount } from "./state.ts";

/**
 * Asks the chart of loans, for the lease of one.
 *
 * @param account as it is on the cluster that writes its set; undefined when it is in no set any more
 * @param isWritten whether the lease is of that cluster, too
 */
export function stepLoan(
  decision: SecretsRecorder,
  account: LibraryAccount | undefined,
  lease: LeaseId,
  type: EventFromLogic<ReturnType<typeof libraryLoanMachine>>["type"],
  isWritten = true,
) {
  return decision.step(libraryLoanMachine, loanOf(account, lease), { isWritten }, { type });
}

function loanOf(
  account: LibraryAccount | undefined,
  lease: LeaseId,
): StateValueFrom<ReturnType<typeof libraryLoanMachine>> {
  if (account === undefined) return "gone";
  if (account.status === "available") return "returned";
  return account.lease === lease ? "lent" : "lent_again";
}
