import type { FieldValues } from "../../../kit/operation.ts";
import type { SecretsDecision, SecretsReading } from "../../declare.ts";
import { commaList, text } from "../../fields.ts";
import type { MountPlace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { accountLoginAt } from "../../world.ts";
import { DEFAULT_PARAMETERS, OLD_FIELDS, PARAMETER_FIELDS, parametersWith, shownParameters } from "../parameters.ts";
import type { AccountRole } from "./state.ts";

// Source of all rules in this file: auth/orchestrator/README.md, 1.

export const ROLE_FIELDS = {
  ...PARAMETER_FIELDS,
  ...OLD_FIELDS,
  bound_service_account_names: commaList,
  bound_service_account_namespaces: commaList,
  audience: text,
  alias_name_source: text,
};

export function accountRoleAt(
  { state }: Pick<SecretsReading, "state">,
  at: MountPlace,
  name: string,
): AccountRole | undefined {
  return accountLoginAt(state, at)?.accountRoles.get(name.toLowerCase());
}

/**
 * Writes a role: what is absent stays as it is.
 *
 * @returns what whoever asked is warned of
 */
export function writeAccountRole(
  decision: SecretsDecision,
  at: MountPlace,
  name: string,
  given: FieldValues<typeof ROLE_FIELDS>,
): readonly string[] {
  const before = accountRoleAt(decision, at, name);
  const accountRole: AccountRole = {
    parameters: parametersWith(before?.parameters ?? DEFAULT_PARAMETERS, given),
    names: given.bound_service_account_names ?? before?.names ?? [],
    namespaces: given.bound_service_account_namespaces ?? before?.namespaces ?? [],
    audience: given.audience ?? before?.audience ?? "",
    aliasSource: aliasSourceOf(given.alias_name_source ?? before?.aliasSource ?? ""),
  };
  const { names, namespaces, audience } = accountRole;
  refuseBound(names, '"bound_service_account_names" can not be empty');
  refuseBound(
    namespaces,
    '"bound_service_account_namespaces" can not be empty if "bound_service_account_namespace_selector" is not set',
  );
  decision.record({ type: "AccountRoleWritten", data: { at, role: name.toLowerCase(), accountRole } });
  return audience.trim() === "" ? ["This role does not specify an audience."] : [];
}

function refuseBound(bound: readonly string[], whenEmpty: string): void {
  if (bound.length === 0) refuse("account_role_invalid", { reason: whenEmpty });
  if (bound.length > 1 && bound.includes("*"))
    refuse("account_role_invalid", { reason: 'can not mix "*" with values' });
}

function aliasSourceOf(given: string): AccountRole["aliasSource"] {
  if (given === "" || given === "serviceaccount_uid") return "serviceaccount_uid";
  if (given === "serviceaccount_name") return given;
  return refuse("account_role_invalid", { reason: `invalid alias_name_source "${given}"` });
}

export function deleteAccountRole(decision: SecretsDecision, at: MountPlace, name: string): void {
  if (accountRoleAt(decision, at, name) === undefined) return;
  decision.record({ type: "AccountRoleDeleted", data: { at, role: name.toLowerCase() } });
}

/** A role as reads show it. */
export function shownAccountRole({ parameters, names, namespaces, audience, aliasSource }: AccountRole) {
  return {
    ...shownParameters(parameters),
    alias_name_source: aliasSource,
    ...(audience === "" ? {} : { audience }),
    bound_service_account_names: [...names],
    bound_service_account_namespaces: [...namespaces],
  };
}
