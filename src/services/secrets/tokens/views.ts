import type { EpochMs } from "../../../kernel/brand.ts";
import { rfc3339 } from "../../../languages/instant.ts";
import type { AuthShown } from "../reply.ts";
import type { Token, TokenId } from "./state.ts";

/** What a creation or a renewal says of a token. */
export function authOf(id: TokenId, token: Omit<Token, "deadline">, durationSeconds: number): AuthShown {
  return {
    client_token: id,
    accessor: token.accessor,
    policies: [...token.policies],
    token_policies: [...token.policies],
    metadata: token.meta,
    lease_duration: durationSeconds,
    renewable: token.renewable,
    entity_id: token.entityId,
    token_type: token.type,
    orphan: token.orphan,
    num_uses: token.usesLeft ?? 0,
  };
}

/** What a look-up says of a token (decisions-secrets-core.md, A.7 "Look-up"). */
export function tokenData(id: TokenId, token: Token, nowMs: EpochMs) {
  const { expiresAtMs } = token;
  return {
    accessor: token.accessor,
    creation_time: Math.floor(token.createdAtMs / 1000),
    creation_ttl: token.creationTtlSeconds,
    display_name: token.displayName,
    entity_id: token.entityId,
    expire_time: expiresAtMs === undefined ? null : rfc3339(expiresAtMs),
    explicit_max_ttl: token.explicitMaxTtlSeconds,
    id,
    issue_time: rfc3339(token.createdAtMs),
    meta: token.meta,
    num_uses: token.usesLeft ?? 0,
    orphan: token.orphan,
    path: token.path,
    policies: [...token.policies],
    renewable: token.renewable,
    ttl: expiresAtMs === undefined ? 0 : Math.floor((expiresAtMs - nowMs) / 1000),
    type: token.type,
  };
}
