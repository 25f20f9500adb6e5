import { epochMs, secondsAfter } from "../../../kernel/brand.ts";
import { matches } from "../../../languages/glob.ts";
import { type Bearer, entityPoliciesOf, mayDoAsSudo } from "../access.ts";
import { entityOf } from "../auth/login.ts";
import { type LoginTerms, loginTerms } from "../auth/renewal.ts";
import type { SecretsDecision, SecretsReading } from "../declare.ts";
import { tokenMethod } from "../mounts/system.ts";
import { placeOfNamespace } from "../place.ts";
import { hasRoot, policyNames } from "../policies/names.ts";
import { refuse } from "../rejections.ts";
import type { AuthShown } from "../reply.ts";
import { clusterOf, namespaceAt } from "../world.ts";
import { createToken, shownName } from "./create.ts";
import { stepToken } from "./judgement.ts";
import { revokeToken } from "./revoke.ts";
import { policiesAgainst, rulesPolicies, smaller, tokenRoleNamed, typeAgainst } from "./roles/decide.ts";
import type { TokenRole } from "./roles/state.ts";
import { childrenOfToken, type Token, type TokenId } from "./state.ts";
import { cutWarning, SYSTEM_TOKEN_SECONDS } from "./terms.ts";
import { authOf } from "./views.ts";

// Source of all rules in this file: amendments.md, then decisions-secrets-core.md, A.7, and tokens/README.md; where all are silent, the
// real service.

/** What somebody asks for; what is absent was not given. */
export interface AskedToken {
  readonly policies: readonly string[];
  readonly ttlSeconds: number;
  readonly explicitMaxTtlSeconds: number;
  readonly periodSeconds: number;
  readonly uses: number;
  readonly renewable: boolean;
  /** Absent where the path says so itself. */
  readonly noParent?: boolean;
  readonly noDefaultPolicy: boolean;
  readonly displayName: string;
  readonly meta: { readonly [key: string]: string } | null;
  readonly id: string;
  readonly type: string;
  /** Whom it is for, by an alias on this method; "" = whom its parent is for. */
  readonly entityAlias: string;
}

/** Something to say to whoever has a token, and what to warn of. */
export interface TokenAnswer {
  readonly auth: AuthShown;
  readonly warnings: readonly string[];
}

/** Creates a token against a role (tokens/README.md, 4). */
export function createAgainst(decision: SecretsDecision, bearer: Bearer, name: string, asked: AskedToken): TokenAnswer {
  const role = tokenRoleNamed(decision, name) ?? refuse("token_role_unknown", { role: name });
  return createChild(decision, bearer, `auth/token/create/${name}`, limitedBy(role, asked), { name, ...role });
}

/** What is asked for, as far as a role lets it. */
function limitedBy(role: TokenRole, asked: AskedToken): AskedToken {
  return {
    ...asked,
    noParent: false,
    noDefaultPolicy: asked.noDefaultPolicy || role.noDefaultPolicy,
    type: typeAgainst(role, asked.type),
    renewable: asked.renewable && role.renewable,
    uses: smaller(asked.uses, role.uses),
    explicitMaxTtlSeconds: smaller(asked.explicitMaxTtlSeconds, role.explicitMaxTtlSeconds),
  };
}

/** Creates a token with another one; on a path of its own for those that end with none. */
export function createChild(
  decision: SecretsDecision,
  bearer: Bearer,
  path: string,
  asked: AskedToken,
  role?: TokenRole & { readonly name: string },
): TokenAnswer {
  const { token: parent, id: parentId } = bearer;
  const isRoot = parent.policies.includes("root");
  const isSudo = mayDoAsSudo(decision, parent, path);
  if (stepToken(decision, parent, "createChild") === undefined) {
    return refuse(parent.type === "batch" ? "batch_token_creates" : "limited_token_creates", {});
  }
  const type = asked.type === "" ? "service" : asked.type;
  if (type !== "service" && type !== "batch") return refuse("token_type_unknown", { type });
  refusePrivileges(asked, isSudo);
  if (asked.entityAlias !== "") refuseAlias(asked.entityAlias, role);
  const isRuled = role !== undefined && rulesPolicies(role);
  const isInherited = asked.policies.length === 0 && !isRuled;
  // Without policies of its own it gets those of its parent, and no `default` that its parent has not.
  const given = isInherited ? parent.policies : policyNames(asked.policies);
  const unruled = asked.noDefaultPolicy ? given.filter((name) => name !== "default") : given;
  const policies = isRuled ? policiesAgainst(role, parent, asked) : unruled;
  if (type === "batch") refuseBatchOptions(asked, policies);
  refusePolicies(parent, policies, { isRoot, isSudo: isSudo || isRuled, isInherited });
  refuseRootBeyond(decision, parent, policies, asked);
  const orphan = role?.orphan ?? asked.noParent ?? true;
  const { token, record, warnings } = createToken(decision, placeOfNamespace(decision.caller), {
    ...asked,
    policies,
    noDefaultPolicy: asked.noDefaultPolicy || isInherited || isRuled,
    periodSeconds: smaller(asked.periodSeconds, role?.periodSeconds ?? 0),
    parent: orphan ? undefined : parentId,
    orphan,
    entityId:
      asked.entityAlias !== "" ? entityOfAlias(decision, path, asked.entityAlias) : orphan ? "" : parent.entityId,
    displayName: shownName(asked.displayName),
    // A batch token is what it says, so it takes no id.
    id: asked.id === "" || type === "batch" ? undefined : asked.id,
    type,
    path: role === undefined || role.pathSuffix === "" ? path : `${path}/${role.pathSuffix}`,
    ...(role === undefined ? {} : { role: role.name }),
    ...(role === undefined || role.boundCidrs.length === 0 ? {} : { boundCidrs: role.boundCidrs }),
  });
  return {
    auth: authOf(token, record, record.creationTtlSeconds, entityPoliciesOf(decision, record)),
    warnings: [...warnings, ...creationWarnings(decision, asked, record.policies)],
  };
}

