/** Why auth methods and their logins refuse. */
export interface AuthRefusals extends UserpassRefusals {
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
