import type { EpochMs, LogPosition } from "./brand.ts";
import type { Draft } from "./draft.ts";

/** What an evolver knows of the commit whose facts it folds. */
export interface FoldMeta {
  readonly position: LogPosition;
  readonly atMs: EpochMs;
  /** Numbers the deadlines that this commit arms: 0, 1, 2 ... */
  nextOrdinal(): number;
}

/** Folds one fact into a draft. It accepts every fact: it neither throws nor asks the clock nor draws. */
export type Evolver<S, D> = (draft: Draft<S>, data: D, meta: FoldMeta) => void;

/** One evolver for each event type: a missing or a surplus one does not compile. */
export type Evolvers<S, M> = { readonly [T in keyof M & string]: Evolver<S, M[T]> };

/** Lifts the evolvers of a part of the state: `select` finds the part from the facts that name it. */
export function within<Outer, Inner, M extends object>(
  select: (outer: Draft<Outer>, data: M[keyof M]) => Draft<Inner> | undefined,
  evolvers: Evolvers<Inner, M>,
): Evolvers<Outer, M> {
  return lift(evolvers, (outer: Draft<Outer>, data, meta, evolver) => {
    const inner = select(outer, data);
    if (inner !== undefined) evolver(inner, data, meta);
  });
}

/** Lifts the evolvers of a part that lies in a table's entry: `change` runs the recipe on the part, if it is there. */
export function through<Outer, Inner, M extends object>(
  change: (outer: Draft<Outer>, data: M[keyof M], recipe: (inner: Draft<Inner>) => void) => void,
  evolvers: Evolvers<Inner, M>,
): Evolvers<Outer, M> {
  return lift(evolvers, (outer: Draft<Outer>, data, meta, evolver) => {
    change(outer, data, (inner) => evolver(inner, data, meta));
  });
}

/** The evolver of whichever type is asked for: its data is known to fit, because both come from one member of the map. */
type AnyEvolver<S, M> = (draft: Draft<S>, data: M[keyof M], meta: FoldMeta) => void;

function lift<Outer, Inner, M extends object>(
  evolvers: Evolvers<Inner, M>,
  apply: (outer: Draft<Outer>, data: M[keyof M], meta: FoldMeta, evolver: AnyEvolver<Inner, M>) => void,
): Evolvers<Outer, M> {
  const lifted: Partial<Record<keyof M & string, AnyEvolver<Outer, M>>> = {};
  for (const type of Object.keys(evolvers) as (keyof M & string)[]) {
    const evolver = evolvers[type] as unknown as AnyEvolver<Inner, M>;
    lifted[type] = (outer, data, meta) => apply(outer, data, meta, evolver);
  }
  return lifted as Evolvers<Outer, M>;
}
