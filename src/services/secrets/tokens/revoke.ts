import { arrivedAt } from "../../../kernel/machine.ts";
import type { SecretsRecorder } from "../declare.ts";
import { revokeLease, scheduleRetry } from "../leases/revoke.ts";
import { leasesOfToken } from "../leases/state.ts";
import { AUTH } from "../mounts/state.ts";
import type { ClusterName, MountPath, NamespacePlace } from "../place.ts";
import { clusterOf } from "../world.ts";
import { stepToken } from "./judgement.ts";
import { childrenOfToken, type TokenId } from "./state.ts";

/**
 * Ends a token, and at the same instant all tokens that it made, whatever their depth, and all leases that were made with any
 * of them. A lease that cannot be revoked is tried again later, as if it had expired. Orphans survive: they have no parent.
 *
 * Source: decisions-secrets-core.md, A.7 "Revoke".
 */
export function revokeToken(decision: SecretsRecorder, cluster: ClusterName, token: TokenId): void {
  const { local } = clusterOf(decision.state, cluster);
  if (!local.tokens.has(token)) return;
  // The tree as it is now: ending a token makes no other.
  const tree: TokenId[] = [token];
  for (let index = 0; index < tree.length; index++) {
    for (const child of childrenOfToken(local, tree[index] as TokenId)) tree.push(child);
  }
  for (const ended of tree) {
    const record = local.tokens.get(ended);
    if (record === undefined) continue;
    arrivedAt(stepToken(decision, record, "end"), "ended");
    decision.record({ type: "TokenRevoked", data: { cluster, token: ended } });
  }
  for (const ended of tree) {
    for (const lease of leasesOfToken(local, ended)) {
      const failure = revokeLease(decision, cluster, lease);
      if (failure !== undefined) scheduleRetry(decision, cluster, lease, failure);
    }
  }
}

/**
 * Ends the tokens that the logins of a method gave on a cluster.
 *
 * Our choice: it looks at all tokens, as nothing but the end of a method asks whose they are.
 */
export function revokeLogins(
  decision: SecretsRecorder,
  { cluster, namespace }: NamespacePlace,
  mount: MountPath,
): void {
  if (!mount.startsWith(AUTH)) return;
  for (const [token, { login, namespace: own }] of clusterOf(decision.state, cluster).local.tokens) {
    if (login?.mount === mount && own === namespace) revokeToken(decision, cluster, token as TokenId);
  }
}
