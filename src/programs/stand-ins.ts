import { abortSignalWith, dateAt, performanceAt } from "./dates.ts";
import type { PromiseTimers } from "./promise-timers.ts";
import { Timer } from "./timer.ts";

/** What programs look for. */
export const NAMES = [
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "setImmediate",
  "clearImmediate",
  "Date",
  "performance",
  "AbortSignal",
] as const;

export type TimerName = (typeof NAMES)[number];

export type AnyFunction = (...args: readonly unknown[]) => unknown;

/** The functions of a program, as they are put into a target. */
export type InstalledTimers = Readonly<
  Record<Exclude<TimerName, "Date" | "performance" | "AbortSignal">, AnyFunction>
> & {
  readonly Date: DateConstructor;
  readonly performance: Performance;
  readonly AbortSignal: typeof AbortSignal;
};

/** The asynchronous chain that calls. */
export interface Chain {
  /** Whose time it has for a name; undefined where that is the platform's. */
  current(name: TimerName): { readonly timers: InstalledTimers; readonly promises: PromiseTimers } | undefined;
  /** Is told of a timer that it arms at the platform. */
  onPlatformTimer(name: TimerName): void;
}

/** What stands in for something of the platform, and finds out at each call whose time it is. */
export function standIn(name: TimerName, original: unknown, chain: Chain): unknown {
  switch (name) {
    case "Date": {
      const Original = original as DateConstructor;
      return dateAt(Original, () => chain.current(name)?.timers.Date.now() ?? Original.now());
    }
    case "performance": {
      const platform = original as Performance;
      const here = (): Performance => chain.current(name)?.timers.performance ?? platform;
      return performanceAt(
        platform,
        () => here().now(),
        () => here().timeOrigin,
      );
    }
    case "AbortSignal": {
      const platform = original as typeof AbortSignal;
      return abortSignalWith(platform, (ms) => (chain.current(name)?.timers.AbortSignal ?? platform).timeout(ms));
    }
    case "clearTimeout":
    case "clearInterval":
    case "clearImmediate":
      return (timer: unknown) => {
        if (timer instanceof Timer) Timer.clear(timer);
        else {
          chain.current(name)?.timers[name](timer);
          (original as AnyFunction | undefined)?.(timer);
        }
      };
    case "setTimeout":
    case "setInterval":
    case "setImmediate": {
      const platform = original as AnyFunction;
      const timer = (...args: readonly unknown[]): unknown => {
        const own = chain.current(name);
        if (own === undefined) chain.onPlatformTimer(name);
        return (own?.timers[name] ?? platform)(...args);
      };
      const hasPromise = isPromised(name) && name !== "setInterval";
      return hasPromise ? withPromise(timer, promised(name, promiseOf(platform), chain)) : timer;
    }
    default:
      return name satisfies never;
  }
}

/** What stands in for a function of `node:timers/promises`. */
export function promised(name: keyof PromiseTimers, platform: AnyFunction | undefined, chain: Chain): AnyFunction {
  return (...args) => {
    const own = chain.current(name)?.promises[name] as AnyFunction | undefined;
    return (own ?? platform)?.(...args);
  };
}

const PROMISIFIED = Symbol.for("nodejs.util.promisify.custom");

export function isPromised(name: TimerName): name is keyof PromiseTimers {
  return name === "setTimeout" || name === "setInterval" || name === "setImmediate";
}

function promiseOf(platform: AnyFunction | undefined): AnyFunction | undefined {
  return (platform as { readonly [PROMISIFIED]?: AnyFunction } | undefined)?.[PROMISIFIED];
}

/** A function with the promise that `util.promisify` makes of it in Node. */
export function withPromise<F extends object>(timer: F, promise: object): F {
  return Object.defineProperty(timer, PROMISIFIED, { value: promise });
}
