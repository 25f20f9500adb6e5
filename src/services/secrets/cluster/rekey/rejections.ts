/** Why the key of a cluster stays, in the order in which it is looked at (../README.md, 3). */
export interface RekeyRefusals {
  /** Only covered shares are kept. */
  rekey_backup_uncovered: Record<never, never>;
  /** One public key for each new share, or none at all. */
  rekey_pgp_keys_count: { readonly shares: number; readonly keys: number };
  /** So many shares, of which so many make the key, are none that can be made. */
  rekey_threshold_above_shares: Record<never, never>;
  rekey_shares_refused: { readonly reason: string };
  rekey_in_progress: Record<never, never>;

  rekey_not_started: Record<never, never>;
  /** The new shares are out, and are to be shown. */
  rekey_awaits_verification: Record<never, never>;
  /** No new shares are out that would have to be shown. */
  rekey_not_verifying: Record<never, never>;
  rekey_nonce_differs: Record<never, never>;
  rekey_share_repeated: Record<never, never>;
  /** Enough shares, but they make no key. */
  rekey_aborted: Record<never, never>;

  rekey_backup_missing: Record<never, never>;
}
