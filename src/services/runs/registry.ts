import type { OperationInfo } from "../operation.ts";
import type { RunsOperation } from "./declare.ts";
import { policyCheckOperations } from "./policy-checks/operations.ts";
import { policyEvaluationOperations } from "./policy-evaluations/operations.ts";
import { policySetOutcomeOperations } from "./policy-set-outcomes/operations.ts";
import { taskStageOperations } from "./task-stages/operations.ts";

/** Every operation of the service. The typed door has the shape of this object. */
export const runsOperations = {
  policyChecks: policyCheckOperations,
  taskStages: taskStageOperations,
  policyEvaluations: policyEvaluationOperations,
  policySetOutcomes: policySetOutcomeOperations,
} as const;

export type RunsOperations = typeof runsOperations;

/** An operation and its full name, such as `runs.policyChecks.override`. */
export interface NamedOperation {
  readonly name: string;
  readonly operation: RunsOperation;
}

/** The operations by their full names. */
export const runsOperationsByName: ReadonlyMap<string, RunsOperation> = new Map(
  Object.entries(runsOperations).flatMap(([resource, operations]) =>
    Object.entries(operations).map(([verb, operation]) => [
      `runs.${resource}.${verb}`,
      operation as unknown as RunsOperation,
    ]),
  ),
);

/** The rows of `sim.operations()`. */
export function runsOperationInfos(): OperationInfo[] {
  return [...runsOperationsByName].map(([name, { verb, path, evidence }]) => ({
    name,
    method: verb,
    path,
    service: "runs",
    evidence,
    graded: undefined,
  }));
}
