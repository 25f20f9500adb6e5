import { isBlock } from "../../../../languages/cidr.ts";
import { matches } from "../../../../languages/glob.ts";
import type { FieldValues } from "../../../kit/operation.ts";
import type { SecretsDecision, SecretsReading } from "../../declare.ts";
import { commaList, flag, natural, seconds, text } from "../../fields.ts";
import { placeOfNamespace } from "../../place.ts";
import { policyNames } from "../../policies/names.ts";
import { refuse } from "../../rejections.ts";
import { namespaceAt } from "../../world.ts";
import type { Token, TokenType } from "../state.ts";
import type { TokenRole } from "./state.ts";

// Source of all rules in this file: tokens/README.md, 3 and 4.

export const ROLE_FIELDS = {
  allowed_policies: commaList,
  disallowed_policies: commaList,
  allowed_policies_glob: commaList,
  disallowed_policies_glob: commaList,
  allowed_entity_aliases: commaList,
  orphan: flag,
  renewable: flag,
  path_suffix: text,
  token_bound_cidrs: commaList,
  bound_cidrs: commaList,
  token_explicit_max_ttl: seconds,
  explicit_max_ttl: seconds,
  token_period: seconds,
  period: seconds,
  token_no_default_policy: flag,
  token_num_uses: natural(2_147_483_647),
  token_type: text,
};

const NEW_ROLE: TokenRole = {
  allowedPolicies: [],
  disallowedPolicies: [],
  allowedPoliciesGlob: [],
  disallowedPoliciesGlob: [],
  allowedEntityAliases: [],
  orphan: false,
  renewable: true,
  pathSuffix: "",
  boundCidrs: [],
  explicitMaxTtlSeconds: 0,
  periodSeconds: 0,
  noDefaultPolicy: false,
  uses: 0,
  type: "default-service",
};

export function tokenRoleNamed({ state, caller }: SecretsReading, name: string): TokenRole | undefined {
  return namespaceAt(state, caller)?.tokenRoles.get(name);
}

/** Writes a role: what is absent stays as it is. */
export function writeTokenRole(decision: SecretsDecision, name: string, given: FieldValues<typeof ROLE_FIELDS>): void {
  const before = tokenRoleNamed(decision, name) ?? NEW_ROLE;
  const policies = (names: readonly string[] | undefined): readonly string[] | undefined =>
    names === undefined ? undefined : policyNames(names);
  const role: TokenRole = {
    allowedPolicies: policies(given.allowed_policies) ?? before.allowedPolicies,
    disallowedPolicies: policies(given.disallowed_policies) ?? before.disallowedPolicies,
    allowedPoliciesGlob: policies(given.allowed_policies_glob) ?? before.allowedPoliciesGlob,
    disallowedPoliciesGlob: policies(given.disallowed_policies_glob) ?? before.disallowedPoliciesGlob,
    allowedEntityAliases: policies(given.allowed_entity_aliases) ?? before.allowedEntityAliases,
    orphan: given.orphan ?? before.orphan,
    renewable: given.renewable ?? before.renewable,
    pathSuffix: given.path_suffix ?? before.pathSuffix,
    boundCidrs: given.token_bound_cidrs ?? given.bound_cidrs ?? before.boundCidrs,
    explicitMaxTtlSeconds: given.token_explicit_max_ttl ?? given.explicit_max_ttl ?? before.explicitMaxTtlSeconds,
    periodSeconds: given.token_period ?? given.period ?? before.periodSeconds,
    noDefaultPolicy: given.token_no_default_policy ?? before.noDefaultPolicy,
    uses: given.token_num_uses ?? before.uses,
    type: given.token_type === undefined ? before.type : typeOf(given.token_type),
  };
  refuseRole(role);
  decision.record({ type: "TokenRoleWritten", data: { at: placeOfNamespace(decision.caller), name, role } });
}

export function deleteTokenRole(decision: SecretsDecision, name: string): void {
  if (tokenRoleNamed(decision, name) === undefined) return;
  decision.record({ type: "TokenRoleDeleted", data: { at: placeOfNamespace(decision.caller), name } });
}

function typeOf(given: string): TokenRole["type"] {
  switch (given) {
    case "":
    case "default":
      return "default-service";
    case "service":
    case "batch":
    case "default-service":
    case "default-batch":
      return given;
    default:
      return refuse("token_parameter_invalid", { reason: `invalid 'token_type' value "${given}"` });
  }
}

const SUFFIX = /^\w[\w.-]*\w$/;

