import type { EpochMs } from "./brand.ts";

/** A reader that waits for a change, or for an instant. */
export interface WaitingReader {
  /** What it asked for, for people. */
  readonly request: string;
  readonly untilMs: EpochMs;
}

interface Waiter<S> extends WaitingReader {
  /** What it watches: it wakes when this is no longer the same value. */
  readonly watches: (state: S) => unknown;
  readonly before: unknown;
  readonly wake: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Readers that wait beside the state: a later commit or the virtual clock settles their promises.
 *
 * They are no part of the log: a fork starts without any, and a view of the past never waits.
 */
export class WaitingRoom<S> {
  readonly #waiters = new Set<Waiter<S>>();

  /**
   * Resolves when what the reader watches has changed, or at an instant, whichever comes first.
   *
   * @param signal gives the reader up: the promise then rejects with the signal's reason
   */
  wait(
    reader: WaitingReader,
    state: S,
    watches: (state: S) => unknown,
    signal?: AbortSignal | undefined,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = (): void => {
        this.#waiters.delete(waiter);
        signal?.removeEventListener("abort", abort);
      };
      const abort = (): void => waiter.fail(signal?.reason);
      const waiter: Waiter<S> = {
        request: reader.request,
        untilMs: reader.untilMs,
        watches,
        before: watches(state),
        wake: () => {
          leave();
          resolve();
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      this.#waiters.add(waiter);
      signal?.addEventListener("abort", abort);
    });
  }

  /** Wakes the readers whose watched part a commit has changed. */
  committed(state: S): void {
    for (const waiter of [...this.#waiters]) {
      if (waiter.watches(state) !== waiter.before) waiter.wake();
    }
  }

  /** Wakes the readers whose time is up. */
  reached(nowMs: EpochMs): void {
    for (const waiter of [...this.#waiters]) {
      if (waiter.untilMs <= nowMs) waiter.wake();
    }
  }

  /** The earliest instant at which a reader gives up. */
  earliestMs(): EpochMs | undefined {
    let earliest: EpochMs | undefined;
    for (const { untilMs } of this.#waiters) if (earliest === undefined || untilMs < earliest) earliest = untilMs;
    return earliest;
  }

  /** Ends every wait with an error. */
  failAll(errorFor: (reader: WaitingReader) => Error): void {
    for (const waiter of [...this.#waiters]) waiter.fail(errorFor(waiter));
  }

  readers(): readonly WaitingReader[] {
    return [...this.#waiters]
      .map(({ request, untilMs }) => ({ request, untilMs }))
      .sort((left, right) => left.untilMs - right.untilMs);
  }
}
