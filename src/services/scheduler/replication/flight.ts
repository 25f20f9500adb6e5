import type { EpochMs } from "../../../kernel/brand.ts";
import { dueAtMsOf } from "../../../kernel/calendar.ts";
import type { SchedulerWorld } from "../world.ts";

/**
 * When the next of what is in flight between regions arrives; undefined when nothing is. What a cut or a missing leader holds back is
 * not in flight; a retry that can succeed is.
 */
export function nextArrivalMs({ scheduler }: SchedulerWorld): EpochMs | undefined {
  let next: EpochMs | undefined;
  for (const { replication, calendar } of Object.values(scheduler?.regions ?? {})) {
    for (const loop of [replication?.policies, replication?.tokens, replication?.roles]) {
      if (loop?.deadline === undefined || !calendar.has(loop.deadline)) continue;
      const dueAtMs = dueAtMsOf(loop.deadline);
      if (next === undefined || dueAtMs < next) next = dueAtMs;
    }
  }
  return next;
}
