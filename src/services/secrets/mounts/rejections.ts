/** Why the endpoints of mounts refuse, in the order in which they look. */
export interface MountRefusals {
  mount_type_missing: Record<never, never>;
  mount_ttl_above_max: Record<never, never>;
  listing_visibility_unknown: { readonly visibility: string };
  kv_version_unsupported: { readonly version: string };
  plugin_not_found: { readonly type: string };
  mount_path_reserved: { readonly path: string };
  mount_in_use: { readonly path: string };
  mount_not_found: { readonly path: string };
  unmount_reserved: { readonly path: string };
  /** It is not there, or nothing of it is granted. */
  mount_out_of_reach: { readonly path: string };
  /** It is the system's own. */
  mount_not_movable: { readonly path: string };
  /** A secret engine becomes no auth method, nor the other way round. */
  mount_kind_differs: Record<never, never>;
  mount_not_tunable: { readonly path: string };
}
