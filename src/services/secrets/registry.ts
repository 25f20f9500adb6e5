import type { OperationInfo } from "../operation.ts";
import { healthOperations, sealOperations } from "./cluster/operations.ts";
import { cubbyholeOperations } from "./cubbyhole/operations.ts";
import type { SecretsOperation } from "./declare.ts";
import { directoryConfigOperations } from "./directory-config/operations.ts";
import { kvOperations } from "./kv/operations.ts";
import { leaseOperations } from "./leases/operations.ts";
import { libraryOperations } from "./library/operations.ts";
import { mountOperations } from "./mounts/operations.ts";
import { namespaceOperations } from "./namespaces/operations.ts";
import { passwordPolicyOperations } from "./password-policies/operations.ts";
import { policyOperations } from "./policies/operations.ts";
import { replicationOperations } from "./replication/operations.ts";
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
  library: libraryOperations,
} as const;

export type SecretsOperations = typeof secretsOperations;

/** Operations by their verbs; a resource may have others inside, such as `replication.dr.operationToken`. */
export interface ResourceOperations {
  readonly [name: string]: SecretsOperation | ResourceOperations;
}

/** Whether a member of a resource is an operation, and not a resource inside it. */
export function isOperation(member: SecretsOperation | ResourceOperations): member is SecretsOperation {
  return "handler" in member && "pathParts" in member;
}

/** The operations by their full names, such as `secrets.library.checkOut`. */
export const operationsByName: ReadonlyMap<string, SecretsOperation> = new Map(
  namedOperations("secrets", secretsOperations),
);

function namedOperations(prefix: string, resource: ResourceOperations): (readonly [string, SecretsOperation])[] {
  return Object.entries(resource).flatMap(([name, member]) => {
    const full = `${prefix}.${name}`;
    return isOperation(member) ? [[full, member] as const] : namedOperations(full, member);
  });
}

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
