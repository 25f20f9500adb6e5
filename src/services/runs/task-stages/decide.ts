import { taskStageMachine } from "../../../../machines/task-stage.machine.ts";
import { step } from "../../../kernel/machine.ts";
import type { RunsRecorder } from "../declare.ts";
import type { TaskStageId } from "../ids.ts";
import { movePolicyEvaluation, policyEvaluationOf } from "../policy-evaluations/decide.ts";
import type { PolicyEvaluationStatus } from "../policy-evaluations/state.ts";
import { refuse } from "../rejections.ts";
import { type RunsWorld, runServiceOf } from "../world.ts";
import type { TaskStage } from "./state.ts";

// Source of all rules in this file: decisions-policy-checks.md, 6.1.

export function taskStageOf(world: RunsWorld, id: TaskStageId): TaskStage {
  const stage = runServiceOf(world).taskStages.get(id);
  if (stage === undefined) throw new TypeError(`no task stage has the id ${id}`);
  return stage;
}

/** The stage runs, and its evaluations wait to be picked up. */
export function startTaskStage(decision: RunsRecorder, id: TaskStageId): void {
  move(decision, id, "start");
  for (const evaluation of evaluationsOf(decision, id)) movePolicyEvaluation(decision, evaluation, "queue");
}

/** Its evaluations are picked up. */
export function pickUpEvaluations(decision: RunsRecorder, id: TaskStageId): void {
  for (const evaluation of evaluationsOf(decision, id)) movePolicyEvaluation(decision, evaluation, "pickUp");
}

/** Ends the evaluations that run, and the stage with them; false when none does. */
export function endTaskStage(decision: RunsRecorder, id: TaskStageId): boolean {
  pickUpEvaluations(decision, id);
  let ended = false;
  for (const evaluation of evaluationsOf(decision, id)) {
    const status = movePolicyEvaluation(decision, evaluation, "end");
    if (status === undefined) continue;
    ended = true;
    const next = moveAfter(status);
    if (next !== undefined) move(decision, id, next);
  }
  return ended;
}

function moveAfter(status: PolicyEvaluationStatus): Move | undefined {
  switch (status) {
    case "passed":
      return "evaluationPassed";
    case "failed":
      return "evaluationFailed";
    case "errored":
      return "evaluationErrored";
    default:
      return undefined;
  }
}

/** The run came to its end: what is under way is canceled if it was that sort of end, what waits for its turn is not reached. */
export function leaveTaskStage(decision: RunsRecorder, id: TaskStageId, ending: "abandon" | "cancel"): void {
  for (const evaluation of evaluationsOf(decision, id)) {
    const abandoned = movePolicyEvaluation(decision, evaluation, "abandon");
    if (abandoned === undefined && ending === "cancel") movePolicyEvaluation(decision, evaluation, "cancel");
  }
  if (!move(decision, id, "abandon") && ending === "cancel") move(decision, id, "cancel");
}

/** Overrides a stage that waits for it: it runs once more. `passTaskStage` ends it, before the next request is served. */
export function overrideTaskStage(decision: RunsRecorder, id: TaskStageId, comment: string | undefined): void {
  const { status } = taskStageOf(decision.state, id);
  const next =
    decision.step(taskStageMachine, status, judgementOf(decision, id), { type: "override" }) ??
    refuse("transition_not_allowed", { id, status, move: "override" });
  decision.record({
    type: "TaskStageOverridden",
    data: { taskStage: id, status: next.value, ...(comment === undefined ? {} : { comment }) },
  });
  for (const evaluation of evaluationsOf(decision, id)) movePolicyEvaluation(decision, evaluation, "override");
}

/** An overridden stage is passed. */
export function passTaskStage(decision: RunsRecorder, id: TaskStageId): void {
  move(decision, id, "evaluationOverridden");
}

/** Whether the stage may be overridden now, by whoever has the right. */
export function isStageOverridable({ status }: TaskStage): boolean {
  return step(taskStageMachine, status, { failuresAreOverridable: true }, { type: "override" }) !== undefined;
}

type Move = Exclude<Parameters<typeof step<ReturnType<typeof taskStageMachine>>>[3]["type"], "override">;

function evaluationsOf(decision: RunsRecorder, id: TaskStageId): TaskStage["policyEvaluations"] {
  return taskStageOf(decision.state, id).policyEvaluations;
}

function judgementOf(decision: RunsRecorder, id: TaskStageId): { readonly failuresAreOverridable: boolean } {
  const evaluations = evaluationsOf(decision, id).map((evaluation) => policyEvaluationOf(decision.state, evaluation));
  return { failuresAreOverridable: evaluations.every(({ failuresAreOverridable }) => failuresAreOverridable) };
}

function move(decision: RunsRecorder, id: TaskStageId, type: Move): boolean {
  const { status } = taskStageOf(decision.state, id);
  const next = decision.step(taskStageMachine, status, judgementOf(decision, id), { type });
  if (next === undefined) return false;
  decision.record({ type: "TaskStageStatusChanged", data: { taskStage: id, status: next.value } });
  return true;
}
