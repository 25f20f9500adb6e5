import { policyEvaluationMachine } from "../../../../machines/policy-evaluation.machine.ts";
import type { RunsRecorder } from "../declare.ts";
import type { PolicyEvaluationId } from "../ids.ts";
import { type RunsWorld, runServiceOf } from "../world.ts";
import type { PolicyEvaluation, PolicyEvaluationStatus } from "./state.ts";

// Source of all rules in this file: decisions-policy-checks.md, 6.2.

export function policyEvaluationOf(world: RunsWorld, id: PolicyEvaluationId): PolicyEvaluation {
  const evaluation = runServiceOf(world).policyEvaluations.get(id);
  if (evaluation === undefined) throw new TypeError(`no policy evaluation has the id ${id}`);
  return evaluation;
}

/** Asks its chart for a move; undefined when the chart does not allow it. */
export function movePolicyEvaluation(
  decision: RunsRecorder,
  id: PolicyEvaluationId,
  type: "queue" | "pickUp" | "end" | "override" | "cancel" | "abandon",
): PolicyEvaluationStatus | undefined {
  const { status, resultCount } = policyEvaluationOf(decision.state, id);
  const judgement = { errored: resultCount.errored, mandatoryFailed: resultCount["mandatory-failed"] };
  const next = decision.step(policyEvaluationMachine, status, judgement, { type });
  if (next === undefined) return undefined;
  decision.record({ type: "PolicyEvaluationStatusChanged", data: { policyEvaluation: id, status: next.value } });
  return next.value;
}
