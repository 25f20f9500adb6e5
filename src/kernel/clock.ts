import { type EpochMs, epochMs, type LogPosition } from "./brand.ts";
import { type Calendar, type Deadline, dueAtMsOf, LAST_INSTANT_MS } from "./calendar.ts";
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
  /** What has fired since each run that is under way began, whoever moved the clock. */
  readonly #runs = new Set<Fired[]>();
  /** What is due first in a state: it is asked for several times between two commits. */
  #first: Next | undefined;
  #firstIn: S | undefined;

  constructor(timeline: Timeline<S, M>, firingsPerStep: number) {
    this.#timeline = timeline;
    this.#firingsPerStep = firingsPerStep;
  }

  /** Moves to an instant and fires all that is due until then. */
  advanceTo(untilMs: EpochMs): Fired[] {
    return this.#advance(untilMs, new FiringBound(this.#firingsPerStep));
  }

  #advance(untilMs: EpochMs, bound: FiringBound): Fired[] {
    const fired: Fired[] = [];
    for (let next = this.#nextInstantMs(untilMs); next !== undefined; next = this.#nextInstantMs(untilMs)) {
      this.#timeline.moveTo(later(next, this.#timeline.nowMs));
      this.#fireDue(fired, bound);
    }
    this.#timeline.moveTo(untilMs);
    return fired;
  }

  /** Fires what is due at or before now: what a commit has made due fires before its caller goes on. */
  fireDue(): Fired[] {
    const fired: Fired[] = [];
    this.#fireDue(fired, new FiringBound(this.#firingsPerStep));
    return fired;
  }

  /** Jumps to the next deadline or the next reader whose time is up, and fires what is due then. */
  next(): Fired[] {
    const nextMs = this.#nextInstantMs(LAST_INSTANT_MS);
    return nextMs === undefined ? [] : this.advanceTo(later(nextMs, this.#timeline.nowMs));
  }

  /**
   * As `advanceTo`, but waiting code runs between the deadlines: `breathe` lets it, and returns when it is quiet. What that code lets
   * fire by moving the clock itself has fired as well.
   */
  async runTo(untilMs: EpochMs, breathe: () => Promise<void>): Promise<Fired[]> {
    const fired: Fired[] = [];
    this.#runs.add(fired);
    try {
      const bound = new FiringBound(this.#firingsPerStep);
      await breathe();
      for (let next = this.#nextInstantMs(untilMs); next !== undefined; next = this.#nextInstantMs(untilMs)) {
        // Whoever ran meanwhile may have moved the clock beyond this instant.
        this.#advance(later(next, this.#timeline.nowMs), bound);
        await breathe();
      }
      if (this.#timeline.nowMs < untilMs) this.#timeline.moveTo(untilMs);
      await breathe();
      return fired;
    } finally {
      this.#runs.delete(fired);
    }
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
    const nextMs = epochMs(Math.min(deadlineMs ?? Number.POSITIVE_INFINITY, readerMs ?? Number.POSITIVE_INFINITY));
    return nextMs <= untilMs ? nextMs : undefined;
  }

  #earliest(): Next | undefined {
    const { model, state } = this.#timeline;
    if (this.#firstIn !== state) {
      this.#first = earliestIn(model.calendars(state));
      this.#firstIn = state;
    }
    return this.#first;
  }

  #fireDue(fired: Fired[], bound: FiringBound): void {
    for (;;) {
      const next = this.#earliest();
      this.#timeline.waiting.reached(this.#timeline.nowMs, next?.key);
      if (next === undefined) return;
      const dueAtMs = dueAtMsOf(next.key);
      if (dueAtMs > this.#timeline.nowMs) return;
      const { command: name, input } = next.deadline;
      bound.count(name);
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

function earliestIn(calendars: readonly Calendar[]): Next | undefined {
  let earliest: readonly [string, Deadline] | undefined;
  let of = 0;
  for (let index = 0; index < calendars.length; index++) {
    const first = calendars[index]?.first();
    if (first !== undefined && (earliest === undefined || first[0] < earliest[0])) {
      earliest = first;
      of = index;
    }
  }
  return earliest === undefined ? undefined : { index: of, key: earliest[0], deadline: earliest[1] };
}

/** The deadlines of all calendars of a state that are awake, in the order in which they will fire. */
export function pendingDeadlines<S extends object, M extends object>(model: Model<S, M>, state: S): PendingDeadline[] {
  const keyed: { readonly key: string; readonly deadline: PendingDeadline }[] = [];
  model.calendars(state).forEach((calendar, index) => {
    for (const [key, deadline] of calendar.entries()) {
      const { owner } = model.calendarPlace(state, index, deadline);
      keyed.push({ key, deadline: { dueAtMs: dueAtMsOf(key), command: deadline.command, owner } });
    }
  });
  keyed.sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0));
  return keyed.map(({ deadline }) => deadline);
}

const later = (left: EpochMs, right: EpochMs): EpochMs => (left > right ? left : right);

/** Ends a schedule that arms itself for ever at one instant, or a step that is larger than anybody meant. */
class FiringBound {
  readonly #limit: number;
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  count(command: string): void {
    this.#count += 1;
    if (this.#count > this.#limit) {
      throw new RangeError(
        `more than ${this.#limit} deadlines fired in one step of the clock, the last of them ${command}: ` +
          "advance in smaller steps, or raise limits.firingsPerAdvance if so many are meant",
      );
    }
  }
}
