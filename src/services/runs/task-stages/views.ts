import { type Found, mayOverride } from "../access.ts";
import { type Identifier, pathTo } from "../documents.ts";
import type { TaskStageId } from "../ids.ts";
import { millisecondsText, shownTimestamps } from "../timestamps.ts";
import type { TokenRecord } from "../tokens/state.ts";
import { isStageOverridable } from "./decide.ts";
import type { TaskStage, TaskStageStatus, TaskStageTimestamp } from "./state.ts";

/** A task stage (decisions-policy-checks.md, 6.1). */
export interface TaskStageResource extends Identifier<"task-stages"> {
  readonly attributes: {
    readonly status: TaskStageStatus;
    readonly stage: "post_plan";
    readonly "status-timestamps": { readonly [key in TaskStageTimestamp]?: string };
    readonly "created-at": string;
    readonly "updated-at": string;
    /** Of the caller alone. */
    readonly permissions: {
      readonly "can-override-policy": boolean;
      readonly "can-override-tasks": boolean;
      readonly "can-override": boolean;
    };
    /** Of the stage alone. */
    readonly actions: { readonly "is-overridable": boolean };
  };
  readonly relationships: {
    readonly run: { readonly data: Identifier<"runs"> };
    readonly "task-results": { readonly data: readonly never[] };
    readonly "policy-evaluations": { readonly data: readonly Identifier<"policy-evaluations">[] };
  };
  readonly links: { readonly self: string };
}

export function taskStageResource(
  bearer: TokenRecord,
  { id, resource: stage, run }: Found<TaskStageId, TaskStage>,
): TaskStageResource {
  const mayOverridePolicy = mayOverride(bearer, run.workspace);
  return {
    id,
    type: "task-stages",
    attributes: {
      status: stage.status,
      stage: stage.stage,
      "status-timestamps": shownTimestamps(stage.timestamps),
      "created-at": millisecondsText(stage.createdAtMs),
      "updated-at": millisecondsText(stage.updatedAtMs),
      permissions: {
        "can-override-policy": mayOverridePolicy,
        // There are no tasks besides policies here.
        "can-override-tasks": false,
        "can-override": mayOverridePolicy,
      },
      actions: { "is-overridable": isStageOverridable(stage) },
    },
    relationships: {
      run: { data: { id: stage.run, type: "runs" } },
      "task-results": { data: [] },
      "policy-evaluations": {
        data: stage.policyEvaluations.map((evaluation) => ({ id: evaluation, type: "policy-evaluations" })),
      },
    },
    links: { self: pathTo("task-stages", id) },
  };
}
