import { type FactsOf, withinFlat } from "../../kernel/evolvers.ts";
import { requestFaultEvolvers } from "./faults/state.ts";
import { organizationEvolvers } from "./organizations/state.ts";
import { policyCheckEvolvers } from "./policy-checks/state.ts";
import { policyEvaluationEvolvers } from "./policy-evaluations/state.ts";
import { runEvolvers } from "./runs/state.ts";
import { taskStageEvolvers } from "./task-stages/state.ts";
import { apiTokenEvolvers } from "./tokens/state.ts";
import { workspaceEvolvers } from "./workspaces/state.ts";
import { withRunService } from "./world.ts";

/** All facts of the service, folded into the world; each family knows its own slice only. */
export const runsFolds = {
  ...withinFlat(withRunService, organizationEvolvers),
  ...withinFlat(withRunService, workspaceEvolvers),
  ...withinFlat(withRunService, apiTokenEvolvers),
  ...withinFlat(withRunService, runEvolvers),
  ...withinFlat(withRunService, policyCheckEvolvers),
  ...withinFlat(withRunService, taskStageEvolvers),
  ...withinFlat(withRunService, policyEvaluationEvolvers),
  ...withinFlat(withRunService, requestFaultEvolvers),
};

/** Everything that the run service records. */
export type RunsEvents = FactsOf<typeof runsFolds>;
