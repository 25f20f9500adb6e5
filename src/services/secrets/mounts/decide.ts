import type { MountPath, NamespacePlace } from "../place.ts";
import { mountPlace } from "../place.ts";
import type { SecretsRecorder } from "../recorder.ts";
import { refuse } from "../rejections.ts";
import { clusterOf, namespaceAt } from "../state.ts";

/** Engines that can be mounted. */
const MOUNTABLE: ReadonlySet<string> = new Set(["ldap"]);

/** Paths that are the system's own (decisions-secrets-core.md, D.2). */
const OWN_PATHS: ReadonlySet<string> = new Set(["sys", "auth", "identity", "cubbyhole", "audit"]);

/** Mounts an engine at a path; paths of mounts never lie in each other. */
export function mountEngine(decision: SecretsRecorder, at: NamespacePlace, path: MountPath, type: string): void {
  if (!MOUNTABLE.has(type)) refuse("plugin_not_found", { type });
  const [first = ""] = path.split("/");
  if (OWN_PATHS.has(first) || isTaken(decision, at, path)) refuse("mount_in_use", { path });
  const accessor = `${type}_${[...decision.draw.bytes(4)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  const uuid = decision.draw.uuid();
  decision.record({ type: "EngineMounted", data: { at: mountPlace(at, path), type: "ldap", accessor, uuid } });
}

/** Whether a path is that of a mount or a child namespace, lies in one, or has one below it. */
function isTaken(decision: SecretsRecorder, at: NamespacePlace, path: string): boolean {
  const mounts = namespaceAt(decision.state, at)?.mounts;
  const { namespaces } = clusterOf(decision.state, at.cluster).replicated;
  const own = at.namespace ?? "";
  const below =
    mounts?.firstFrom(path)?.[0].startsWith(path) || namespaces.firstFrom(own + path)?.[0].startsWith(own + path);
  if (below) return true;
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    const above = path.slice(0, slash + 1);
    if (mounts?.has(above) || namespaces.has(own + above)) return true;
  }
  return false;
}
