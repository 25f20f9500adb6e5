/** Why a library set or a check-out is refused. */
export interface LibraryRefusals {
  set_config_missing: Record<never, never>;
  set_names_missing: Record<never, never>;
  account_already_managed: { readonly account: string };
  account_checked_out: { readonly account: string };
  set_empty: Record<never, never>;
  account_name_empty: Record<never, never>;
  max_ttl_below_ttl: Record<never, never>;
  /** The directory refused a new password, or none could be made. */
  rotation_failed: { readonly account: string; readonly reason: string };
  set_not_found: { readonly set: string };
  no_account_available: { readonly set: string };
  check_in_config_missing: Record<never, never>;
  account_not_in_set: { readonly account: string; readonly set: string };
  account_not_yours: { readonly account: string };
  check_in_ambiguous: { readonly set: string };
}
