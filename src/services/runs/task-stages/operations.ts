import { findRun, findTaskStage, refuseWithoutOverride } from "../access.ts";
import { command, ok, text, view } from "../declare.ts";
import type { PagedDocument } from "../documents.ts";
import { pageableOf, paged } from "../pagination.ts";
import { carryOn, moveRun, passOverriddenStage } from "../runs/progress.ts";
import { overrideTaskStage, taskStageOf } from "./decide.ts";
import { type TaskStageResource, taskStageResource } from "./views.ts";

/** Task stages, beyond the contract's numbering (decisions-policy-checks.md, 6.1). */
export const taskStageOperations = {
  list: view({
    route: "GET /api/v2/runs/:run_id/task-stages",
    evidence: "chosen",
    parameters: ["page"],
    view: (reading, { run_id }, { bearer, query, path }) => {
      const { run } = findRun(reading, bearer, run_id);
      const { items, links, meta } = paged(pageableOf(run.taskStages), query, path);
      const data = items.map((id) => taskStageResource(bearer, { id, resource: taskStageOf(reading.state, id), run }));
      const document: PagedDocument<TaskStageResource> = { data, links, meta };
      return ok(document);
    },
  }),
  read: view({
    route: "GET /api/v2/task-stages/:id",
    evidence: "observed",
    view: (reading, { id }, { bearer }) => ok({ data: taskStageResource(bearer, findTaskStage(reading, bearer, id)) }),
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
