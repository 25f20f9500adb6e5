import { revokeLease, scheduleRetry } from "../leases/revoke.ts";
import { leasesOfToken } from "../leases/state.ts";
import type { ClusterName } from "../place.ts";
import type { SecretsRecorder } from "../recorder.ts";
import { clusterOf } from "../state.ts";
import type { TokenId } from "./state.ts";

/**
 * Ends a token, and at the same instant all leases that were made with it. One that cannot be revoked is tried again later,
 * as if it had expired.
 *
 * Source: decisions-secrets-core.md, A.7 "Revoke".
 */
export function revokeToken(decision: SecretsRecorder, cluster: ClusterName, token: TokenId): void {
  const { local } = clusterOf(decision.state, cluster);
  if (!local.tokens.has(token)) return;
  decision.record({ type: "TokenRevoked", data: { cluster, token } });
  for (const lease of leasesOfToken(local, token)) {
    const failure = revokeLease(decision, cluster, lease);
    if (failure !== undefined) scheduleRetry(decision, cluster, lease, failure);
  }
}
