import { type Identifier, pathTo } from "../documents.ts";
import type { PolicyEvaluationId } from "../ids.ts";
import { NO_RESULTS } from "../policy-set-outcomes/count.ts";
import type { ResultCount } from "../policy-set-outcomes/state.ts";
import { millisecondsText, shownTimestamps } from "../timestamps.ts";
import {
  hasOutcomes,
  type PolicyEvaluation,
  type PolicyEvaluationStatus,
  type PolicyEvaluationTimestamp,
} from "./state.ts";

/** A policy evaluation (decisions-policy-checks.md, 6.2). */
export interface PolicyEvaluationResource extends Identifier<"policy-evaluations"> {
  readonly attributes: {
    readonly status: PolicyEvaluationStatus;
    readonly "policy-kind": "kind-b";
    /** All zero until the evaluation has ended. */
    readonly "result-count": ResultCount;
    readonly "status-timestamps": { readonly [key in PolicyEvaluationTimestamp]?: string };
    readonly "created-at": string;
    readonly "updated-at": string;
  };
  readonly relationships: {
    readonly "policy-attachable": { readonly data: Identifier<"task-stages"> };
    readonly "policy-set-outcomes": { readonly links: { readonly related: string } };
  };
  readonly links: { readonly self: string };
}

export function policyEvaluationResource(
  id: PolicyEvaluationId,
  evaluation: PolicyEvaluation,
): PolicyEvaluationResource {
  return {
    id,
    type: "policy-evaluations",
    attributes: {
      status: evaluation.status,
      "policy-kind": "kind-b",
      "result-count": hasOutcomes(evaluation) ? evaluation.resultCount : NO_RESULTS,
      "status-timestamps": shownTimestamps(evaluation.timestamps),
      "created-at": millisecondsText(evaluation.createdAtMs),
      "updated-at": millisecondsText(evaluation.updatedAtMs),
    },
    relationships: {
      "policy-attachable": { data: { id: evaluation.taskStage, type: "task-stages" } },
      "policy-set-outcomes": { links: { related: pathTo("policy-evaluations", id, "policy-set-outcomes") } },
    },
    links: { self: pathTo("policy-evaluations", id) },
  };
}
