import { type Named, registryOf } from "../kit/registry.ts";
import type { RunsOperation } from "./declare.ts";
import { organizationOperations } from "./organizations/operations.ts";
import { pingOperations } from "./ping/operations.ts";
import { policyCheckOperations } from "./policy-checks/operations.ts";
import { policyEvaluationOperations } from "./policy-evaluations/operations.ts";
import { policySetOutcomeOperations } from "./policy-set-outcomes/operations.ts";
import { runOperations } from "./runs/operations.ts";
import { taskStageOperations } from "./task-stages/operations.ts";
import { workspaceOperations } from "./workspaces/operations.ts";

/** Every operation of the service. The typed door has the shape of this table. */
export const runsRegistry = registryOf<RunsOperation>()("runs", {
  policyChecks: policyCheckOperations,
  taskStages: taskStageOperations,
  policyEvaluations: policyEvaluationOperations,
  policySetOutcomes: policySetOutcomeOperations,
  runs: runOperations,
  workspaces: workspaceOperations,
  organizations: organizationOperations,
  ping: pingOperations,
});

export type NamedOperation = Named<RunsOperation>;
