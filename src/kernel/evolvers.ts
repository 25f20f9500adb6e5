import type { EpochMs, LogPosition } from "./brand.ts";
import { type Draft, type Flat, produce, produceFlat } from "./draft.ts";

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

/** As `Evolvers`, of a part whose members are replaced and never reached into. */
export type FlatEvolvers<S, M> = {
  readonly [T in keyof M & string]: (part: Flat<S>, data: M[T], meta: FoldMeta) => void;
};

/** Folds one fact into a state: a new one, or the same when it changes nothing. */
export type Fold<S, D> = (state: S, data: D, meta: FoldMeta) => S;

/** One fold for each event type. */
export type Folds<S, M> = { readonly [T in keyof M & string]: Fold<S, M[T]> };

/**
 * A way into a state: it finds the part that a fact names and puts what becomes of it in its place. A part that is not there
 * stays away: folding refuses nothing.
 */
export type Part<Outer, Inner, D> = (outer: Outer, data: D, change: (inner: Inner) => Inner) => Outer;

/** Folds facts into a part of the state, written as evolvers of that part. The way to the part is copied by hand. */
export function within<Outer, Inner extends object, M extends object>(
  part: Part<Outer, Inner, M[keyof M]>,
  evolvers: Evolvers<Inner, M>,
): Folds<Outer, M> {
  return foldsOf<Outer, M>(evolvers, (outer, data, meta, evolver) =>
    part(outer, data, (inner) => produce(inner, (draft) => evolver(draft, data, meta))),
  );
}

/**
 * As `within`, for evolvers that replace members of their part and reach into none. A draft costs about a microsecond for
 * each object that it touches, most of what folding a small fact takes, and twice the garbage.
 */
export function withinFlat<Outer, Inner extends object, M extends object>(
  part: Part<Outer, Inner, M[keyof M]>,
  evolvers: FlatEvolvers<Inner, M>,
  copyOf?: (inner: Inner) => Flat<Inner>,
): Folds<Outer, M> {
  return foldsOf<Outer, M>(evolvers, (outer, data, meta, evolver) =>
    part(outer, data, (inner) => produceFlat(inner, (copy) => evolver(copy, data, meta), copyOf)),
  );
}

/** The folds of a service in a world that holds more than the service knows: parts copy all that they were given. */
export function inWorld<W extends S, S, M>(folds: Folds<S, M>): Folds<W, M> {
  return folds as unknown as Folds<W, M>;
}

/** The evolver of whichever type is asked for: its data is known to fit, because both come from one member of the map. */
type AnyEvolver<M> = (part: object, data: M[keyof M], meta: FoldMeta) => void;

function foldsOf<Outer, M extends object>(
  evolvers: object,
  fold: (outer: Outer, data: M[keyof M], meta: FoldMeta, evolver: AnyEvolver<M>) => Outer,
): Folds<Outer, M> {
  const folds: Record<string, Fold<Outer, M[keyof M]>> = {};
  for (const [type, evolver] of Object.entries(evolvers as Readonly<Record<string, AnyEvolver<M>>>)) {
    folds[type] = (outer, data, meta) => fold(outer, data, meta, evolver);
  }
  return folds as unknown as Folds<Outer, M>;
}
