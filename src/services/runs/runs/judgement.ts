import type { runMachine } from "../../../../machines/run.machine.ts";
import type { step } from "../../../kernel/machine.ts";
import { policyCheckOf } from "../policy-checks/decide.ts";
import { taskStageOf } from "../task-stages/decide.ts";
import type { RunsWorld } from "../world.ts";
import type { Run } from "./state.ts";

export type RunJudgement = Parameters<typeof step<ReturnType<typeof runMachine>>>[2];

/** What the chart of a run asks about. */
export function judgementOf(world: RunsWorld, run: Run): RunJudgement {
  const { planOnly, hasChanges, allowEmptyApply, autoApply, planFails, applyFails } = run;
  const [taskStage] = run.taskStages;
  return {
    planFails,
    applyFails,
    taskStage: taskStage === undefined ? "none" : taskStageOf(world, taskStage).status,
    policyChecks: checksOf(world, run),
    canBeApplied: !planOnly && (hasChanges || allowEmptyApply),
    appliesByItself: autoApply || (!hasChanges && allowEmptyApply),
  };
}

/** What the checks of a run have come to, all together. */
function checksOf(world: RunsWorld, { policyChecks }: Run): RunJudgement["policyChecks"] {
  if (policyChecks.length === 0) return "none";
  const statuses = policyChecks.map((id) => policyCheckOf(world, id).status);
  if (statuses.some((status) => status === "hard_failed" || status === "errored")) return "failed";
  if (statuses.some((status) => status === "pending" || status === "queued")) return "open";
  return statuses.includes("soft_failed") ? "soft_failed" : "passed";
}
