import { type Named, registryOf } from "../kit/registry.ts";
import { approleOperations } from "./auth/approle/operations.ts";
import { ldapMethodOperations } from "./auth/ldap/operations.ts";
import { methodOperations } from "./auth/methods/operations.ts";
import { accountLoginOperations } from "./auth/orchestrator/operations.ts";
import { userpassOperations } from "./auth/userpass/operations.ts";
import { healthOperations, sealOperations } from "./cluster/operations.ts";
import { barrierKeyOperations, nodeOperations } from "./cluster/operators.ts";
import { rekeyOperations } from "./cluster/rekey/operations.ts";
import { rootTokenOperations } from "./cluster/root-token.ts";
import { cubbyholeOperations } from "./cubbyhole/operations.ts";
import type { SecretsOperation } from "./declare.ts";
import { directoryConfigOperations } from "./directory-config/operations.ts";
import { dynamicRoleOperations } from "./dynamic-roles/operations.ts";
import { GRADES } from "./grades.ts";
import { identityOperations } from "./identity/operations.ts";
import { kvOperations } from "./kv/operations.ts";
import { versionedKvOperations } from "./kv2/operations.ts";
import { leaseOperations } from "./leases/operations.ts";
import { libraryOperations } from "./library/operations.ts";
import { mountOperations } from "./mounts/operations.ts";
import { namespaceOperations } from "./namespaces/operations.ts";
import { oidcOperations } from "./oidc/registry.ts";
import { orchestratorOperations } from "./orchestrator/operations.ts";
import { passwordPolicyOperations } from "./password-policies/operations.ts";
import { pluginOperations } from "./plugins/operations.ts";
import { policyOperations } from "./policies/operations.ts";
import { replicationOperations } from "./replication/operations.ts";
import { snapshotOperations } from "./snapshots/operations.ts";
import { staticRoleOperations } from "./static-roles/operations.ts";
import { tokenOperations } from "./tokens/operations.ts";
import { wrappingOperations } from "./wrapping/operations.ts";

/** Every operation of the service. The typed door has the shape of this table. */
export const secretsRegistry = registryOf<SecretsOperation>()(
  "secrets",
  {
    tokens: tokenOperations,
    leases: leaseOperations,
    wrapping: wrappingOperations,
    policies: policyOperations,
    passwordPolicies: passwordPolicyOperations,
    namespaces: namespaceOperations,
    mounts: mountOperations,
    kv: kvOperations,
    kv2: versionedKvOperations,
    cubbyhole: cubbyholeOperations,
    health: healthOperations,
    seal: sealOperations,
    nodes: nodeOperations,
    barrierKey: barrierKeyOperations,
    rootToken: rootTokenOperations,
    rekey: rekeyOperations,
    snapshots: snapshotOperations,
    plugins: pluginOperations,
    replication: replicationOperations,
    ldapConfig: directoryConfigOperations,
    staticRoles: staticRoleOperations,
    dynamicRoles: dynamicRoleOperations,
    library: libraryOperations,
    identity: identityOperations,
    oidc: oidcOperations,
    orchestrator: orchestratorOperations,
    auth: methodOperations,
    userpass: userpassOperations,
    approle: approleOperations,
    ldap: ldapMethodOperations,
    orchestratorAuth: accountLoginOperations,
  },
  GRADES,
);

export type NamedOperation = Named<SecretsOperation>;
