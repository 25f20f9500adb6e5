import type { Identifier } from "../documents.ts";
import type { PolicyEvaluationId } from "../ids.ts";
import type { PolicyOutcome, PolicySetOutcome, ResultCount } from "./state.ts";

/** A policy set outcome (decisions-policy-checks.md, 6.3). It has no links. */
export interface PolicySetOutcomeResource extends Identifier<"policy-set-outcomes"> {
  readonly attributes: {
    readonly outcomes: readonly PolicyOutcome[];
    readonly error: string;
    readonly overridable: boolean;
    readonly "policy-set-name": string;
    readonly "policy-set-description": string | null;
    readonly "result-count": ResultCount;
  };
  readonly relationships: { readonly "policy-evaluation": { readonly data: Identifier<"policy-evaluations"> } };
}

export function policySetOutcomeResource(
  policyEvaluation: PolicyEvaluationId,
  { id, outcomes, error, overridable, name, description, resultCount }: PolicySetOutcome,
): PolicySetOutcomeResource {
  return {
    id,
    type: "policy-set-outcomes",
    attributes: {
      outcomes,
      error,
      overridable,
      "policy-set-name": name,
      "policy-set-description": description,
      "result-count": resultCount,
    },
    relationships: { "policy-evaluation": { data: { id: policyEvaluation, type: "policy-evaluations" } } },
  };
}
