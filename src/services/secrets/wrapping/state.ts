import type { EpochMs } from "../../../kernel/brand.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Plain } from "../../../kernel/plain.ts";
import type { ClusterName } from "../place.ts";
import type { Unsigned } from "../reply.ts";
import type { Local } from "../state.ts";
import type { TokenId } from "../tokens/state.ts";

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
  /** What the answer lacks until somebody sees it. */
  readonly unsigned?: Unsigned;
}

/** The facts of wrapping. The token is a fact of its own, and its end is the end of what it holds. */
export interface WrappingEvents {
  ResponseWrapped: { readonly cluster: ClusterName; readonly token: TokenId } & Omit<WrappedResponse, "wrappedAtMs">;
}

export const wrappingEvolvers: FlatEvolvers<Local, WrappingEvents> = {
  ResponseWrapped: (local, { cluster: _, token, ...wrapped }, meta) => {
    if (!local.tokens.has(token)) return;
    local.wrapped = local.wrapped.set(token, { ...wrapped, wrappedAtMs: meta.atMs });
  },
};
