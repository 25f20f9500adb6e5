import { epochMs } from "../../../kernel/brand.ts";
import type { SecretsDecision } from "../declare.ts";
import { credentialsRenewalTerms } from "../dynamic-roles/renewal.ts";
import { libraryRenewalTerms } from "../library/renewal.ts";
import type { ClusterName } from "../place.ts";
import { refuse } from "../rejections.ts";
import type { LeaseShown } from "../reply.ts";
import { clusterOf, mountAt } from "../world.ts";
import { cappedTtl, leaseTimesOf, stepLease, withinToken } from "./issue.ts";
import { leaseOf } from "./namespaced.ts";
import type { Lease, LeaseId } from "./state.ts";
import type { RenewalTerms } from "./terms.ts";

export interface RenewedLease {
  readonly lease: LeaseShown;
  readonly warnings: readonly string[];
}

/**
 * Renews a lease: its new time counts from now and may be shorter than what was left; it never passes the maximum counted
 * from the issue.
 *
 * Source: decisions-secrets-core.md, A.9; decisions-directory.md, 7 "Renewal".
 */
export function renewLease(
  decision: SecretsDecision,
  cluster: ClusterName,
  id: LeaseId,
  incrementSeconds: number,
): RenewedLease {
  const lease = leaseOf(decision, id);
  const next = stepLease(decision, lease, "renew");
  if (lease === undefined || decision.nowMs >= lease.expiresAtMs) return refuse("lease_not_found", { lease: id });
  if (next === undefined) return refuse("lease_not_renewable", { lease: id });

  const terms = termsOf(decision, cluster, id, lease);
  // Whole seconds have passed, or none (amendments.md, S41).
  const leftSeconds = terms.maxSeconds - Math.floor((decision.nowMs - lease.issuedAtMs) / 1000);
  if (leftSeconds <= 0) return refuse("lease_past_max_ttl", { lease: id });
  const wantedSeconds = incrementSeconds > 0 ? incrementSeconds : terms.defaultSeconds;
  const { seconds, warnings } = cappedTtl(wantedSeconds, [leftSeconds]);
  const grantedMs = epochMs(decision.nowMs + seconds * 1000);
  const token = lease.token === null ? undefined : clusterOf(decision.state, cluster).local.tokens.get(lease.token);
  const expiresAtMs = token === undefined ? grantedMs : withinToken(token, grantedMs);
  decision.record({ type: "LeaseRenewed", data: { cluster, lease: id, expiresAtMs } });
  const durationSeconds = Math.floor((expiresAtMs - decision.nowMs) / 1000);
  return { lease: { leaseId: id, renewable: lease.renewable, durationSeconds }, warnings };
}

function termsOf(decision: SecretsDecision, cluster: ClusterName, id: LeaseId, lease: Lease): RenewalTerms {
  const mount = mountAt(decision.state, { cluster, ...lease.engine });
  switch (lease.grant.type) {
    case "checkOut":
      if (mount?.type !== "ldap") return refuse("lease_not_found", { lease: id });
      return libraryRenewalTerms(decision, mount.library, leaseTimesOf(mount), id, lease.grant);
    case "serviceAccount":
      return refuse("lease_not_renewable", { lease: id });
    case "credentials":
      if (mount?.type !== "ldap") return refuse("lease_not_found", { lease: id });
      return credentialsRenewalTerms(mount.roles, leaseTimesOf(mount), lease.grant.role);
    default:
      return lease.grant satisfies never;
  }
}
