import type { OperationInfo } from "../operation.ts";
import { healthOperations, replicationOperations, sealOperations } from "./cluster/operations.ts";
import { cubbyholeOperations } from "./cubbyhole/operations.ts";
import type { SecretsOperation } from "./declare.ts";
import { directoryConfigOperations } from "./directory-config/operations.ts";
import { dynamicRoleOperations } from "./dynamic-roles/operations.ts";
import { kvOperations } from "./kv/operations.ts";
import { leaseOperations } from "./leases/operations.ts";
import { libraryOperations } from "./library/operations.ts";
import { mountOperations } from "./mounts/operations.ts";
import { namespaceOperations } from "./namespaces/operations.ts";
import { passwordPolicyOperations } from "./password-policies/operations.ts";
import { policyOperations } from "./policies/operations.ts";
import { staticRoleOperations } from "./static-roles/operations.ts";
import { tokenOperations } from "./tokens/operations.ts";
import { wrappingOperations } from "./wrapping/operations.ts";

/** Every operation of the service. The typed door has the shape of this object. */
export const secretsOperations = {
  tokens: tokenOperations,
  leases: leaseOperations,
  wrapping: wrappingOperations,
  policies: policyOperations,
  passwordPolicies: passwordPolicyOperations,
  namespaces: namespaceOperations,
  mounts: mountOperations,
  kv: kvOperations,
  cubbyhole: cubbyholeOperations,
  health: healthOperations,
  seal: sealOperations,
  replication: replicationOperations,
  ldapConfig: directoryConfigOperations,
  staticRoles: staticRoleOperations,
  dynamicRoles: dynamicRoleOperations,
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
