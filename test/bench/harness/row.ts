/**
 * One line of the table. To add one, put it into a file of `families/` (a new file goes into the list in `rows.ts`):
 *
 * @example
 * row({
 *   id: "seals-per-second",
 *   unit: "seals/s",
 *   goal: atLeast(1_000),
 *   prepare: (effort) => {
 *     const world = lendingWorld(effort.size(100_000));
 *     const seals = effort.count(500);
 *     return () => perSecond(seals, () => { for (let n = 0; n < seals; n++) world.seal(); });
 *   },
 * })
 */
export interface Row {
  /** The id of design.md, section 7; other sizes than there carry theirs: `commands-per-second@100`. */
  readonly id: string;
  readonly unit: string;
  readonly goal?: Goal;
  /** The row that this one is divided by. Rounds of one family alternate, so that noise strikes both. */
  readonly comparedWith?: string;
  readonly ratioGoal?: Goal;
  /** What a reader has to know of how it is measured. */
  readonly note?: string;
  /** Rows of one process share its heap and whatever they `shared`. By default a row has a process of its own. */
  readonly process?: string;
  /** Rounds that count; by default 5. */
  readonly rounds?: number;
  /** Rounds before them that do not; by default 1. */
  readonly warmUps?: number;
  /** Whether the heap is collected before each round; by default it is. One of gigabytes takes seconds. */
  readonly collects?: boolean;
  /** Rows of one family that do the same work. One whose answers are not those of the first is not measured. */
  readonly contest?: string;
  /** Builds what is measured, and returns what measures it once. */
  readonly prepare: (effort: Effort) => Round | Prepared | Promise<Round | Prepared>;
}

/** What is measured, and what it answered to the questions that all of its contest were asked. */
export interface Prepared {
  readonly round: Round;
  readonly answers: string;
}

/** Measures once: a value in the unit of the row, and in words what else came of it. */
export type Round = () => Sample | Promise<Sample>;
export type Sample = number | { readonly value: number; readonly detail: string };

/** Which values are good. */
export interface Goal {
  readonly better: "higher" | "lower";
  readonly value: number;
}

export const atLeast = (value: number): Goal => ({ better: "higher", value });
export const atMost = (value: number): Goal => ({ better: "lower", value });

export function isMet({ better, value: wanted }: Goal, value: number): boolean {
  return better === "higher" ? value >= wanted : value <= wanted;
}

/** Rows whose rounds alternate. */
export interface Family {
  readonly name: string;
  readonly rows: readonly Row[];
  /** Measured only when its rows are asked for by name: it takes minutes, or much memory. */
  readonly onlyByName?: true;
}

/** Declares a row. */
export function row(declared: Row): Row {
  return declared;
}

/** How much work a run does: all of it, or as little as shows that the harness works. */
export class Effort {
  readonly quick: boolean;

  constructor(quick: boolean) {
    this.quick = quick;
  }

  /** A number of objects. */
  size(full: number): number {
    return this.quick ? Math.min(full, Math.max(100, full / 100)) : full;
  }

  /** A number of repetitions. */
  count(full: number): number {
    return this.quick ? Math.ceil(full / 50) : full;
  }
}

/** Something costly that several rows of a process are measured on: built by whichever comes first. */
export function shared<T>(build: (effort: Effort) => T): (effort: Effort) => T {
  let built: { readonly value: T } | undefined;
  return (effort) => {
    built ??= { value: build(effort) };
    return built.value;
  };
}
