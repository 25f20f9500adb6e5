import type { EpochMs } from "../../kernel/brand.ts";
import type { Host } from "../../kernel/host.ts";
import type { Watch } from "../../kernel/waiting.ts";
import type { SchedulerWorld } from "./world.ts";

/** A request that waits. */
export interface Waiter {
  /** What people call it. */
  readonly text: string;
  readonly signal?: AbortSignal | undefined;
}

/** A read that waits for something newer than its caller knows. */
export interface Waiting<A> {
  readonly untilMs: EpochMs;
  /** What it watches as things are now. */
  readonly watch: () => Watch<SchedulerWorld>;
  /** What the first look saw. */
  readonly first: A;
  readonly lookAgain: () => A;
  readonly isOld: (answered: A) => boolean;
  /** An answer of an earlier look, given now. */
  readonly late: (answered: A) => A;
}

/** How a request that waited ends. */
export interface Settles<A> {
  readonly settle: (answered: A) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets a read wait. What changes what it watches makes it look again, and it waits on when that is still nothing new; when its time
 * is up it answers what its last look saw (decisions-scheduler-acl.md, section 7, "Blocking").
 */
export function blocked<A>(
  host: Host<SchedulerWorld>,
  request: Waiter,
  waiting: Waiting<A>,
  { settle, reject }: Settles<A>,
): void {
  const { untilMs, watch, first, lookAgain, isOld, late } = waiting;
  const ends = {
    changed: () => {
      const latest = lookAgain();
      if (isOld(latest)) blocked(host, request, { ...waiting, first: latest }, { settle, reject });
      else settle(latest);
      return true;
    },
    expired: () => settle(late(first)),
    failed: reject,
  };
  host.wait({ request: request.text, untilMs }, watch(), ends, request.signal);
}
