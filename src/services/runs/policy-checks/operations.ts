import { type Found, findCheckedRun, findPolicyCheck, refuseWithoutOverride } from "../access.ts";
import { command, ok, type RunsReading, text, view } from "../declare.ts";
import type { Document, PagedDocument } from "../documents.ts";
import type { PolicyCheckId, RunId } from "../ids.ts";
import { type Included, includedPart } from "../include.ts";
import { asksForPages, pageableOf, paged } from "../pagination.ts";
import { carryOn, settleRun } from "../runs/progress.ts";
import type { Run } from "../runs/state.ts";
import { overridePolicyCheck, policyCheckOf } from "./decide.ts";
import { outputOf, outputTarget } from "./output.ts";
import type { PolicyCheck } from "./state.ts";
import { barePolicyCheck, type PolicyCheckResource, policyCheckResource } from "./views.ts";

/** Policy checks of runs (policy-checks.md, endpoints 1 to 3; decisions-policy-checks.md, 4). */
export const policyCheckOperations = {
  list: view({
    route: "GET /api/v2/runs/:run_id/policy-checks",
    evidence: "chosen",
    parameters: ["page", "include"],
    view: (reading, { run_id }, { bearer, query, path }) => {
      const { id, run } = findCheckedRun(reading, bearer, run_id);
      const page = asksForPages(query) ? paged(pageableOf(run.policyChecks), query, path) : undefined;
      const checks = page?.items ?? run.policyChecks;
      const data = checks.map((check) => policyCheckResource(reading.state, bearer, found(reading, check, run)));
      const runs = new Map<RunId, Run>(checks.length === 0 ? [] : [[id, run]]);
      const included = includedPart(reading, bearer, query, runs);
      const document:
        | Document<readonly PolicyCheckResource[], Included>
        | PagedDocument<PolicyCheckResource, Included> =
        page === undefined ? { data, ...included } : { data, ...included, links: page.links, meta: page.meta };
      return ok(document);
    },
  }),
  read: view({
    route: "GET /api/v2/policy-checks/:id",
    evidence: "chosen",
    parameters: ["include"],
    view: (reading, { id }, { bearer, query }) => {
      const check = findPolicyCheck(reading, bearer, id);
      const included = includedPart(reading, bearer, query, new Map([[check.resource.run, check.run]]));
      const document: Document<PolicyCheckResource, Included> = {
        data: policyCheckResource(reading.state, bearer, check),
        ...included,
      };
      return ok(document);
    },
  }),
  override: command({
    route: "POST /api/v2/policy-checks/:id/actions/override",
    evidence: "chosen",
    fields: { comment: text },
    decide: (decision, { id, comment }, { bearer }) => {
      const check = findPolicyCheck(decision, bearer, id);
      refuseWithoutOverride(bearer, check);
      overridePolicyCheck(decision, check.id, comment);
      settleRun(decision, check.resource.run);
      const data = barePolicyCheck(decision.state, bearer, found(decision, check.id, check.run));
      carryOn(decision, check.resource.run);
      return ok({ data });
    },
  }),
  output: view({
    route: "GET /api/v2/policy-checks/:id/output",
    evidence: "chosen",
    view: (reading, { id: named }, { bearer }) => {
      const { id, resource } = findPolicyCheck(reading, bearer, named);
      const body = outputOf(resource);
      if (body === undefined) return { status: 204, body };
      return { status: 307, body, location: outputTarget(reading.state, id, resource, reading.nowMs) };
    },
  }),
};

function found(reading: Pick<RunsReading, "state">, id: PolicyCheckId, run: Run): Found<PolicyCheckId, PolicyCheck> {
  return { id, resource: policyCheckOf(reading.state, id), run };
}
