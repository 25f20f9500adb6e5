import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { KvData } from "../kv/state.ts";
import type { ClusterName } from "../place.ts";
import type { Local } from "../state.ts";
import { type TokenId, tokenKey } from "../tokens/state.ts";

interface OfToken {
  readonly cluster: ClusterName;
  readonly token: TokenId;
  readonly path: string;
}

/** The facts of what tokens keep for themselves. A token's end empties its cubbyhole. */
export interface CubbyholeEvents {
  CubbyholeWritten: OfToken & { readonly data: KvData };
  CubbyholeDeleted: OfToken;
}

export const cubbyholeEvolvers: FlatEvolvers<Local, CubbyholeEvents> = {
  CubbyholeWritten: (local, { token, path, data }) => {
    // What is kept ends with its token, so without one nothing is kept.
    if (local.tokens.has(token)) local.cubbyholes = local.cubbyholes.set(tokenKey(token) + path, data);
  },
  CubbyholeDeleted: (local, { token, path }) => {
    local.cubbyholes = local.cubbyholes.delete(tokenKey(token) + path);
  },
};
