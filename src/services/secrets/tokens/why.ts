import type { Command } from "../../../kernel/commit.ts";
import type { Recorded } from "../../../kernel/event-index.ts";
import { formatDuration } from "../../../languages/duration.ts";
import { rfc3339 } from "../../../languages/instant.ts";
import { argument, type Fact, fact, shownArgument, textGiven, when } from "../../kit/why.ts";
import { gone, inNamespace, readingOf, type SecretsExplainers, type SecretsMet, there } from "../explaining.ts";
import { clusterOf } from "../world.ts";
import { tokenWithAccessor } from "./decide.ts";
import type { TokenRefusals } from "./rejections.ts";
import type { Token } from "./state.ts";
import { SYSTEM_TOKEN_SECONDS } from "./terms.ts";

/**
 * What is known of a token: the commits, or the cluster, that made, renewed and ended it. It is called by its accessor: whoever reads why
 * something was refused need not be who holds it.
 */
export function tokenFacts(met: SecretsMet, id: string | undefined): readonly Fact[] {
  if (id === undefined || id === "") return [fact("token", "no token was given")];
  const { state, caller, past } = met;
  const live = clusterOf(state, caller.cluster).local.tokens.get(id);
  const made =
    past.last("TokenCreated", ({ token }) => token === id) ??
    past.last("OidcTokensIssued", ({ accessToken }) => accessToken === id);
  const born = Object.keys(state.secrets).find((name) => state.secrets[name]?.ignored.rootToken === id);
  const known = live ?? made?.data.record;
  if (known === undefined && born === undefined) {
    return [fact("token", "the token that was given is none that was made here")];
  }
  const name = known === undefined ? `the root token of ${born}` : nameOf(known);
  return [live === undefined ? ended(met, id, name) : valid(met, live), beginning(met, id, made, born)];
}

/** The token of a request. */
export function callerFacts(met: SecretsMet): readonly Fact[] {
  return tokenFacts(met, met.caller.token);
}

/** A token that is there; its policies are told where they decide. */
function valid({ nowMs }: SecretsMet, token: Token): Fact {
  const { expiresAtMs, usesLeft } = token;
  const left = usesLeft === undefined ? "" : `, with ${usesLeft} uses left`;
  if (expiresAtMs === undefined) return fact("token", `${nameOf(token)} is valid and never ends${left}`);
  const until = rfc3339(expiresAtMs);
  return fact(
    "token",
    `${nameOf(token)} ${nowMs >= expiresAtMs ? `ended at ${until}` : `is valid until ${until}${left}`}`,
  );
}

function ended(met: SecretsMet, id: string, name: string): Fact {
  const { state, caller, past } = met;
  const end = past.last("TokenRevoked", ({ token }) => token === id);
  if (end !== undefined) return told(`${name} ended ${when(end)}${byWhom(met, end.command)}`, end);
  const holder = Object.keys(state.secrets).find((other) => state.secrets[other]?.local.tokens.has(id));
  const text = `${name} is not held by ${caller.cluster}`;
  return fact("token", holder === undefined ? `${text}: its storage was replaced` : `${text}, but by ${holder}`);
}

function beginning(
  met: SecretsMet,
  id: string,
  made: Recorded<{ readonly record: Omit<Token, "deadline"> }> | undefined,
  born: string | undefined,
): Fact {
  if (made === undefined) return fact("token", `it was made with cluster ${born ?? met.caller.cluster}`);
  const { creationTtlSeconds, usesLeft, renewable, periodSeconds } = made.data.record;
  const life = creationTtlSeconds === 0 ? "without an end" : `for ${formatDuration(creationTtlSeconds * 1000)}`;
  const uses = usesLeft === undefined ? "" : ` and ${usesLeft} uses`;
  const period = periodSeconds === 0 ? "" : `, with a period of ${formatDuration(periodSeconds * 1000)}`;
  const renewal = met.past.last("TokenRenewed", ({ token }) => token === id);
  const renewed =
    renewal === undefined
      ? renewable
        ? ", and never renewed"
        : ", not renewable"
      : `, and renewed last ${when(renewal)}`;
  return told(`it was made ${when(made)}${byWhom(met, made.command)} ${life}${uses}${period}${renewed}`, made);
}

function told(text: string, { position }: Recorded<unknown>): Fact {
  return { kind: "token", position, text };
}

/** Who gave a command. */
export function byWhom({ past, state }: SecretsMet, { caller, via }: Command): string {
  if (via === "control") return " by the test author";
  const { token, cluster } = (caller ?? {}) as { readonly [name: string]: string | undefined };
  if (token === undefined || cluster === undefined) return "";
  const known =
    state.secrets[cluster]?.local.tokens.get(token) ??
    past.last("TokenCreated", (created) => created.token === token)?.data.record;
  return known === undefined ? "" : ` by ${nameOf(known)}`;
}

