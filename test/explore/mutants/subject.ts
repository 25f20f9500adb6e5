import type { ExploreOptions } from "hindcast/explore";

/** A program that is explored, as it is and with one thing wrong. */
export interface Subject {
  readonly name: string;
  readonly asItIs: () => ExploreOptions;
  readonly mutants: readonly Mutant[];
}

export interface Mutant {
  readonly name: string;
  /** What its one mistake breaks. */
  readonly breaks: string;
  readonly options: () => ExploreOptions;
}

/** A subject from what is made of a program, and from the programs with a mistake each. */
export function subject<P>(
  name: string,
  optionsOf: (program: P) => ExploreOptions,
  asItIs: P,
  mutants: { readonly [name: string]: readonly [breaks: string, program: P] },
): Subject {
  return {
    name,
    asItIs: () => optionsOf(asItIs),
    mutants: Object.entries(mutants).map(([mutant, [breaks, program]]) => ({
      name: mutant,
      breaks,
      options: () => optionsOf(program),
    })),
  };
}
