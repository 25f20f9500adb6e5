import type { TimerKind } from "./timer.ts";

interface PromiseOptions {
  readonly signal?: AbortSignal;
}

/** `node:timers/promises`, and what `util.promisify` makes of timers. */
export interface PromiseTimers {
  readonly setTimeout: <T>(delay?: number, value?: T, options?: PromiseOptions) => Promise<T>;
  readonly setImmediate: <T>(value?: T, options?: PromiseOptions) => Promise<T>;
  readonly setInterval: <T>(delay?: number, value?: T, options?: PromiseOptions) => AsyncGenerator<T, void>;
}

type Arm = (kind: TimerKind, callback: () => void, delay: unknown) => unknown;

/** Makes them of what arms a timer and what clears one. */
export function promiseTimers(arm: Arm, clear: (timer: unknown) => void): PromiseTimers {
  const once = <T>(kind: TimerKind, delay: unknown, value: T, { signal }: PromiseOptions = {}): Promise<T> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(abortError(signal));
        return;
      }
      const abort = (): void => {
        clear(timer);
        reject(abortError(signal));
      };
      const timer = arm(
        kind,
        () => {
          signal?.removeEventListener("abort", abort);
          resolve(value);
        },
        delay,
      );
      signal?.addEventListener("abort", abort, { once: true });
    });
  return {
    setTimeout: (delay, value, options) => once("setTimeout", delay, value as never, options),
    setImmediate: (value, options) => once("setImmediate", 0, value as never, options),
    async *setInterval(delay, value, { signal } = {}) {
      if (signal?.aborted) throw abortError(signal);
      let missed = 0;
      let wake: (() => void) | undefined;
      const timer = arm(
        "setInterval",
        () => {
          missed += 1;
          wake?.();
        },
        delay,
      );
      const abort = (): void => wake?.();
      signal?.addEventListener("abort", abort);
      try {
        for (;;) {
          if (signal?.aborted) throw abortError(signal);
          if (missed === 0) await new Promise<void>((resolve) => (wake = resolve));
          for (; missed > 0; missed--) yield value as never;
        }
      } finally {
        clear(timer);
        signal?.removeEventListener("abort", abort);
      }
    },
  };
}

/** As Node's own. */
function abortError(signal: AbortSignal | undefined): Error {
  const error = new Error("The operation was aborted", { cause: signal?.reason });
  return Object.assign(error, { name: "AbortError", code: "ABORT_ERR" });
}
