import type { EpochMs, LogPosition } from "./brand.ts";

/** A request that was served, for debugging. It stands beside the log and never influences anything. */
export interface JournalEntry {
  /** When it was served, in virtual time. */
  readonly atMs: EpochMs;
  /** The position of the log at which it was served: that of its own commit if it made one. */
  readonly position: LogPosition;
  /** Method and URL, or the name of the call. */
  readonly request: string;
  readonly status: number;
  /** The code of the refusal, when it was one. */
  readonly rejection?: string;
  /** Known routes like the one asked for, when no route fitted. */
  readonly nearest?: readonly string[];
}

/** The last requests, oldest first; older ones make room. */
export class Journal {
  readonly #size: number;
  readonly #entries: JournalEntry[] = [];
  #oldest = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(entry: JournalEntry): void {
    if (this.#entries.length < this.#size) {
      this.#entries.push(entry);
    } else if (this.#size > 0) {
      this.#entries[this.#oldest] = entry;
      this.#oldest = (this.#oldest + 1) % this.#size;
    }
  }

  entries(): readonly JournalEntry[] {
    return [...this.#entries.slice(this.#oldest), ...this.#entries.slice(0, this.#oldest)];
  }
}
