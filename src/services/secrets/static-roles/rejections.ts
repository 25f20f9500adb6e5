/** Why a static role is refused, in the order of the checks (decisions-directory.md, 5). */
export interface StaticRoleRefusals {
  role_username_missing: Record<never, never>;
  role_username_empty: Record<never, never>;
  role_username_managed: { readonly username: string };
  role_username_fixed: Record<never, never>;
  role_dn_fixed: Record<never, never>;
  rotation_period_missing: Record<never, never>;
  static_period_too_short: Record<never, never>;
  skip_import_rotation_ineffective: Record<never, never>;
  role_config_missing: Record<never, never>;
  /** The first rotation failed, and no role is stored. */
  role_import_failed: { readonly role: string; readonly reason: string };
  static_role_unknown: { readonly role: string };
  rotated_role_missing: { readonly role: string };
  static_role_rotation_failed: { readonly role: string; readonly reason: string };
}
