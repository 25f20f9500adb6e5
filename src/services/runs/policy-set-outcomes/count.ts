import type { PolicyOutcome, PolicySetOutcome, ResultCount } from "./state.ts";

export const NO_RESULTS: ResultCount = Object.freeze({
  "advisory-failed": 0,
  errored: 0,
  "mandatory-failed": 0,
  passed: 0,
});

/** The counters of a set: one for each of its outcomes, and one error when the whole set could not be evaluated. */
export function countOutcomes(outcomes: readonly PolicyOutcome[], error: string): ResultCount {
  const count = { ...NO_RESULTS, errored: error === "" ? 0 : 1 };
  for (const outcome of outcomes) count[counterOf(outcome)] += 1;
  return count;
}

function counterOf({ status, enforcement_level }: PolicyOutcome): keyof ResultCount {
  switch (status) {
    case "passed":
    case "errored":
      return status;
    case "failed":
      return enforcement_level === "mandatory" ? "mandatory-failed" : "advisory-failed";
    default:
      return status satisfies never;
  }
}

/** The sum over the sets of an evaluation. */
export function sumOfCounts(sets: readonly PolicySetOutcome[]): ResultCount {
  const sum = { ...NO_RESULTS };
  for (const { resultCount } of sets) {
    sum["advisory-failed"] += resultCount["advisory-failed"];
    sum.errored += resultCount.errored;
    sum["mandatory-failed"] += resultCount["mandatory-failed"];
    sum.passed += resultCount.passed;
  }
  return sum;
}
