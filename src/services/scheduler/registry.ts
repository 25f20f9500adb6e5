import type { OperationInfo } from "../operation.ts";
import { aclOperations } from "./bootstrap/operations.ts";
import type { SchedulerOperation } from "./declare.ts";
import { policyOperations } from "./policies/operations.ts";
import { tokenOperations } from "./tokens/operations.ts";

/** Every operation of the service. The typed door has the shape of this object. */
export const schedulerOperations = {
  acl: aclOperations,
  policies: policyOperations,
  tokens: tokenOperations,
} as const;

export type SchedulerOperations = typeof schedulerOperations;

/** An operation and its full name, such as `scheduler.policies.write`. */
export interface NamedOperation {
  readonly name: string;
  readonly operation: SchedulerOperation;
}

/** The operations by their full names. */
export const schedulerOperationsByName: ReadonlyMap<string, SchedulerOperation> = new Map(
  Object.entries(schedulerOperations).flatMap(([resource, operations]) =>
    Object.entries(operations).map(([verb, operation]) => [
      `scheduler.${resource}.${verb}`,
      operation as unknown as SchedulerOperation,
    ]),
  ),
);

/** The rows of `sim.operations()`. */
export function schedulerOperationInfos(): OperationInfo[] {
  return [...schedulerOperationsByName].map(([name, { verb, path, evidence }]) => ({
    name,
    method: verb,
    path,
    service: "scheduler",
    evidence,
    graded: undefined,
  }));
}
