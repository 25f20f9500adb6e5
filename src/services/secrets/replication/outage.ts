import type { EpochMs } from "../../../kernel/brand.ts";
import type { Replicating } from "./state.ts";

/** Whether a cluster answers nobody because a role of it has just changed (decisions-replication.md, 1: none by default). */
export function isChangingRole({ ignored }: Replicating, nowMs: EpochMs): boolean {
  const { roleChangedAtMs, replication } = ignored;
  return roleChangedAtMs !== undefined && nowMs < roleChangedAtMs + replication.roleChangeOutageMs;
}
