import { deepFreeze } from "../../kernel/plain.ts";
import type { ClusterName } from "./place.ts";
import { type SecretsWorld, withPart } from "./state.ts";

/**
 * What follows from a commit by itself: a cluster whose storage changed has written one more entry to its log, however many
 * facts there were (decisions-replication.md, 1).
 */
export function settleClusters<W extends SecretsWorld>(before: W, after: W): W {
  if (before.secrets === after.secrets) return after;
  let settled = after;
  for (const name in after.secrets) {
    const was = before.secrets[name];
    const is = after.secrets[name];
    if (was === undefined || is === undefined) continue;
    if (was.replicated === is.replicated && was.local === is.local) continue;
    settled = withPart(settled, { cluster: name as ClusterName }, "ignored", (ignored) => ({
      ...ignored,
      walIndex: ignored.walIndex + 1,
    }));
  }
  return deepFreeze(settled);
}
