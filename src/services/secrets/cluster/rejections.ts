/** Why a cluster as a whole refuses. */
export interface ClusterRefusals {
  /** Neither a share nor `reset`. */
  key_share_missing: Record<never, never>;
  /** Not 16 to 33 bytes in hexadecimal or base64. */
  key_share_malformed: Record<never, never>;
  /** Nothing to begin anew. */
  not_sealed: Record<never, never>;
  /** Enough shares, but they make no key. */
  key_shares_do_not_fit: Record<never, never>;
  /** Every cluster is, from its birth. */
  already_initialized: Record<never, never>;
  /** The test author stopped it, so nobody answers. */
  cluster_exists: { readonly cluster: string };
  cluster_stopped: { readonly cluster: string };
  /** The active node was stopped, and no other has taken over yet. */
  no_active_node: Record<never, never>;
  node_stopped: { readonly node: number };
  node_unknown: { readonly node: number; readonly nodes: number };
}
