import type { Brand, EpochMs } from "../../../kernel/brand.ts";
import { arm, type DeadlineKey, type Due, disarm } from "../../../kernel/calendar.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FlatEvolvers, FoldMeta } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import { pairKey, pairPrefix } from "../pair-key.ts";
import type { ClusterName, MountPath, NamespacePath } from "../place.ts";

/** A token as its holder sends it. */
export type TokenId = Brand<string, "TokenId">;

export type TokenType = "service" | "batch";

/** A token, as decisions-secrets-core.md A.7 has it. */
export interface Token {
  readonly accessor: string;
  readonly type: TokenType;
  /** The token that it ends with; absent for one that depends on none. */
  readonly parent?: TokenId;
  readonly policies: readonly string[];
  readonly namespace?: NamespacePath;
  readonly entityId: string;
  readonly displayName: string;
  readonly meta: { readonly [key: string]: string } | null;
  /** The path that created it. */
  readonly path: string;
  readonly createdAtMs: EpochMs;
  /** Absent for a token that never expires. */
  readonly expiresAtMs?: EpochMs;
  /** The TTL that it was created with; 0 for one that never expires. */
  readonly creationTtlSeconds: number;
  readonly explicitMaxTtlSeconds: number;
  readonly periodSeconds: number;
  /** Uses left of a limited token. */
  readonly usesLeft?: number;
  readonly renewable: boolean;
  /** The last renewal, and what it granted; absent before the first. */
  readonly renewal?: { readonly atMs: EpochMs; readonly ttlSeconds: number };
  readonly orphan: boolean;
  /** An access token of the OIDC provider: whom it is bound to. It has one right, and no policy. */
  readonly oidc?: AccessGrant;
  /** The addresses and blocks from which it may be used; absent where any may. */
  readonly boundCidrs?: readonly string[];
  /** The role against which it was made: its renewals look there again. */
  readonly role?: string;
  /** The login that gave it; absent for tokens that other tokens made. */
  readonly login?: TokenLogin;
  readonly deadline?: DeadlineKey;
}

/** Who logged in, and where: renewals look there again (auth/README.md, 3.8). */
export interface TokenLogin {
  readonly mount: MountPath;
  /** The user or the role, as the method calls it. */
  readonly name: string;
  /** Where renewals show it again. */
  readonly password?: string;
}

/** What an access token of the OIDC provider is bound to, besides its entity (decisions-oidc.md, 11). */
export interface AccessGrant {
  readonly namespaceId: string;
  readonly provider: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** The tokens of a cluster. */
export interface TokenSlice {
  readonly tokens: Table<Token>;
  /** The tokens that end with another one, by parent and child. */
  readonly tokensByParent: Table<TokenId>;
  /** Service tokens as their namespace, a space and their accessor. */
  readonly tokensByAccessor: Table<TokenId>;
  /** Tokens of child namespaces as their namespace, a space and the token: they end with it. */
  readonly tokensByNamespace: Table<TokenId>;
}

/** What ends with a token, whatever it holds: the answer that waits for it, and what it keeps for itself. */
interface Belongings {
  readonly wrapped: Table<unknown>;
  readonly cubbyholes: Table<unknown>;
}

type Tokens = TokenSlice & Belongings & Due;

/** The facts of tokens. */
export interface TokenEvents {
  TokenCreated: TokenAt & { readonly record: Omit<Token, "deadline"> };
  TokenRenewed: TokenAt & { readonly expiresAtMs: EpochMs };
  /** One of a limited token's uses; the last one revokes it. */
  TokenUsed: TokenAt;
  TokenRevoked: TokenAt;
  /** It ends with no other one any more. */
  TokenOrphaned: TokenAt;
}

interface TokenAt {
  readonly cluster: ClusterName;
  readonly token: TokenId;
}

export const tokenEvolvers: FlatEvolvers<Tokens, TokenEvents> = {
  TokenCreated: (local, { token, record }, meta) => {
    const deadline = record.expiresAtMs === undefined ? undefined : armed(local, token, record.expiresAtMs, meta);
    local.tokens = local.tokens.set(token, deadline === undefined ? record : { ...record, deadline });
    const { parent, accessor, namespace = "" } = record;
    if (parent !== undefined) local.tokensByParent = local.tokensByParent.set(pairKey(parent, token), token);
    if (accessor !== "") local.tokensByAccessor = local.tokensByAccessor.set(`${namespace} ${accessor}`, token);
    if (namespace !== "") local.tokensByNamespace = local.tokensByNamespace.set(`${namespace} ${token}`, token);
  },
  TokenRenewed: (local, { token, expiresAtMs }, meta) => {
    const record = local.tokens.get(token);
    if (record === undefined) return;
    disarm(local, record.deadline);
    const { deadline: _, ...before } = record;
    const deadline = armed(local, token, expiresAtMs, meta);
    const renewal = { atMs: meta.atMs, ttlSeconds: (expiresAtMs - meta.atMs) / 1000 };
    const renewed = { ...before, expiresAtMs, renewal };
    local.tokens = local.tokens.set(token, deadline === undefined ? renewed : { ...renewed, deadline });
  },
  TokenUsed: (local, { token }) => {
    const record = local.tokens.get(token);
    if (record?.usesLeft === undefined) return;
    local.tokens = local.tokens.set(token, { ...record, usesLeft: record.usesLeft - 1 });
  },
  TokenRevoked: (local, { token }) => {
    const record = local.tokens.get(token);
    if (record === undefined) return;
    const { parent, accessor, namespace = "", deadline } = record;
    disarm(local, deadline);
    local.tokens = local.tokens.delete(token);
    if (parent !== undefined) local.tokensByParent = local.tokensByParent.delete(pairKey(parent, token));
    if (accessor !== "") local.tokensByAccessor = local.tokensByAccessor.delete(`${namespace} ${accessor}`);
    if (namespace !== "") local.tokensByNamespace = local.tokensByNamespace.delete(`${namespace} ${token}`);
    if (local.wrapped.has(token)) local.wrapped = local.wrapped.delete(token);
    emptyCubbyhole(local, token);
  },
  TokenOrphaned: (local, { token }) => {
    const record = local.tokens.get(token);
    if (record?.parent === undefined) return;
    const { parent, ...alone } = record;
    local.tokens = local.tokens.set(token, { ...alone, orphan: true });
    local.tokensByParent = local.tokensByParent.delete(pairKey(parent, token));
  },
};

/** The tokens that end with a token. */
export function childrenOfToken(local: TokenSlice, token: TokenId): Iterable<TokenId> {
  return local.tokensByParent.values({ prefix: pairPrefix(token) });
}

function emptyCubbyhole(local: Flat<Tokens>, token: TokenId): void {
  if (local.cubbyholes.size === 0) return;
  for (const key of [...local.cubbyholes.keys({ prefix: pairPrefix(token) })]) {
    local.cubbyholes = local.cubbyholes.delete(key);
  }
}

function armed(local: Flat<Tokens>, token: TokenId, dueAtMs: EpochMs, meta: FoldMeta): DeadlineKey | undefined {
  return arm(local, dueAtMs, { command: "timer.tokenExpiry", input: { token } }, meta);
}
