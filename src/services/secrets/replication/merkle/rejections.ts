/** Why trees are left as they are. */
export interface ReindexRefusals {
  /** One at a time (decisions-replication.md, 8.4). */
  reindex_running: Record<never, never>;
}
