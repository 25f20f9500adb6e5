import * as v from "valibot";
import { optionsSchema, readArgument } from "../../kernel/arguments.ts";
import { copyPlain } from "../../kernel/plain.ts";
import { failingRequests } from "../kit/request-failures.ts";
import { flagOf, idOf, textOf } from "./arguments.ts";
import type { RunsRecorder } from "./declare.ts";
import { newId, newLinkKey, type OrganizationName, type RunId, type WorkspaceId } from "./ids.ts";
import { refuse } from "./rejections.ts";
import { type CreatedRun, createRun } from "./runs/create.ts";
import type { PlanRunsOptions } from "./runs/options.ts";
import { advanceRun, moveByHand, type RunMove, runOf } from "./runs/progress.ts";
import { readPlannedRuns } from "./runs/read-options.ts";
import type { RunStatus } from "./runs/state.ts";
import { createToken, revokeToken } from "./tokens/create.ts";
import { nameKey } from "./workspaces/state.ts";
import { runServiceOf } from "./world.ts";

// What test authors need and the HTTP endpoints cannot do (control-surface.md, "Run service").

const newOrganization = optionsSchema({
  name: textOf("name"),
  policyEnforcement: v.optional(flagOf("policyEnforcement"), true),
});

/** The options of `sim.runs.createOrganization`. */
export type CreateOrganizationOptions = v.InferInput<typeof newOrganization>;

const newWorkspace = optionsSchema({
  organization: textOf("organization"),
  name: textOf("name"),
  id: v.optional(idOf("id")),
  autoApply: v.optional(flagOf("autoApply"), false),
  allowEmptyApply: v.optional(flagOf("allowEmptyApply"), false),
});

/** The options of `sim.runs.createWorkspace`. */
export type CreateWorkspaceOptions = v.InferInput<typeof newWorkspace>;

const revocation = v.strictObject({ id: textOf("id") });
const ofRun = v.strictObject({ run: textOf("run") });
const cancellation = optionsSchema({ run: textOf("run"), force: v.optional(flagOf("force"), false) });

const failure = optionsSchema({
  service: v.literal("runs", 'service is "runs", or the handle of a cluster or a region'),
  ...failingRequests,
});

/** The options of `sim.faults.failNextRequests` for this service. */
export type FailRunsRequestsOptions = v.InferInput<typeof failure>;

type ControlDecider = (decision: RunsRecorder, input: unknown) => unknown;

/** The control calls of this service, by the names of their commands. */
export const runsControls = {
  "control.runs.createOrganization": (decision, input): void => {
    const { name, policyEnforcement } = readArgument(newOrganization, "createOrganization", input);
    const organization = name as OrganizationName;
    if (runServiceOf(decision.state).organizations.has(organization)) refuse("organization_exists", { organization });
    const record = { policyEnforcement, linkKey: newLinkKey(decision.draw) };
    decision.record({ type: "OrganizationCreated", data: { organization, record } });
  },
  "control.runs.createWorkspace": (decision, input): { readonly id: string } => {
    const { organization, id, ...wanted } = readArgument(newWorkspace, "createWorkspace", input);
    const { organizations, workspaces, workspaceNames } = runServiceOf(decision.state);
    if (!organizations.has(organization)) return refuse("organization_not_found", { organization });
    const record = { organization: organization as OrganizationName, ...wanted };
    const { name } = record;
    if (workspaceNames.has(nameKey(record.organization, name))) {
      return refuse("workspace_exists", { organization, name });
    }
    const workspace = (id ?? newId(decision.draw, "ws")) as WorkspaceId;
    if (workspaces.has(workspace)) return refuse("id_taken", { id: workspace });
    decision.record({ type: "WorkspaceCreated", data: { workspace, record } });
    return { id: workspace };
  },
  "control.runs.createToken": (decision, input): { readonly id: string; readonly token: string } =>
    createToken(decision, input),
  "control.runs.revokeToken": (decision, input): void => {
    revokeToken(decision, readArgument(revocation, "revokeToken", input).id);
  },
  "control.runs.planRuns": (decision, input): void => {
    readPlannedRuns(input);
    const { workspace, ...plan } = input as PlanRunsOptions;
    if (!runServiceOf(decision.state).workspaces.has(workspace)) refuse("workspace_not_found", { workspace });
    decision.record({
      type: "WorkspaceRunsPlanned",
      data: { workspace: workspace as WorkspaceId, plan: copyPlain(plan) },
    });
  },
  "control.runs.createRun": (decision, input): CreatedRun => createRun(decision, input),
  "control.runs.run.confirm": (decision, input): RunStatus => moved(decision, runIn(decision, input), "confirm"),
  "control.runs.run.discard": (decision, input): RunStatus => moved(decision, runIn(decision, input), "discard"),
  "control.runs.run.cancel": (decision, input): RunStatus => {
    const { run, force } = readArgument(cancellation, "cancel", input);
    return moved(decision, existing(decision, run), "cancel", force);
  },
  "control.runs.run.step": (decision, input): RunStatus => {
    const run = runIn(decision, input);
    const { timing, status } = runOf(decision.state, run);
    if (timing !== "manual") return refuse("run_moves_by_itself", { run });
    if (!advanceRun(decision, run)) return refuse("transition_not_allowed", { id: run, status, move: "step" });
    return runOf(decision.state, run).status;
  },
} satisfies Readonly<Record<string, ControlDecider>>;

/** Lets the next requests fail. */
export function injectRunsFailure(decision: RunsRecorder, input: unknown): void {
  const { count, status } = readArgument(failure, "failNextRequests", input);
  decision.record({ type: "RunsRequestFailureInjected", data: { count, status } });
}

function runIn(decision: RunsRecorder, input: unknown): RunId {
  return existing(decision, readArgument(ofRun, "run", input).run);
}

function existing(decision: RunsRecorder, run: string): RunId {
  return runServiceOf(decision.state).runs.has(run) ? (run as RunId) : refuse("run_not_found", { run });
}

/** A move that a person makes, and what the run is then. */
function moved(decision: RunsRecorder, run: RunId, move: RunMove, forced = false): RunStatus {
  moveByHand(decision, run, move, forced);
  return runOf(decision.state, run).status;
}
