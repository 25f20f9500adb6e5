import { secondsAfter } from "../../../kernel/brand.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { NamespacePlace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { clusterOf } from "../world.ts";
import type { Token, TokenId, TokenType } from "./state.ts";
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
  readonly displayName: string;
  readonly meta: { readonly [key: string]: string } | null;
  readonly id: string | undefined;
  readonly type: TokenType;
  /** The path that creates it. */
  readonly path?: string;
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
  const isRoot = hasRoot(wanted.policies);
  const { seconds: ttlSeconds, warnings } = newTokenTtl(wanted, isRoot);
  const record: Omit<Token, "deadline"> = {
    accessor,
    type: wanted.type,
    ...(wanted.parent === undefined ? {} : { parent: wanted.parent }),
    policies: policiesOf(wanted, isRoot),
    ...(at.namespace === undefined ? {} : { namespace: at.namespace }),
    entityId: wanted.entityId,
    displayName: wanted.displayName === "" ? "token" : `token-${wanted.displayName}`,
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
  };
  decision.record({ type: "TokenCreated", data: { cluster: at.cluster, token, record } });
  return { token, record, warnings };
}

export function newTokenId(decision: SecretsRecorder, type: TokenType): TokenId {
  return (type === "batch" ? `b.${decision.draw.base62(64)}` : `scs.${decision.draw.base62(24)}`) as TokenId;
}

export function hasRoot(policies: readonly string[]): boolean {
  return policies.some((name) => name.toLowerCase() === "root");
}

function policiesOf({ policies, noDefaultPolicy }: NewToken, isRoot: boolean): readonly string[] {
  const names = policies.map((name) => name.toLowerCase());
  return [...new Set(noDefaultPolicy || isRoot ? names : ["default", ...names])].sort();
}
