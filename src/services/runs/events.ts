import { type Folds, withinFlat } from "../../kernel/evolvers.ts";
import { type RequestFaultEvents, requestFaultEvolvers } from "./faults/state.ts";
import { type OrganizationEvents, organizationEvolvers } from "./organizations/state.ts";
import { type PolicyCheckEvents, policyCheckEvolvers } from "./policy-checks/state.ts";
import { type PolicyEvaluationEvents, policyEvaluationEvolvers } from "./policy-evaluations/state.ts";
import { type RunEvents, runEvolvers } from "./runs/state.ts";
import type { RunService } from "./state.ts";
import { type TaskStageEvents, taskStageEvolvers } from "./task-stages/state.ts";
import { type ApiTokenEvents, apiTokenEvolvers } from "./tokens/state.ts";
import { type WorkspaceEvents, workspaceEvolvers } from "./workspaces/state.ts";
import { type RunsWorld, withRunService } from "./world.ts";

/** Everything that the run service records. */
export interface RunsEvents
  extends OrganizationEvents,
    WorkspaceEvents,
    ApiTokenEvents,
    RunEvents,
    PolicyCheckEvents,
    TaskStageEvents,
    PolicyEvaluationEvents,
    RequestFaultEvents {}

/** Folds its facts into the world. */
export const runsFolds: Folds<RunsWorld, RunsEvents> = withinFlat<RunsWorld, RunService, RunsEvents>(withRunService, {
  ...organizationEvolvers,
  ...workspaceEvolvers,
  ...apiTokenEvolvers,
  ...runEvolvers,
  ...policyCheckEvolvers,
  ...taskStageEvolvers,
  ...policyEvaluationEvolvers,
  ...requestFaultEvolvers,
});
