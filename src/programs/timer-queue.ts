import type { EpochMs } from "../kernel/brand.ts";

/** What waits in a queue. */
export interface Queued {
  dueAtMs: number;
  /** Among equals the order of arming. */
  order: number;
  /** Where it stands in the queue; -1 when it does not. */
  index: number;
}

/** So many below each: with four, what lies in a cache line is compared together. */
const BELOW = 4;

/** Timers by the instants at which they are due, and among equals in the order of their arming. */
export class TimerQueue<T extends Queued> {
  readonly #heap: T[] = [];
  #armed = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** When the first is due. */
  get firstMs(): EpochMs | undefined {
    return this.#heap[0]?.dueAtMs as EpochMs | undefined;
  }

  /** All, in no order. */
  all(): T[] {
    return this.#heap.slice();
  }

  /** All, in the order in which they will fire. */
  inOrder(): T[] {
    return this.all().sort((left, right) => (isBefore(left, right) ? -1 : 1));
  }

  /** Puts a timer in its place, or in another one: it comes after all that are there for that instant. */
  arm(timer: T, dueAtMs: number): void {
    this.disarm(timer);
    timer.dueAtMs = dueAtMs;
    timer.order = this.#armed++;
    this.#rise(timer, this.#heap.length);
  }

  /** Takes a timer out, if it is there. */
  disarm(timer: T): void {
    const { index } = timer;
    if (index < 0) return;
    timer.index = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === timer) return;
    if (index > 0 && isBefore(last, this.#heap[parentOf(index)] as T)) this.#rise(last, index);
    else this.#sink(last, index);
  }

  /** Takes the first out, if it is due. */
  takeDue(nowMs: number): T | undefined {
    const [first] = this.#heap;
    if (first === undefined || first.dueAtMs > nowMs) return undefined;
    this.disarm(first);
    return first;
  }

  clear(): void {
    for (const timer of this.#heap) timer.index = -1;
    this.#heap.length = 0;
  }

  #rise(timer: T, from: number): void {
    const heap = this.#heap;
    let index = from;
    while (index > 0) {
      const above = heap[parentOf(index)] as T;
      if (!isBefore(timer, above)) break;
      heap[index] = above;
      above.index = index;
      index = parentOf(index);
    }
    heap[index] = timer;
    timer.index = index;
  }

  #sink(timer: T, from: number): void {
    const heap = this.#heap;
    const { length } = heap;
    let index = from;
    for (;;) {
      const begin = index * BELOW + 1;
      if (begin >= length) break;
      let least = begin;
      const end = Math.min(begin + BELOW, length);
      for (let next = begin + 1; next < end; next++) {
        if (isBefore(heap[next] as T, heap[least] as T)) least = next;
      }
      const below = heap[least] as T;
      if (!isBefore(below, timer)) break;
      heap[index] = below;
      below.index = index;
      index = least;
    }
    heap[index] = timer;
    timer.index = index;
  }
}

const parentOf = (index: number): number => (index - 1) >> 2;

function isBefore(left: Queued, right: Queued): boolean {
  return left.dueAtMs === right.dueAtMs ? left.order < right.order : left.dueAtMs < right.dueAtMs;
}
