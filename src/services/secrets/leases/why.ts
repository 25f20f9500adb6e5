import { rfc3339 } from "../../../languages/instant.ts";
import { argument, type Fact, fact, recorded, shownArgument, textGiven, when } from "../../kit/why.ts";
import { directoryFacts } from "../auth/why.ts";
import { gone, type SecretsExplainers, type SecretsMet } from "../explaining.ts";
import { byWhom } from "../tokens/why.ts";
import { clusterOf } from "../world.ts";
import type { LeaseRefusals } from "./rejections.ts";

/** Why the lease endpoints refuse. */
export const leaseWhy: SecretsExplainers<LeaseRefusals> = {
  lease_id_missing: argument("lease_id", "the id of a lease"),
  invalid_lease: (met, { lease }) => leaseFacts(met, lease),
  lease_not_found: (met, { lease }) => leaseFacts(met, lease),
  lease_not_renewable: (met, { lease }) => leaseFacts(met, lease),
  lease_past_max_ttl: (met, { lease }) => leaseFacts(met, lease),
  lease_renewal_failed: (met, { lease, account }) => [
    gone(
      "account",
      `loan of ${account}`,
      met.past.last("ServiceAccountCheckedIn", (data) => data.account === account),
    ),
    ...leaseFacts(met, lease),
  ],
  lease_limit_invalid: shownArgument("limit", "a whole number above 0, or none"),
  lease_revocation_failed: (met, { lease, reason }) => [
    fact("reason", reason),
    ...leaseFacts(met, lease),
    ...directoryFacts(met),
  ],
};

/** When a lease was issued and by whom, and how it ended. */
function leaseFacts(met: SecretsMet, id: string): readonly Fact[] {
  const fits = ({ lease }: { readonly lease: string }): boolean => lease === id;
  const live = clusterOf(met.state, met.caller.cluster).local.leases.get(id);
  const issued = met.past.last("LeaseIssued", fits);
  const end = met.past.last("LeaseEnded", fits);
  const name = `lease ${nameAsked(met, id)}`;
  if (issued === undefined && live === undefined) return [fact("lease", `${name} was never issued here`)];
  const { expiresAtMs, renewable, status } = live ?? {};
  const state =
    expiresAtMs === undefined
      ? (recorded("lease", `${name} ended`, end) ?? fact("lease", `${name} is not held by ${met.caller.cluster}`))
      : fact("lease", `${name} is ${status} until ${rfc3339(expiresAtMs)}${renewable ? "" : " and not renewable"}`);
  const renewal = met.past.last("LeaseRenewed", fits);
  const renewed = renewal === undefined ? "and never renewed" : `and renewed last ${when(renewal)}`;
  const by = issued === undefined ? "" : byWhom(met, issued.command);
  return [state, recorded("lease", `it was issued${by}, ${renewed},`, issued)].filter((one) => one !== undefined);
}

/** Our choice: whoever asks about a lease knows its id; else it is told by its path alone, as its end lets revoke it. */
function nameAsked(met: SecretsMet, id: string): string {
  return textGiven(met, "lease_id") === id ? id : id.slice(0, id.lastIndexOf("/"));
}
