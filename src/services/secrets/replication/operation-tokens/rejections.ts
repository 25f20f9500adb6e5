/** Why no token is made with key shares, in the order in which it is looked at (decisions-replication.md, 8.1 and 8.2). */
export interface OperationTokenRefusals {
  generation_in_progress: { readonly ofRootToken: boolean };
  /** A pad of another length than the token has. */
  generation_otp_length: Record<never, never>;
  /** A pad and a public key: one of them covers the token. */
  generation_covers_exclusive: Record<never, never>;
  pgp_key_malformed: { readonly reason: string };

  generation_share_missing: Record<never, never>;
  generation_share_not_encoded: Record<never, never>;
  generation_share_length: Record<never, never>;
  generation_not_started: { readonly ofRootToken: boolean };
  generation_nonce_differs: Record<never, never>;
  generation_share_repeated: Record<never, never>;
  /** Enough shares, but they make no key. */
  generation_aborted: Record<never, never>;
}
