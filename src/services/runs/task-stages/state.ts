import type { StateValueFrom } from "xstate";
import type { taskStageMachine } from "../../../../machines/task-stage.machine.ts";
import type { EpochMs } from "../../../kernel/brand.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import type { PolicyEvaluationId, RunId, TaskStageId } from "../ids.ts";
import type { StatusTimestamps } from "../timestamps.ts";

export type TaskStageStatus = StateValueFrom<ReturnType<typeof taskStageMachine>>;

/** The keys of a stage's `status-timestamps`. */
export type TaskStageTimestamp =
  | "running-at"
  | "passed-at"
  | "failed-at"
  | "awaiting-override-at"
  | "errored-at"
  | "canceled-at";

export interface TaskStage {
  readonly run: RunId;
  /** When in a run it comes. Kind-b evaluations live in `post_plan`. */
  readonly stage: "post_plan";
  readonly status: TaskStageStatus;
  readonly timestamps: StatusTimestamps<TaskStageTimestamp>;
  readonly policyEvaluations: readonly PolicyEvaluationId[];
  readonly createdAtMs: EpochMs;
  readonly updatedAtMs: EpochMs;
}

export interface TaskStageSlice {
  readonly taskStages: Table<TaskStage>;
}

/** The facts of task stages; they begin with their run. */
export interface TaskStageEvents {
  TaskStageStatusChanged: { readonly taskStage: TaskStageId; readonly status: TaskStageStatus };
  TaskStageOverridden: { readonly taskStage: TaskStageId; readonly status: TaskStageStatus; readonly comment?: string };
}

export const taskStageEvolvers: FlatEvolvers<TaskStageSlice, TaskStageEvents> = {
  TaskStageStatusChanged: change,
  TaskStageOverridden: change,
};

function change(
  service: Flat<TaskStageSlice>,
  { taskStage, status }: TaskStageEvents["TaskStageStatusChanged"],
  { atMs }: { readonly atMs: EpochMs },
): void {
  const stage = service.taskStages.get(taskStage);
  if (stage === undefined) return;
  const key = timestampKey(status);
  // An override takes the stage through `running` again, and `running-at` is rewritten (decisions-policy-checks.md, 6.1).
  const timestamps = key === undefined ? stage.timestamps : { ...stage.timestamps, [key]: atMs };
  service.taskStages = service.taskStages.set(taskStage, { ...stage, status, timestamps, updatedAtMs: atMs });
}

function timestampKey(status: TaskStageStatus): TaskStageTimestamp | undefined {
  switch (status) {
    case "pending":
    case "unreachable":
      return undefined;
    case "awaiting_override":
      return "awaiting-override-at";
    default:
      return `${status}-at`;
  }
}
