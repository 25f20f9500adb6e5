import { runMachine } from "../../../../machines/run.machine.ts";
import { type EpochMs, epochMs } from "../../../kernel/brand.ts";
import { step } from "../../../kernel/machine.ts";
import type { RunsRecorder } from "../declare.ts";
import type { RunId, TaskStageId } from "../ids.ts";
import { endPolicyCheck, leavePolicyCheck, policyCheckOf, queuePolicyCheck } from "../policy-checks/decide.ts";
import { policyEvaluationOf } from "../policy-evaluations/decide.ts";
import { refuse } from "../rejections.ts";
import {
  endTaskStage,
  leaveTaskStage,
  passTaskStage,
  pickUpEvaluations,
  startTaskStage,
  taskStageOf,
} from "../task-stages/decide.ts";
import { type RunsWorld, runServiceOf } from "../world.ts";
import { judgementOf } from "./judgement.ts";
import type { Run, RunStatus } from "./state.ts";

// Source of all rules in this file: decisions-policy-checks.md, 8.

export type RunMove = Parameters<typeof step<ReturnType<typeof runMachine>>>[3]["type"];

export function runOf(world: RunsWorld, id: RunId): Run {
  const run = runServiceOf(world).runs.get(id);
  if (run === undefined) throw new TypeError(`no run has the id ${id}`);
  return run;
}

/** Whether the chart allows a move of a run now. */
export function canMove(world: RunsWorld, run: Run, type: RunMove): boolean {
  return step(runMachine, run.status, judgementOf(world, run), { type }) !== undefined;
}

/** Makes a move, with what it does to the policy resources of the run; false when the chart does not allow it. */
export function moveRun(decision: RunsRecorder, id: RunId, type: RunMove, forced = false): boolean {
  const run = runOf(decision.state, id);
  const next = decision.step(runMachine, run.status, judgementOf(decision.state, run), { type });
  if (next === undefined) return false;
  decision.record({
    type: "RunStatusChanged",
    data: { run: id, status: next.value, ...(forced ? { forced: true as const } : {}) },
  });
  for (const action of next.actions) EFFECTS[action as Effect](decision, run);
  return true;
}

/** What the moves of a run do to its policy resources, by the names of the chart's actions. */
const EFFECTS: Readonly<Record<Effect, Effecting>> = {
  startTaskStage: (decision, run) => eachStage(run, (stage) => startTaskStage(decision, stage)),
  queuePolicyCheck: queueNextCheck,
  abandonPending: (decision, run) => leave(decision, run, "abandon", "abandon"),
  cancelUnderWay: (decision, run) => leave(decision, run, "cancel", "cancel"),
  cancelWaiting: (decision, run) => leave(decision, run, "cancel", "abandon"),
};

type Effect = "startTaskStage" | "queuePolicyCheck" | "abandonPending" | "cancelUnderWay" | "cancelWaiting";
type Effecting = (decision: RunsRecorder, run: Run) => void;
type Ending = "abandon" | "cancel";

function eachStage(run: Run, work: (stage: TaskStageId) => void): void {
  for (const stage of run.taskStages) work(stage);
}

function leave(decision: RunsRecorder, run: Run, stages: Ending, checks: Ending): void {
  eachStage(run, (stage) => leaveTaskStage(decision, stage, stages));
  for (const check of run.policyChecks) leavePolicyCheck(decision, check, checks);
}

/** The first check whose turn has not come is queued. */
function queueNextCheck(decision: RunsRecorder, run: Run): void {
  run.policyChecks.some((check) => queuePolicyCheck(decision, check));
}

// --- one move -------------------------------------------------------------------------------------------------------

/**
 * Makes the move of one row, and what follows it at once: the evaluation or the check that is under way ends, or the run
 * goes into its next phase.
 *
 * @returns false when only a person can go on, or nobody
 */
export function advanceRun(decision: RunsRecorder, id: RunId): boolean {
  if (!endWork(decision, id) && !moveRun(decision, id, "proceed")) return false;
  settleRun(decision, id);
  return true;
}

/** Makes the moves that follow at once from what is known. */
export function settleRun(decision: RunsRecorder, id: RunId): void {
  while (moveRun(decision, id, "settle"));
}

/** Ends the evaluation or the check that is under way; false when there is none. */
function endWork(decision: RunsRecorder, id: RunId): boolean {
  const run = runOf(decision.state, id);
  if (run.taskStages.some((stage) => endTaskStage(decision, stage))) return true;
  const ended = run.policyChecks.find((check) => endPolicyCheck(decision, check));
  if (ended === undefined) return false;
  const { status } = policyCheckOf(decision.state, ended);
  // A check that failed for good makes the ones after it unreachable (4.2).
  if (status === "passed" || status === "soft_failed") queueNextCheck(decision, run);
  return true;
}

/** What an overridden task stage leads to: it is passed before the next request is served, and the run leaves it. */
export function passOverriddenStage(decision: RunsRecorder, id: RunId, stage: TaskStageId): void {
  passTaskStage(decision, stage);
  settleRun(decision, id);
}

/** A move that a person makes, and what follows from it. */
export function moveByHand(decision: RunsRecorder, id: RunId, move: RunMove, forced = false): void {
  const { status } = runOf(decision.state, id);
  if (!moveRun(decision, id, move, forced)) refuse("transition_not_allowed", { id, status, move });
  settleRun(decision, id);
  carryOn(decision, id);
}

// --- until it waits -------------------------------------------------------------------------------------------------

/** Moves a run on until it waits: for time, for a step, for a person, or for nothing any more. */
export function carryOn(decision: RunsRecorder, id: RunId): void {
  for (;;) {
    const run = runOf(decision.state, id);
    if (run.timing === "manual") return;
    eachStage(run, (stage) => pickUpEvaluations(decision, stage));
    const ms = phaseMs(decision.state, run);
    if (ms > 0) {
      decision.record({ type: "RunPhaseBegun", data: { run: id, untilMs: later(decision.nowMs, ms) } });
      return;
    }
    if (!advanceRun(decision, id)) return;
  }
}

function later(nowMs: EpochMs, ms: number): EpochMs {
  return epochMs(nowMs + ms);
}

/** How long the present phase of a run takes. */
function phaseMs(world: RunsWorld, run: Run): number {
  const { timing } = run;
  if (timing === "immediate" || timing === "manual") return 0;
  const spent: { readonly [S in RunStatus]?: () => number } = {
    plan_queued: () => timing.queueMs,
    planning: () => timing.planMs,
    post_plan_running: () => evaluationMs(world, run) ?? timing.evaluationMs,
    policy_checking: () => checkMs(world, run) ?? timing.checkMs,
    apply_queued: () => timing.applyMs,
  };
  return spent[run.status]?.() ?? 0;
}

function evaluationMs(world: RunsWorld, { taskStages }: Run): number | undefined {
  const [stage] = taskStages;
  const [evaluation] = stage === undefined ? [] : taskStageOf(world, stage).policyEvaluations;
  return evaluation === undefined ? undefined : policyEvaluationOf(world, evaluation).durationMs;
}

function checkMs(world: RunsWorld, { policyChecks }: Run): number | undefined {
  const queued = policyChecks.map((id) => policyCheckOf(world, id)).find(({ status }) => status === "queued");
  return queued?.durationMs;
}
