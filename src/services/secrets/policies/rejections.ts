/** Why the endpoints of access policies refuse. */
export interface PolicyRefusals {
  /** One of the service's own. */
  policy_not_writable: { readonly policy: string };
  policy_not_deletable: { readonly policy: string };
  policy_missing: Record<never, never>;
  policy_invalid: { readonly reason: string };
  capability_token_missing: { readonly kind: "token" | "accessor" };
  capability_token_unknown: { readonly kind: "token" | "accessor" };
  capability_paths_missing: Record<never, never>;
}
