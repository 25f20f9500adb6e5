import type { FlatEvolvers } from "../../../../kernel/evolvers.ts";
import type { Table } from "../../../../kernel/table.ts";
import type { InNamespace } from "../../place.ts";
import type { TokenType } from "../state.ts";

/** What tokens are made against it (tokens/README.md, 3). */
export interface TokenRole {
  readonly allowedPolicies: readonly string[];
  readonly disallowedPolicies: readonly string[];
  readonly allowedPoliciesGlob: readonly string[];
  readonly disallowedPoliciesGlob: readonly string[];
  readonly allowedEntityAliases: readonly string[];
  readonly orphan: boolean;
  readonly renewable: boolean;
  /** "" = none. */
  readonly pathSuffix: string;
  readonly boundCidrs: readonly string[];
  /** 0 = none. */
  readonly explicitMaxTtlSeconds: number;
  /** 0 = none. */
  readonly periodSeconds: number;
  readonly noDefaultPolicy: boolean;
  /** 0 = as many as one likes. */
  readonly uses: number;
  readonly type: TokenType | `default-${TokenType}`;
}

export interface TokenRoleSlice {
  readonly tokenRoles: Table<TokenRole>;
}

/** The facts of roles of tokens. */
export interface TokenRoleEvents {
  /** A new one, or what one has become. */
  TokenRoleWritten: InNamespace & { readonly name: string; readonly role: TokenRole };
  TokenRoleDeleted: InNamespace & { readonly name: string };
}

export const tokenRoleEvolvers: FlatEvolvers<TokenRoleSlice, TokenRoleEvents> = {
  TokenRoleWritten: (slice, { name, role }) => {
    slice.tokenRoles = slice.tokenRoles.set(name, role);
  },
  TokenRoleDeleted: (slice, { name }) => {
    slice.tokenRoles = slice.tokenRoles.delete(name);
  },
};
