import { findRun, findWorkspace, hasGrant, refuseWithoutGrant } from "../access.ts";
import {
  attribute,
  command,
  created,
  flag,
  needed,
  ok,
  type Reply,
  type RunsReading,
  related,
  text,
  view,
} from "../declare.ts";
import type { Document, PagedDocument } from "../documents.ts";
import type { RunId, WorkspaceId } from "../ids.ts";
import { includePaths } from "../include.ts";
import { type Pageable, paged } from "../pagination.ts";
import { policyCheckOf } from "../policy-checks/decide.ts";
import { type PolicyCheckResource, policyCheckResource } from "../policy-checks/views.ts";
import type { Query } from "../query.ts";
import { refuse } from "../rejections.ts";
import { taskStageOf } from "../task-stages/decide.ts";
import { type TaskStageResource, taskStageResource } from "../task-stages/views.ts";
import type { TokenRecord, WorkspaceGrant } from "../tokens/state.ts";
import { type WorkspaceResource, workspaceResource } from "../workspaces/views.ts";
import { runServiceOf } from "../world.ts";
import { createRun } from "./create.ts";
import type { PlanRunsOptions } from "./options.ts";
import { moveByHand, runOf } from "./progress.ts";
import { type Run, workspacePrefix } from "./state.ts";
import { type RunResource, runResource } from "./views.ts";

/** Runs, beyond the contract's numbering (runs/README.md). */
export const runOperations = {
  list: view({
    route: "GET /api/v2/workspaces/:workspace_id/runs",
    evidence: "observed",
    parameters: ["page", "include"],
    view: (reading, { workspace_id }, { bearer, query, path }) => {
      const { id } = findWorkspace(reading, bearer, workspace_id);
      const { items, links, meta } = paged(runsOf(reading, id), query, path);
      const runs = items.map((run): readonly [RunId, Run] => [run, runOf(reading.state, run)]);
      const data = runs.map(([run, record]) => runResource(reading.state, bearer, run, record));
      const document: PagedDocument<RunResource, Included> = {
        data,
        ...includedPart(reading, bearer, query, runs),
        links,
        meta,
      };
      return ok(document);
    },
  }),
  create: command({
    route: "POST /api/v2/runs",
    evidence: "observed",
    fields: {
      workspace: needed(related),
      message: attribute,
      "is-destroy": flag,
      "plan-only": flag,
      "auto-apply": flag,
      "allow-empty-apply": flag,
    },
    decide: (decision, { workspace = "", ...wanted }, { bearer }) => {
      if (workspace === "") return refuse("attribute_invalid", WITHOUT_WORKSPACE);
      const { id: at, workspace: known } = findWorkspace(decision, bearer, workspace);
      const { "is-destroy": isDestroy, "auto-apply": autoApply } = wanted;
      const queues: readonly WorkspaceGrant[] = isDestroy || autoApply ? [] : ["plan"];
      if (!hasGrant(bearer, at, ...queues, "apply", "write", "admin")) refuse("not_found", {});
      const { id } = createRun(decision, {
        ...(known.plan as Partial<PlanRunsOptions> | undefined),
        workspace,
        message: wanted.message,
        isDestroy,
        planOnly: wanted["plan-only"],
        autoApply,
        allowEmptyApply: wanted["allow-empty-apply"],
      });
      const run = id as RunId;
      return created({ data: runResource(decision.state, bearer, run, runOf(decision.state, run)) });
    },
  }),
  read: view({
    route: "GET /api/v2/runs/:run_id",
    evidence: "observed",
    parameters: ["include"],
    view: (reading, { run_id }, { bearer, query }) => {
      const { id, run } = findRun(reading, bearer, run_id);
      const document: Document<RunResource, Included> = {
        data: runResource(reading.state, bearer, id, run),
        ...includedPart(reading, bearer, query, [[id, run]]),
      };
      return ok(document);
    },
  }),
  apply: command({
    route: "POST /api/v2/runs/:run_id/actions/apply",
    evidence: "observed",
    fields: { comment: text },
    decide: (decision, { run_id }, { bearer }) => {
      const { id, run } = findRun(decision, bearer, run_id);
      refuseWithoutGrant(bearer, run, "apply", "write", "admin");
      moveByHand(decision, id, "confirm");
      return TAKEN;
    },
  }),
  discard: command({
    route: "POST /api/v2/runs/:run_id/actions/discard",
    evidence: "observed",
    fields: { comment: text },
    decide: (decision, { run_id }, { bearer }) => {
      const { id, run } = findRun(decision, bearer, run_id);
      refuseWithoutGrant(bearer, run, "apply", "write", "admin");
      moveByHand(decision, id, "discard");
      return TAKEN;
    },
  }),
  cancel: command({
    route: "POST /api/v2/runs/:run_id/actions/cancel",
    evidence: "observed",
    fields: { comment: text },
    decide: (decision, { run_id }, { bearer }) => {
      const { id, run } = findRun(decision, bearer, run_id);
      refuseWithoutGrant(bearer, run, "apply", "write", "admin");
      moveByHand(decision, id, "cancel");
      return TAKEN;
    },
  }),
  forceCancel: command({
    route: "POST /api/v2/runs/:run_id/actions/force-cancel",
    evidence: "chosen",
    fields: { comment: text },
    decide: (decision, { run_id }, { bearer }) => {
      const { id, run } = findRun(decision, bearer, run_id);
      refuseWithoutGrant(bearer, run, "admin");
      moveByHand(decision, id, "cancel", true);
      return TAKEN;
    },
  }),
};

