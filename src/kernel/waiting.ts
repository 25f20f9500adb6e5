import type { EpochMs, LogPosition } from "./brand.ts";
import { keyOfEnd } from "./calendar.ts";
import { Table } from "./table.ts";

/** A reader that waits for a change, or for an instant. */
export interface WaitingReader {
  /** What it asked for, for people. */
  readonly request: string;
  readonly untilMs: EpochMs;
}

/**
 * What a reader watches. Readers of one `name` watch the same value, which is looked at once per commit however many they are.
 *
 * Of a table a reader may watch one entry, or those whose key begins with a prefix; then a commit costs it nothing that changes
 * other entries.
 */
export interface Watch<S> {
  readonly name: string;
  readonly of: (state: S) => unknown;
  /** The one entry of a table. */
  readonly key?: string;
  /** The entries of a table that begin so. */
  readonly prefix?: string;
}

/** What a reader does when something happens to it. */
export interface ReaderEnds {
  /** What it watches is another: whether the reader is done with that. Otherwise it waits on, for the rest of its time. */
  readonly changed: () => boolean;
  /** Its time is up. */
  readonly expired: () => void;
  /** It was given up, or what it watches cannot be looked at. */
  readonly failed: (error: unknown) => void;
}

interface Waiter extends WaitingReader {
  readonly ends: ReaderEnds;
  /** Takes it out of everything that knows it. */
  readonly leave: () => void;
}

/**
 * Readers that wait beside the state: a later commit or the virtual clock settles their promises.
 *
 * They are no part of the log: a fork starts without any, and a view of the past never waits. A commit costs what it changes and
 * whom it wakes, an instant whom it wakes, however many wait.
 */
export class WaitingRoom<S> {
  readonly #groups = new Map<string, WatchGroup<S>>();
  readonly #waiters = new Map<string, Waiter>();
  /** What a signal gives up. Any number of readers share one, which would warn of many listeners (amendments.md, A3). */
  readonly #givenUpBy = new Map<unknown, Set<() => void>>();
  /** Those whose time will be up, by when; ties as among deadlines, by who came first. */
  #deadlines = Table.of<true>();
  #came = 0;
  #later: (() => void)[] = [];

