import { type EpochMs, epochMs } from "../../../src/kernel/brand.ts";
import { arm, type Calendar, type Deadline } from "../../../src/kernel/calendar.ts";
import { VirtualClock } from "../../../src/kernel/clock.ts";
import { withinFlat } from "../../../src/kernel/evolvers.ts";
import type { Model } from "../../../src/kernel/model.ts";
import { Table } from "../../../src/kernel/table.ts";
import { Timeline } from "../../../src/kernel/timeline.ts";

/** A world that has nothing but bells to ring. */
interface Bells {
  readonly calendar: Calendar;
  readonly rung: number;
}

export interface BellEvents {
  BellSet: { readonly bell: number; readonly dueAtMs: EpochMs };
  BellRung: { readonly bell: number };
}

const model: Model<Bells, BellEvents> = {
  // As the services fold what holds little but tables: by hand, without drafts.
  folds: withinFlat<Bells, Bells, BellEvents>((bells, _, change) => change(bells), {
    BellSet: (bells, { bell, dueAtMs }, meta) =>
      void arm(bells, dueAtMs, { command: "timer.ring", input: { bell } }, meta),
    BellRung: (bells) => {
      bells.rung += 1;
    },
  }),
  calendars: ({ calendar }) => [calendar],
  calendarPlace: () => ({ owner: {}, place: {} }),
  withCalendar: (bells, _, change) => ({ ...bells, calendar: change(bells.calendar) }),
  deciderOf: ({ name }) =>
    name === "bells.set"
      ? (decision, input) => decision.record({ type: "BellSet", data: input as BellEvents["BellSet"] })
      : (decision, input) => decision.record({ type: "BellRung", data: input as BellEvents["BellRung"] }),
};

/** Bells on the bare kernel, from epoch 0 on: each set and each rung is a commit of one event. */
export class BellTower {
  readonly timeline = Timeline.begin(model, {
    seed: 1,
    startAtMs: epochMs(0),
    initialState: { calendar: Table.of<Deadline>(), rung: 0 },
    checkpointEvery: 32,
  });
  readonly #clock = new VirtualClock(this.timeline, Number.POSITIVE_INFINITY);

  set(bell: number, delayMs: number): void {
    const input = { bell, dueAtMs: this.timeline.nowMs + delayMs };
    this.timeline.execute({ name: "bells.set", input, caller: null, via: "call" });
  }

  advance(ms: number) {
    return this.#clock.advanceTo(epochMs(this.timeline.nowMs + ms));
  }

  get rung(): number {
    return this.timeline.state.rung;
  }
}
