/** Why the endpoints of automated snapshots refuse, in the order in which they look (decisions-secrets-core.md, B.1). */
export interface SnapshotRefusals {
  /** Something is missing from a configuration, or wrong with it. */
  snapshot_config_invalid: { readonly field: string; readonly reason: string };
  /** No store has a snapshot of this URL, as far as the cluster sees. */
  snapshot_not_found: { readonly url: string };
  /** A file that was brought is no snapshot, or a damaged one. */
  snapshot_unreadable: Record<never, never>;
  /** A snapshot that was brought was taken under other keys, and it was not forced. */
  snapshot_of_other_keys: { readonly url: string };
  /** What a secondary holds is its primary's. */
  secondary_not_restored: Record<never, never>;
}
