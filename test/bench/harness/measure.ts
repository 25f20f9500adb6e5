import { median } from "./statistics.ts";

/** How long something takes. */
export function seconds(work: () => void): number {
  const before = performance.now();
  work();
  return (performance.now() - before) / 1_000;
}

/** How often something is done in a second, by the time that many of it take. */
export function perSecond(count: number, work: () => void): number {
  return count / seconds(work);
}

/** How many microseconds each of many takes. */
export function microsecondsEach(count: number, work: () => void): number {
  return (seconds(work) * 1_000_000) / count;
}

/** As `microsecondsEach`, one after another. */
export async function microsecondsEachInTurn(count: number, work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  for (let done = 0; done < count; done++) await work();
  return ((performance.now() - before) * 1_000) / count;
}

/** Measures two things in small batches that alternate: for ratios that noise must not move. Medians of both. */
export async function alternating(
  batches: number,
  left: () => Promise<number>,
  right: () => Promise<number>,
): Promise<{ readonly left: number; readonly right: number }> {
  const lefts: number[] = [];
  const rights: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    // Whoever comes second finds warmer caches: they take turns in that, too.
    if (batch % 2 === 0) lefts.push(await left());
    rights.push(await right());
    if (batch % 2 === 1) lefts.push(await left());
  }
  return { left: median(lefts), right: median(rights) };
}

/** Frees what nobody holds, so that a round pays for its own garbage only. */
export function collectGarbage(): void {
  const { gc } = globalThis as { readonly gc?: () => void };
  if (gc === undefined) throw new TypeError("run node with --expose-gc");
  gc();
}

/** Bytes in use after a collection. */
export function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Random numbers of our own: equal seeds, equal numbers (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** An integer from 0 up to, not including, `bound`. */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

/** A fixed piece of work, in milliseconds: what it takes from round to round tells how disturbed the machine was. */
export function yardstickMs(): number {
  const before = performance.now();
  let mixed = 1;
  for (let step = 1; step < 4_000_000; step++) mixed = Math.imul(mixed ^ (mixed >>> 15), step | 1);
  return mixed === 0 ? 0 : performance.now() - before;
}
