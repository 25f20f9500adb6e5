import type { EpochMs } from "../../../kernel/brand.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import { type AccessorId, type RegionName, type SecretId, secretKey } from "../ids.ts";
import type { LogSlice } from "../regions/state.ts";

/** A secret that stands for a token, once. */
export interface OneTimeToken {
  readonly accessor: AccessorId;
  readonly secret: SecretId;
  readonly expiresAtMs: EpochMs;
}

export interface OneTimeTokenSlice {
  /** By the accessor of the token: it has one at most. */
  readonly oneTimeTokens: Table<OneTimeToken>;
  readonly accessorsByOneTimeSecret: Table<AccessorId>;
}

/** The facts of one-time tokens. Each names the region in which it holds, and that region's index of it. */
export interface OneTimeTokenEvents {
  OneTimeTokenCreated: { readonly region: RegionName; readonly index: number; readonly oneTimeToken: OneTimeToken };
  OneTimeTokenExchanged: { readonly region: RegionName; readonly index: number; readonly accessor: AccessorId };
}

export const oneTimeTokenEvolvers: FlatEvolvers<OneTimeTokenSlice & LogSlice, OneTimeTokenEvents> = {
  OneTimeTokenCreated: (region, { index, oneTimeToken }) => {
    const { accessor, secret } = oneTimeToken;
    region.index = index;
    const before = region.oneTimeTokens.get(accessor);
    const others =
      before === undefined
        ? region.accessorsByOneTimeSecret
        : region.accessorsByOneTimeSecret.delete(secretKey(before.secret));
    region.oneTimeTokens = region.oneTimeTokens.set(accessor, oneTimeToken);
    region.accessorsByOneTimeSecret = others.set(secretKey(secret), accessor);
  },
  OneTimeTokenExchanged: (region, { index, accessor }) => {
    region.index = index;
    const spent = region.oneTimeTokens.get(accessor);
    if (spent === undefined) return;
    region.oneTimeTokens = region.oneTimeTokens.delete(accessor);
    region.accessorsByOneTimeSecret = region.accessorsByOneTimeSecret.delete(secretKey(spent.secret));
  },
};
