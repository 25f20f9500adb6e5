import type { EpochMs, LogPosition } from "./brand.ts";
import type { Commit } from "./commit.ts";
import { foldCommit } from "./fold.ts";
import type { Model } from "./model.ts";

/**
 * The commits of one line of time, and states kept at every few of them.
 *
 * A branch shares the commits and checkpoints of the line that it left, up to the position at which it left. The parent
 * only ever grows behind that position, so neither can change what the other sees.
 */
export class History<S extends object, M extends object> {
  readonly #model: Model<S, M>;
  readonly #checkpointEvery: number;
  readonly #parent: History<S, M> | undefined;
  /** The position at which this line begins: its own commits come after it. */
  readonly #base: number;
  readonly #commits: Commit[] = [];
  readonly #checkpoints = new Map<number, S>();
  /** The positions of its own commits that put objects back, in order. */
  readonly #restorations: number[] = [];

  private constructor(
    model: Model<S, M>,
    checkpointEvery: number,
    parent: History<S, M> | undefined,
    base: number,
    state: S | undefined,
  ) {
    this.#model = model;
    this.#checkpointEvery = checkpointEvery;
    this.#parent = parent;
    this.#base = base;
    if (state !== undefined) this.#checkpoints.set(base, state);
  }

  static begin<S extends object, M extends object>(
    model: Model<S, M>,
    checkpointEvery: number,
    initialState: S,
  ): History<S, M> {
    return new History(model, checkpointEvery, undefined, 0, initialState);
  }

  /** A line that leaves this one at a position. Its state there is given if somebody has it, else sought on first use. */
  branch(at: number, state?: S): History<S, M> {
    // What was forked and never went on is no line of its own: chains of forks stay short.
    let line: History<S, M> = this;
    let known = state;
    while (line.#parent !== undefined && at <= line.#base) {
      if (at === line.#base) known ??= line.#checkpoints.get(at);
      line = line.#parent;
    }
    return new History(line.#model, line.#checkpointEvery, line, at, known);
  }

  /** The position of the last commit. */
  get head(): LogPosition {
    return (this.#base + this.#commits.length) as LogPosition;
  }

  append(commit: Commit, state: S): void {
    this.#commits.push(commit);
    if (this.#model.putsBack?.(commit)) this.#restorations.push(commit.position);
    if (commit.position % this.#checkpointEvery === 0) this.#checkpoints.set(commit.position, state);
  }

  /** Whether a commit after one position, up to another, put objects of an earlier state back. */
  putsBackBetween(after: number, upTo: number): boolean {
    let last = upTo;
    for (let line: History<S, M> | undefined = this; line !== undefined && last > after; line = line.#parent) {
      const next = line.#restorations[firstAfter(line.#restorations, after)];
      if (next !== undefined && next <= last) return true;
      last = Math.min(last, line.#base);
    }
    return false;
  }

  /** The commit at a position from 1 to the head. */
  commitAt(position: number): Commit {
    let line: History<S, M> = this;
    while (position <= line.#base && line.#parent !== undefined) line = line.#parent;
    const commit = line.#commits[position - line.#base - 1];
    if (commit === undefined) throw this.#noCommit(position);
    return commit;
  }

  /** Commits from one position to another, both included. */
  *commits(from = 1, to: number = this.head): Generator<Commit> {
    // From the lines' ends back to the first that is asked for, and then forward: a chain of forks is walked once.
    const stretches: { readonly line: History<S, M>; readonly first: number; readonly last: number }[] = [];
    let last = to;
    for (let line: History<S, M> | undefined = this; line !== undefined && last >= from; line = line.#parent) {
      if (last > line.#base) stretches.push({ line, first: Math.max(from, line.#base + 1), last });
      last = Math.min(last, line.#base);
    }
    for (const { line, first, last: end } of stretches.reverse()) {
      for (let position = first; position <= end; position++) {
        const commit = line.#commits[position - line.#base - 1];
        if (commit === undefined) throw this.#noCommit(position);
        yield commit;
      }
    }
  }

  #noCommit(position: number): RangeError {
    return new RangeError(`no commit has position ${position}: the log ends at ${this.head}`);
  }

  /** The state after the commit at a position; at 0, the initial state. Folds at most one checkpoint interval. */
  stateAt(position: number): S {
    const checkpoint = this.#nearestCheckpoint(position);
    let state = checkpoint.state;
    for (let next = checkpoint.position + 1; next <= position; next++) {
      state = foldCommit(this.#model, state, this.commitAt(next));
    }
    if (position === this.#base) this.#checkpoints.set(position, state);
    return state;
  }

  /** The states after one that is known, up to a position, each folded from the one before. */
  *statesAfter(
    position: number,
    known: S,
    to: number,
  ): Generator<{ readonly position: LogPosition; readonly state: S }> {
    let state = known;
    for (const commit of this.commits(position + 1, to)) {
      state = foldCommit(this.#model, state, commit);
      yield { position: commit.position, state };
    }
  }

  /** Commits between two states that are kept. */
  get checkpointEvery(): number {
    return this.#checkpointEvery;
  }

  /** The position of the last commit at or before an instant. */
  positionAt(instantMs: EpochMs): LogPosition {
    let low = 0;
    let high: number = this.head;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.commitAt(middle).atMs <= instantMs) low = middle;
      else high = middle - 1;
    }
    return low as LogPosition;
  }

  #nearestCheckpoint(sought: number): { readonly position: number; readonly state: S } {
    let position = sought;
    for (let line: History<S, M> | undefined = this; line !== undefined; line = line.#parent) {
      if (position >= line.#base) {
        const even = position - (position % this.#checkpointEvery);
        for (const candidate of [even, line.#base]) {
          const state = candidate >= line.#base ? line.#checkpoints.get(candidate) : undefined;
          if (state !== undefined) return { position: candidate, state };
        }
      }
      position = Math.min(position, line.#base);
    }
    throw new Error("a history without an initial state");
  }
}

/** The place of the first of ascending numbers that is greater than one; their count where none is. */
function firstAfter(ascending: readonly number[], number: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) > number) high = middle;
    else low = middle + 1;
  }
  return low;
}
