import { findPolicyEvaluation, findTaskStage } from "../access.ts";
import { ok, view } from "../declare.ts";
import type { PagedDocument } from "../documents.ts";
import { pageableOf, paged } from "../pagination.ts";
import { policyEvaluationOf } from "./decide.ts";
import { type PolicyEvaluationResource, policyEvaluationResource } from "./views.ts";

/** Policy evaluations of task stages (policy-checks.md, endpoint 4; decisions-policy-checks.md, 6.2). */
export const policyEvaluationOperations = {
  list: view({
    route: "GET /api/v2/task-stages/:task_stage_id/policy-evaluations",
    evidence: "chosen",
    parameters: ["page"],
    view: (reading, { task_stage_id }, { bearer, query, path }) => {
      const { resource } = findTaskStage(reading, bearer, task_stage_id);
      const { items, links, meta } = paged(pageableOf(resource.policyEvaluations), query, path);
      const data = items.map((id) => policyEvaluationResource(id, policyEvaluationOf(reading.state, id)));
      const document: PagedDocument<PolicyEvaluationResource> = { data, links, meta };
      return ok(document);
    },
  }),
  read: view({
    route: "GET /api/v2/policy-evaluations/:id",
    evidence: "observed",
    view: (reading, { id: named }, { bearer }) => {
      const { id, resource } = findPolicyEvaluation(reading, bearer, named);
      return ok({ data: policyEvaluationResource(id, resource) });
    },
  }),
};
