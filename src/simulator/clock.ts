import { type EpochMs, epochMs } from "../kernel/brand.ts";
import { LAST_INSTANT_MS } from "../kernel/calendar.ts";
import type { Fired, PendingDeadline, VirtualClock } from "../kernel/clock.ts";
import type { LiveHost } from "../kernel/host.ts";
import { untilQuiet } from "../kernel/quiet-turns.ts";
import type { Timeline } from "../kernel/timeline.ts";
import type { WaitingReader } from "../kernel/waiting.ts";
import { type Duration, durationMs } from "../languages/duration.ts";
import { type Instant, instantMs } from "../languages/instant.ts";
import type { PendingTimer, ProgramsTime } from "../programs/program-time.ts";

/** What waits for its instant: a deadline of a service, or a timer of a program. */
export type Pending =
  | (PendingDeadline & { readonly timer?: never; readonly program?: never })
  | (PendingTimer & { readonly command?: never; readonly owner?: never });

/** Virtual time. It stands still until it is moved, and never goes backward: going back is `at` and `fork`. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): EpochMs;
  /**
   * Moves time on from deadline to deadline: each fires at its own instant, ties in the order in which they were armed, and
   * one that is armed on the way fires too.
   *
   * @returns what fired
   * @throws TypeError for what is no duration; RangeError when more deadlines fire than `limits.firingsPerAdvance`
   * @example
   * sim.clock.advance("1h30m");
   */
  advance(duration: Duration): Fired[];
  /** As `advance`, to an instant. */
  advanceTo(instant: Instant): Fired[];
  /** Jumps to the next deadline, or to the next reader whose time is up, and fires what is due then. */
  next(): Fired[];
  /**
   * As `advance`, but code that waits runs between the deadlines, for clients that poll or wait: after each deadline the event
   * loop gets turns until `quietTurns` of them in a row (default 1) bring no request.
   */
  run(duration: Duration, options?: { readonly quietTurns?: number }): Promise<Fired[]>;
  /** The deadlines that wait, and the timers of programs, in the order in which they will fire: deadlines first in a tie. */
  pending(): Pending[];
  /** The readers that wait for a change, and until when. */
  waiting(): readonly WaitingReader[];
}

/** The clock of a simulator. */
export function simulatorClock<S extends object, M extends object>(
  timeline: Timeline<S, M>,
  clock: VirtualClock<S, M>,
  host: LiveHost<S, M>,
  time: () => ProgramsTime | undefined,
): Clock {
  const inUse = <T>(value: T): T => {
    host.refuseDisposed();
    return value;
  };
  const untilMs = (duration: Duration): EpochMs => reachable(timeline.nowMs + durationMs(duration));
  return Object.freeze({
    now: () => inUse(timeline).nowMs,
    advance: (duration) => inUse(clock).advanceTo(untilMs(duration)),
    advanceTo: (instant) => {
      const target = epochMs(instantMs(instant));
      if (target < inUse(timeline).nowMs) {
        throw new TypeError(
          `advanceTo: ${shown(target)} lies before now, ${shown(timeline.nowMs)}: go back with at or fork`,
        );
      }
      return clock.advanceTo(target);
    },
    next: () => inUse(clock).next(),
    run: async (duration, { quietTurns = 1 } = {}) => {
      if (!Number.isInteger(quietTurns) || quietTurns < 1)
        throw new TypeError(`run: quietTurns is ${quietTurns}: it is 1 or more`);
      return inUse(clock).runTo(untilMs(duration), () => untilQuiet(() => inUse(host).asked, quietTurns));
    },
    pending: () => merged(inUse(clock).pending(), time()?.pending() ?? []),
    waiting: () => inUse(timeline).waiting.readers(),
  } satisfies Clock);
}

function merged(deadlines: readonly Pending[], timers: readonly Pending[]): Pending[] {
  // A stable sort: what is due together stays in this order.
  return [...deadlines, ...timers].sort((left, right) => left.dueAtMs - right.dueAtMs);
}

function reachable(ms: number): EpochMs {
  if (ms > LAST_INSTANT_MS) throw new TypeError(`the clock ends at ${shown(LAST_INSTANT_MS)}`);
  return epochMs(ms);
}

function shown(ms: EpochMs): string {
  return new Date(ms).toISOString();
}
