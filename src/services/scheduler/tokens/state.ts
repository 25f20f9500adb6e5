import type { EpochMs } from "../../../kernel/brand.ts";
import type { DeadlineKey } from "../../../kernel/calendar.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import { type AccessorId, type RegionName, type RoleId, type SecretId, secretKey } from "../ids.ts";
import type { LogSlice } from "../regions/state.ts";
import { collectionKey, type TokenExpiry } from "./expiry.ts";

/** What a token may do: everything, or what its policies say. Names of policies stand as they were given, existing or not. */
export type TokenRights =
  | { readonly type: "client"; readonly policies: readonly string[]; readonly roles?: readonly RoleId[] }
  | { readonly type: "management" };

/** What of a token is the same in all regions that have it. */
export interface TokenContent {
  readonly accessor: AccessorId;
  readonly secret: SecretId;
  readonly name: string;
  readonly rights: TokenRights;
  /** Replicated to all regions. */
  readonly global: boolean;
  readonly createdAtMs: EpochMs;
  /** Absent for a token that does not end by itself. */
  readonly expiry?: TokenExpiry;
}

/** A token as a region holds it. */
export interface AclToken extends TokenContent {
  readonly createIndex: number;
  readonly modifyIndex: number;
}

export interface TokenSlice {
  /** That of the last write to the table; 0 as long as there was none. */
  readonly tokenIndex: number;
  /** By accessor. */
  readonly tokens: Table<AclToken>;
  /** Those of them that are global: what other regions copy. */
  readonly globalTokens: Table<AclToken>;
  readonly accessorsBySecret: Table<AccessorId>;
  /** In the order of lists. */
  readonly accessorsByIndex: Table<AccessorId>;
  /** Of those that end, in the order in which they are collected. */
  readonly accessorsByCollection: Table<AccessorId>;
  /** The next pass that finds something to collect. */
  readonly collection?: DeadlineKey;
}

type Tokens = TokenSlice & LogSlice;

/** The facts of tokens. Each names the region in which it holds, and that region's index of it. */
export interface TokenEvents {
  AclTokenCreated: { readonly region: RegionName; readonly index: number; readonly token: TokenContent };
  AclTokenUpdated: {
    readonly region: RegionName;
    readonly index: number;
    readonly accessor: AccessorId;
    readonly name: string;
    readonly rights: TokenRights;
  };
  AclTokenDeleted: { readonly region: RegionName; readonly index: number; readonly accessor: AccessorId };
  /** Tokens that are over were cleared away: one entry of the region's log. */
  AclTokensCollected: {
    readonly region: RegionName;
    readonly index: number;
    readonly accessors: readonly AccessorId[];
  };
}

export const tokenEvolvers: FlatEvolvers<Tokens, TokenEvents> = {
  AclTokenCreated: (region, { index, token }) => {
    raiseTokenIndex(region, index);
    putToken(region, token, index);
  },
  AclTokenUpdated: (region, { index, accessor, name, rights }) => {
    raiseTokenIndex(region, index);
    const token = region.tokens.get(accessor);
    if (token !== undefined) putToken(region, { ...token, name, rights }, index);
  },
  AclTokenDeleted: (region, { index, accessor }) => {
    raiseTokenIndex(region, index);
    dropToken(region, accessor);
  },
  AclTokensCollected: (region, { index, accessors }) => {
    raiseTokenIndex(region, index);
    for (const accessor of accessors) dropToken(region, accessor);
  },
};

export function raiseTokenIndex(region: Flat<Tokens>, index: number): void {
  region.index = index;
  region.tokenIndex = index;
}

/** Puts a token, or what has become of it, into all tables that know it. */
export function putToken(region: Flat<TokenSlice>, content: TokenContent, index: number): void {
  const { accessor, secret, name, rights, global, createdAtMs, expiry } = content;
  const createIndex = region.tokens.get(accessor)?.createIndex ?? index;
  const ends = expiry === undefined ? {} : { expiry };
  const both = { createIndex, modifyIndex: index };
  const token: AclToken = { accessor, secret, name, rights, global, createdAtMs, ...ends, ...both };
  region.tokens = region.tokens.set(accessor, token);
  if (global) region.globalTokens = region.globalTokens.set(accessor, token);
  region.accessorsBySecret = region.accessorsBySecret.set(secretKey(secret), accessor);
  region.accessorsByIndex = region.accessorsByIndex.set(indexKey(token), accessor);
  if (expiry === undefined) return;
  region.accessorsByCollection = region.accessorsByCollection.set(collectionKey(token, expiry), accessor);
}

/** Takes a token out of all of them. */
export function dropToken(region: Flat<TokenSlice>, accessor: AccessorId): void {
  const token = region.tokens.get(accessor);
  if (token === undefined) return;
  region.tokens = region.tokens.delete(accessor);
  region.globalTokens = region.globalTokens.delete(accessor);
  region.accessorsByIndex = region.accessorsByIndex.delete(indexKey(token));
  if (token.expiry !== undefined) {
    region.accessorsByCollection = region.accessorsByCollection.delete(collectionKey(token, token.expiry));
  }
  // Another token may have been given the same secret by a bootstrap.
  if (region.accessorsBySecret.get(secretKey(token.secret)) === accessor) {
    region.accessorsBySecret = region.accessorsBySecret.delete(secretKey(token.secret));
  }
}

/** The key by which tokens are listed: ascending `CreateIndex`, ties by `AccessorID` (section 5, list order). */
function indexKey({ createIndex, accessor }: Pick<AclToken, "createIndex" | "accessor">): string {
  return `${createIndex.toString().padStart(16, "0")}.${accessor}`;
}

/** Whether two tokens say the same: what a digest over name, type, policies in order and scope tells (section 5, Hash). */
export function isSameToken(left: TokenContent, right: TokenContent): boolean {
  return left.name === right.name && left.global === right.global && isSameRights(left.rights, right.rights);
}

function isSameRights(left: TokenRights, right: TokenRights): boolean {
  if (left.type === "management" || right.type === "management") return left.type === right.type;
  return isSameList(left.policies, right.policies) && isSameList(left.roles ?? [], right.roles ?? []);
}

function isSameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item, place) => item === right[place]);
}
