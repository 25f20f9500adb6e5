import type { EventFromLogic } from "xstate";
import { leaseMachine } from "../../../../machines/lease.machine.ts";
import { type EpochMs, secondsAfter } from "../../../kernel/brand.ts";
import { arrivedAt } from "../../../kernel/machine.ts";
import type { Bearer } from "../access.ts";
import type { SecretsDecision, SecretsRecorder } from "../declare.ts";
import type { Mount } from "../mounts/state.ts";
import type { ClusterName, MountPath } from "../place.ts";
import type { LeaseShown } from "../reply.ts";
import type { Token } from "../tokens/state.ts";
import { namespaceAt } from "../world.ts";
import type { Grant, Lease, LeaseId } from "./state.ts";
import type { RenewalTerms } from "./terms.ts";

/** Default and maximum lease time of the system: 768 hours (decisions-directory.md, 7). */
const SYSTEM_LEASE_SECONDS = 2_764_800;

/** The lease times of a mount, its own or else the system's. */
export function leaseTimesOf({
  defaultLeaseTtlSeconds,
  maxLeaseTtlSeconds,
}: Pick<Mount, "defaultLeaseTtlSeconds" | "maxLeaseTtlSeconds">): RenewalTerms {
  // A maximum of its own takes the place of the system's, upwards too (amendments.md, S4).
  const maxSeconds = maxLeaseTtlSeconds || SYSTEM_LEASE_SECONDS;
  return { defaultSeconds: Math.min(defaultLeaseTtlSeconds || SYSTEM_LEASE_SECONDS, maxSeconds), maxSeconds };
}

/** A lease time, cut to the smallest of the limits that are set (0 is none), with the warning of a cut. */
export function cappedTtl(
  wantedSeconds: number,
  limitsSeconds: readonly number[],
): { readonly seconds: number; readonly warnings: readonly string[] } {
  let limit = Number.POSITIVE_INFINITY;
  for (const seconds of limitsSeconds) if (seconds > 0 && seconds < limit) limit = seconds;
  if (wantedSeconds <= limit) return { seconds: wantedSeconds, warnings: [] };
  return {
    seconds: limit,
    warnings: [
      `TTL of "${wantedSeconds}s" exceeded the effective max_ttl of "${Math.floor(limit)}s"; TTL value is capped accordingly`,
    ],
  };
}

/** The id that a lease of a request gets: its path as it was sent, and 24 characters of its own. */
export function newLeaseId(decision: SecretsDecision, path: string): LeaseId {
  const { namespace } = decision.caller;
  const id = `${path}/${decision.draw.base62(24)}`;
  if (namespace === undefined) return id as LeaseId;
  return `${id}.${namespaceAt(decision.state, decision.caller)?.id}` as LeaseId;
}

/** Issues a lease to the bearer of the request. */
export function issueLease(
  decision: SecretsDecision,
  bearer: Bearer,
  lease: LeaseId,
  granted: { readonly mount: MountPath; readonly grant: Grant; readonly seconds: number; readonly renewable: boolean },
): LeaseShown {
  const { cluster, namespace, behalf } = decision.caller;
  const { mount, grant, seconds, renewable } = granted;
  const engine = namespace === undefined ? { mount } : { namespace, mount };
  const expiresAtMs = withinToken(bearer.token, secondsAfter(decision.nowMs, seconds));
  // A token of another cluster cannot take the lease with it (decisions-replication.md, 3).
  const token = behalf === undefined ? bearer.id : null;
  const data = { cluster, lease, engine, token, grant, expiresAtMs, renewable };
  decision.record({ type: "LeaseIssued", data });
  return { leaseId: lease, renewable, durationSeconds: Math.floor((expiresAtMs - decision.nowMs) / 1000) };
}

/** A batch token is not asked when it ends, so that what is made with it never promises more time (amendments.md, S23). */
export function withinToken({ type, expiresAtMs }: Token, wantedMs: EpochMs): EpochMs {
  return type === "batch" && expiresAtMs !== undefined && expiresAtMs < wantedMs ? expiresAtMs : wantedMs;
}

/**
 * Asks the chart of leases: one that is not there has ended.
 *
 * @param failedAttempts attempts to revoke it that failed, the present one included
 */
export function stepLease(
  decision: SecretsRecorder,
  lease: Lease | undefined,
  type: EventFromLogic<ReturnType<typeof leaseMachine>>["type"],
  failedAttempts = lease?.failedAttempts ?? 0,
) {
  const judgement = {
    renewable: lease?.renewable === true,
    unexpired: lease !== undefined && decision.nowMs < lease.expiresAtMs,
    failedAttempts,
  };
  return decision.step(leaseMachine, lease?.status ?? "ended", judgement, { type });
}

/** Ends a lease whose grant was given back. */
export function endLease(decision: SecretsRecorder, cluster: ClusterName, id: LeaseId, lease: Lease): void {
  arrivedAt(stepLease(decision, lease, "end"), "ended");
  decision.record({ type: "LeaseEnded", data: { cluster, lease: id } });
}
