import type { SecretsDecision } from "../../declare.ts";
import { isTaken, recordMount, recordTuning, recordUnmount, refuseTimes } from "../../mounts/decide.ts";
import { AUTH, type AuthMount, isAuthMount, type MethodSettings, type MethodTokenType } from "../../mounts/state.ts";
import { TOKEN_METHOD } from "../../mounts/system.ts";
import { type MountPath, type MountPlace, mountPlace, placeOfNamespace } from "../../place.ts";
import { hasRightSum, mountableMethod } from "../../plugins/catalog.ts";
import { refuse } from "../../rejections.ts";
import { revokeLogins } from "../../tokens/revoke.ts";
import { mountAt, type SecretsWorld } from "../../world.ts";

// Source of all rules in this file: auth/README.md, 1.

/** Where the method of a path below `auth/` is. */
export function methodPlace({ caller }: Pick<SecretsDecision, "caller">, path: string): MountPlace {
  return mountPlace(placeOfNamespace(caller), `${AUTH}${path}/` as MountPath);
}

export function methodAt(world: SecretsWorld, place: MountPlace): AuthMount | undefined {
  const mount = mountAt(world, place);
  return mount !== undefined && isAuthMount(mount) ? mount : undefined;
}

/** Enables a method; paths of methods never lie in each other. */
export function enableMethod(
  decision: SecretsDecision,
  path: string,
  name: string,
  wanted: { readonly local: boolean; readonly settings: MethodSettings },
): void {
  const { cluster } = decision.caller;
  if (name === "") refuse("mount_type_missing", {});
  refuseTimes(wanted.settings);
  const { type, plugin } = mountableMethod(decision.state, cluster, name) ?? refuse("plugin_not_found", { type: name });
  const place = methodPlace(decision, path);
  if (place.mount.startsWith(TOKEN_METHOD) || isTaken(decision, place, place.mount)) {
    refuse("auth_path_reserved", { path: `${path}/` });
  }
  if (plugin !== undefined && !hasRightSum(decision.state, cluster, plugin)) {
    refuse("plugin_checksum_differs", { type: name });
  }
  recordMount(decision, place, wanted, { type, plugin, accessorPrefix: `auth_${name}` });
}

/** Disables a method: the tokens of its logins end. One that is not there is disabled already. */
export function disableMethod(decision: SecretsDecision, path: string): void {
  const place = methodPlace(decision, path);
  if (place.mount === TOKEN_METHOD) refuse("auth_method_built_in", { path: `${path}/` });
  if (methodAt(decision.state, place) === undefined) return;
  revokeLogins(decision, place, place.mount);
  recordUnmount(decision, place);
}

/** Changes what a method was enabled with: logins and renewals that come later follow it. */
export function tuneMethod(decision: SecretsDecision, path: string, changed: Partial<MethodSettings>): void {
  const place = methodPlace(decision, path);
  if (place.mount === TOKEN_METHOD) refuse("mount_not_tunable", { path: `${path}/` });
  const method = methodAt(decision.state, place) ?? refuse("auth_method_not_found", { path: `${path}/` });
  const { tokenType } = { ...method, ...changed };
  recordTuning(decision, place, method, { ...changed, ...(tokenType === undefined ? {} : { tokenType }) });
}

const TOKEN_TYPES: readonly MethodTokenType[] = ["default-service", "default-batch", "service", "batch"];

/** What a method's tokens are to be, where that was given. */
export function tokenTypeIn(given: string | undefined): { readonly tokenType?: MethodTokenType } {
  if (given === undefined || given === "") return {};
  const tokenType = TOKEN_TYPES.find((type) => type === given);
  return { tokenType: tokenType ?? refuse("method_token_type_unknown", { type: given }) };
}
