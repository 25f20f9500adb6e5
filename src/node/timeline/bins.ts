/** So many intervals of time are counted: enough that a picture's columns are even. */
const BINS = 2_048;

/**
 * Counts what happened when, without knowing how long it will go on: when time runs out of the last interval, intervals become
 * twice as long.
 */
export class Bins {
  readonly #startMs: number;
  readonly #counts = new Map<string, Uint32Array>();
  readonly #totals = new Map<string, number>();
  #widthMs = 1;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  add(kind: string, atMs: number): void {
    let bin = Math.floor((atMs - this.#startMs) / this.#widthMs);
    while (bin >= BINS) {
      this.#double();
      bin = Math.floor((atMs - this.#startMs) / this.#widthMs);
    }
    let counts = this.#counts.get(kind);
    if (counts === undefined) {
      counts = new Uint32Array(BINS);
      this.#counts.set(kind, counts);
    }
    counts[bin] = (counts[bin] ?? 0) + 1;
    this.#totals.set(kind, (this.#totals.get(kind) ?? 0) + 1);
  }

  /** How often there was what, the most frequent first; equals in the order of their first time. */
  totals(): (readonly [kind: string, count: number])[] {
    return [...this.#totals].sort(([, left], [, right]) => right - left);
  }

  /** The counts of a kind in so many columns from the start to an instant. */
  columns(kind: string, untilMs: number, columns: number): number[] {
    const found = new Array<number>(columns).fill(0);
    const counts = this.#counts.get(kind) ?? new Uint32Array();
    const spanMs = untilMs - this.#startMs + 1;
    counts.forEach((count, bin) => {
      if (count === 0) return;
      const column = Math.min(columns - 1, Math.floor((bin * this.#widthMs * columns) / spanMs));
      found[column] = (found[column] ?? 0) + count;
    });
    return found;
  }

  #double(): void {
    this.#widthMs *= 2;
    for (const counts of this.#counts.values()) {
      for (let bin = 0; bin < BINS / 2; bin++) counts[bin] = (counts[2 * bin] ?? 0) + (counts[2 * bin + 1] ?? 0);
      counts.fill(0, BINS / 2);
    }
  }
}
