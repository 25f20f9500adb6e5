/** Why a dynamic role, or an account of one, is refused (decisions-directory.md, 8). */
export interface DynamicRoleRefusals {
  dynamic_role_ldif_missing: { readonly field: "creation_ldif" | "deletion_ldif" };
  dynamic_role_ldif_invalid: {
    readonly field: "creation_ldif" | "deletion_ldif" | "rollback_ldif";
    readonly reason: string;
  };
  creds_config_missing: Record<never, never>;
  username_not_generated: { readonly reason: string };
  password_not_generated: { readonly reason: string };
  /** `rollback` says why the rollback failed; null when it did not, or there is none. */
  user_not_created: { readonly reason: string; readonly rollback: string | null };
  /** A lease is to be renewed whose role was deleted. */
  dynamic_role_gone: { readonly role: string };
}
