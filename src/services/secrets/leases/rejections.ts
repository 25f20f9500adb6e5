/** Why the lease endpoints refuse. */
export interface LeaseRefusals {
  lease_id_missing: Record<never, never>;
  /** Looked up, but unknown, expired or revoked. */
  invalid_lease: { readonly lease: string };
  /** To be renewed, but unknown or expired. */
  lease_not_found: { readonly lease: string };
  lease_not_renewable: { readonly lease: string };
  lease_past_max_ttl: { readonly lease: string };
  /** The quirk: its account was checked in meanwhile. */
  lease_renewal_failed: { readonly lease: string; readonly account: string };
  /** How many are to be shown is no whole number above 0, and not `none`. */
  lease_limit_invalid: { readonly limit: string };
  lease_revocation_failed: { readonly lease: string; readonly reason: string };
}
