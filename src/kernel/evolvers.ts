import type { EpochMs, LogPosition } from "./brand.ts";
import { type Draft, produce } from "./draft.ts";

/** What an evolver knows of the commit whose facts it folds. */
export interface FoldMeta {
  readonly position: LogPosition;
  readonly atMs: EpochMs;
  /** Numbers the deadlines that this commit arms: 0, 1, 2 ... */
  nextOrdinal(): number;
}

/** Writes one fact into a draft. It accepts every fact: it neither throws nor asks the clock nor draws. */
export type Evolver<S, D> = (draft: Draft<S>, data: D, meta: FoldMeta) => void;

/** One evolver for each event type: a missing or a surplus one does not compile. */
export type Evolvers<S, M> = { readonly [T in keyof M & string]: Evolver<S, M[T]> };

/** Folds one fact into a state: a new one, or the same when it changes nothing. */
export type Fold<S, D> = (state: S, data: D, meta: FoldMeta) => S;

/** One fold for each event type. */
export type Folds<S, M> = { readonly [T in keyof M & string]: Fold<S, M[T]> };

/**
 * A way into a state: it finds the part that a fact names and puts what becomes of it in its place. A part that is not there
 * stays away: folding refuses nothing.
 */
export type Part<Outer, Inner, D> = (outer: Outer, data: D, change: (inner: Inner) => Inner) => Outer;

/**
 * Folds facts into a part of the state, written as evolvers of that part. Only the part becomes a draft: the way to it is
 * copied by hand, which costs a hundredth of a draft for each step.
 */
export function within<Outer, Inner extends object, M extends object>(
  part: Part<Outer, Inner, M[keyof M]>,
  evolvers: Evolvers<Inner, M>,
): Folds<Outer, M> {
  const folds: Partial<Record<keyof M & string, Fold<Outer, M[keyof M]>>> = {};
  for (const type of Object.keys(evolvers) as (keyof M & string)[]) {
    // The data of a type is known to fit its evolver, because both come from one member of the map.
    const evolver = evolvers[type] as unknown as Evolver<Inner, M[keyof M]>;
    folds[type] = (outer, data, meta) =>
      part(outer, data, (inner) => produce(inner, (draft) => evolver(draft, data, meta)));
  }
  return folds as Folds<Outer, M>;
}

/** Folds facts into the state as a whole. */
export function throughout<S extends object, M extends object>(evolvers: Evolvers<S, M>): Folds<S, M> {
  return within((state, _, change) => change(state), evolvers);
}
