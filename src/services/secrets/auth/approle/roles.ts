import { isBlock } from "../../../../languages/cidr.ts";
import { isObject } from "../../../../languages/objects.ts";
import type { FieldValues } from "../../../kit/operation.ts";
import type { SecretsDecision, SecretsReading } from "../../declare.ts";
import { commaList, flag, natural, seconds, text } from "../../fields.ts";
import { leaseTimesOf } from "../../leases/issue.ts";
import type { MountPlace } from "../../place.ts";
import { refuse } from "../../rejections.ts";
import { approleAt } from "../../world.ts";
import { DEFAULT_PARAMETERS, OLD_FIELDS, PARAMETER_FIELDS, parametersWith, shownParameters } from "../parameters.ts";
import type { Approle, ApproleName } from "./state.ts";

// Source of all rules in this file: auth/approle/README.md, 1.

const MOST_USES = natural(2_147_483_647);

/** What a role is written with. */
export const ROLE_FIELDS = {
  ...PARAMETER_FIELDS,
  policies: OLD_FIELDS.policies,
  period: OLD_FIELDS.period,
  bind_secret_id: flag,
  secret_id_bound_cidrs: commaList,
  bound_cidr_list: commaList,
  secret_id_num_uses: MOST_USES,
  secret_id_ttl: seconds,
  local_secret_ids: flag,
  role_id: text,
};

export type GivenRole = FieldValues<typeof ROLE_FIELDS>;

export function approleName(given: string): ApproleName {
  return given.toLowerCase() as ApproleName;
}

export function approleNamed({ state }: Pick<SecretsReading, "state">, at: MountPlace, role: string) {
  return approleAt(state, at)?.approles.get(approleName(role));
}

/**
 * Writes a role: what is absent stays as it is.
 *
 * @returns what whoever asked is warned of
 */
export function writeApprole(
  decision: SecretsDecision,
  at: MountPlace,
  name: string,
  { token_type, ...given }: GivenRole,
): readonly string[] {
  const method = approleAt(decision.state, at);
  if (method === undefined) return refuse("unsupported_path", { path: name });
  const role = approleName(name);
  const before = method.approles.get(role);
  const { type, warnings } = plainType(token_type);
  const approle: Approle = {
    parameters: parametersWith(before?.parameters ?? DEFAULT_PARAMETERS, {
      ...given,
      ...(type === undefined ? {} : { token_type: type }),
    }),
    localSecretIds: given.local_secret_ids ?? before?.localSecretIds ?? false,
    roleId: given.role_id ?? before?.roleId ?? decision.draw.uuid(),
    bindSecretId: given.bind_secret_id ?? before?.bindSecretId ?? true,
    secretIdBoundCidrs: given.secret_id_bound_cidrs ?? given.bound_cidr_list ?? before?.secretIdBoundCidrs ?? [],
    secretIdUses: given.secret_id_num_uses ?? before?.secretIdUses ?? 0,
    secretIdTtlSeconds: given.secret_id_ttl ?? before?.secretIdTtlSeconds ?? 0,
  };
  if (before !== undefined && given.local_secret_ids !== undefined) refuse("local_secret_ids_fixed", {});
  if (approle.roleId === "") refuse("role_id_empty", {});
  if (!approle.secretIdBoundCidrs.every(isBlock)) refuse("cidr_blocks_invalid", {});
  const { bindSecretId, secretIdBoundCidrs, parameters } = approle;
  if (!bindSecretId && secretIdBoundCidrs.length + parameters.boundCidrs.length === 0) refuse("role_unconstrained", {});
  const holder = method.approlesById.get(approle.roleId);
  if (holder !== undefined && holder !== role) refuse("role_id_taken", {});
  decision.record({ type: "ApproleWritten", data: { at, role, approle } });
  if (parameters.maxTtlSeconds <= leaseTimesOf(method).maxSeconds) return warnings;
  return [
    ...warnings,
    "token_max_ttl is greater than the backend mount's maximum TTL value; issued tokens' max TTL value will be truncated",
  ];
}

/** Types that only a method has are taken for those that they come to. */
function plainType(given: string | undefined): { readonly type?: string; readonly warnings: readonly string[] } {
  const [, type] = /^default-(service|batch)$/.exec(given ?? "") ?? [];
  if (type !== undefined) return { type, warnings: [`${given} has no useful meaning; adjusting to ${type}`] };
  return given === undefined ? { warnings: [] } : { type: given, warnings: [] };
}

