import type { SecretsDecision } from "../declare.ts";
import { leasesBelow } from "../leases/namespaced.ts";
import { revokeLease, scheduleRetry } from "../leases/revoke.ts";
import { rollBackAll } from "../orchestrator/rollback/decide.ts";
import { type MountPath, type MountPlace, mountPlace, type NamespacePath, type NamespacePlace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { revokeLogins } from "../tokens/revoke.ts";
import { clusterOf, isMountLocal, mountAt, type SecretsWorld } from "../world.ts";
import { isOwnPath, isTaken } from "./decide.ts";
import { MOUNT_PATH } from "./names.ts";
import { AUTH, isAuthMount } from "./state.ts";
import { TOKEN_METHOD } from "./system.ts";

// Source of all rules in this file: mounts/README.md.

/** Moves a secret engine or an auth method. */
export function moveMount(decision: SecretsDecision, from: string, to: string): { readonly migration_id: string } {
  const [at, there] = [
    placeOfPath(decision.state, decision.caller, from),
    placeOfPath(decision.state, decision.caller, to),
  ];
  if (isSystems(at)) refuse("mount_not_movable", { path: at.mount });
  if (isSystems(there) || !MOUNT_PATH.test(there.mount.slice(0, -1)))
    refuse("mount_path_reserved", { path: there.mount });
  if (at.mount.startsWith(AUTH) !== there.mount.startsWith(AUTH)) refuse("mount_kind_differs", {});
  const mount = mountAt(decision.state, at);
  if (mount === undefined || isAuthMount(mount) !== at.mount.startsWith(AUTH))
    refuse("mount_not_found", { path: at.mount });
  if (isTaken(decision, there, there.mount)) refuse("mount_in_use", { path: there.mount });
  const migration = decision.draw.uuid();
  const moved = { at, to: there, migration };
  if (endsWhatHangsOn(decision, at)) {
    const local = isMountLocal(decision.state, at) ? ({ local: true } as const) : {};
    decision.record({ type: "MountMoved", data: { ...moved, status: "success", ...local } });
  } else {
    decision.record({ type: "MountMoveFailed", data: { ...moved, status: "failure" } });
  }
  return { migration_id: migration };
}

/** Revokes the leases and ends the logins of a mount; what cannot be revoked is tried again, and the mount stays. */
function endsWhatHangsOn(decision: SecretsDecision, at: MountPlace): boolean {
  revokeLogins(decision, at, at.mount);
  let isDone = true;
  for (const lease of leasesBelow(decision.state, at, at.mount)) {
    const failure = revokeLease(decision, at.cluster, lease);
    if (failure === undefined) continue;
    scheduleRetry(decision, at.cluster, lease, failure);
    isDone = false;
  }
  return isDone && rollBackAll(decision, at) === undefined;
}

/** Where a path of the request's namespace leads, which may begin with namespaces below it. */
export function placeOfPath(
  world: SecretsWorld,
  { cluster, namespace = "" as NamespacePath }: NamespacePlace,
  path: string,
): MountPlace {
  const { namespaces } = clusterOf(world, cluster).replicated;
  let within: string = namespace;
  let rest = `${path}/`;
  for (let slash = rest.indexOf("/"); slash >= 0; slash = rest.indexOf("/")) {
    if (!namespaces.has(within + rest.slice(0, slash + 1))) break;
    within += rest.slice(0, slash + 1);
    rest = rest.slice(slash + 1);
  }
  const at = within === "" ? { cluster } : { cluster, namespace: within as NamespacePath };
  return mountPlace(at, rest as MountPath);
}

/** What is the system's own, auth methods apart. */
function isSystems({ mount }: MountPlace): boolean {
  return mount === AUTH || mount.startsWith(TOKEN_METHOD) || (isOwnPath(mount) && !mount.startsWith(AUTH));
}
