import { shown } from "../languages/shown.ts";
import { nodeModule } from "./machine.ts";
import type { PromiseTimers } from "./promise-timers.ts";
import {
  type AnyFunction,
  type Chain,
  type InstalledTimers,
  isPromised,
  NAMES,
  promised,
  standIn,
  type TimerName,
} from "./stand-ins.ts";
import { atPlace, type CallSite, callSite } from "./where.ts";

/** Options of `install`. */
export interface InstallOptions {
  /** The names that are replaced; default all that the target has. */
  readonly only?: readonly TimerName[];
}

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

/** What is put into a target stays the same for all chains. */
class Installation implements Chain {
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

  current(name: TimerName): Scope | undefined {
    const scope = this.#bound() ?? this.#sole();
    return scope?.names.has(name) ? scope : undefined;
  }

  onPlatformTimer(name: TimerName): void {
    for (const watcher of this.#watchers) watcher(name, callSite());
  }

  #put(name: TimerName): void {
    const original: unknown = Reflect.get(this.#target, name) ?? Reflect.get(globalThis, name);
    const spots = [spotOf(this.#target, name, standIn(name, original, this))];
    if (this.#target === globalThis) {
      const timers = nodeModule<object>("node:timers");
      if (timers !== undefined && name in timers) spots.push(spotOf(timers, name, spots[0]?.put));
      const promises = nodeModule<object>("node:timers/promises");
      if (promises !== undefined && isPromised(name)) {
        spots.push(spotOf(promises, name, promised(name, Reflect.get(promises, name) as AnyFunction, this)));
      }
    }
    this.#spots.set(name, spots);
  }
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
