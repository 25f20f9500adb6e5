import type { ClusterName, NamespacePath } from "../place.ts";
import type { SecretsRecorder } from "../recorder.ts";
import { refuse } from "../rejections.ts";
import { clusterOf, mountOfPath, namespaceAt } from "../state.ts";

/** Names that no namespace may have (decisions-secrets-core.md, D.3). */
const RESERVED: ReadonlySet<string> = new Set(["root", "sys", "audit", "auth", "cubbyhole", "identity"]);

/** Creates a namespace below an existing one; one that is there already keeps its id. */
export function createNamespace(decision: SecretsRecorder, cluster: ClusterName, namespace: NamespacePath): string {
  const existing = clusterOf(decision.state, cluster).replicated.namespaces.get(namespace);
  if (existing !== undefined) return existing.id;
  const segments = namespace.split("/").slice(0, -1);
  const name = segments.at(-1) ?? "";
  if (RESERVED.has(name)) refuse("namespace_reserved", { namespace: name });
  const above = segments.length === 1 ? {} : { namespace: `${segments.slice(0, -1).join("/")}/` as NamespacePath };
  const parent = namespaceAt(decision.state, { cluster, ...above });
  if (parent === undefined) return refuse("namespace_not_found", { namespace: above.namespace ?? "" });
  const taken = parent.mounts.firstFrom(`${name}/`)?.[0].startsWith(`${name}/`);
  if (taken || mountOfPath(parent, `${name}/`) !== undefined) refuse("namespace_conflicts", { namespace: name });
  const id = decision.draw.base62(6);
  decision.record({ type: "NamespaceCreated", data: { cluster, namespace, id } });
  return id;
}
