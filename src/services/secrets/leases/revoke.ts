import { epochMs } from "../../../kernel/brand.ts";
import { arrivedAt } from "../../../kernel/machine.ts";
import type { SecretsRecorder } from "../declare.ts";
import { deleteAccount } from "../dynamic-roles/delete-account.ts";
import { takeBackLoan } from "../library/give-back.ts";
import { deleteAccount as deleteServiceAccount } from "../orchestrator/give-back.ts";
import type { ClusterName } from "../place.ts";
import { failKeepingFacts } from "../rejections.ts";
import { clusterOf } from "../world.ts";
import { endLease, stepLease } from "./issue.ts";
import type { Lease, LeaseId } from "./state.ts";

/** What kept a revocation from being done, in words; undefined when it was done. */
export type RevocationFailure = string | undefined;

/**
 * Undoes what a lease stood for, and ends it. A lease that is not there is revoked already.
 *
 * When it fails, the lease stays: the caller says what becomes of it, `scheduleRetry` or dropping it.
 */
export function revokeLease(decision: SecretsRecorder, cluster: ClusterName, id: LeaseId): RevocationFailure {
  const lease = clusterOf(decision.state, cluster).local.leases.get(id);
  if (lease === undefined) return undefined;
  const failure = giveBack(decision, cluster, id, lease);
  if (failure === undefined) endLease(decision, cluster, id, lease);
  return failure;
}

function giveBack(decision: SecretsRecorder, cluster: ClusterName, id: LeaseId, lease: Lease): RevocationFailure {
  const place = { cluster, ...lease.engine };
  switch (lease.grant.type) {
    case "checkOut":
      return takeBackLoan(decision, place, id, lease.grant.account);
    case "serviceAccount":
      return deleteServiceAccount(decision, place, lease.grant);
    case "credentials":
      return deleteAccount(decision, place, lease.grant);
    default:
      return lease.grant satisfies never;
  }
}

/** Seconds until the next attempt, by how many have failed (decisions-directory.md, 9). */
const RETRY_SECONDS: readonly number[] = [20, 40, 80, 160, 320];

/** Notes that a revocation failed, and when it is tried again; after the sixth failure nothing tries any more by itself. */
export function scheduleRetry(decision: SecretsRecorder, cluster: ClusterName, id: LeaseId, reason: string): void {
  const lease = clusterOf(decision.state, cluster).local.leases.get(id);
  if (lease === undefined) return;
  const failedAttempts = lease.failedAttempts + 1;
  const status = arrivedAt(stepLease(decision, lease, "revocationFailed", failedAttempts), "retrying", "irrevocable");
  const retryMs = status === "retrying" ? (RETRY_SECONDS[failedAttempts - 1] ?? 0) * 1000 : undefined;
  decision.record({
    type: "LeaseRevocationFailed",
    data: {
      cluster,
      lease: id,
      status,
      reason,
      ...(retryMs === undefined ? {} : { retryAtMs: epochMs(decision.nowMs + retryMs) }),
    },
  });
}

/** Forgets a lease whose revocation failed: what it stood for stays as it is. */
function dropLease(decision: SecretsRecorder, cluster: ClusterName, id: LeaseId): void {
  const lease = clusterOf(decision.state, cluster).local.leases.get(id);
  if (lease === undefined) return;
  arrivedAt(stepLease(decision, lease, "drop"), "ended");
  decision.record({ type: "LeaseEnded", data: { cluster, lease: id } });
}

/** Revokes one after the other; the first that fails ends it, and stays to be tried again. */
export function revokeNow(decision: SecretsRecorder, cluster: ClusterName, leases: readonly LeaseId[]): void {
  for (const lease of leases) {
    const failure = revokeLease(decision, cluster, lease);
    if (failure === undefined) continue;
    scheduleRetry(decision, cluster, lease, failure);
    failKeepingFacts("lease_revocation_failed", { lease, reason: failure });
  }
}

/** Revokes right after the answer. */
export function revokeSoon(decision: SecretsRecorder, cluster: ClusterName, leases: readonly LeaseId[]): void {
  for (const lease of leases) decision.record({ type: "LeaseRevocationQueued", data: { cluster, lease } });
}

/** Ends leases whatever becomes of what they stand for. */
export function forceRevocation(decision: SecretsRecorder, cluster: ClusterName, leases: readonly LeaseId[]): void {
  for (const lease of leases) {
    if (revokeLease(decision, cluster, lease) !== undefined) dropLease(decision, cluster, lease);
  }
}
