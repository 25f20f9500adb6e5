import { shown } from "../languages/shown.ts";
import { abortSignalWith, dateAt, performanceAt } from "./dates.ts";
import { nodeModule } from "./machine.ts";
import type { PromiseTimers } from "./promise-timers.ts";
import { Timer } from "./timer.ts";
import { atPlace, type CallSite, callSite } from "./where.ts";

/** What programs look for. */
const NAMES = [
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

/** Options of `install`. */
export interface InstallOptions {
  /** The names that are replaced; default all that the target has. */
  readonly only?: readonly TimerName[];
}

type AnyFunction = (...args: readonly unknown[]) => unknown;

/** The functions of a program, as they are put into a target. */
export type InstalledTimers = Readonly<
  Record<Exclude<TimerName, "Date" | "performance" | "AbortSignal">, AnyFunction>
> & {
  readonly Date: DateConstructor;
  readonly performance: Performance;
  readonly AbortSignal: typeof AbortSignal;
};

/** What is installed: the timers of a program, and the world that they belong to. */
export interface Installed {
  readonly world: object;
  readonly timers: InstalledTimers;
  readonly promises: PromiseTimers;
}

/** What was installed by one call, for the chain that made it. */
interface Scope extends Installed {
  readonly names: ReadonlySet<string>;
  readonly site: CallSite;
  readonly around: Scope | undefined;
  isActive: boolean;
}

/** What carries a value along an asynchronous chain. */
interface Chains {
  getStore(): Scope | undefined;
  run(scope: null, work: () => void): void;
  enterWith(scope: Scope): void;
}

/** Is told of a timer that somebody arms at the platform. */
type Watcher = (name: TimerName, site: CallSite) => void;

/** What is installed in targets. */
const installations = new WeakMap<object, Installation>();

/** Installs timers in a target for the chain that calls, and gives the undo. */
export function install(target: object, options: InstallOptions, installed: Installed): () => void {
  if ((typeof target !== "object" && typeof target !== "function") || target === null) {
    throw new TypeError(`install: the target is ${shown(target)}, and has to be an object, such as globalThis`);
  }
  return installationIn(target).add(installed, namesOf(options));
}

/**
 * Has Node tell asynchronous chains apart from now on. Before version 24 it does so from the first time that somebody asks, and chains that
 * have begun by then are one.
 */
export function followChains(): void {
  installationIn(globalThis);
}

/** Tells of timers that are armed at the platform from now on; gives what ends it. */
export function watchPlatformTimers(watcher: Watcher): () => void {
  return installationIn(globalThis).watch(watcher);
}

function installationIn(target: object): Installation {
  let installation = installations.get(target);
  if (installation === undefined) {
    installation = new Installation(target);
    installations.set(target, installation);
  }
  return installation;
}

function namesOf({ only = NAMES, ...others }: InstallOptions): readonly TimerName[] {
  const [other] = Object.keys(others);
  if (other !== undefined) throw new TypeError(`install: ${other} is no option: there is only`);
  if (!isArray(only)) throw new TypeError(`install: only is ${shown(only)}, and has to be an array of names`);
  const unknown: unknown = only.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`install: only: ${shown(unknown)} is no name: there are ${NAMES.join(", ")}`);
  }
  return only;
}

const isArray = (given: unknown): boolean => Array.isArray(given);

/** A place at which a name stands. */
interface Spot {
  readonly of: object;
  readonly name: string;
  readonly before: PropertyDescriptor | undefined;
  readonly put: unknown;
}

/** What is put into a target stays the same for all chains, and finds out at each call whose time it is. */
class Installation {
  readonly #target: object;
  readonly #chains: Chains | undefined;
  readonly #active = new Set<Scope>();
  readonly #watchers = new Set<Watcher>();
  readonly #spots = new Map<string, Spot[]>();

  constructor(target: object) {
    this.#target = target;
    const hooks = nodeModule<{ readonly AsyncLocalStorage: new () => Chains }>("node:async_hooks");
    this.#chains = hooks && new hooks.AsyncLocalStorage();
    // A store of its own: for one that is there already, Node does not begin to follow.
    this.#chains?.run(null, () => undefined);
  }

