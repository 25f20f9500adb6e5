import { findPolicyEvaluation, findPolicySetOutcome } from "../access.ts";
import { ok, view } from "../declare.ts";
import type { PagedDocument } from "../documents.ts";
import { pageableOf, paged } from "../pagination.ts";
import { hasOutcomes } from "../policy-evaluations/state.ts";
import { filtered, filterIn } from "./filter.ts";
import type { PolicySetOutcome } from "./state.ts";
import { type PolicySetOutcomeResource, policySetOutcomeResource } from "./views.ts";

/** Policy set outcomes of evaluations (policy-checks.md, endpoints 5 and 6; decisions-policy-checks.md, 6.3 to 6.5). */
export const policySetOutcomeOperations = {
  list: view({
    route: "GET /api/v2/policy-evaluations/:policy_evaluation_id/policy-set-outcomes",
    evidence: "chosen",
    parameters: ["page", "filter"],
    view: (reading, { policy_evaluation_id }, { bearer, query, path }) => {
      const { id, resource } = findPolicyEvaluation(reading, bearer, policy_evaluation_id);
      const filter = filterIn(query);
      const sets = hasOutcomes(resource) ? filtered(resource.policySets, filter) : pageableOf<PolicySetOutcome>([]);
      const { items, links, meta } = paged(sets, query, path);
      const data = items.map((outcome) => policySetOutcomeResource(id, outcome));
      const document: PagedDocument<PolicySetOutcomeResource> = { data, links, meta };
      return ok(document);
    },
  }),
  read: view({
    route: "GET /api/v2/policy-set-outcomes/:policy_set_outcome_id",
    evidence: "chosen",
    view: (reading, { policy_set_outcome_id }, { bearer }) => {
      const { policyEvaluation, outcome } = findPolicySetOutcome(reading, bearer, policy_set_outcome_id);
      return ok({ data: policySetOutcomeResource(policyEvaluation, outcome) });
    },
  }),
};
