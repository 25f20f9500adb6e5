import type { EpochMs } from "../../../kernel/brand.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Plain } from "../../../kernel/plain.ts";
import type { Table } from "../../../kernel/table.ts";
import type { ServiceAccountToken } from "../../../surroundings/orchestrator/state.ts";
import type { ClusterName } from "../place.ts";
import type { TokenId, TokenSlice } from "../tokens/state.ts";

/** An answer that waits for whoever has its token. */
export interface WrappedResponse {
  /** The whole body, with its own request id. */
  readonly response: Plain;
  /** The path of the request that it answers. */
  readonly path: string;
  /** The path whose answer it is, where it had been put away before. */
  readonly answered?: string;
  readonly ttlSeconds: number;
  readonly wrappedAtMs: EpochMs;
  /** Of the token inside, if the answer holds one. */
  readonly accessor: string;
  /** Its `data` is JSON text. */
  readonly isTextual?: true;
  /** What the answer lacks until somebody sees it. */
  readonly unsigned?: Unsigned;
}

/**
 * A token that an answer shows: the command says what is in it, and its bytes are made with the answer. Until then its member of
 * `data` is empty.
 */
export interface Unsigned {
  readonly member: string;
  readonly token: ServiceAccountToken;
}

export interface WrappingSlice {
  /** What wrapping tokens hold, by token. */
  readonly wrapped: Table<WrappedResponse>;
}

/** The facts of wrapping. The token is a fact of its own, and its end is the end of what it holds. */
export interface WrappingEvents {
  ResponseWrapped: { readonly cluster: ClusterName; readonly token: TokenId } & Omit<WrappedResponse, "wrappedAtMs">;
}

export const wrappingEvolvers: FlatEvolvers<WrappingSlice & TokenSlice, WrappingEvents> = {
  ResponseWrapped: (local, { cluster: _, token, ...wrapped }, meta) => {
    if (!local.tokens.has(token)) return;
    local.wrapped = local.wrapped.set(token, { ...wrapped, wrappedAtMs: meta.atMs });
  },
};