function refuseRole({ type, orphan, renewable, pathSuffix, boundCidrs, ...times }: TokenRole): void {
  const invalid = (reason: string): never => refuse("token_parameter_invalid", { reason });
  const wrong = boundCidrs.find((block) => !isBlock(block));
  if (wrong !== undefined) invalid(`error parsing address "${wrong}"`);
  if (pathSuffix !== "" && !SUFFIX.test(pathSuffix)) {
    invalid("given role path suffix contains invalid characters; must match \\w[\\w-.]+\\w");
  }
  if (type !== "batch") return;
  const batch = (what: string): never => invalid(`'token_type' cannot be 'batch' when role is set to generate ${what}`);
  if (!orphan) batch("non-orphan tokens");
  if (times.periodSeconds > 0) batch("periodic tokens");
  if (renewable) batch("renewable tokens");
  if (times.explicitMaxTtlSeconds > 0) batch("tokens with an explicit max TTL");
}

/** A role as reads show it. */
export function shownTokenRole(name: string, role: TokenRole) {
  const { boundCidrs, explicitMaxTtlSeconds, periodSeconds, uses } = role;
  return {
    allowed_entity_aliases: [...role.allowedEntityAliases],
    allowed_policies: [...role.allowedPolicies],
    allowed_policies_glob: [...role.allowedPoliciesGlob],
    ...(boundCidrs.length === 0 ? {} : { bound_cidrs: [...boundCidrs], token_bound_cidrs: [...boundCidrs] }),
    disallowed_policies: [...role.disallowedPolicies],
    disallowed_policies_glob: [...role.disallowedPoliciesGlob],
    explicit_max_ttl: explicitMaxTtlSeconds,
    name,
    orphan: role.orphan,
    path_suffix: role.pathSuffix,
    period: periodSeconds,
    renewable: role.renewable,
    token_explicit_max_ttl: explicitMaxTtlSeconds,
    token_no_default_policy: role.noDefaultPolicy,
    ...(uses === 0 ? {} : { token_num_uses: uses }),
    token_period: periodSeconds,
    token_type: role.type,
  };
}

/** The type of a token that is made against a role, by what was asked for ("" = nothing). */
export function typeAgainst({ type }: TokenRole, asked: string): TokenType {
  switch (type) {
    case "service":
    case "batch":
      return type;
    case "default-service":
      return asked === "batch" ? "batch" : "service";
    case "default-batch":
      return asked === "service" ? "service" : "batch";
    default:
      return type satisfies never;
  }
}

/** Whether a role has rules of its own for policies, which take the place of those of the parent. */
export function rulesPolicies(role: TokenRole): boolean {
  const { allowedPolicies, disallowedPolicies, allowedPoliciesGlob, disallowedPoliciesGlob } = role;
  return [allowedPolicies, disallowedPolicies, allowedPoliciesGlob, disallowedPoliciesGlob].some(
    (names) => names.length > 0,
  );
}

/** The policies of a token that is made against a role with rules for them. */
export function policiesAgainst(
  role: TokenRole,
  parent: Token,
  { policies: asked, noDefaultPolicy }: { readonly policies: readonly string[]; readonly noDefaultPolicy: boolean },
): readonly string[] {
  const isIn = (name: string, names: readonly string[], globs: readonly string[]): boolean =>
    names.includes(name) || globs.some((glob) => matches(glob, name));
  const isDisallowed = (name: string): boolean => isIn(name, role.disallowedPolicies, role.disallowedPoliciesGlob);
  const hasDefault = !noDefaultPolicy && !role.noDefaultPolicy && !isDisallowed("default");
  const withDefault = (names: readonly string[]): readonly string[] =>
    policyNames(hasDefault ? ["default", ...names] : names);
  const isLimited = role.allowedPolicies.length + role.allowedPoliciesGlob.length > 0;
  const allowed = withDefault(role.allowedPolicies);
  const final = withDefault(asked.length > 0 ? asked : isLimited ? allowed : parent.policies);
  if (isLimited && !final.every((name) => isIn(name, allowed, role.allowedPoliciesGlob))) {
    refuse("policies_not_of_role", { policies: final, allowed, globs: role.allowedPoliciesGlob });
  }
  const disallowed = final.find(isDisallowed);
  if (disallowed !== undefined) refuse("policy_disallowed_by_role", { policy: disallowed });
  return final;
}

/** The smaller of two limits, of which 0 is none. */
export function smaller(one: number, other: number): number {
  return one === 0 || other === 0 ? one + other : Math.min(one, other);
}
