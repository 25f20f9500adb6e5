import { tokenMachine } from "../../../../machines/token.machine.ts";
import { epochMs, secondsAfter } from "../../../kernel/brand.ts";
import { type Bearer, mayDoAsSudo } from "../access.ts";
import type { SecretsDecision, SecretsReading } from "../declare.ts";
import { placeOfNamespace } from "../place.ts";
import { refuse } from "../rejections.ts";
import type { AuthShown } from "../reply.ts";
import { clusterOf } from "../world.ts";
import { createToken, hasRoot } from "./create.ts";
import { tokenJudgement } from "./judgement.ts";
import { revokeToken } from "./revoke.ts";
import type { Token, TokenId } from "./state.ts";
import { cutWarning, SYSTEM_TOKEN_SECONDS } from "./terms.ts";
import { authOf } from "./views.ts";

// Source of all rules in this file: decisions-secrets-core.md, A.7; where it is silent, the real service.

/** What somebody asks for; what is absent was not given. */
export interface AskedToken {
  readonly policies: readonly string[];
  readonly ttlSeconds: number;
  readonly explicitMaxTtlSeconds: number;
  readonly periodSeconds: number;
  readonly uses: number;
  readonly renewable: boolean;
  readonly noParent: boolean;
  readonly noDefaultPolicy: boolean;
  readonly displayName: string;
  readonly meta: { readonly [key: string]: string } | null;
  readonly id: string;
  readonly type: string;
}

/** Something to say to whoever has a token, and what to warn of. */
export interface TokenAnswer {
  readonly auth: AuthShown;
  readonly warnings: readonly string[];
}

/** Creates a token with another one. */
export function createChild(decision: SecretsDecision, bearer: Bearer, path: string, asked: AskedToken): TokenAnswer {
  const { token: parent, id: parentId } = bearer;
  const isRoot = parent.policies.includes("root");
  const isSudo = mayDoAsSudo(decision, parent, path);
  if (decision.step(tokenMachine, "valid", tokenJudgement(parent), { type: "createChild" }) === undefined) {
    return refuse(parent.type === "batch" ? "batch_token_creates" : "limited_token_creates", {});
  }
  const type = asked.type === "" ? "service" : asked.type;
  if (type !== "service" && type !== "batch") return refuse("token_type_unknown", { type });
  refusePrivileges(asked, isSudo);
  const isInherited = asked.policies.length === 0;
  // Without policies of its own it gets those of its parent, and no `default` that its parent has not.
  const policies = isInherited
    ? parent.policies.filter((name) => !(asked.noDefaultPolicy && name === "default"))
    : asked.policies.map((name) => name.toLowerCase());
  if (type === "batch") refuseBatchOptions(asked, policies);
  refusePolicies(parent, policies, { isRoot, isSudo, isInherited });
  const orphan = asked.noParent;
  const { token, record, warnings } = createToken(decision, placeOfNamespace(decision.caller), {
    ...asked,
    policies,
    noDefaultPolicy: asked.noDefaultPolicy || isInherited,
    parent: orphan ? undefined : parentId,
    orphan,
    entityId: orphan ? "" : parent.entityId,
    id: asked.id === "" ? undefined : asked.id,
    type,
    path,
  });
  return { auth: authOf(token, record, record.creationTtlSeconds), warnings };
}

function refusePrivileges(asked: AskedToken, isSudo: boolean): void {
  if (isSudo) return;
  if (asked.id !== "") refuse("token_option_needs_sudo", { option: "id" });
  if (asked.noParent) refuse("token_option_needs_sudo", { option: "no_parent" });
  if (asked.periodSeconds > 0) refuse("token_option_needs_sudo", { option: "period" });
}

function refuseBatchOptions(asked: AskedToken, policies: readonly string[]): void {
  if (asked.periodSeconds > 0) refuse("batch_token_option", { option: "period" });
  if (asked.explicitMaxTtlSeconds > 0) refuse("batch_token_option", { option: "explicit_max_ttl" });
  if (asked.uses > 0) refuse("batch_token_option", { option: "num_uses" });
  if (asked.id !== "") refuse("batch_token_option", { option: "id" });
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
 */
export function renewToken(decision: SecretsDecision, token: TokenId, incrementSeconds: number): TokenAnswer {
  const record = tokenOf(decision, token);
  if (record === undefined) return refuse("token_not_found", {});
  if (decision.step(tokenMachine, "valid", tokenJudgement(record), { type: "renew" }) === undefined) {
    return refuse("token_not_renewable", {});
  }
  const { periodSeconds, explicitMaxTtlSeconds, createdAtMs, creationTtlSeconds } = record;
  const limits = [explicitMaxTtlSeconds, periodSeconds > 0 ? 0 : SYSTEM_TOKEN_SECONDS].filter((limit) => limit > 0);
  const lastMs = Math.min(...limits.map((seconds) => createdAtMs + seconds * 1000));
  if (decision.nowMs >= lastMs) return refuse("token_past_max_ttl", {});
  const wantedSeconds = periodSeconds || incrementSeconds || creationTtlSeconds;
  const wantedMs = secondsAfter(decision.nowMs, wantedSeconds);
  const expiresAtMs = epochMs(Math.min(wantedMs, lastMs));
  decision.record({ type: "TokenRenewed", data: { cluster: decision.caller.cluster, token, expiresAtMs } });
  const seconds = (expiresAtMs - decision.nowMs) / 1000;
  return {
    auth: authOf(token, record, Math.floor(seconds)),
    warnings: expiresAtMs < wantedMs ? [cutWarning(wantedSeconds, seconds)] : [],
  };
}

/** Revokes a token because somebody asked for it; one that is not there is revoked already. */
export function revokeAsked(decision: SecretsDecision, token: TokenId): void {
  const record = tokenOf(decision, token);
  if (record === undefined) return;
  if (decision.step(tokenMachine, "valid", tokenJudgement(record), { type: "revoke" }) === undefined) {
    refuse("batch_token_revoked", {});
  }
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
