import { secondsAfter } from "../../../kernel/brand.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { RenewalTerms } from "../leases/terms.ts";
import type { NamespacePlace } from "../place.ts";
import { hasRoot, policyNames } from "../policies/names.ts";
import { refuse } from "../rejections.ts";
import { clusterOf } from "../world.ts";
import type { Token, TokenId, TokenLogin, TokenType } from "./state.ts";
import { newTokenTtl, type TokenTimes } from "./terms.ts";

/** What a token is created with. TTLs in seconds; 0 is none. */
export interface NewToken extends TokenTimes {
  readonly policies: readonly string[];
  /** 0 = as many as one likes. */
  readonly uses: number;
  readonly renewable: boolean;
  /** The token that it ends with. */
  readonly parent?: TokenId | undefined;
  readonly orphan: boolean;
  readonly noDefaultPolicy: boolean;
  readonly entityId: string;
  /** As look-ups show it. */
  readonly displayName: string;
  readonly meta: { readonly [key: string]: string } | null;
  readonly id: string | undefined;
  readonly type: TokenType;
  /** The path that creates it. */
  readonly path?: string;
  readonly boundCidrs?: readonly string[];
  readonly role?: string;
  readonly login?: TokenLogin;
  /** Times of where it comes from; by default the system's. */
  readonly limits?: RenewalTerms;
}

export interface CreatedToken {
  readonly token: TokenId;
  readonly record: Omit<Token, "deadline">;
  readonly warnings: readonly string[];
}

/** Creates a token in a namespace. An id of the caller's is taken as it is, if it is free. */
export function createToken(decision: SecretsRecorder, at: NamespacePlace, wanted: NewToken): CreatedToken {
  const token = (wanted.id ?? newTokenId(decision, wanted.type)) as TokenId;
  if (clusterOf(decision.state, at.cluster).local.tokens.has(token)) return refuse("token_exists", { token });
  const accessor = wanted.type === "batch" ? "" : decision.draw.base62(24);
  const policies = policiesOf(wanted);
  const { seconds: ttlSeconds, warnings } = newTokenTtl(wanted, hasRoot(policies), wanted.limits);
  const record: Omit<Token, "deadline"> = {
    accessor,
    type: wanted.type,
    ...(wanted.parent === undefined ? {} : { parent: wanted.parent }),
    policies,
    ...(at.namespace === undefined ? {} : { namespace: at.namespace }),
    entityId: wanted.entityId,
    displayName: wanted.displayName,
    meta: wanted.meta,
    path: wanted.path ?? "auth/token/create",
    createdAtMs: decision.nowMs,
    ...(ttlSeconds === 0 ? {} : { expiresAtMs: secondsAfter(decision.nowMs, ttlSeconds) }),
    creationTtlSeconds: ttlSeconds,
    explicitMaxTtlSeconds: wanted.explicitMaxTtlSeconds,
    periodSeconds: wanted.periodSeconds,
    ...(wanted.uses === 0 ? {} : { usesLeft: wanted.uses }),
    renewable: wanted.renewable && wanted.type === "service" && ttlSeconds > 0,
    orphan: wanted.orphan,
    ...(wanted.boundCidrs === undefined ? {} : { boundCidrs: wanted.boundCidrs }),
    ...(wanted.role === undefined ? {} : { role: wanted.role }),
    ...(wanted.login === undefined ? {} : { login: wanted.login }),
  };
  decision.record({ type: "TokenCreated", data: { cluster: at.cluster, token, record } });
  return { token, record, warnings };
}

export function newTokenId(decision: SecretsRecorder, type: TokenType): TokenId {
  return (type === "batch" ? `b.${decision.draw.base62(64)}` : `scs.${decision.draw.base62(24)}`) as TokenId;
}

/** What a token is called whose maker calls it so (amendments.md, S32). */
export function shownName(given: string): string {
  return `token-${given}`.replace(/[^a-zA-Z0-9-]/g, "-").replace(/-$/, "");
}

function policiesOf({ policies: given, noDefaultPolicy }: NewToken): readonly string[] {
  const policies = policyNames(given);
  return noDefaultPolicy || hasRoot(policies) ? policies : policyNames(["default", ...policies]);
}
