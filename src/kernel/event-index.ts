import type { EpochMs, LogPosition } from "./brand.ts";
import type { Command, Commit } from "./commit.ts";

/** A fact that was recorded, with the commit that recorded it; or a command that left one. */
export interface Recorded<D> {
  readonly position: LogPosition;
  readonly atMs: EpochMs;
  readonly command: Command;
  readonly data: D;
}

/** The facts and commands up to a position, which explain how something came about. `M` maps types of facts to their data. */
export interface Past<M extends object> {
  /** The last fact of a type that fits. */
  readonly last: <T extends keyof M & string>(type: T, fits: (data: M[T]) => boolean) => Recorded<M[T]> | undefined;
  /** The last command of a name that left a fact and fits. */
  readonly lastCommand: (name: string, fits: (command: Command) => boolean) => Recorded<Command["input"]> | undefined;
}

/**
 * The commits of a line of time by the types of their facts and by the names of their commands. A type is looked through when somebody
 * first asks for it, and each commit once: who asks with every refusal does not pay for the whole log each time.
 */
class EventIndex {
  readonly #history: Commits;
  readonly #types = new Map<string, Stretch>();
  readonly #commands = new Map<string, Stretch>();

  constructor(history: Commits) {
    this.#history = history;
  }

  ofType(type: string): readonly Recorded<unknown>[] {
    return this.#grown(this.#types, type, ({ position, atMs, command, events }, found) => {
      for (const event of events) if (event.type === type) found.push({ position, atMs, command, data: event.data });
    });
  }

  ofCommand(name: string): readonly Recorded<unknown>[] {
    return this.#grown(this.#commands, name, ({ position, atMs, command }, found) => {
      if (command.name === name) found.push({ position, atMs, command, data: command.input });
    });
  }

  #grown(
    stretches: Map<string, Stretch>,
    key: string,
    add: (commit: Commit, found: Recorded<unknown>[]) => void,
  ): readonly Recorded<unknown>[] {
    let stretch = stretches.get(key);
    if (stretch === undefined) {
      stretch = { upTo: 0, found: [] };
      stretches.set(key, stretch);
    }
    const { head } = this.#history;
    for (const commit of this.#history.commits(stretch.upTo + 1, head)) add(commit, stretch.found);
    stretch.upTo = head;
    return stretch.found;
  }
}

interface Stretch {
  upTo: number;
  readonly found: Recorded<unknown>[];
}

/** A line of time, as far as its commits are looked through. */
interface Commits {
  readonly head: LogPosition;
  readonly commits: (from: number, to: number) => Iterable<Commit>;
}

/** A line of time only grows. */
const indexes = new WeakMap<object, EventIndex>();

/** What a line of time holds up to a position. */
export function pastOf<M extends object>(history: Commits, upTo: number): Past<M> {
  const index = indexes.get(history) ?? new EventIndex(history);
  indexes.set(history, index);
  const lastOf = (all: readonly Recorded<unknown>[], fits: (one: Recorded<unknown>) => boolean) =>
    all.findLast((one) => one.position <= upTo && fits(one));
  return {
    last: (type, fits) =>
      lastOf(index.ofType(type), ({ data }) => fits(data as never)) as Recorded<M[typeof type]> | undefined,
    lastCommand: (name, fits) =>
      lastOf(index.ofCommand(name), ({ command }) => fits(command)) as Recorded<Command["input"]> | undefined,
  };
}
