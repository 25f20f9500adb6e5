import type { SecretsDecision } from "../declare.ts";
import type { CheckOutGrant, LeaseId } from "../leases/state.ts";
import type { RenewalTerms } from "../leases/terms.ts";
import { refuse } from "../rejections.ts";
import { stepLoan } from "./loan.ts";
import type { Library } from "./state.ts";

/**
 * What a check-out is renewed for: the set's times as they are now, limited by the mount's.
 *
 * With the quirk a lease outlives its check-in. Renewing it fails then, unless the account has been lent again, to whomever.
 *
 * Source: decisions-directory.md, 7.
 */
export function libraryRenewalTerms(
  decision: SecretsDecision,
  library: Library,
  mountTimes: RenewalTerms,
  lease: LeaseId,
  { account: name, set: setName }: CheckOutGrant,
): RenewalTerms {
  if (stepLoan(decision, library.accounts.get(name), lease, "renew") === undefined)
    return refuse("lease_renewal_failed", { lease, account: name });
  const set = library.sets.get(setName);
  const limits = [set?.maxTtlSeconds ?? 0, mountTimes.maxSeconds].filter((seconds) => seconds > 0);
  return { defaultSeconds: set?.ttlSeconds || mountTimes.defaultSeconds, maxSeconds: Math.min(...limits) };
}
