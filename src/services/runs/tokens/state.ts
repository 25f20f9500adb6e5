import type { EpochMs } from "../../../kernel/brand.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import type { ApiToken, ApiTokenId, OrganizationName } from "../ids.ts";

/** What may be granted on a workspace (decisions-policy-checks.md, 1.3). */
export const WORKSPACE_GRANTS = ["read", "plan", "apply", "write", "admin", "policy-overrides"] as const;
export type WorkspaceGrant = (typeof WORKSPACE_GRANTS)[number];

/** What a user's or a team's token may do. */
export interface Grants {
  readonly owner: boolean;
  readonly managePolicies: boolean;
  readonly managePolicyOverrides: boolean;
  readonly workspaces: { readonly [workspace: string]: readonly WorkspaceGrant[] };
}

interface TokenBase {
  readonly id: ApiTokenId;
  readonly organization: OrganizationName;
  /** From this instant on it is worth nothing. */
  readonly expiresAtMs?: EpochMs;
  readonly grants: Grants;
}

/** A token, of one of three kinds (decisions-policy-checks.md, 1.2). */
export type TokenRecord =
  | (TokenBase & { readonly kind: "user"; readonly user: string })
  | (TokenBase & { readonly kind: "team"; readonly team: string })
  | (TokenBase & { readonly kind: "organization" });

export interface TokenSlice {
  /** By the token as it is sent; revoked ones are gone. */
  readonly tokens: Table<TokenRecord>;
  /** Tokens by their ids, revoked ones too. */
  readonly tokensById: Table<ApiToken>;
}

/** The facts of tokens. */
export interface ApiTokenEvents {
  ApiTokenCreated: { readonly token: ApiToken; readonly record: TokenRecord };
  ApiTokenRevoked: { readonly id: ApiTokenId };
}

export const apiTokenEvolvers: FlatEvolvers<TokenSlice, ApiTokenEvents> = {
  ApiTokenCreated: (service, { token, record }) => {
    service.tokens = service.tokens.set(token, record);
    service.tokensById = service.tokensById.set(record.id, token);
  },
  ApiTokenRevoked: (service, { id }) => {
    const token = service.tokensById.get(id);
    // The id stays taken, and known as one that was revoked.
    if (token !== undefined) service.tokens = service.tokens.delete(token);
  },
};
