import type { Brand, EpochMs } from "../../../kernel/brand.ts";
import { arm, type DeadlineKey, disarm } from "../../../kernel/calendar.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { ClusterName, NamespacePath } from "../place.ts";
import type { Local } from "../state.ts";

/** A token as its holder sends it. */
export type TokenId = Brand<string, "TokenId">;

/** A token, as decisions-secrets-core.md A.7 has it. */
export interface Token {
  readonly accessor: string;
  readonly type: "service" | "batch";
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
  readonly orphan: boolean;
  readonly deadline?: DeadlineKey;
}

/** The facts of tokens. */
export interface TokenEvents {
  TokenCreated: TokenAt & { readonly record: Omit<Token, "deadline"> };
  /** One of a limited token's uses; the last one revokes it. */
  TokenUsed: TokenAt;
  TokenRevoked: TokenAt;
}

interface TokenAt {
  readonly cluster: ClusterName;
  readonly token: TokenId;
}

export const tokenEvolvers: FlatEvolvers<Local, TokenEvents> = {
  TokenCreated: (local, { token, record }, meta) => {
    const deadline =
      record.expiresAtMs === undefined
        ? undefined
        : arm(local, record.expiresAtMs, { command: "timer.tokenExpiry", input: { token } }, meta);
    local.tokens = local.tokens.set(token, deadline === undefined ? record : { ...record, deadline });
  },
  TokenUsed: (local, { token }) => {
    const record = local.tokens.get(token);
    if (record?.usesLeft === undefined) return;
    local.tokens = local.tokens.set(token, { ...record, usesLeft: record.usesLeft - 1 });
  },
  TokenRevoked: (local, { token }) => removeToken(local, token),
};

function removeToken(local: Flat<Local>, token: TokenId): void {
  disarm(local, local.tokens.get(token)?.deadline);
  local.tokens = local.tokens.delete(token);
}
