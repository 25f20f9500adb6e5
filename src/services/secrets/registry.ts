import type { OperationInfo } from "../operation.ts";
import type { SecretsOperation } from "./declare.ts";
import { directoryConfigOperations } from "./directory-config/operations.ts";
import { leaseOperations } from "./leases/operations.ts";
import { libraryOperations } from "./library/operations.ts";
import { passwordPolicyOperations } from "./password-policies/operations.ts";

/** Every operation of the service. The typed door has the shape of this object. */
export const secretsOperations = {
  leases: leaseOperations,
  passwordPolicies: passwordPolicyOperations,
  ldapConfig: directoryConfigOperations,
  library: libraryOperations,
} as const;

export type SecretsOperations = typeof secretsOperations;

/** The operations by their full names, such as `secrets.library.checkOut`. */
export const operationsByName: ReadonlyMap<string, SecretsOperation> = new Map(
  Object.entries(secretsOperations).flatMap(([resource, operations]) =>
    Object.entries(operations).map(([verb, operation]) => [
      `secrets.${resource}.${verb}`,
      operation as SecretsOperation,
    ]),
  ),
);

/** The rows of `sim.operations()`. */
export function secretsOperationInfos(): OperationInfo[] {
  return [...operationsByName].map(([name, { verb, path, evidence }]) => ({
    name,
    method: verb,
    path,
    service: "secrets",
    evidence,
  }));
}