function refuseAlias(alias: string, role: TokenRole | undefined): void {
  const { allowedEntityAliases } = role ?? refuse("entity_alias_without_role", {});
  const isAllowed = allowedEntityAliases.some((allowed) => matches(allowed, alias.toLowerCase()));
  if (!isAllowed) refuse("entity_alias_not_of_role", {});
}

/** The entity that an alias on the method of tokens leads to. */
function entityOfAlias(decision: SecretsDecision, path: string, alias: string) {
  const { id = "" } = namespaceAt(decision.state, decision.caller) ?? {};
  return entityOf(decision, { method: tokenMethod(id), path, alias });
}

function creationWarnings(decision: SecretsDecision, { id }: AskedToken, policies: readonly string[]): string[] {
  const known = namespaceAt(decision.state, decision.caller)?.policies;
  const unknown = policies.filter((name) => name !== "root" && known?.has(name) !== true);
  return [
    ...(id === "" ? [] : ["an id that is given is weaker than one that is made"]),
    ...unknown.map((name) => `Policy "${name}" does not exist`),
  ];
}

/** A root token hands its rights on no longer, and no further, than it has them (amendments.md, S24). */
function refuseRootBeyond(
  { caller }: SecretsDecision,
  parent: Token,
  policies: readonly string[],
  { ttlSeconds, periodSeconds, explicitMaxTtlSeconds }: AskedToken,
): void {
  if (!hasRoot(policies)) return;
  if (parent.namespace !== caller.namespace) refuse("root_token_of_other_namespace", {});
  const isEndless = ttlSeconds + periodSeconds + explicitMaxTtlSeconds === 0;
  if (isEndless && parent.expiresAtMs !== undefined) refuse("root_token_needs_ttl", {});
}

function refusePrivileges(asked: AskedToken, isSudo: boolean): void {
  // All prefixes of tokens that are made end in a dot.
  if (asked.id.includes(".")) refuse("token_id_malformed", { id: asked.id });
  if (isSudo) return;
  if (asked.id !== "") refuse("token_option_needs_sudo", { option: "id" });
  if (asked.noParent) refuse("token_option_needs_sudo", { option: "no_parent" });
  if (asked.periodSeconds > 0) refuse("token_option_needs_sudo", { option: "period" });
}

function refuseBatchOptions(asked: AskedToken, policies: readonly string[]): void {
  if (asked.periodSeconds > 0) refuse("batch_token_option", { option: "period" });
  if (asked.explicitMaxTtlSeconds > 0) refuse("batch_token_option", { option: "explicit_max_ttl" });
  if (asked.uses > 0) refuse("batch_token_option", { option: "num_uses" });
  if (hasRoot(policies)) refuse("batch_token_option", { option: "policy root" });
}

function refusePolicies(
  parent: Token,
  policies: readonly string[],
  {
    isRoot,
    isSudo,
    isInherited,
  }: { readonly isRoot: boolean; readonly isSudo: boolean; readonly isInherited: boolean },
): void {
  if (policies.includes("response-wrapping")) refuse("policy_not_assignable", { policy: "response-wrapping" });
  if (isInherited || isRoot) return;
  if (hasRoot(policies)) refuse("root_token_needs_root", {});
  if (!isSudo && !policies.every((name) => parent.policies.includes(name))) refuse("policies_not_subset", {});
}

/**
 * Renews a token: its new time counts from now, may be shorter than what was left, and never passes the maximum counted from
 * its creation; a period is given anew each time.
 *
 * @returns nothing where whoever logged in is gone, and nothing was renewed
 */
