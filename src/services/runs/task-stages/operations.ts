import { findCheckedRun, findTaskStage, refuseWithoutOverride } from "../access.ts";
import { command, ok, text, view } from "../declare.ts";
import type { Document, PagedDocument } from "../documents.ts";
import { includePaths } from "../include.ts";
import { pageableOf, paged } from "../pagination.ts";
import { policyEvaluationOf } from "../policy-evaluations/decide.ts";
import { type PolicyEvaluationResource, policyEvaluationResource } from "../policy-evaluations/views.ts";
import { carryOn, moveRun, passOverriddenStage } from "../runs/progress.ts";
import { overrideTaskStage, taskStageOf } from "./decide.ts";
import { type TaskStageResource, taskStageResource } from "./views.ts";

/** What may be brought along with a stage (runs/README.md, "include"). */
const INCLUDABLE = ["policy_evaluations", "task_results"] as const;

/** Task stages, beyond the contract's numbering (decisions-policy-checks.md, 6.1). */
export const taskStageOperations = {
  list: view({
    route: "GET /api/v2/runs/:run_id/task-stages",
    evidence: "chosen",
    parameters: ["page"],
    view: (reading, { run_id }, { bearer, query, path }) => {
      const { run } = findCheckedRun(reading, bearer, run_id);
      const { items, links, meta } = paged(pageableOf(run.taskStages), query, path);
      const data = items.map((id) => taskStageResource(bearer, { id, resource: taskStageOf(reading.state, id), run }));
      const document: PagedDocument<TaskStageResource> = { data, links, meta };
      return ok(document);
    },
  }),
  read: view({
    route: "GET /api/v2/task-stages/:id",
    evidence: "observed",
    parameters: ["include"],
    view: (reading, { id }, { bearer, query }) => {
      const stage = findTaskStage(reading, bearer, id);
      const paths = includePaths(query, INCLUDABLE);
      // Task results are always none.
      const evaluations = paths?.has("policy_evaluations") ? stage.resource.policyEvaluations : [];
      const included = evaluations.map((named) =>
        policyEvaluationResource(named, policyEvaluationOf(reading.state, named)),
      );
      const document: Document<TaskStageResource, PolicyEvaluationResource> = {
        data: taskStageResource(bearer, stage),
        ...(paths === undefined ? {} : { included }),
      };
      return ok(document);
    },
  }),
  override: command({
    route: "POST /api/v2/task-stages/:id/actions/override",
    evidence: "observed",
    fields: { comment: text },
    decide: (decision, { id, comment }, { bearer }) => {
      const stage = findTaskStage(decision, bearer, id);
      refuseWithoutOverride(bearer, stage);
      overrideTaskStage(decision, stage.id, comment);
      const { run } = stage.resource;
      moveRun(decision, run, "overrideTaskStage");
      // The answer shows the stage as it runs again; before the next request it has passed.
      const data = taskStageResource(bearer, { ...stage, resource: taskStageOf(decision.state, stage.id) });
      passOverriddenStage(decision, run, stage.id);
      carryOn(decision, run);
      return ok({ data });
    },
  }),
};