/** Deletes a role, and its secret ids with it. */
export function deleteApprole(decision: SecretsDecision, at: MountPlace, name: string): void {
  if (approleNamed(decision, at, name) === undefined) return;
  decision.record({ type: "ApproleDeleted", data: { at, role: approleName(name) } });
}

/** A role as reads show it. */
export function shownApprole(approle: Approle) {
  return {
    ...shownParameters(approle.parameters),
    bind_secret_id: approle.bindSecretId,
    local_secret_ids: approle.localSecretIds,
    secret_id_bound_cidrs: approle.secretIdBoundCidrs.length === 0 ? null : [...approle.secretIdBoundCidrs],
    secret_id_num_uses: approle.secretIdUses,
    secret_id_ttl: approle.secretIdTtlSeconds,
  };
}

/** The paths of single fields, by the fields that they are about: the newer name, and the older one. What is set back gets the first value. */
export const SINGLE_FIELDS = {
  policies: { names: ["token_policies", "policies"], initially: [] },
  period: { names: ["token_period", "period"], initially: 0 },
  "bind-secret-id": { names: ["bind_secret_id"], initially: true },
  "secret-id-num-uses": { names: ["secret_id_num_uses"], initially: 0 },
  "secret-id-ttl": { names: ["secret_id_ttl"], initially: 0 },
  "secret-id-bound-cidrs": { names: ["secret_id_bound_cidrs"], initially: [] },
  "bound-cidr-list": { names: ["bound_cidr_list"], initially: [] },
  "token-ttl": { names: ["token_ttl"], initially: 0 },
  "token-max-ttl": { names: ["token_max_ttl"], initially: 0 },
  "token-num-uses": { names: ["token_num_uses"], initially: 0 },
  "token-bound-cidrs": { names: ["token_bound_cidrs"], initially: [] },
} as const satisfies Record<string, { readonly names: readonly (keyof GivenRole)[]; readonly initially: unknown }>;

export type SingleField = keyof typeof SINGLE_FIELDS;

function namesOf(field: string): readonly (keyof GivenRole)[] {
  return Object.hasOwn(SINGLE_FIELDS, field) ? SINGLE_FIELDS[field as SingleField].names : [];
}

/** The fields that one path shows of a role. */
export function shownField(approle: Approle, field: string): { readonly [name: string]: unknown } {
  const shown: { readonly [name: string]: unknown } = {
    ...shownApprole(approle),
    bound_cidr_list: approle.secretIdBoundCidrs.length === 0 ? null : [...approle.secretIdBoundCidrs],
  };
  const names: readonly string[] = field === "local-secret-ids" ? ["local_secret_ids"] : namesOf(field);
  return Object.fromEntries(names.filter((name) => name in shown).map((name) => [name, shown[name]]));
}

/** What was given of the field of a path; refused where nothing was. */
export function givenOf(field: string, given: GivenRole): GivenRole {
  const own = namesOf(field).filter((name) => {
    const value = given[name];
    return value !== undefined && !(field === "secret-id-bound-cidrs" && Array.isArray(value) && value.length === 0);
  });
  if (own.length === 0) refuse("role_field_missing", { field: field.replaceAll("-", "_") });
  return Object.fromEntries(own.map((name) => [name, given[name]]));
}

/** What sets the field of a path back. */
export function initialOf(field: string): GivenRole {
  if (!Object.hasOwn(SINGLE_FIELDS, field)) return {};
  const { names, initially } = SINGLE_FIELDS[field as SingleField];
  return { [names[0]]: initially };
}

/** Texts by names, from a JSON object or a list of `name=text`. */
export function metadataIn(given: string): { readonly [name: string]: string } {
  if (given.trim() === "") return {};
  const read = given.trimStart().startsWith("{") ? fromJson(given) : pairsIn(given);
  return read ?? refuse("metadata_invalid", {});
}

function fromJson(given: string): { readonly [name: string]: string } | undefined {
  try {
    const value: unknown = JSON.parse(given);
    if (!isObject(value) || !Object.values(value).every((member) => typeof member === "string")) return undefined;
    return value as { readonly [name: string]: string };
  } catch {
    return undefined;
  }
}

function pairsIn(given: string): { readonly [name: string]: string } | undefined {
  const items = given.split(",").map((item) => item.trim());
  if (!items.every((item) => item.indexOf("=") > 0)) return undefined;
  return Object.fromEntries(
    items.map((item) => {
      const equals = item.indexOf("=");
      return [item.slice(0, equals).trim(), item.slice(equals + 1).trim()] as const;
    }),
  );
}