const WITHOUT_WORKSPACE = { pointer: "/data/relationships/workspace", reason: "Workspace must exist" };

const TAKEN: Reply<undefined> = Object.freeze({ status: 202, body: undefined });

/** The runs of a workspace, the newest first. */
function runsOf(reading: RunsReading, workspace: WorkspaceId): Pageable<RunId> {
  const { runsByWorkspace: runs } = runServiceOf(reading.state);
  const prefix = workspacePrefix(workspace);
  const first = runs.rank(prefix);
  // No key of the workspace comes behind it: they end in digits.
  const end = runs.rank(`${prefix}~`);
  return {
    count: end - first,
    slice: (from, to) => {
      const found: RunId[] = [];
      for (let place = end - 1 - from; place > end - 1 - to && place >= first; place--) {
        const entry = runs.at(place);
        if (entry !== undefined) found.push(entry[1]);
      }
      return found;
    },
  };
}

// --- what comes along -----------------------------------------------------------------------------------------------

type Included = WorkspaceResource | PolicyCheckResource | TaskStageResource;

/** What may be brought along with a run (runs/README.md, "include"); behind the first three nothing is ever there. */
const INCLUDABLE = [
  "workspace",
  "policy_checks",
  "task_stages",
  "plan",
  "apply",
  "created_by",
  "cost_estimate",
  "configuration_version",
  "configuration_version.ingress_attributes",
] as const;

function includedPart(
  reading: RunsReading,
  bearer: TokenRecord,
  query: Query,
  runs: readonly (readonly [RunId, Run])[],
): { readonly included?: readonly Included[] } {
  const paths = includePaths(query, INCLUDABLE);
  if (paths === undefined) return {};
  const { workspaces } = runServiceOf(reading.state);
  const included: Included[] = [];
  if (paths.has("workspace")) {
    for (const id of new Set(runs.map(([, { workspace }]) => workspace))) {
      const workspace = workspaces.get(id);
      if (workspace !== undefined) included.push(workspaceResource(bearer, id, workspace));
    }
  }
  for (const [, run] of runs) {
    for (const id of paths.has("policy_checks") ? run.policyChecks : []) {
      included.push(
        policyCheckResource(reading.state, bearer, { id, resource: policyCheckOf(reading.state, id), run }),
      );
    }
    for (const id of paths.has("task_stages") ? run.taskStages : []) {
      included.push(taskStageResource(bearer, { id, resource: taskStageOf(reading.state, id), run }));
    }
  }
  return { included };
}
