import { type EpochMs, epochMs, type LogPosition } from "./brand.ts";
import { armedAtOf, type Calendar, type Deadline, dueAtMsOf, keyOfEnd, LAST_INSTANT_MS } from "./calendar.ts";
import type { Model, Owner } from "./model.ts";
import type { Timeline } from "./timeline.ts";

/** A deadline that has fired. */
export interface Fired {
  readonly dueAtMs: EpochMs;
  /** The command that it fired, such as `timer.leaseExpiry`. */
  readonly command: string;
  readonly owner: Owner;
  /** The position of its commit. */
  readonly position: LogPosition;
}

/** A deadline that waits. */
export interface PendingDeadline {
  readonly dueAtMs: EpochMs;
  readonly command: string;
  readonly owner: Owner;
}

/**
 * Somebody who has turns in the order of time without leaving facts: the kernel knows neither who that is nor what a turn does. Deadlines
 * come before turns of their instant.
 */
export interface Companion {
  /** When its next turn is. */
  nextMs(): EpochMs | undefined;
  /** Takes the next turn, and says whether one has come by now. */
  takeTurn(nowMs: EpochMs): boolean;
  /** What errors call the turn that was taken last. */
  readonly lastTurn: string;
}

/** How code that waits runs while the clock does. */
export interface Running {
  /** Lets it run between two turns of one instant. */
  readonly between?: () => Promise<void>;
  /** Is told of each instant at which something is due. */
  readonly onInstant?: () => void;
  /** Ends the run as soon as it holds, at its instant. */
  readonly until?: () => boolean;
  /** Whether turns of an instant come before the deadlines that were armed for it until then. Default false. */
  readonly turnsFirst?: boolean;
}

/** The deadline that is due first: the index of its calendar, its key, and itself. */
interface Next {
  readonly index: number;
  readonly key: string;
  readonly deadline: Deadline;
}

/**
 * Walks a timeline from deadline to deadline. Each fires at its own instant, ties in the order in which they were armed, and
 * one that is armed on the way fires too when it falls within the step. A reader's time is such a deadline, armed when it came.
 */
export class VirtualClock<S extends object, M extends object> {
  readonly #timeline: Timeline<S, M>;
  readonly #firingsPerStep: number;
  /** For each run under way: what has fired since it began, also by other moves of the clock. */
  readonly #runs = new Set<Fired[]>();
  /** What is due first in a state: it is asked for several times between two commits. */
  #first: Next | undefined;
  #firstIn: S | undefined;
  #companion: Companion | undefined;
  /** While turns come first, the deadlines with keys before this one wait. */
  #heldBefore: string | undefined;
  #isWaking = false;

  constructor(timeline: Timeline<S, M>, firingsPerStep: number) {
    this.#timeline = timeline;
    this.#firingsPerStep = firingsPerStep;
  }

  /** Whether a run is under way. */
  get isRunning(): boolean {
    return this.#runs.size > 0;
  }

  /** From now on a companion has turns in this order of time. */
  accompanyBy(companion: Companion): void {
    this.#companion = companion;
  }

  /** Moves to an instant and fires all that is due until then. */
  advanceTo(untilMs: EpochMs): Fired[] {
    return this.#advance(untilMs, new FiringBound(this.#firingsPerStep));
  }

