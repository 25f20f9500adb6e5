import { type EpochMs, epochMs } from "../../../kernel/brand.ts";
import type { NamespacePlace } from "../place.ts";
import type { SecretsRecorder } from "../recorder.ts";
import { refuse } from "../rejections.ts";
import { clusterOf } from "../state.ts";
import type { Token, TokenId } from "./state.ts";

/** Default and maximum TTL of tokens: 768 hours (decisions-secrets-core.md, A.7). */
const SYSTEM_TOKEN_SECONDS = 2_764_800;

/** What a token is created with. TTLs in seconds; 0 is none. */
export interface NewToken {
  readonly policies: readonly string[];
  readonly ttlSeconds: number;
  readonly periodSeconds: number;
  readonly explicitMaxTtlSeconds: number;
  /** 0 = as many as one likes. */
  readonly uses: number;
  readonly renewable: boolean;
  readonly orphan: boolean;
  readonly noDefaultPolicy: boolean;
  readonly entityId: string;
  readonly displayName: string;
  readonly meta: { readonly [key: string]: string } | null;
  readonly id: string | undefined;
  readonly type: "service" | "batch";
}

export interface CreatedToken {
  readonly token: TokenId;
  readonly accessor: string;
}

/** Creates a token in a namespace. An id of the caller's is taken as it is, if it is free. */
export function createToken(decision: SecretsRecorder, at: NamespacePlace, wanted: NewToken): CreatedToken {
  const token = (wanted.id ?? newTokenId(decision, wanted.type)) as TokenId;
  if (clusterOf(decision.state, at.cluster).local.tokens.has(token)) return refuse("token_exists", { token });
  const accessor = wanted.type === "batch" ? "" : decision.draw.base62(24);
  const isRoot = wanted.policies.some((name) => name.toLowerCase() === "root");
  const ttlSeconds = ttlOf(wanted, isRoot);
  const record: Omit<Token, "deadline"> = {
    accessor,
    type: wanted.type,
    policies: policiesOf(wanted, isRoot),
    ...(at.namespace === undefined ? {} : { namespace: at.namespace }),
    entityId: wanted.entityId,
    displayName: wanted.displayName === "" ? "token" : `token-${wanted.displayName}`,
    meta: wanted.meta,
    path: "auth/token/create",
    createdAtMs: decision.nowMs,
    ...(ttlSeconds === 0 ? {} : { expiresAtMs: after(decision.nowMs, ttlSeconds) }),
    creationTtlSeconds: ttlSeconds,
    explicitMaxTtlSeconds: wanted.explicitMaxTtlSeconds,
    periodSeconds: wanted.periodSeconds,
    ...(wanted.uses === 0 ? {} : { usesLeft: wanted.uses }),
    renewable: wanted.renewable && wanted.type === "service" && ttlSeconds > 0,
    orphan: wanted.orphan,
  };
  decision.record({ type: "TokenCreated", data: { cluster: at.cluster, token, record } });
  return { token, accessor };
}

function newTokenId(decision: SecretsRecorder, type: NewToken["type"]): string {
  return type === "batch" ? `b.${decision.draw.base62(64)}` : `scs.${decision.draw.base62(24)}`;
}

function policiesOf({ policies, noDefaultPolicy }: NewToken, isRoot: boolean): readonly string[] {
  const names = policies.map((name) => name.toLowerCase());
  return [...new Set(noDefaultPolicy || isRoot ? names : ["default", ...names])].sort();
}

/** A root token without a TTL never expires. A period replaces the TTL and the system's maximum. */
function ttlOf({ ttlSeconds, periodSeconds, explicitMaxTtlSeconds }: NewToken, isRoot: boolean): number {
  const limits = [explicitMaxTtlSeconds, periodSeconds > 0 ? 0 : SYSTEM_TOKEN_SECONDS].filter((limit) => limit > 0);
  const wanted = periodSeconds || ttlSeconds || (isRoot ? 0 : SYSTEM_TOKEN_SECONDS);
  return wanted === 0 ? explicitMaxTtlSeconds : Math.min(wanted, ...limits);
}

function after(nowMs: EpochMs, seconds: number): EpochMs {
  return epochMs(nowMs + seconds * 1000);
}
