import { createClock } from "@sinonjs/fake-timers";
import { Dice, seconds } from "../harness/measure.ts";
import { atLeast, type Family, type Row, row, type Sample } from "../harness/row.ts";
import { rounded } from "../harness/statistics.ts";
import { BellTower } from "./bells.ts";

/** Arming and firing deadlines on the bare kernel, beside a library that fakes timers and keeps no history. */
export const timers: Family = {
  name: "timers",
  rows: [
    deadlines("fake-timers@10000", 10_000, fakeTimers),
    deadlines("timers@10000", 10_000, bells, { comparedWith: "fake-timers@10000" }),
    deadlines("fake-timers", 1_000_000, fakeTimers, { rounds: 2, warmUps: 0 }),
    deadlines("timers", 1_000_000, bells, {
      goal: atLeast(140),
      comparedWith: "fake-timers",
      rounds: 2,
      warmUps: 0,
      note: "1,000,000 armed, then all fired: each of both is a commit of one event, kept in the history",
    }),
  ],
};

/** How long it takes to arm so many deadlines, and then to fire them all. */
export type Subject = (count: number) => { readonly armSeconds: number; readonly fireSeconds: number };

export function deadlines(id: string, count: number, subject: Subject, declared: Partial<Row> = {}): Row {
  return row({
    id,
    process: subject.name,
    unit: "1,000/s",
    ...declared,
    prepare: (effort) => {
      const size = effort.size(count);
      return () => rateOf(size, subject);
    },
  });
}

/** Thousands of armings and firings a second, of as many runs as take a while. */
function rateOf(count: number, subject: Subject): Sample {
  const runs = Math.max(1, Math.ceil(100_000 / count));
  let armSeconds = 0;
  let fireSeconds = 0;
  for (let run = 0; run < runs; run++) {
    const times = subject(count);
    armSeconds += times.armSeconds;
    fireSeconds += times.fireSeconds;
  }
  const thousands = (count * runs) / 1_000;
  return {
    value: (2 * thousands) / (armSeconds + fireSeconds),
    detail: `last round: armed ${rounded(thousands / armSeconds, 3)}, fired ${rounded(thousands / fireSeconds, 3)}`,
  };
}

const DAY_MS = 86_400_000;

function bells(count: number): ReturnType<Subject> {
  const tower = new BellTower();
  const dice = new Dice(1);
  const armSeconds = seconds(() => {
    for (let armed = 0; armed < count; armed++) tower.set(armed, 1 + dice.below(DAY_MS));
  });
  const fireSeconds = seconds(() => void tower.advance(DAY_MS));
  if (tower.rung !== count) throw new Error(`${tower.rung} of ${count} bells rang`);
  return { armSeconds, fireSeconds };
}

function fakeTimers(count: number): ReturnType<Subject> {
  const clock = createClock(0, Number.POSITIVE_INFINITY);
  return timersFiring(
    count,
    (callback, ms) => void clock.setTimeout(callback, ms),
    (ms) => void clock.tick(ms),
  );
}

/** Arms so many timers within a day, and lets that day pass. */
export function timersFiring(
  count: number,
  arm: (callback: () => void, ms: number) => void,
  advance: (ms: number) => void,
): ReturnType<Subject> {
  const dice = new Dice(1);
  let rung = 0;
  const ring = (): void => {
    rung += 1;
  };
  const armSeconds = seconds(() => {
    for (let armed = 0; armed < count; armed++) arm(ring, 1 + dice.below(DAY_MS));
  });
  const fireSeconds = seconds(() => void advance(DAY_MS));
  if (rung !== count) throw new Error(`${rung} of ${count} timers fired`);
  return { armSeconds, fireSeconds };
}