export function renewToken(
  decision: SecretsDecision,
  token: TokenId,
  incrementSeconds: number,
): TokenAnswer | undefined {
  const record = tokenOf(decision, token);
  const next = stepToken(decision, record, "renew");
  if (record === undefined) return refuse("token_not_found", {});
  if (next === undefined) return refuse("token_not_renewable", {});
  // It has been used up by this request (amendments.md, S9).
  if (record.usesLeft === 0) return refuse("token_not_found", {});
  const terms = record.login === undefined ? ownTerms(decision, record) : loginTerms(decision, record, record.login);
  if (terms === undefined) return undefined;
  const { explicitMaxTtlSeconds, createdAtMs } = record;
  const { periodSeconds, defaultSeconds, maxSeconds } = terms;
  // The maximum of a periodic token counts from now.
  const systemMs = secondsAfter(periodSeconds > 0 ? decision.nowMs : createdAtMs, maxSeconds);
  const ownMs = explicitMaxTtlSeconds > 0 ? secondsAfter(createdAtMs, explicitMaxTtlSeconds) : systemMs;
  const lastMs = Math.min(systemMs, ownMs);
  if (decision.nowMs >= lastMs) return refuse("token_past_max_ttl", {});
  const wantedSeconds = periodSeconds || incrementSeconds || defaultSeconds;
  const wantedMs = secondsAfter(decision.nowMs, wantedSeconds);
  const expiresAtMs = epochMs(Math.min(wantedMs, lastMs));
  decision.record({ type: "TokenRenewed", data: { cluster: decision.caller.cluster, token, expiresAtMs } });
  const seconds = (expiresAtMs - decision.nowMs) / 1000;
  return {
    auth: authOf(token, record, seconds, entityPoliciesOf(decision, record)),
    warnings: expiresAtMs < wantedMs ? [cutWarning(wantedSeconds, seconds)] : [],
  };
}

/** What a renewal gives to a token that no login made. */
function ownTerms(decision: SecretsDecision, token: Token): LoginTerms {
  const { renewal, creationTtlSeconds } = token;
  const periodSeconds =
    token.role === undefined ? token.periodSeconds : roleOf(decision, token, token.role).periodSeconds;
  return { periodSeconds, defaultSeconds: renewal?.ttlSeconds || creationTtlSeconds, maxSeconds: SYSTEM_TOKEN_SECONDS };
}

function roleOf({ state, caller }: SecretsReading, { namespace }: Token, role: string): TokenRole {
  const at = namespaceAt(
    state,
    namespace === undefined ? { cluster: caller.cluster } : { cluster: caller.cluster, namespace },
  );
  return at?.tokenRoles.get(role) ?? refuse("token_role_gone", { role });
}

/** Revokes a token and not those that it made: from then on these end with none. */
export function revokeAlone(decision: SecretsDecision, bearer: Bearer, token: TokenId): void {
  const record = tokenOf(decision, token) ?? refuse("token_to_orphan_unknown", {});
  if (!mayDoAsSudo(decision, bearer.token, "auth/token/revoke-orphan")) refuse("orphaning_needs_sudo", {});
  if (stepToken(decision, record, "revoke") === undefined) refuse("batch_token_revoked", {});
  const { cluster } = decision.caller;
  for (const child of childrenOfToken(clusterOf(decision.state, cluster).local, token)) {
    decision.record({ type: "TokenOrphaned", data: { cluster, token: child } });
  }
  revokeToken(decision, cluster, token);
}

/** Revokes a token because somebody asked for it; one that is not there is revoked already. */
export function revokeAsked(decision: SecretsDecision, token: TokenId): void {
  const record = tokenOf(decision, token);
  if (record === undefined) return;
  if (stepToken(decision, record, "revoke") === undefined) refuse("batch_token_revoked", {});
  revokeToken(decision, decision.caller.cluster, token);
}

/**
 * A token that is valid now, as somebody sees it who asks in a namespace.
 *
 * Our choice: a namespace knows its own tokens and those of its descendants, as its policies do (A.10).
 */
export function tokenOf({ state, caller, nowMs }: SecretsReading, token: TokenId): Token | undefined {
  const record = clusterOf(state, caller.cluster).local.tokens.get(token);
  if (record === undefined || (record.expiresAtMs !== undefined && nowMs >= record.expiresAtMs)) return undefined;
  const isOwn = token === caller.token;
  return isOwn || (record.namespace ?? "").startsWith(caller.namespace ?? "") ? record : undefined;
}

/** The token of the request's namespace that has an accessor. */
export function tokenWithAccessor({ state, caller }: SecretsReading, accessor: string): TokenId | undefined {
  return clusterOf(state, caller.cluster).local.tokensByAccessor.get(`${caller.namespace ?? ""} ${accessor}`);
}
