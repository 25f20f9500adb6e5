import { endLeasesOf, endLocalOf } from "../namespaces/decide.ts";
import type { ClusterName, MountPath, NamespacePath } from "../place.ts";
import type { SecretsRecorder } from "../recorder.ts";
import { mountAt, namespaceAt } from "../state.ts";
import type { Vanished } from "./settle/vanished.ts";

/**
 * Ends on a performance secondary what hung on shared mounts and namespaces that are gone there: leases, and the tokens and local mounts
 * of a namespace (decisions-secrets-core.md, D.3; decisions-replication.md, 7).
 *
 * Our choice: the configuration that could undo what a lease stands for went with its mount, so such a lease is dropped.
 */
export function endWhatHungOn(decision: SecretsRecorder, cluster: ClusterName, { mounts, namespaces }: Vanished): void {
  for (const [namespace, mount] of mounts) {
    const at = namespace === "" ? { cluster } : { cluster, namespace: namespace as NamespacePath };
    // A local mount of the same path was never shared, and stays.
    if (mountAt(decision.state, { ...at, mount: mount as MountPath }) === undefined) {
      endLeasesOf(decision, at, mount as MountPath);
    }
  }
  for (const namespace of namespaces as readonly NamespacePath[]) {
    if (namespaceAt(decision.state, { cluster, namespace }) === undefined) endLocalOf(decision, cluster, namespace);
  }
}
