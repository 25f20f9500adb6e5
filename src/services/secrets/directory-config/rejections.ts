/** Why a configuration of a directory engine is refused, in the order of the checks (decisions-directory.md, 3). */
export interface DirectoryConfigRefusals {
  certificate_invalid: Record<never, never>;
  /** What is given is no certificate and key. */
  client_certificate_invalid: Record<never, never>;
  client_certificate_incomplete: Record<never, never>;
  tls_version_unknown: { readonly field: "tls_min_version" | "tls_max_version" };
  tls_versions_crossed: Record<never, never>;
  url_missing: Record<never, never>;
  bind_account_missing: Record<never, never>;
  schema_invalid: { readonly schema: string };
  length_and_policy: Record<never, never>;
  /** The bind account cannot get a new password without a configuration. */
  bind_config_missing: Record<never, never>;
  bind_rotation_failed: { readonly reason: string };
}
