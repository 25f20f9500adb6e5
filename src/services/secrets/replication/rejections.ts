import type { ReplicationKind } from "./state.ts";

interface OfKind {
  readonly kind: ReplicationKind;
}

/** Why replication refuses, in the order in which it looks (decisions-replication.md, 3 and 4). */
export interface ReplicationRefusals {
  /** Nothing answers for a while after a change of role. */
  changing_role: Record<never, never>;
  /** A disaster-recovery secondary serves next to nothing, whoever asks. */
  dr_secondary: Record<never, never>;
  /** What a performance secondary hands on reaches nobody. */
  forwarding_failed: { readonly path: string };

  replication_enabled: OfKind & { readonly mode: string };
  not_a_primary: OfKind;
  not_a_secondary: OfKind;
  dr_operation_token_missing: Record<never, never>;
  dr_operation_token_unknown: Record<never, never>;

  secondary_id_missing: Record<never, never>;
  secondary_id_malformed: { readonly id: string };
  secondary_exists: { readonly id: string };
  secondary_token_ttl: Record<never, never>;
  public_key_malformed: Record<never, never>;

  activation_token_missing: Record<never, never>;
  performance_in_the_way: Record<never, never>;
  activation_token_malformed: Record<never, never>;
  /** The primary's API is out of reach, or it does not know the token. */
  unwrapping_failed: { readonly reason: string };
  /** The primary's cluster address is out of reach. */
  bootstrap_failed: { readonly address: string };

  update_methods_exclusive: Record<never, never>;
  update_method_missing: Record<never, never>;
  update_needs_token: Record<never, never>;
  no_primary_responds: Record<never, never>;
  cluster_id_differs: Record<never, never>;
  filter_mode_unknown: { readonly mode: string; readonly known: readonly string[] };
  filter_path_refused: { readonly path: string };
  promotion_unsafe: { readonly state: string };
}