  add(installed: Installed, given: readonly TimerName[]): () => void {
    const around = this.#bound() ?? (this.#chains === undefined ? this.#sole() : undefined);
    if (around !== undefined && around.world !== installed.world) {
      throw new TypeError(
        `install: another simulator is installed here already${atPlace(around.site)}: undo that first, or install in a chain of its own`,
      );
    }
    // What a platform does not have nobody looks for there.
    const names = given.filter((name) => this.#target !== globalThis || name in this.#target);
    const scope = { ...installed, names: new Set<string>(names), site: callSite(), around, isActive: true };
    this.#active.add(scope);
    this.#putAll(names);
    this.#chains?.enterWith(scope);
    return () => {
      scope.isActive = false;
      this.#active.delete(scope);
      this.#takeBackUnused();
    };
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    this.#putAll(["setTimeout", "setInterval"]);
    return () => {
      this.#watchers.delete(watcher);
      this.#takeBackUnused();
    };
  }

  #putAll(names: readonly TimerName[]): void {
    const fresh = names.filter((name) => !this.#spots.has(name));
    for (const name of fresh) this.#put(name);
    if (fresh.length > 0) syncModules();
  }

  #takeBackUnused(): void {
    if (this.#active.size > 0 || this.#watchers.size > 0 || this.#spots.size === 0) return;
    for (const spot of [...this.#spots.values()].flat()) takeBack(spot);
    this.#spots.clear();
    syncModules();
  }

  /** What this chain, or one that it began in, has installed. */
  #bound(): Scope | undefined {
    let scope = this.#chains?.getStore();
    while (scope !== undefined && !scope.isActive) scope = scope.around;
    return scope;
  }

  /**
   * The one that is installed, where it is the only one.
   *
   * Our choice: a chain without its own meets that. Hooks of test runners install in a chain that is not the test's.
   */
  #sole(): Scope | undefined {
    const [first, second] = this.#active;
    return second === undefined || second.world === first?.world ? first : undefined;
  }

  #current(name: string): Scope | undefined {
    const scope = this.#bound() ?? this.#sole();
    return scope?.names.has(name) ? scope : undefined;
  }

  #put(name: TimerName): void {
    const original: unknown = Reflect.get(this.#target, name) ?? Reflect.get(globalThis, name);
    const spots = [spotOf(this.#target, name, this.#standIn(name, original))];
    if (this.#target === globalThis) {
      const timers = nodeModule<object>("node:timers");
      if (timers !== undefined && name in timers) spots.push(spotOf(timers, name, spots[0]?.put));
      const promises = nodeModule<object>("node:timers/promises");
      if (promises !== undefined && isPromised(name)) {
        spots.push(spotOf(promises, name, this.#promised(name, Reflect.get(promises, name) as AnyFunction)));
      }
    }
    this.#spots.set(name, spots);
  }

  #standIn(name: TimerName, original: unknown): unknown {
    switch (name) {
      case "Date": {
        const Original = original as DateConstructor;
        return dateAt(Original, () => this.#current(name)?.timers.Date.now() ?? Original.now());
      }
      case "performance": {
        const platform = original as Performance;
        const here = (): Performance => this.#current(name)?.timers.performance ?? platform;
        return performanceAt(
          platform,
          () => here().now(),
          () => here().timeOrigin,
        );
      }
      case "AbortSignal": {
        const platform = original as typeof AbortSignal;
        return abortSignalWith(platform, (ms) => (this.#current(name)?.timers.AbortSignal ?? platform).timeout(ms));
      }
      case "clearTimeout":
      case "clearInterval":
      case "clearImmediate":
        return (timer: unknown) => {
          if (timer instanceof Timer) Timer.clear(timer);
          else {
            this.#current(name)?.timers[name](timer);
            (original as AnyFunction | undefined)?.(timer);
          }
        };
      case "setTimeout":
      case "setInterval":
      case "setImmediate": {
        const platform = original as AnyFunction;
        const standIn = (...args: readonly unknown[]): unknown => {
          const own = this.#current(name);
          if (own === undefined) for (const watcher of this.#watchers) watcher(name, callSite());
          return (own?.timers[name] ?? platform)(...args);
        };
        const promised = isPromised(name) && name !== "setInterval";
        return promised ? withPromise(standIn, this.#promised(name, promiseOf(platform))) : standIn;
      }
      default:
        return name satisfies never;
    }
  }

  #promised(name: keyof PromiseTimers, platform: AnyFunction | undefined): AnyFunction {
    return (...args) => {
      const own = this.#current(name)?.promises[name] as AnyFunction | undefined;
      return (own ?? platform)?.(...args);
    };
  }
}

const PROMISIFIED = Symbol.for("nodejs.util.promisify.custom");

function isPromised(name: TimerName): name is keyof PromiseTimers {
  return name === "setTimeout" || name === "setInterval" || name === "setImmediate";
}

function promiseOf(platform: AnyFunction | undefined): AnyFunction | undefined {
  return (platform as { readonly [PROMISIFIED]?: AnyFunction } | undefined)?.[PROMISIFIED];
}

function withPromise(timer: AnyFunction, promise: AnyFunction): AnyFunction {
  return Object.defineProperty(timer, PROMISIFIED, { value: promise });
}

function spotOf(of: object, name: string, put: unknown): Spot {
  const before = Object.getOwnPropertyDescriptor(of, name);
  Object.defineProperty(of, name, {
    value: put,
    writable: true,
    configurable: true,
    enumerable: before?.enumerable ?? true,
  });
  return { of, name, before, put };
}

/** What somebody else has put there since stays. */
function takeBack({ of, name, before, put }: Spot): void {
  if (Reflect.get(of, name) !== put) return;
  if (before === undefined) Reflect.deleteProperty(of, name);
  else Object.defineProperty(of, name, before);
}

/** So that named imports of Node's own modules see it, too. */
function syncModules(): void {
  nodeModule<{ syncBuiltinESMExports(): void }>("node:module")?.syncBuiltinESMExports();
}
