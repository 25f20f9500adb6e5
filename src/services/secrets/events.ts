import { type Folds, within, withinFlat } from "../../kernel/evolvers.ts";
import type { NetworkEvents } from "../../surroundings/network/state.ts";
import { type ApproleEvents, approleEvolvers } from "./auth/approle/state.ts";
import { type LdapEvents, ldapEvolvers } from "./auth/ldap/state.ts";
import { type AccountLoginEvents, accountLoginEvolvers } from "./auth/orchestrator/state.ts";
import { type UserpassEvents, userpassEvolvers } from "./auth/userpass/state.ts";
import { type RekeyEvents, rekeyEvolvers } from "./cluster/rekey/state.ts";
import { type ClusterEvents, clusterEvolvers } from "./cluster/state.ts";
import { type ClustersEvents, clustersFolds } from "./clusters/state.ts";
import { copyOfIgnored, copyOfLibrary, copyOfLocal, copyOfReplicated } from "./copies.ts";
import { type CubbyholeEvents, cubbyholeEvolvers } from "./cubbyhole/state.ts";
import { type DirectoryConfigEvents, directoryConfigEvolvers } from "./directory-config/state.ts";
import { type DynamicRoleEvents, dynamicRoleEvolvers } from "./dynamic-roles/state.ts";
import { type ClusterFaultEvents, clusterFaultEvolvers } from "./faults/state.ts";
import {
  withAccountLogin,
  withApprole,
  withDirectoryMount,
  withIdentity,
  withIgnored,
  withKeys,
  withKv,
  withLdapMethod,
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
  withUserpass,
  withVersionedKv,
} from "./folding.ts";
import { type IdentityEvents, identityEvolvers } from "./identity/state.ts";
import { type KvEvents, kvEvolvers } from "./kv/state.ts";
import { type VersionedKvEvents, versionedKvEvolvers } from "./kv2/state.ts";
import { type LeaseEvents, leaseEvolvers } from "./leases/state.ts";
import { type LibraryEvents, libraryEvolvers } from "./library/state.ts";
import { type MountChangeEvents, mountChangeFolds } from "./mounts/folds.ts";
import { type MountEvents, type MountSettingsEvents, mountEvolvers, mountSettingsEvolvers } from "./mounts/state.ts";
import { type NamespaceEvents, namespaceEvolvers } from "./namespaces/state.ts";
import { type FlowEvents, flowEvolvers } from "./oidc/flows/state.ts";
import { type KeyEvents, keyEvolvers } from "./oidc/keys/state.ts";
import { type OidcEvents, oidcEvolvers } from "./oidc/state.ts";
import { type RollbackEvents, rollbackEvolvers } from "./orchestrator/rollback/state.ts";
import { type OrchestratorEngineEvents, orchestratorEngineEvolvers } from "./orchestrator/state.ts";
import { type PasswordPolicyEvents, passwordPolicyEvolvers } from "./password-policies/state.ts";
import { type PluginEvents, type PluginFileEvents, pluginEvolvers, pluginFileEvolvers } from "./plugins/state.ts";
import { type PolicyEvents, policyEvolvers } from "./policies/state.ts";
import { type ReplicationEvents, replicationFolds } from "./replication/folds.ts";
import { type MerkleEvents, merkleEvolvers } from "./replication/merkle/state.ts";
import {
  type DrOperationTokenEvents,
  drOperationTokenEvolvers,
  type RootGenerationEvents,
  rootGenerationEvolvers,
} from "./replication/operation-tokens/state.ts";
import { type SnapshotEvents, snapshotFolds } from "./snapshots/folds.ts";
import { type StaticRoleEvents, staticRoleEvolvers } from "./static-roles/state.ts";
import { type SurroundingEvents, surroundingFolds } from "./surroundings.ts";
import { type TokenRoleEvents, tokenRoleEvolvers } from "./tokens/roles/state.ts";
import { type TokenEvents, tokenEvolvers } from "./tokens/state.ts";
import type { SecretsWorld } from "./world.ts";
import { type WrappingEvents, wrappingEvolvers } from "./wrapping/state.ts";

