import { leaseMachine } from "../../../../machines/lease.machine.ts";
import { epochMs } from "../../../kernel/brand.ts";
import type { SecretsDecision } from "../declare.ts";
import { libraryRenewalTerms } from "../library/renewal.ts";
import type { ClusterName } from "../place.ts";
import { refuse } from "../rejections.ts";
import type { LeaseShown } from "../reply.ts";
import { clusterOf, mountAt } from "../state.ts";
import { cappedTtl, leaseTimesOf } from "./issue.ts";
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
  const lease = clusterOf(decision.state, cluster).local.leases.get(id);
  if (lease === undefined || decision.nowMs >= lease.expiresAtMs) return refuse("lease_not_found", { lease: id });
  const judgement = { renewable: lease.renewable, unexpired: true, failedAttempts: lease.failedAttempts };
  const next = decision.step(leaseMachine, lease.status, judgement, { type: "renew" });
  if (next === undefined) return refuse("lease_not_renewable", { lease: id });

  const terms = termsOf(decision, cluster, id, lease);
  const elapsedSeconds = Math.floor((decision.nowMs - lease.issuedAtMs) / 1000);
  const leftSeconds = terms.maxSeconds - elapsedSeconds;
  if (leftSeconds <= 0) return refuse("lease_past_max_ttl", { lease: id });
  const { seconds, warnings } = cappedTtl(incrementSeconds > 0 ? incrementSeconds : terms.defaultSeconds, [
    leftSeconds,
  ]);
  const expiresAtMs = epochMs(decision.nowMs + seconds * 1000);
  decision.record({ type: "LeaseRenewed", data: { cluster, lease: id, expiresAtMs } });
  return { lease: { leaseId: id, renewable: lease.renewable, durationSeconds: seconds }, warnings };
}

function termsOf(decision: SecretsDecision, cluster: ClusterName, id: LeaseId, lease: Lease): RenewalTerms {
  const mount = mountAt(decision.state, { cluster, ...lease.engine });
  if (mount === undefined) return refuse("lease_not_found", { lease: id });
  switch (lease.grant.type) {
    case "checkOut":
      return libraryRenewalTerms(mount.library, leaseTimesOf(mount), id, lease.grant);
    default:
      return lease.grant.type satisfies never;
  }
}
