/** Why a store without versions refuses, and a cubbyhole. */
export interface KvRefusals {
  path_relative: { readonly path: string };
  /** The store itself was written to. */
  path_missing: Record<never, never>;
  cubbyhole_path_missing: Record<never, never>;
  data_missing: Record<never, never>;
  cubbyhole_data_missing: Record<never, never>;
  /** A batch token has no cubbyhole. */
  cubbyhole_of_batch_token: Record<never, never>;
}
