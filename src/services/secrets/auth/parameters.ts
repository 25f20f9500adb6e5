import { isBlock } from "../../../languages/cidr.ts";
import type { FieldValues } from "../../kit/operation.ts";
import { commaList, flag, natural, seconds, text } from "../fields.ts";
import { refuse } from "../rejections.ts";
import type { TokenType } from "../tokens/state.ts";

// Source of all rules in this file: auth/README.md, 2.

/** What tokens the logins of a user, a role or a method give. Times in seconds; 0 is none. */
export interface TokenParameters {
  readonly ttlSeconds: number;
  readonly maxTtlSeconds: number;
  readonly explicitMaxTtlSeconds: number;
  readonly periodSeconds: number;
  readonly policies: readonly string[];
  readonly boundCidrs: readonly string[];
  readonly noDefaultPolicy: boolean;
  /** 0 = as many as one likes. */
  readonly uses: number;
  readonly type: TokenType | "default";
  /** Older names that were used when their pairs were written last. */
  readonly oldNames: readonly OldName[];
}

export const DEFAULT_PARAMETERS: TokenParameters = Object.freeze({
  ttlSeconds: 0,
  maxTtlSeconds: 0,
  explicitMaxTtlSeconds: 0,
  periodSeconds: 0,
  policies: Object.freeze([]),
  boundCidrs: Object.freeze([]),
  noDefaultPolicy: false,
  uses: 0,
  type: "default",
  oldNames: Object.freeze([]),
});

export const PARAMETER_FIELDS = {
  token_ttl: seconds,
  token_max_ttl: seconds,
  token_explicit_max_ttl: seconds,
  token_period: seconds,
  token_policies: commaList,
  token_bound_cidrs: commaList,
  token_no_default_policy: flag,
  token_num_uses: natural(2_147_483_647),
  token_type: text,
};

/** Fields under their older names; each method has some of them. */
export const OLD_FIELDS = {
  ttl: seconds,
  max_ttl: seconds,
  period: seconds,
  policies: commaList,
  bound_cidrs: commaList,
  num_uses: natural(2_147_483_647),
};

export type OldName = keyof typeof OLD_FIELDS;

/** What a write gives. */
export type GivenParameters = FieldValues<typeof PARAMETER_FIELDS> & FieldValues<typeof OLD_FIELDS>;

/** The parameters that a write makes of those that there were. */
export function parametersWith(before: TokenParameters, given: GivenParameters): TokenParameters {
  const parameters: TokenParameters = {
    ttlSeconds: given.token_ttl ?? given.ttl ?? before.ttlSeconds,
    maxTtlSeconds: given.token_max_ttl ?? given.max_ttl ?? before.maxTtlSeconds,
    explicitMaxTtlSeconds: given.token_explicit_max_ttl ?? before.explicitMaxTtlSeconds,
    periodSeconds: given.token_period ?? given.period ?? before.periodSeconds,
    policies: given.token_policies ?? given.policies ?? before.policies,
    boundCidrs: given.token_bound_cidrs ?? given.bound_cidrs ?? before.boundCidrs,
    noDefaultPolicy: given.token_no_default_policy ?? before.noDefaultPolicy,
    uses: given.token_num_uses ?? given.num_uses ?? before.uses,
    type: given.token_type === undefined ? before.type : typeOf(given.token_type),
    oldNames: OLD_NAMES.filter((name) => {
      if (given[name] !== undefined) return true;
      return given[`token_${name}`] === undefined && before.oldNames.includes(name);
    }),
  };
  refuseParameters(parameters);
  return parameters;
}

const OLD_NAMES = Object.keys(OLD_FIELDS) as readonly OldName[];

function typeOf(given: string): TokenParameters["type"] {
  switch (given) {
    case "":
    case "default":
      return "default";
    case "service":
    case "batch":
      return given;
    default:
      return refuse("token_parameter_invalid", { reason: `invalid 'token_type' value "${given}"` });
  }
}

function refuseParameters({ boundCidrs, type, periodSeconds, uses, ttlSeconds, maxTtlSeconds }: TokenParameters): void {
  const wrong = boundCidrs.find((block) => !isBlock(block));
  if (wrong !== undefined) refuse("token_parameter_invalid", { reason: `error parsing address "${wrong}"` });
  const batched = (what: string): string =>
    `'token_type' cannot be 'batch' or 'default_batch' when set to generate ${what}`;
  if (type === "batch" && periodSeconds > 0) refuse("token_parameter_invalid", { reason: batched("periodic tokens") });
  if (type === "batch" && uses > 0)
    refuse("token_parameter_invalid", { reason: batched("tokens with limited use count") });
  if (maxTtlSeconds > 0 && ttlSeconds > maxTtlSeconds)
    refuse("token_parameter_invalid", { reason: "'token_ttl' cannot be greater than 'token_max_ttl'" });
}

/** Parameters as reads show them. */
export function shownParameters(parameters: TokenParameters) {
  const shown = {
    token_bound_cidrs: [...parameters.boundCidrs],
    token_explicit_max_ttl: parameters.explicitMaxTtlSeconds,
    token_max_ttl: parameters.maxTtlSeconds,
    token_no_default_policy: parameters.noDefaultPolicy,
    token_num_uses: parameters.uses,
    token_period: parameters.periodSeconds,
    token_policies: [...parameters.policies],
    token_ttl: parameters.ttlSeconds,
    token_type: parameters.type,
  };
  const old = parameters.oldNames.map((name) => [name, shown[`token_${name}`]] as const);
  return { ...shown, ...(Object.fromEntries(old) as Partial<{ [N in OldName]: (typeof shown)[`token_${N}`] }>) };
}
