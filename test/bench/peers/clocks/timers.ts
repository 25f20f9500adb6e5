import { createClock } from "@sinonjs/fake-timers";
import { type BellEvents, BellTower } from "../../families/bells.ts";

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

export const kernelTimers: MakeTimers = (onFire) => {
  const tower = new BellTower();
  return {
    arm: (bell, delayMs) => tower.set(bell, delayMs),
    advance: (ms) => {
      const fired = tower.advance(ms);
      if (onFire === undefined) return;
      for (const { position, dueAtMs } of fired) {
        const { input } = tower.timeline.history.commitAt(position).command;
        onFire((input as BellEvents["BellRung"]).bell, dueAtMs);
      }
    },
    fired: () => tower.rung,
  };
};
