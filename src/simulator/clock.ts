import { optionsAt } from "../kernel/arguments.ts";
import { type EpochMs, epochMs } from "../kernel/brand.ts";
import { LAST_INSTANT_MS } from "../kernel/calendar.ts";
import type { Fired, PendingDeadline, VirtualClock } from "../kernel/clock.ts";
import type { Leader, LiveHost } from "../kernel/host.ts";
import type { Timeline } from "../kernel/timeline.ts";
import type { WaitingReader } from "../kernel/waiting.ts";
import { type Duration, durationMs } from "../languages/duration.ts";
import { type Instant, instantMs } from "../languages/instant.ts";
import { shown as shownValue } from "../languages/shown.ts";
import {
  type ClockSource,
  type FollowOptions,
  LeadingSource,
  type Led,
  readFactor,
} from "../programs/leading-source.ts";
import { turn } from "../programs/machine.ts";
import type { Mistakes } from "../programs/mistakes.ts";
import type { ProgramsTime } from "../programs/program-time.ts";
import { untilQuiet } from "../programs/quiet.ts";
import type { PendingTimer } from "../programs/timer.ts";
import { atPlace, callSite } from "../programs/where.ts";

/** What waits for its instant: a deadline of a service, or a timer of a program. */
export type Pending =
  | (PendingDeadline & { readonly timer?: never; readonly program?: never })
  | (PendingTimer & { readonly command?: never; readonly owner?: never });

/** Options of `run`. */
export interface RunOptions {
  /** Ends the run as soon as it holds, at its instant; one that never holds lets it go on for its duration. */
  readonly until?: () => boolean;
  /** Who comes first where a timer and a deadline are due at one instant. Default `"services-first"`. */
  readonly ties?: "services-first" | "programs-first";
  /** How long it waits, in real time, for what is under way at an instant. Default 10 seconds. */
  readonly limit?: Duration;
  /** Turns of the event loop without a request after which nobody has one left, for clients that work off the loop. Default 1. */
  readonly quietTurns?: number;
}

