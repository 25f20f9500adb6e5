import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import type { KvData } from "../kv/state.ts";
import { pairKey } from "../pair-key.ts";
import type { ClusterName } from "../place.ts";
import type { TokenId, TokenSlice } from "../tokens/state.ts";

interface OfToken {
  readonly cluster: ClusterName;
  readonly token: TokenId;
  readonly path: string;
}

export interface CubbyholeSlice {
  /** What tokens keep for themselves, by token and path. */
  readonly cubbyholes: Table<KvData>;
}

/** The facts of what tokens keep for themselves. A token's end empties its cubbyhole. */
export interface CubbyholeEvents {
  CubbyholeWritten: OfToken & { readonly data: KvData };
  CubbyholeDeleted: OfToken;
}

export const cubbyholeEvolvers: FlatEvolvers<CubbyholeSlice & TokenSlice, CubbyholeEvents> = {
  CubbyholeWritten: (local, { token, path, data }) => {
    // What is kept ends with its token, so without one nothing is kept.
    if (local.tokens.has(token)) local.cubbyholes = local.cubbyholes.set(pairKey(token, path), data);
  },
  CubbyholeDeleted: (local, { token, path }) => {
    local.cubbyholes = local.cubbyholes.delete(pairKey(token, path));
  },
};
