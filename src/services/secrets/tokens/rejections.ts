/** Why the token endpoints refuse, in the order in which they look. */
export interface TokenRefusals {
  token_missing: Record<never, never>;
  accessor_missing: Record<never, never>;
  accessor_unknown: Record<never, never>;
  token_role_unknown: { readonly role: string };
  /** Looked up, but unknown or expired. */
  bad_token: Record<never, never>;
  /** To be renewed, but unknown or expired. */
  token_not_found: Record<never, never>;
  batch_token_creates: Record<never, never>;
  limited_token_creates: Record<never, never>;
  token_id_malformed: { readonly id: string };
  token_type_unknown: { readonly type: string };
  /** Only root and `sudo` may ask for it. */
  token_option_needs_sudo: { readonly option: "id" | "no_parent" | "period" };
  batch_token_option: { readonly option: string };
  policy_not_assignable: { readonly policy: string };
  root_token_needs_root: Record<never, never>;
  /** A parent that ends cannot make one that does not. */
  root_token_needs_ttl: Record<never, never>;
  root_token_of_other_namespace: Record<never, never>;
  policies_not_subset: Record<never, never>;
  policies_not_of_role: {
    readonly policies: readonly string[];
    readonly allowed: readonly string[];
    readonly globs: readonly string[];
  };
  policy_disallowed_by_role: { readonly policy: string };
  /** Whom a token is for is a matter of roles. */
  entity_alias_without_role: Record<never, never>;
  entity_alias_not_of_role: Record<never, never>;
  /** The role of a token that is to be renewed. */
  token_role_gone: { readonly role: string };
  token_to_orphan_unknown: Record<never, never>;
  orphaning_needs_sudo: Record<never, never>;
  token_not_renewable: Record<never, never>;
  token_past_max_ttl: Record<never, never>;
  batch_token_revoked: Record<never, never>;
}