/** Tokens of logins have the names that they show; batch tokens have no accessor. */
export function nameOf({ accessor, displayName, type }: Pick<Token, "accessor" | "displayName" | "type">): string {
  return `token ${accessor === "" ? `of type ${type}` : accessor} (${displayName})`;
}

/** The token that an argument names, or the caller's own where none does. */
function namedFacts(met: SecretsMet): readonly Fact[] {
  const token = textGiven(met, "token");
  const accessor = textGiven(met, "accessor");
  if (token !== "") return tokenFacts(met, token);
  if (accessor === "") return callerFacts(met);
  return accessorFacts(met, accessor);
}

/** The token with an accessor, which may have ended. */
export function accessorFacts(met: SecretsMet, accessor: string): readonly Fact[] {
  const made = met.past.last("TokenCreated", ({ record }) => record.accessor === accessor);
  const id = tokenWithAccessor(readingOf(met), accessor) ?? made?.data.token;
  return id === undefined
    ? [fact("token", `no token of this namespace has, or had, the accessor that was given`)]
    : tokenFacts(met, id);
}

function policiesOfCaller({ state, caller }: SecretsMet): Fact {
  const token = clusterOf(state, caller.cluster).local.tokens.get(caller.token ?? "");
  return fact("policy", `the policies of the parent are ${token?.policies.join(", ") ?? "unknown"}`);
}

/** The role that a token is to be made against. */
function roleFacts(met: SecretsMet): readonly Fact[] {
  const role = textGiven(met, "role_name");
  const written = met.past.last("TokenRoleWritten", (data) => inNamespace(met)(data) && data.name === role);
  return [there("role", `token role ${role}`, written)];
}

function goneRole(met: SecretsMet, role: string): Fact {
  const deleted = met.past.last("TokenRoleDeleted", (data) => inNamespace(met)(data) && data.name === role);
  return gone("role", `token role ${role}`, deleted);
}

/** Why the token endpoints refuse. */
export const tokenWhy: SecretsExplainers<TokenRefusals> = {
  token_missing: argument("token", "the token that is meant"),
  accessor_missing: argument("accessor", "that of a token"),
  accessor_unknown: namedFacts,
  token_role_unknown: (met, { role }) => [goneRole(met, role)],
  token_role_gone: (met, { role }) => [goneRole(met, role), ...namedFacts(met)],
  policies_not_of_role: (met, { policies, allowed, globs }) => [
    fact(
      "policy",
      `${policies.join(", ")} were asked for; the role allows ${[...allowed, ...globs].join(", ") || "no others"}`,
    ),
    ...roleFacts(met),
  ],
  policy_disallowed_by_role: (met, { policy }) => [fact("policy", `the role disallows ${policy}`), ...roleFacts(met)],
  entity_alias_without_role: argument("entity_alias", "only of a token that is made against a role"),
  entity_alias_not_of_role: (met) => [
    shownArgument("entity_alias", "one that allowed_entity_aliases of the role names")(met, {})[0],
    ...roleFacts(met),
  ],
  token_to_orphan_unknown: namedFacts,
  orphaning_needs_sudo: (met) => [
    fact("policy", "auth/token/revoke-orphan needs sudo"),
    policiesOfCaller(met),
    ...callerFacts(met),
  ],
  bad_token: namedFacts,
  token_not_found: namedFacts,
  batch_token_creates: callerFacts,
  limited_token_creates: callerFacts,
  token_id_malformed: argument("id", "a text without dots"),
  token_type_unknown: shownArgument("type", "service or batch"),
  token_option_needs_sudo: (met, { option }) => [
    fact("policy", `${option} needs sudo on the path`),
    policiesOfCaller(met),
    ...callerFacts(met),
  ],
  batch_token_option: (_, { option }) => [fact("argument", `${option} was given, which batch tokens cannot have`)],
  policy_not_assignable: (_, { policy }) => [
    fact("policy", `${policy} is the service's own, and no token may ask for it`),
  ],
  root_token_needs_root: (met) => [policiesOfCaller(met), ...callerFacts(met)],
  root_token_needs_ttl: (met) => [
    argument("ttl", "the parent ends, and so has its child to")(met, {})[0],
    ...callerFacts(met),
  ],
  root_token_of_other_namespace: (met) => [
    fact("namespace", `it was asked for in namespace ${met.caller.namespace ?? "root"}`),
    ...callerFacts(met),
  ],
  policies_not_subset: (met) => [
    argument("policies", "a part of the parent's, as it has no sudo on the path")(met, {})[0],
    policiesOfCaller(met),
    ...callerFacts(met),
  ],
  token_not_renewable: namedFacts,
  token_past_max_ttl: (met) => [
    fact(
      "configured",
      `the longest life of a token is ${formatDuration(SYSTEM_TOKEN_SECONDS * 1000)}, or its explicit_max_ttl`,
    ),
    ...namedFacts(met),
  ],
  batch_token_revoked: namedFacts,
};
