import { shownNumber } from "../harness/report.ts";
import { type Goal, isMet } from "../harness/row.ts";
import { rounded } from "../harness/statistics.ts";

/**
 * Something that must not get worse by an order of magnitude: a ratio of two things that are measured in the same moment, so that a
 * slow machine, or a busy one, is slow for both.
 */
export interface Check {
  readonly id: string;
  readonly what: string;
  /** Far from what is measured, and nearer to it than ten times as bad would be. */
  readonly bound: Goal;
  readonly measure: () => number | Promise<number>;
}

/** A check that misses its bound is measured again so often: noise passes, what is lost stays lost. */
const CHANCES = 3;

/** Measures one check after another. It holds when no measurement of three does not. */
export async function guard(checks: readonly Check[], print: (line: string) => void): Promise<boolean> {
  if (checks.length === 0) throw new TypeError("there is nothing to guard");
  const width = Math.max(...checks.map(({ id }) => id.length));
  const lost: string[] = [];
  for (const check of checks) {
    const { id, what, bound } = check;
    const begun = performance.now();
    const values = await measured(check);
    const value = values.at(-1) ?? Number.NaN;
    const holds = isMet(bound, value);
    if (!holds) lost.push(id);
    const shown = `${values.map((one) => shownNumber(rounded(one, 2))).join(", ")} (${bound.better === "higher" ? ">=" : "<="} ${bound.value})`;
    const took = `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
    print(`${holds ? "ok  " : "LOST"}  ${id.padEnd(width)}  ${shown.padEnd(22)}  ${took.padStart(6)}  ${what}`);
  }
  print(lost.length === 0 ? "no order of magnitude is lost" : `an order of magnitude is lost: ${lost.join(", ")}`);
  return lost.length === 0;
}

async function measured({ id, bound, measure }: Check): Promise<number[]> {
  const values: number[] = [];
  while (values.length < CHANCES) {
    const value = await measure();
    // What is no number passes no comparison, and hides in none either.
    if (!Number.isFinite(value)) throw new RangeError(`${id} measured ${value}`);
    values.push(value);
    if (isMet(bound, value)) break;
  }
  return values;
}
