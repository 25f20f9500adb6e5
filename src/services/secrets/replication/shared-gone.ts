import type { SecretsRecorder } from "../declare.ts";
import { endLeasesOf, endLocalOf } from "../namespaces/decide.ts";
import type { ClusterName, MountPath, NamespacePath } from "../place.ts";
import { clusterOf, isHidden } from "../world.ts";
import type { Vanished } from "./settle/vanished.ts";

/**
 * Ends on a performance secondary what hung on shared mounts and namespaces that are gone there: leases, and the tokens and local mounts
 * of a namespace (decisions-secrets-core.md, D.3; decisions-replication.md, 7). It does so before anybody can ask, so whatever is there
 * hung on what is gone, also when others of the same paths have arrived at the same instant.
 *
 * Our choice: the configuration that could undo what a lease stands for went with its mount, so such a lease is dropped.
 */
export function endWhatHungOn(decision: SecretsRecorder, cluster: ClusterName, { mounts, namespaces }: Vanished): void {
  for (const [path, mount] of mounts as readonly (readonly [NamespacePath | "", MountPath])[]) {
    const within = path === "" ? {} : { namespace: path };
    // Nothing hung on a mount that a local one hid: the leases there are those of the local one, which was never shared, and stays.
    if (isHidden(clusterOf(decision.state, cluster).local.mounts, { ...within, mount })) continue;
    endLeasesOf(decision, { cluster, ...within }, mount);
  }
  for (const namespace of namespaces as readonly NamespacePath[]) endLocalOf(decision, cluster, namespace);
}
