import { type Evolvers, type Folds, within } from "../../src/kernel/evolvers.ts";

/** Folds facts into the state as a whole. */
export function throughout<S extends object, M extends object>(evolvers: Evolvers<S, M>): Folds<S, M> {
  return within((state, _, change) => change(state), evolvers);
}