/** What the clock needs of the programs. */
interface Programs {
  readonly time: () => ProgramsTime | undefined;
  readonly mistakes: () => Mistakes;
  readonly led: Led;
}

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
   * As `advance`, but it waits for everybody: after each instant the event loop gets turns until nobody has one left, neither who waits for
   * a promise, an immediate, an answer of a door or what `sim.busy` holds, nor, in Node, for a file that is read or a name that is looked
   * up in this process. A wait of more than a second of real time is told.
   *
   * @returns the deadlines that fired
   * @throws TypeError for a wrong argument; Error naming what it waits for after `limit`; whatever a timer's callback throws, at its instant
   * @example
   * const keeper = new Keeper({ fetch: shop.fetch, timers: shop.timers });
   * await sim.clock.run("1d", { until: () => keeper.renewals > 10 });
   */
  run(duration: Duration, options?: RunOptions): Promise<Fired[]>;
  /**
   * Lets somebody else lead: the time that passes at the source passes here, `factor` times as fast. Before each request and each call the
   * services come up to where it is, every deadline at its own instant; whoever waits is woken by a timer that is armed there. Meanwhile
   * nobody else moves the clock.
   *
   * @param source `{ Date, setTimeout, clearTimeout }` or `{ now, setTimeout, clearTimeout }`: `globalThis` under fake timers or real ones
   * @returns what ends it
   * @throws TypeError for what is no source, and when somebody leads already
   * @example
   * vi.useFakeTimers();
   * const stop = sim.clock.follow(globalThis);
   * await vi.advanceTimersByTimeAsync(3_600_000);
   */
  follow(source: ClockSource, options?: FollowOptions): () => void;
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
  programs: Programs,
): Clock {
  const inUse = <T>(value: T): T => {
    host.refuseDisposed();
    return value;
  };
  const present = (): Timeline<S, M> => {
    inUse(host).comeUp();
    return timeline;
  };
  const free = (call: string): VirtualClock<S, M> => {
    refuseLed(inUse(host), call);
    return clock;
  };
  const untilMs = (duration: Duration): EpochMs => reachable(timeline.nowMs + durationMs(duration));
  return Object.freeze({
    now: () => present().nowMs,
    advance: (duration) => {
      const moved = free("advance");
      const target = untilMs(duration);
      return host.moving("advance", () => moved.advanceTo(target));
    },
    advanceTo: (instant) => {
      free("advanceTo");
      const target = epochMs(instantMs(instant));
      if (target < inUse(timeline).nowMs) {
        throw new TypeError(
          `advanceTo: ${shown(target)} lies before now, ${shown(timeline.nowMs)}: go back with at or fork`,
        );
      }
      return host.moving("advanceTo", () => clock.advanceTo(target));
    },
    next: () => {
      const moved = free("next");
      return host.moving("next", () => moved.next());
    },
    run: async (duration, options = {}) => {
      const { until, ties, limitMs, quietTurns } = readRunOptions(options);
      free("run");
      const target = untilMs(duration);
      let isTold = target === inUse(timeline).nowMs;
      const { mistakes } = programs;
      const stopWatching = mistakes().watchPlatformTimers();
      const watched = { asked: () => inUse(host).asked, held: () => host.held };
      const onLong = (waits: string): void =>
        mistakes().tell("HINDCAST_RUN_WAITS", () => `run has waited for more than a second of real time for ${waits}`);
      try {
        const runTo = () =>
          clock.runTo(target, () => untilQuiet(watched, { quietTurns, limitMs, onLong }), {
            between: turn,
            turnsFirst: ties === "programs-first",
            onInstant: () => {
              isTold = true;
            },
            until: () => {
              const isOver = until?.() === true;
              isTold ||= isOver;
              return isOver;
            },
          });
        return await host.moving("run", runTo);
      } finally {
        stopWatching();
        if (!isTold) mistakes().tell("HINDCAST_NOTHING_DUE", () => nothingDue(duration));
      }
    },
    follow: (source, options = {}) => {
      const factor = readFactor("follow", optionsAt("follow", options, ["factor"]).factor);
      free("follow");
      const name = `${source === globalThis ? "globalThis" : "a source"}, since follow was called${atPlace(callSite())},`;
      const leader = new LeadingSource(programs.led, source, factor, name);
      return lead(host, leader);
    },
    pending: () => {
      present();
      return merged(clock.pending(), programs.time()?.pending() ?? []);
    },
    waiting: () => present().waiting.readers(),
  } satisfies Clock);
}

/** Lets somebody lead the time of a world; gives what ends it. */
export function lead(host: { leader: Leader | undefined }, leader: Leader): () => void {
  host.leader?.stop();
  host.leader = leader;
  leader.rearm();
  return () => {
    if (host.leader !== leader) return;
    leader.catchUp();
    leader.stop();
    host.leader = undefined;
  };
}

/** @throws TypeError while somebody else leads */
export function refuseLed({ leader }: { readonly leader: Leader | undefined }, call: string): void {
  if (leader?.name === undefined) return;
  throw new TypeError(`${call}: ${leader.name} leads the time: move it there, or stop following first`);
}

function readRunOptions(options: RunOptions): RunOptions & {
  readonly quietTurns: number;
  readonly limitMs: number;
} {
  const { quietTurns = 1, limit = LIMIT, ties = "services-first", until } = optionsAt("run", options, RUN_OPTIONS);
  if (!Number.isInteger(quietTurns) || quietTurns < 1) {
    throw new TypeError(`run: quietTurns is ${shownValue(quietTurns)}: it is 1 or more`);
  }
  if (ties !== "services-first" && ties !== "programs-first") {
    throw new TypeError(`run: ties is ${shownValue(ties)}: it is "services-first" or "programs-first"`);
  }
  if (until === undefined) return { quietTurns, ties, limitMs: durationMs(limit) };
  if (typeof until !== "function") throw new TypeError(`run: until is ${shownValue(until)}, and has to be a function`);
  return { quietTurns, ties, limitMs: durationMs(limit), until };
}

const RUN_OPTIONS: readonly (keyof RunOptions)[] = ["until", "ties", "limit", "quietTurns"];
const LIMIT = "10s";

function nothingDue(duration: Duration): string {
  return (
    `run moved the clock by ${shownValue(duration)}, and no timer and no deadline was due: if the program has timers, they are the ` +
    "platform's; give it sim.timers, or put them in its place with sim.timers.install()"
  );
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
