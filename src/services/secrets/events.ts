import { type FactsOf, withinFlat } from "../../kernel/evolvers.ts";
import type { DirectoryEvents } from "../../surroundings/directory/state.ts";
import type { NetworkEvents } from "../../surroundings/network/state.ts";
import type { OrchestratorEvents } from "../../surroundings/orchestrator/state.ts";
import type { StoreEvents } from "../../surroundings/stores/state.ts";
import { clusterEvolvers } from "./cluster/state.ts";
import { clustersFolds } from "./clusters/state.ts";
import { copyOfIgnored, copyOfLibrary, copyOfLocal, copyOfNamespace, copyOfReplicated } from "./copies.ts";
import { cubbyholeEvolvers } from "./cubbyhole/state.ts";
import { directoryConfigEvolvers } from "./directory-config/state.ts";
import { dynamicRoleEvolvers } from "./dynamic-roles/state.ts";
import { clusterFaultEvolvers } from "./faults/state.ts";
import {
  withDirectoryMount,
  withIdentity,
  withIgnored,
  withKeys,
  withKv,
  withLibrary,
  withLocal,
  withMount,
  withMounts,
  withNamespace,
  withOidc,
  withOrchestratorEngine,
  withReplicated,
  withRoles,
  withStaticRoles,
} from "./folding.ts";
import { identityEvolvers } from "./identity/state.ts";
import { kvEvolvers } from "./kv/state.ts";
import { leaseEvolvers } from "./leases/state.ts";
import { libraryEvolvers } from "./library/state.ts";
import { mountEvolvers, mountSettingsEvolvers } from "./mounts/state.ts";
import { namespaceEvolvers } from "./namespaces/state.ts";
import { flowEvolvers } from "./oidc/flows/state.ts";
import { keyEvolvers } from "./oidc/keys/state.ts";
import { oidcEvolvers } from "./oidc/state.ts";
import { rollbackEvolvers } from "./orchestrator/rollback/state.ts";
import { orchestratorEngineEvolvers } from "./orchestrator/state.ts";
import { passwordPolicyEvolvers } from "./password-policies/state.ts";
import { pluginEvolvers, pluginFileEvolvers } from "./plugins/state.ts";
import { policyEvolvers } from "./policies/state.ts";
import { replicationFolds } from "./replication/folds.ts";
import { merkleEvolvers } from "./replication/merkle/state.ts";
import { drOperationTokenEvolvers } from "./replication/operation-tokens/state.ts";
import { snapshotFolds } from "./snapshots/folds.ts";
import { staticRoleEvolvers } from "./static-roles/state.ts";
import { tokenEvolvers } from "./tokens/state.ts";
import { wrappingEvolvers } from "./wrapping/state.ts";

/** All facts of the service, folded into the world; each family knows its own slice only. */
export const secretsFolds = {
  ...withinFlat(withLocal, tokenEvolvers, copyOfLocal),
  ...withinFlat(withLocal, wrappingEvolvers, copyOfLocal),
  ...withinFlat(withLocal, cubbyholeEvolvers, copyOfLocal),
  ...withinFlat(withLocal, leaseEvolvers, copyOfLocal),
  ...withinFlat(withIgnored, clusterEvolvers, copyOfIgnored),
  ...withinFlat(withIgnored, drOperationTokenEvolvers, copyOfIgnored),
  ...withinFlat(withIgnored, merkleEvolvers, copyOfIgnored),
  ...withinFlat(withIgnored, clusterFaultEvolvers, copyOfIgnored),
  ...clustersFolds,
  ...replicationFolds,
  ...withinFlat(withReplicated, namespaceEvolvers, copyOfReplicated),
  ...withinFlat(withReplicated, pluginEvolvers, copyOfReplicated),
  ...withinFlat(withIgnored, pluginFileEvolvers, copyOfIgnored),
  ...snapshotFolds,
  ...withinFlat(withMounts, mountEvolvers),
  ...withinFlat(withMount, mountSettingsEvolvers),
  ...withinFlat(withKv, kvEvolvers),
  ...withinFlat(withNamespace, policyEvolvers, copyOfNamespace),
  ...withinFlat(withNamespace, passwordPolicyEvolvers, copyOfNamespace),
  ...withinFlat(withDirectoryMount, directoryConfigEvolvers),
  ...withinFlat(withStaticRoles, staticRoleEvolvers),
  ...withinFlat(withRoles, dynamicRoleEvolvers),
  ...withinFlat(withLibrary, libraryEvolvers, copyOfLibrary),
  ...withinFlat(withIdentity, identityEvolvers),
  ...withinFlat(withOidc, oidcEvolvers),
  ...withinFlat(withKeys, keyEvolvers),
  ...withinFlat(withLocal, flowEvolvers, copyOfLocal),
  ...withinFlat(withOrchestratorEngine, orchestratorEngineEvolvers),
  ...withinFlat(withLocal, rollbackEvolvers, copyOfLocal),
};

/** The facts of the service itself. */
export type SecretsFacts = FactsOf<typeof secretsFolds>;

/** What the secrets service records: its own facts, and those of the surroundings that its engines act on. */
export interface SecretsEvents extends SecretsFacts, DirectoryEvents, NetworkEvents, OrchestratorEvents, StoreEvents {}