  /**
   * Lets a reader wait.
   *
   * @param present what it has seen, and after which deadlines it comes when its time is up at their instant
   * @param signal gives it up: it fails with the signal's reason
   */
  enter(
    reader: WaitingReader,
    watch: Watch<S>,
    { state, position }: { readonly state: S; readonly position: LogPosition },
    ends: ReaderEnds,
    signal?: AbortSignal | undefined,
  ): void {
    if (signal?.aborted) {
      ends.failed(signal.reason);
      return;
    }
    const key = keyOfEnd(reader.untilMs, { position, ordinal: this.#came++ });
    const group = this.#groupOf(watch, state);
    const abort = (): void => fail(waiter, signal?.reason);
    const waiter: Waiter = {
      request: reader.request,
      untilMs: reader.untilMs,
      ends,
      leave: () => {
        this.#waiters.delete(key);
        this.#deadlines = this.#deadlines.delete(key);
        group.remove(watch, waiter);
        if (group.isEmpty && this.#groups.get(watch.name) === group) this.#groups.delete(watch.name);
        this.#heedNoMore(signal, abort);
      },
    };
    this.#waiters.set(key, waiter);
    if (Number.isFinite(reader.untilMs)) this.#deadlines = this.#deadlines.set(key, true);
    group.add(watch, waiter);
    this.#heed(signal, abort);
  }

  #heed(signal: AbortSignal | undefined, abort: () => void): void {
    if (signal !== undefined && addTo(this.#givenUpBy, signal, abort)) signal.addEventListener("abort", this.#abort);
  }

  #heedNoMore(signal: AbortSignal | undefined, abort: () => void): void {
    if (signal !== undefined && removeFrom(this.#givenUpBy, signal, abort)) {
      signal.removeEventListener("abort", this.#abort);
    }
  }

  readonly #abort = ({ target }: Event): void => {
    for (const abort of [...(this.#givenUpBy.get(target) ?? [])]) abort();
  };

  /** Wakes the readers whose watched part a commit has changed. Whatever a reader does, the commit stands. */
  committed(state: S): void {
    if (this.#groups.size === 0) return;
    for (const group of [...this.#groups.values()]) {
      for (const waiter of group.struckBy(state)) wake(waiter);
    }
  }

  /** Wakes the first reader whose time is up, if it comes before a deadline, by its key: whether there was one. */
  reached(nowMs: EpochMs, before: string | undefined): boolean {
    const key = this.#firstKey();
    const first = key === undefined ? undefined : this.#waiters.get(key);
    if (key === undefined || first === undefined || first.untilMs > nowMs) return false;
    if (before !== undefined && key > before) return false;
    expire(first);
    return true;
  }

  /** The earliest instant at which a reader gives up. */
  earliestMs(): EpochMs | undefined {
    return this.#waiters.get(this.#firstKey() ?? "")?.untilMs;
  }

  /** How many wait. */
  get size(): number {
    return this.#waiters.size;
  }

  /** Keeps something for when the commit under way has been answered: a reader must not decide in the middle of another's. */
  later(work: () => void): void {
    this.#later.push(work);
  }

  /** Does what was kept for later. */
  resume(): void {
    while (this.#later.length > 0) {
      const works = this.#later;
      this.#later = [];
      for (const work of works) work();
    }
  }

  /** Ends every wait with an error. */
  failAll(errorFor: (reader: WaitingReader) => Error): void {
    for (const waiter of [...this.#waiters.values()]) fail(waiter, errorFor(waiter));
  }

  /** Who waits, in the order in which they will give up. */
  readers(): readonly WaitingReader[] {
    return [...this.#waiters]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, { request, untilMs }]) => ({ request, untilMs }));
  }

  #firstKey(): string | undefined {
    return this.#deadlines.first()?.[0];
  }

  #groupOf({ name, of }: Watch<S>, state: S): WatchGroup<S> {
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = new WatchGroup(of, state);
      this.#groups.set(name, group);
    }
    return group;
  }
}

function wake(waiter: Waiter): void {
  try {
    if (waiter.ends.changed()) waiter.leave();
  } catch (error) {
    fail(waiter, error);
  }
}

function expire(waiter: Waiter): void {
  waiter.leave();
  try {
    waiter.ends.expired();
  } catch (error) {
    waiter.ends.failed(error);
  }
}

function fail(waiter: Waiter, error: unknown): void {
  waiter.leave();
  waiter.ends.failed(error);
}

/** Those who watch one value. */
class WatchGroup<S> {
  readonly #of: (state: S) => unknown;
  #before: unknown;
  /** Those who watch all of it. */
  readonly #whole = new Set<Waiter>();
  readonly #byKey = new Map<string, Set<Waiter>>();
  readonly #byPrefix = new Map<string, Set<Waiter>>();
  /** How many different prefixes there are of each length: a key is looked up by its beginnings of these lengths. */
  readonly #lengths = new Map<number, number>();

  constructor(of: (state: S) => unknown, state: S) {
    this.#of = of;
    this.#before = of(state);
  }

  get isEmpty(): boolean {
    return this.#whole.size === 0 && this.#byKey.size === 0 && this.#byPrefix.size === 0;
  }

  add({ key, prefix }: Watch<S>, waiter: Waiter): void {
    if (key !== undefined) addTo(this.#byKey, key, waiter);
    else if (prefix === undefined || prefix === "") this.#whole.add(waiter);
    else if (addTo(this.#byPrefix, prefix, waiter)) {
      this.#lengths.set(prefix.length, (this.#lengths.get(prefix.length) ?? 0) + 1);
    }
  }

  remove({ key, prefix }: Watch<S>, waiter: Waiter): void {
    if (key !== undefined) removeFrom(this.#byKey, key, waiter);
    else if (prefix === undefined || prefix === "") this.#whole.delete(waiter);
    else if (removeFrom(this.#byPrefix, prefix, waiter)) {
      const left = (this.#lengths.get(prefix.length) ?? 1) - 1;
      if (left === 0) this.#lengths.delete(prefix.length);
      else this.#lengths.set(prefix.length, left);
    }
  }

  /** Whom a commit concerns, in the order in which they came where they watch the same. */
  struckBy(state: S): readonly Waiter[] {
    let after: unknown;
    try {
      after = this.#of(state);
    } catch (error) {
      // A commit stands whatever its readers do: those who cannot look any more fail, each by itself.
      return this.#all().map((waiter) => ({ ...waiter, ends: { ...waiter.ends, changed: () => throwing(error) } }));
    }
    const before = this.#before;
    if (after === before) return [];
    this.#before = after;
    if (!(before instanceof Table && after instanceof Table)) return this.#all();
    const struck = new Set(this.#whole);
    if (this.#byKey.size > 0 || this.#byPrefix.size > 0) {
      for (const [key] of Table.changes<unknown>(before, after)) this.#addThoseOf(key, struck);
    }
    return [...struck];
  }

  #addThoseOf(key: string, struck: Set<Waiter>): void {
    for (const waiter of this.#byKey.get(key) ?? []) struck.add(waiter);
    for (const length of this.#lengths.keys()) {
      if (length > key.length) continue;
      for (const waiter of this.#byPrefix.get(key.slice(0, length)) ?? []) struck.add(waiter);
    }
  }

  #all(): readonly Waiter[] {
    const keyed = [...this.#byKey.values(), ...this.#byPrefix.values()].flatMap((waiters) => [...waiters]);
    return [...this.#whole, ...keyed];
  }
}

function throwing(error: unknown): never {
  throw error;
}

/** Whether it is the first under its key. */
function addTo<K, T>(groups: Map<K, Set<T>>, key: K, member: T): boolean {
  const known = groups.get(key);
  if (known !== undefined) known.add(member);
  else groups.set(key, new Set([member]));
  return known === undefined;
}

/** Whether it was the last under its key. */
function removeFrom<K, T>(groups: Map<K, Set<T>>, key: K, member: T): boolean {
  const known = groups.get(key);
  if (known === undefined || !known.delete(member) || known.size > 0) return false;
  groups.delete(key);
  return true;
}
