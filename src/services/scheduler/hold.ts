import type { EpochMs } from "../../kernel/brand.ts";
import type { Host } from "../../kernel/host.ts";
import type { Waiter } from "./blocking.ts";
import type { RegionName } from "./ids.ts";
import { leaderOf } from "./watches.ts";
import type { SchedulerWorld } from "./world.ts";

/**
 * Holds a request until a region has a leader, another region is authoritative (amendments.md, N13), or until an instant
 * (decisions-scheduler-acl.md, section 6, "How it is held").
 *
 * It goes on when the commit that brought that has been answered: it may be a command itself.
 */
export function held(
  host: Host<SchedulerWorld>,
  { text, signal }: Waiter,
  region: RegionName,
  untilMs: EpochMs,
  then: { readonly elected: () => void; readonly expired: () => void; readonly reject: (error: unknown) => void },
): void {
  const goOn = (): void => {
    try {
      if (signal?.aborted === true) then.reject(signal.reason);
      else then.elected();
    } catch (error) {
      then.reject(error);
    }
  };
  const ends = {
    changed: () => {
      host.later(goOn);
      return true;
    },
    expired: then.expired,
    failed: then.reject,
  };
  host.wait({ request: text, untilMs }, leaderOf(region), ends, signal);
}
