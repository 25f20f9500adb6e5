import type { EpochMs } from "../../../kernel/brand.ts";
import type { Cluster } from "../state.ts";

/** Whether a cluster answers nobody because a role of it has just changed (decisions-replication.md, 1: none by default). */
export function isChangingRole({ ignored }: Cluster, nowMs: EpochMs): boolean {
  const { roleChangedAtMs, replication } = ignored;
  return roleChangedAtMs !== undefined && nowMs < roleChangedAtMs + replication.roleChangeOutageMs;
}
