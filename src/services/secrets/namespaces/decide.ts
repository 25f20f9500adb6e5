import type { SecretsRecorder } from "../declare.ts";
import { leasesBelow } from "../leases/namespaced.ts";
import { forceRevocation } from "../leases/revoke.ts";
import { dropNotes, rollBackAll } from "../orchestrator/rollback/decide.ts";
import { type ClusterName, localMountKey, type MountPath, type NamespacePath, type NamespacePlace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { revokeLogins, revokeToken } from "../tokens/revoke.ts";
import { mountPathOf } from "../words/path.ts";
import { clusterOf, mountOfPath, namespaceAt } from "../world.ts";
import type { CustomMetadata } from "./state.ts";

// Source of all rules in this file: decisions-secrets-core.md, D.3.

/** Names that no namespace may have. */
const RESERVED: ReadonlySet<string> = new Set(["root", "sys", "audit", "auth", "cubbyhole", "identity"]);

/** Creates a namespace below an existing one; one that is there already keeps its id, and its metadata is replaced if given. */
export function createNamespace(
  decision: SecretsRecorder,
  cluster: ClusterName,
  namespace: NamespacePath,
  customMetadata?: CustomMetadata,
): string {
  const existing = clusterOf(decision.state, cluster).replicated.namespaces.get(namespace);
  if (existing !== undefined) {
    if (customMetadata !== undefined) {
      decision.record({ type: "NamespaceChanged", data: { cluster, namespace, customMetadata } });
    }
    return existing.id;
  }
  const segments = namespace.split("/").slice(0, -1);
  const name = segments.at(-1) ?? "";
  if (RESERVED.has(name)) refuse("namespace_reserved", { namespace: name });
  const above = segments.length === 1 ? {} : { namespace: `${segments.slice(0, -1).join("/")}/` as NamespacePath };
  const parent = namespaceAt(decision.state, { cluster, ...above });
  if (parent === undefined) return refuse("namespace_not_found", { namespace: above.namespace ?? "" });
  const { local } = clusterOf(decision.state, cluster);
  const mount = mountPathOf(decision.state, `${name}/`, "neutral");
  const ownKey = localMountKey({ ...above, mount });
  const taken =
    parent.mounts.firstFrom(mount)?.[0].startsWith(mount) ||
    local.mounts.firstFrom(ownKey)?.[0].startsWith(ownKey) ||
    mountOfPath(decision.state, { cluster, ...above }, mount) !== undefined;
  if (taken) refuse("namespace_conflicts", { namespace: name });
  const id = decision.draw.base62(6);
  const metadata = customMetadata === undefined ? {} : { customMetadata };
  decision.record({ type: "NamespaceCreated", data: { cluster, namespace, id, ...metadata } });
  return id;
}

/**
 * Deletes a namespace at once, with all that is in it: tokens end, leases are revoked, mounts are gone.
 *
 * Our choice: a lease whose revocation fails is dropped, and so is what could not be rolled back, because the engine that could
 * try again goes, too.
 *
 * @returns whether there was one
 */
export function deleteNamespace(decision: SecretsRecorder, cluster: ClusterName, namespace: NamespacePath): boolean {
  const { replicated } = clusterOf(decision.state, cluster);
  const existing = replicated.namespaces.get(namespace);
  if (existing === undefined) return false;
  if (replicated.namespaces.firstFrom(`${namespace}\0`)?.[0].startsWith(namespace)) {
    refuse("namespace_has_children", { namespace });
  }
  const at = { cluster, namespace };
  for (const mount of existing.mounts.keys()) endLeasesOf(decision, at, mount as MountPath);
  endLocalOf(decision, cluster, namespace);
  decision.record({ type: "NamespaceDeleted", data: { cluster, namespace } });
  return true;
}

/** Ends what of a namespace each cluster has for itself: its local mounts with their leases, and its tokens. */
export function endLocalOf(decision: SecretsRecorder, cluster: ClusterName, namespace: NamespacePath): void {
  const { local } = clusterOf(decision.state, cluster);
  const at = { cluster, namespace };
  const prefix = localMountKey({ namespace, mount: "" as MountPath });
  const localMounts = [...local.mounts.keys({ prefix })].map((key) => key.slice(prefix.length) as MountPath);
  for (const mount of localMounts) endLeasesOf(decision, at, mount);
  for (const token of [...local.tokensByNamespace.values({ prefix: `${namespace} ` })]) {
    revokeToken(decision, cluster, token);
  }
  for (const mount of localMounts) {
    decision.record({ type: "EngineUnmounted", data: { at: { ...at, mount }, local: true } });
  }
}

/** Ends the logins and the leases of a mount that goes, and what it has half made: what cannot be undone is dropped. */
export function endLeasesOf(decision: SecretsRecorder, at: NamespacePlace, mount: MountPath): void {
  revokeLogins(decision, at, mount);
  forceRevocation(decision, at.cluster, leasesBelow(decision.state, at, mount));
  if (rollBackAll(decision, { ...at, mount }) !== undefined) dropNotes(decision, { ...at, mount });
}
