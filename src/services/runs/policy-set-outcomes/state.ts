import type { Table } from "../../../kernel/table.ts";
import type { PolicyEvaluationId, PolicySetOutcomeId } from "../ids.ts";

/** The four counters of outcomes, as documents spell them. */
export interface ResultCount {
  readonly "advisory-failed": number;
  readonly errored: number;
  readonly "mandatory-failed": number;
  readonly passed: number;
}

export type OutcomeStatus = "passed" | "failed" | "errored";
export type EnforcementLevel = "advisory" | "mandatory";

/** What one policy of a set came to. One that could not be evaluated has no level. */
export interface PolicyOutcome {
  readonly enforcement_level: EnforcementLevel | null;
  readonly query: string;
  readonly status: OutcomeStatus;
  readonly policy_name: string;
  readonly description: string;
}

/** What a policy set came to in an evaluation. It is known from the start and shown when the evaluation has ended. */
export interface PolicySetOutcome {
  readonly id: PolicySetOutcomeId;
  readonly name: string;
  readonly description: string | null;
  /** A setting of the policy set: its mandatory failures may be overridden. It does not say that there are any. */
  readonly overridable: boolean;
  /** Not empty when the whole set could not be evaluated; then it has no outcomes. */
  readonly error: string;
  readonly outcomes: readonly PolicyOutcome[];
  readonly resultCount: ResultCount;
}

/** Where an outcome is found: its evaluation, and its place in the evaluation's list. */
export interface OutcomePlace {
  readonly policyEvaluation: PolicyEvaluationId;
  readonly place: number;
}

export interface PolicySetOutcomeSlice {
  readonly policySetOutcomes: Table<OutcomePlace>;
}
