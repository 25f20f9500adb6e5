import type { EpochMs } from "../../../kernel/brand.ts";
import { dueAtMsOf } from "../../../kernel/calendar.ts";
import { isAwake, type SecretsWorld } from "../world.ts";

/**
 * When the next of what is in flight between clusters arrives, or the next sync ends; undefined when nothing is. What a cut, a seal or a
 * stop holds back is not in flight.
 */
export function nextDeliveryMs({ secrets }: SecretsWorld): EpochMs | undefined {
  let next: EpochMs | undefined;
  for (const cluster of Object.values(secrets)) {
    const { links, calendar } = cluster.ignored;
    for (const link of [links.dr, links.performance]) {
      if (link?.deadline === undefined || !isAwake(cluster) || !calendar.has(link.deadline)) continue;
      const dueAtMs = dueAtMsOf(link.deadline);
      if (next === undefined || dueAtMs < next) next = dueAtMs;
    }
  }
  return next;
}