/** What the secrets service records: its own facts, and those of the surroundings that its engines act on. */
export interface SecretsEvents extends SecretsFacts, SurroundingEvents, NetworkEvents {}

/** The facts of the service itself. */
export interface SecretsFacts
  extends TokenEvents,
    TokenRoleEvents,
    WrappingEvents,
    CubbyholeEvents,
    ClusterEvents,
    ReplicationEvents,
    DrOperationTokenEvents,
    RootGenerationEvents,
    RekeyEvents,
    MerkleEvents,
    ClusterFaultEvents,
    ClustersEvents,
    KvEvents,
    VersionedKvEvents,
    LeaseEvents,
    PolicyEvents,
    NamespaceEvents,
    MountEvents,
    MountSettingsEvents,
    MountChangeEvents,
    PasswordPolicyEvents,
    PluginEvents,
    PluginFileEvents,
    SnapshotEvents,
    DirectoryConfigEvents,
    LibraryEvents,
    IdentityEvents,
    OidcEvents,
    KeyEvents,
    FlowEvents,
    OrchestratorEngineEvents,
    RollbackEvents,
    StaticRoleEvents,
    DynamicRoleEvents,
    UserpassEvents,
    ApproleEvents,
    LdapEvents,
    AccountLoginEvents {}

/** Folds them into the world; each family knows its own slice only. */
export const secretsFolds: Folds<SecretsWorld, SecretsFacts & SurroundingEvents> = {
  ...surroundingFolds,
  ...withinFlat(withLocal, tokenEvolvers, copyOfLocal),
  ...withinFlat(withLocal, wrappingEvolvers, copyOfLocal),
  ...withinFlat(withLocal, cubbyholeEvolvers, copyOfLocal),
  ...withinFlat(withLocal, leaseEvolvers, copyOfLocal),
  ...withinFlat(withIgnored, clusterEvolvers, copyOfIgnored),
  ...withinFlat(withIgnored, drOperationTokenEvolvers, copyOfIgnored),
  ...withinFlat(withIgnored, rootGenerationEvolvers, copyOfIgnored),
  ...withinFlat(withIgnored, rekeyEvolvers, copyOfIgnored),
  ...withinFlat(withIgnored, merkleEvolvers, copyOfIgnored),
  ...withinFlat(withIgnored, clusterFaultEvolvers, copyOfIgnored),
  ...clustersFolds,
  ...replicationFolds,
  ...within(withReplicated, namespaceEvolvers),
  ...withinFlat(withReplicated, pluginEvolvers, copyOfReplicated),
  ...withinFlat(withIgnored, pluginFileEvolvers, copyOfIgnored),
  ...snapshotFolds,
  ...withinFlat(withMounts, mountEvolvers),
  ...withinFlat(withMount, mountSettingsEvolvers),
  ...withinFlat(withKv, kvEvolvers),
  ...withinFlat(withVersionedKv, versionedKvEvolvers),
  ...mountChangeFolds,
  ...within(withNamespace, policyEvolvers),
  ...within(withNamespace, tokenRoleEvolvers),
  ...within(withNamespace, passwordPolicyEvolvers),
  ...within(withDirectoryMount, directoryConfigEvolvers),
  ...withinFlat(withStaticRoles, staticRoleEvolvers),
  ...withinFlat(withRoles, dynamicRoleEvolvers),
  ...withinFlat(withLibrary, libraryEvolvers, copyOfLibrary),
  ...withinFlat(withIdentity, identityEvolvers),
  ...withinFlat(withOidc, oidcEvolvers),
  ...withinFlat(withKeys, keyEvolvers),
  ...withinFlat(withLocal, flowEvolvers, copyOfLocal),
  ...withinFlat(withOrchestratorEngine, orchestratorEngineEvolvers),
  ...withinFlat(withLocal, rollbackEvolvers, copyOfLocal),
  ...withinFlat(withUserpass, userpassEvolvers),
  ...withinFlat(withApprole, approleEvolvers),
  ...withinFlat(withLdapMethod, ldapEvolvers),
  ...withinFlat(withAccountLogin, accountLoginEvolvers),
};
