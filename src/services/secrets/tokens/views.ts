import type { EpochMs } from "../../../kernel/brand.ts";
import { rfc3339 } from "../../../languages/instant.ts";
import type { EntityPolicies } from "../access.ts";
import type { AuthShown } from "../reply.ts";
import type { Token, TokenId } from "./state.ts";

/** What a creation or a renewal says of a token. */
export function authOf(
  id: TokenId,
  token: Omit<Token, "deadline">,
  durationSeconds: number,
  { own, elsewhere }: EntityPolicies,
): AuthShown {
  return {
    client_token: id,
    accessor: token.accessor,
    policies: [...new Set([...token.policies, ...own])].sort(),
    token_policies: [...token.policies],
    metadata: token.meta,
    ...(own.length === 0 ? {} : { identity_policies: [...own] }),
    ...(Object.keys(elsewhere).length === 0 ? {} : { external_namespace_policies: elsewhere }),
    lease_duration: Math.floor(durationSeconds),
    renewable: token.renewable,
    entity_id: token.entityId,
    token_type: token.type,
    orphan: token.orphan,
    num_uses: token.usesLeft ?? 0,
  };
}

/** What a look-up says of a token (decisions-secrets-core.md, A.7 "Look-up"; amendments.md, S28). */
export function tokenData(id: TokenId | "", token: Token, nowMs: EpochMs, { own, elsewhere }: EntityPolicies) {
  const { expiresAtMs, namespace, periodSeconds, renewal, usesLeft } = token;
  return {
    accessor: token.accessor,
    ...(token.boundCidrs === undefined ? {} : { bound_cidrs: [...token.boundCidrs] }),
    creation_time: Math.floor(token.createdAtMs / 1000),
    creation_ttl: Math.floor(token.creationTtlSeconds),
    display_name: token.displayName,
    entity_id: token.entityId,
    expire_time: expiresAtMs === undefined ? null : rfc3339(expiresAtMs),
    explicit_max_ttl: Math.floor(token.explicitMaxTtlSeconds),
    ...(own.length + Object.keys(elsewhere).length === 0
      ? {}
      : { identity_policies: [...own], external_namespace_policies: elsewhere }),
    id,
    issue_time: rfc3339(token.createdAtMs),
    ...(renewal === undefined
      ? {}
      : { last_renewal: rfc3339(renewal.atMs), last_renewal_time: Math.floor(renewal.atMs / 1000) }),
    meta: token.meta,
    ...(namespace === undefined ? {} : { namespace_path: namespace }),
    // The request that looks at it has used it up.
    num_uses: usesLeft === 0 ? -1 : (usesLeft ?? 0),
    orphan: token.orphan,
    path: token.path,
    ...(periodSeconds === 0 ? {} : { period: Math.floor(periodSeconds) }),
    policies: [...token.policies],
    renewable: token.renewable,
    ...(token.role === undefined ? {} : { role: token.role }),
    ttl: expiresAtMs === undefined ? 0 : Math.floor((expiresAtMs - nowMs) / 1000),
    type: token.type,
  };
}
