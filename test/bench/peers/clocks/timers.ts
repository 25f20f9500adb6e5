import { createClock } from "@sinonjs/fake-timers";
import { type EpochMs, epochMs } from "../../../../src/kernel/brand.ts";
import { arm, type Calendar, type Deadline } from "../../../../src/kernel/calendar.ts";
import { VirtualClock } from "../../../../src/kernel/clock.ts";
import { withinFlat } from "../../../../src/kernel/evolvers.ts";
import type { Model } from "../../../../src/kernel/model.ts";
import { Table } from "../../../../src/kernel/table.ts";
import { Timeline } from "../../../../src/kernel/timeline.ts";

/** Timers that all fire in the end. */
export interface Timers {
  readonly arm: (timer: number, delayMs: number) => void;
  readonly advance: (ms: number) => void;
  /** How many have fired. */
  readonly fired: () => number;
}

/** Makes timers; `onFire` is told of each, where that is wanted. */
export type MakeTimers = (onFire?: (timer: number, nowMs: number) => void) => Timers;

export const fakeTimers: MakeTimers = (onFire) => {
  const clock = createClock(0, Number.POSITIVE_INFINITY);
  let fired = 0;
  const fire = (timer: number): void => {
    fired += 1;
    onFire?.(timer, clock.now);
  };
  return {
    arm: (timer, delayMs) => void clock.setTimeout(() => fire(timer), delayMs),
    advance: (ms) => void clock.tick(ms),
    fired: () => fired,
  };
};

// --- ours -----------------------------------------------------------------------------------------------------------

interface Bells {
  readonly calendar: Calendar;
  readonly rung: number;
}

interface BellEvents {
  BellSet: { readonly bell: number; readonly dueAtMs: EpochMs };
  BellRung: { readonly bell: number };
}

const model: Model<Bells, BellEvents> = {
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

export const kernelTimers: MakeTimers = (onFire) => {
  const timeline = Timeline.begin(model, {
    seed: 1,
    startAtMs: epochMs(0),
    initialState: { calendar: Table.of<Deadline>(), rung: 0 },
    checkpointEvery: 32,
  });
  const clock = new VirtualClock(timeline, Number.POSITIVE_INFINITY);
  return {
    arm: (bell, delayMs) => {
      const input = { bell, dueAtMs: timeline.nowMs + delayMs };
      timeline.execute({ name: "bells.set", input, caller: null, via: "call" });
    },
    advance: (ms) => {
      const fired = clock.advanceTo(epochMs(timeline.nowMs + ms));
      if (onFire === undefined) return;
      for (const { position, dueAtMs } of fired) {
        const { input } = timeline.history.commitAt(position).command;
        onFire((input as BellEvents["BellRung"]).bell, dueAtMs);
      }
    },
    fired: () => timeline.state.rung,
  };
};
