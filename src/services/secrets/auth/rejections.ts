/** Why auth methods and their logins refuse. */
export interface AuthRefusals extends UserpassRefusals, ApproleRefusals, LdapRefusals, AccountLoginRefusals {
  auth_path_reserved: { readonly path: string };
  auth_method_not_found: { readonly path: string };
  auth_method_built_in: { readonly path: string };
  method_token_type_unknown: { readonly type: string };
  token_parameter_invalid: { readonly reason: string };
  /** No login gives a root token. */
  root_login: Record<never, never>;
  /** The renewal of a login's token finds that it may not go on. */
  login_not_renewed: { readonly reason: string };
}

interface UserpassRefusals {
  password_missing: Record<never, never>;
  login_password_missing: Record<never, never>;
  user_unknown: Record<never, never>;
  user_credentials_wrong: Record<never, never>;
}

interface ApproleRefusals {
  approle_unknown: { readonly role: string; readonly status: 400 | 404 | 500 };
  local_secret_ids_fixed: Record<never, never>;
  role_id_empty: Record<never, never>;
  role_id_taken: Record<never, never>;
  /** Neither secret ids nor addresses are asked for. */
  role_unconstrained: Record<never, never>;
  cidr_blocks_invalid: Record<never, never>;
  role_field_missing: { readonly field: string };
  secret_id_missing: Record<never, never>;
  secret_id_not_bound: Record<never, never>;
  secret_id_beyond_role: { readonly reason: string };
  secret_id_cidrs_invalid: { readonly what: string };
  secret_id_cidrs_outside: { readonly role: readonly string[]; readonly secretId: readonly string[] };
  metadata_invalid: Record<never, never>;
  secret_id_exists: Record<never, never>;
  secret_id_accessor_unknown: { readonly accessor: string; readonly status: 404 | 500 };
  login_role_id_missing: Record<never, never>;
  approle_credentials_wrong: Record<never, never>;
  secret_id_elsewhere: { readonly address: string; readonly of: "secret ID" | "role" };
}

interface LdapRefusals {
  ldap_config_invalid: { readonly reason: string };
  ldap_not_configured: Record<never, never>;
  /** The directory has let nobody in, or could not be asked. */
  ldap_login_failed: { readonly reason: string };
}

interface AccountLoginRefusals {
  review_host_missing: Record<never, never>;
  account_role_invalid: { readonly reason: string };
  login_field_missing: { readonly field: "role" | "jwt" };
  login_role_unknown: { readonly role: string };
  /** What a token says of itself is not what the role lets in. */
  account_not_authorized: { readonly reason: string };
}
