import { type Duration, durationMs } from "../languages/duration.ts";
import { shown } from "../languages/shown.ts";
import { abortSignalWith, dateAt, performanceAt } from "./dates.ts";
import { followChains, type InstallOptions, install } from "./install.ts";
import { hasTimerObjects, warnOfOverflow } from "./machine.ts";
import type { ProgramTime } from "./program-time.ts";
import { promiseTimers } from "./promise-timers.ts";
import { withPromise } from "./stand-ins.ts";
import { type Call, Immediate, Timeout, Timer, type TimerKind } from "./timer.ts";
import { callSite, FRAMES_OF_TIMER } from "./where.ts";

/**
 * The time of a program: what platforms have for it, in virtual time. Timers follow Node's rules: delays below 1 become 1, texts are
 * coerced, an interval is armed again after its call. Timers are no facts: no log holds them, and a fork starts without any.
 */
export interface ProgramTimers {
  readonly setTimeout: typeof globalThis.setTimeout;
  readonly clearTimeout: typeof globalThis.clearTimeout;
  readonly setInterval: typeof globalThis.setInterval;
  readonly clearInterval: typeof globalThis.clearInterval;
  readonly setImmediate: <A extends readonly unknown[]>(callback: (...args: A) => void, ...args: A) => Immediate;
  readonly clearImmediate: (immediate: Immediate | undefined) => void;
  readonly Date: DateConstructor;
  readonly performance: Performance;
  readonly AbortSignal: typeof AbortSignal;
  /**
   * Waits: a duration is a text with units or a number of milliseconds.
   *
   * @throws the signal's reason when it is given up
   * @example
   * await shop.timers.sleep("90s");
   */
  sleep(duration: Duration, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Puts them where a program looks for them: by default into the global object, in Node also into `node:timers` and
   * `node:timers/promises`. The asynchronous chain that calls this, and all that it starts, meets them; other chains meet those of
   * simulators that they have installed themselves, and the platform's where they have not and several are installed.
   *
   * @param options `only`: the names that are replaced, such as `["setTimeout", "Date"]`; default all
   * @returns the undo
   * @throws TypeError when another simulator is installed in this chain
   * @example
   * const undo = sim.timers.install();
   * await sim.clock.run("1d");
   * undo();
   */
  install(target?: object, options?: InstallOptions): () => void;
}

/** The longest delay (Node, lib/internal/timers.js, TIMEOUT_MAX). */
const LONGEST_MS = 2 ** 31 - 1;

/** Makes the timers of a program. */
export function programTimers(time: ProgramTime): ProgramTimers {
  followChains();
  const armed = (
    kind: TimerKind,
    callback: unknown,
    delay: unknown,
    args: readonly unknown[],
    frames?: number,
  ): Timer | number => {
    if (typeof callback !== "function") throw noCallback(callback);
    const call: Call = { kind, callback: callback as Call["callback"], args, site: callSite(frames) };
    if (kind === "setImmediate") return new Immediate(time, call, 0);
    const timer = new Timeout(time, call, delayOf(delay));
    return hasTimerObjects ? timer : time.idOf(timer);
  };
  const clear = (timer: unknown): void => {
    const known = timer instanceof Timer ? timer : time.all.timerOf(Number(timer));
    if (known !== undefined) Timer.clear(known);
  };
  const nowMs = (): number => time.nowMs();
  const { startAtMs } = time.all.source;
  const promises = promiseTimers(
    (kind, callback, delay) => armed(kind, callback, delay, []),
    (timer) => clear(timer),
  );
  const setTimeout = (callback: unknown, delay?: unknown, ...args: readonly unknown[]) =>
    armed("setTimeout", callback, delay, args, FRAMES_OF_TIMER);
  const setInterval = (callback: unknown, delay?: unknown, ...args: readonly unknown[]) =>
    armed("setInterval", callback, delay, args, FRAMES_OF_TIMER);
  const setImmediate = (callback: unknown, ...args: readonly unknown[]) =>
    armed("setImmediate", callback, 0, args, FRAMES_OF_TIMER);
  const functions = {
    setTimeout: withPromise(setTimeout, promises.setTimeout),
    clearTimeout: clear,
    setInterval,
    clearInterval: clear,
    setImmediate: withPromise(setImmediate, promises.setImmediate),
    clearImmediate: clear,
    Date: dateAt(globalThis.Date, nowMs),
    performance: performanceAt(
      globalThis.performance,
      () => nowMs() - startAtMs,
      () => startAtMs,
    ),
    AbortSignal: abortSignalWith(globalThis.AbortSignal, (ms) => timeoutSignal(ms, armed)),
  };
  const timers = {
    ...functions,
    sleep: async (duration: Duration, { signal }: { readonly signal?: AbortSignal } = {}) => {
      const ms = durationMs(duration);
      signal?.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        // Longer than a timer of the platform may be.
        const timer = new Timeout(
          time,
          { kind: "setTimeout", callback: () => end(resolve), args: [], site: callSite() },
          ms,
        );
        const abort = (): void => end(() => reject(signal?.reason as Error));
        const end = (settle: () => void): void => {
          clear(timer);
          signal?.removeEventListener("abort", abort);
          settle();
        };
        signal?.addEventListener("abort", abort);
      });
    },
    install: (target: object = globalThis, options: InstallOptions = {}) => {
      const { installed } = time.all;
      const takeBack = install(target, options, { world: time.all, timers: functions, promises });
      const undo = (): void => {
        installed.delete(undo);
        takeBack();
      };
      installed.add(undo);
      return undo;
    },
  };
  // Platforms type these functions each in their own way.
  return Object.freeze(timers) as unknown as ProgramTimers;
}

/** As Node reads a delay (lib/internal/timers.js, Timeout). */
function delayOf(given: unknown): number {
  const delay = given === undefined ? 1 : Number(given);
  if (delay >= 1 && delay <= LONGEST_MS) return Math.trunc(delay);
  if (delay > LONGEST_MS) warnOfOverflow(delay);
  return 1;
}

function timeoutSignal(
  ms: number,
  arm: (kind: "setTimeout", callback: () => void, delay: number, args: []) => unknown,
): AbortSignal {
  if (typeof ms !== "number" || !(ms >= 0 && ms <= Number.MAX_SAFE_INTEGER)) {
    throw new RangeError(`AbortSignal.timeout: the delay is ${shown(ms)}, and has to be a number of milliseconds`);
  }
  const controller = new AbortController();
  // In the words of the platform.
  const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
  arm("setTimeout", () => controller.abort(reason), ms, []);
  return controller.signal;
}

function noCallback(given: unknown): TypeError {
  const received = typeof given === "string" ? `type string ('${given}')` : shown(given);
  const message = `The "callback" argument must be of type function. Received ${received}`;
  return Object.assign(new TypeError(message), { code: "ERR_INVALID_ARG_TYPE" });
}
