import type { VersionShown } from "./shown.ts";

/** Why a store of versions refuses. */
export interface VersionedKvRefusals {
  /** A path of the mount that is none of the API's. */
  kv2_path_invalid: { readonly path: string };
  kv_downgrade: { readonly version: string };
  secret_data_missing: Record<never, never>;
  versions_missing: Record<never, never>;
  custom_metadata_invalid: { readonly reason: string };
  cas_mismatch: { readonly cas: number; readonly current: number };
  cas_missing: Record<never, never>;
  /** The version was deleted or destroyed: its metadata is told. */
  secret_version_gone: { readonly member: "data" | "subkeys" | null; readonly metadata: VersionShown };
}
