/** Why the token endpoints refuse, in the order in which they look. */
export interface TokenRefusals {
  token_missing: Record<never, never>;
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
  token_not_renewable: Record<never, never>;
  token_past_max_ttl: Record<never, never>;
  batch_token_revoked: Record<never, never>;
}