  #advance(untilMs: EpochMs, bound: FiringBound): Fired[] {
    const fired: Fired[] = [];
    const beganMs = this.#timeline.nowMs;
    for (let next = this.#nextInstantMs(untilMs); next !== undefined; next = this.#nextInstantMs(untilMs)) {
      this.#timeline.moveTo(later(next, this.#timeline.nowMs));
      do this.#fireDue(fired, bound);
      while (this.#takeTurn(bound));
    }
    // Whoever had a turn may have moved the clock beyond this instant.
    if (this.#timeline.nowMs < untilMs || this.#timeline.nowMs === beganMs) this.#timeline.moveTo(untilMs);
    return fired;
  }

  /** Fires what is due at or before now: what a commit has made due fires before its caller goes on. */
  fireDue(): Fired[] {
    const fired: Fired[] = [];
    if (this.#isWaking) return fired;
    this.#fireDue(fired, new FiringBound(this.#firingsPerStep));
    return fired;
  }

  /** Jumps to the next deadline or the next reader whose time is up, and fires what is due then. */
  next(): Fired[] {
    const nextMs = this.nextMs();
    return nextMs === undefined ? [] : this.advanceTo(later(nextMs, this.#timeline.nowMs));
  }

  /**
   * As `advanceTo`, but waiting code runs after each instant: `breathe` lets it, and returns when it is quiet. What that code lets fire by
   * moving the clock itself has fired as well.
   */
  async runTo(untilMs: EpochMs, breathe: () => Promise<void>, running: Running = {}): Promise<Fired[]> {
    const { until = () => false, turnsFirst = false } = running;
    const run: Run = { bound: new FiringBound(this.#firingsPerStep), breathe, between: running.between ?? breathe };
    const fired: Fired[] = [];
    this.#runs.add(fired);
    try {
      await breathe();
      while (!until()) {
        const next = this.#nextInstantMs(untilMs);
        if (next === undefined) {
          if (this.#timeline.nowMs < untilMs) this.#timeline.moveTo(untilMs);
          await breathe();
          break;
        }
        running.onInstant?.();
        // Whoever ran meanwhile may have moved the clock beyond this instant.
        this.#timeline.moveTo(later(next, this.#timeline.nowMs));
        if (turnsFirst) await this.#turnsBeforeDeadlines(run);
        this.#fireDue([], run.bound);
        await this.#turns(run);
        await breathe();
      }
      return fired;
    } finally {
      this.#runs.delete(fired);
    }
  }

  async #turns({ bound, between }: Run): Promise<void> {
    while (this.#takeTurn(bound)) {
      await between();
      this.#fireDue([], bound);
    }
  }

  /** All turns of an instant, and what they lead to, before the deadlines that wait for it. */
  async #turnsBeforeDeadlines(run: Run): Promise<void> {
    const { nowMs, position } = this.#timeline;
    this.#heldBefore = keyOfEnd(nowMs, { position, ordinal: 0 });
    try {
      while (this.#timeline.nowMs === nowMs && (this.#companion?.nextMs() ?? Number.POSITIVE_INFINITY) <= nowMs) {
        await this.#turns(run);
        await run.breathe();
      }
    } finally {
      this.#heldBefore = undefined;
    }
  }

  #takeTurn(bound: FiringBound): boolean {
    const companion = this.#companion;
    if (companion === undefined || !companion.takeTurn(this.#timeline.nowMs)) return false;
    bound.count(() => companion.lastTurn);
    return true;
  }

  /** When the next deadline or turn is due, or the time of the next reader is up. */
  nextMs(): EpochMs | undefined {
    return this.#nextInstantMs(LAST_INSTANT_MS);
  }

  /** The deadlines of all calendars that are awake, in the order in which they will fire. */
  pending(): PendingDeadline[] {
    return pendingDeadlines(this.#timeline.model, this.#timeline.state);
  }

  /** The deadline that fires next, and its key. */
  nextDeadline(): { readonly key: string; readonly dueAtMs: EpochMs; readonly command: string } | undefined {
    const next = this.#earliest();
    return next === undefined
      ? undefined
      : { key: next.key, dueAtMs: dueAtMsOf(next.key), command: next.deadline.command };
  }

  #nextInstantMs(untilMs: EpochMs): EpochMs | undefined {
    const deadline = this.#earliest();
    const deadlineMs = deadline === undefined ? undefined : dueAtMsOf(deadline.key);
    const readerMs = this.#timeline.waiting.earliestMs();
    const turnMs = this.#companion?.nextMs();
    const nextMs = Math.min(
      deadlineMs ?? Number.POSITIVE_INFINITY,
      readerMs ?? Number.POSITIVE_INFINITY,
      turnMs ?? Number.POSITIVE_INFINITY,
    );
    return nextMs <= untilMs ? epochMs(nextMs) : undefined;
  }

  #earliest(): Next | undefined {
    const { model, state } = this.#timeline;
    if (this.#firstIn !== state) {
      this.#first = earliestIn(model.calendars(state));
      this.#firstIn = state;
    }
    return this.#first;
  }

  /** The next deadline that is not held. A deadline that was armed while others are held fires: its caller goes on after it. */
  #earliestNotHeld(from: string): Next | undefined {
    const { model, state } = this.#timeline;
    const next = earliestIn(model.calendars(state), from);
    // One with a rank stands behind all of its instant, whenever it was armed.
    return next === undefined || armedAtOf(next.key) === undefined ? undefined : next;
  }

  /** A reader whose time is up may decide something itself: what that makes due fires after it, in its turn. */
  #wakesReader(next: Next | undefined): boolean {
    this.#isWaking = true;
    try {
      return this.#timeline.waiting.reached(this.#timeline.nowMs, next?.key);
    } finally {
      this.#isWaking = false;
    }
  }

  #fireDue(fired: Fired[], bound: FiringBound): void {
    for (;;) {
      const next = this.#heldBefore === undefined ? this.#earliest() : this.#earliestNotHeld(this.#heldBefore);
      if (this.#heldBefore === undefined && this.#wakesReader(next)) continue;
      if (next === undefined) return;
      const dueAtMs = dueAtMsOf(next.key);
      if (dueAtMs > this.#timeline.nowMs) return;
      const { command: name, input } = next.deadline;
      bound.count(() => name);
      const { owner, place } = this.#timeline.model.calendarPlace(this.#timeline.state, next.index, next.deadline);
      const { commit } = this.#timeline.execute({
        name,
        input,
        caller: { ...place, deadline: next.key },
        via: "timer",
      });
      if (commit === undefined) throw new Error(`${name} fired without a commit`);
      const one = { dueAtMs, command: name, owner, position: commit.position };
      fired.push(one);
      for (const run of this.#runs) run.push(one);
      this.#timeline.waiting.resume();
    }
  }
}

/** What a run goes on with. */
interface Run {
  readonly bound: FiringBound;
  readonly breathe: () => Promise<void>;
  readonly between: () => Promise<void>;
}

function earliestIn(calendars: readonly Calendar[], from?: string): Next | undefined {
  let earliest: readonly [string, Deadline] | undefined;
  let of = 0;
  for (let index = 0; index < calendars.length; index++) {
    const first = from === undefined ? calendars[index]?.first() : calendars[index]?.firstFrom(from);
    if (first !== undefined && (earliest === undefined || first[0] < earliest[0])) {
      earliest = first;
      of = index;
    }
  }
  return earliest === undefined ? undefined : { index: of, key: earliest[0], deadline: earliest[1] };
}

/** The deadlines of all calendars of a state that are awake, in the order in which they will fire: all, or the first `atMost`. */
export function pendingDeadlines<S extends object, M extends object>(
  model: Model<S, M>,
  state: S,
  atMost = Number.POSITIVE_INFINITY,
): PendingDeadline[] {
  const keyed: { readonly key: string; readonly deadline: PendingDeadline }[] = [];
  model.calendars(state).forEach((calendar, index) => {
    let taken = 0;
    for (const [key, deadline] of calendar.entries()) {
      if (taken === atMost) break;
      taken += 1;
      const { owner } = model.calendarPlace(state, index, deadline);
      keyed.push({ key, deadline: { dueAtMs: dueAtMsOf(key), command: deadline.command, owner } });
    }
  });
  keyed.sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0));
  return keyed.slice(0, atMost).map(({ deadline }) => deadline);
}

const later = (left: EpochMs, right: EpochMs): EpochMs => (left > right ? left : right);

/** Ends a schedule that arms itself for ever at one instant, or a step that is larger than anybody meant. */
class FiringBound {
  readonly #limit: number;
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  count(what: () => string): void {
    this.#count += 1;
    if (this.#count > this.#limit) {
      throw new RangeError(
        `more than ${this.#limit} deadlines fired in one step of the clock, the last of them ${what()}: ` +
          "advance in smaller steps, or raise limits.firingsPerAdvance if so many are meant",
      );
    }
  }
}
