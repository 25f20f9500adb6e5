import { alternating } from "../harness/measure.ts";

/** How long something takes, in milliseconds. */
type Stopwatch = () => () => number;

/** Time of this process's threads: what others do on the same cores does not count. */
export const cpuTime: Stopwatch = () => {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
};

/** Time that passes: for work that other processes do. */
export const wallTime: Stopwatch = () => {
  const before = performance.now();
  return () => performance.now() - before;
};

export interface SideBySide {
  readonly batches?: number;
  readonly stopwatch?: Stopwatch;
}

/** What takes less tells of the clock's ticks, and of a single collection of garbage. */
const BATCH_MS = 10;

/**
 * How many times as long one thing takes as another. Both are done in short batches that alternate; the medians are compared.
 *
 * @returns above 1 when `subject` takes longer
 */
export async function timesAsLong(
  subject: () => unknown,
  yardstick: () => unknown,
  { batches = 15, stopwatch = cpuTime }: SideBySide = {},
): Promise<number> {
  const [ours, theirs] = [await batchOf(subject, stopwatch), await batchOf(yardstick, stopwatch)];
  const { left, right } = await alternating(batches, ours, theirs);
  return left / right;
}

/** Measures milliseconds for each turn, so many at a time as take long enough. The turns that it takes to find out warm it up. */
async function batchOf(work: () => unknown, stopwatch: Stopwatch): Promise<() => Promise<number>> {
  let turns = 1;
  const batch = async (): Promise<number> => {
    const took = stopwatch();
    for (let turn = 0; turn < turns; turn++) {
      const result = work();
      if (result instanceof Promise) await result;
    }
    return took() / turns;
  };
  while ((await batch()) * turns < BATCH_MS) turns *= 2;
  return batch;
}
