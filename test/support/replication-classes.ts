import type { Table } from "../../src/kernel/table.ts";
import type { Identity } from "../../src/services/secrets/identity/state.ts";
import type {
  AccountLoginMount,
  ApproleMount,
  DirectoryMount,
  DirectoryRoles,
  KvMount,
  LdapMount,
  UserpassMount,
} from "../../src/services/secrets/mounts/state.ts";
import type { OidcConfiguration } from "../../src/services/secrets/oidc/state.ts";
import type { OrchestratorEngine } from "../../src/services/secrets/orchestrator/state.ts";
import type { Ignored } from "../../src/services/secrets/state.ts";
import type { Local, Replicated } from "../../src/services/secrets/storage.ts";

/** The names of an object's tables. */
type TablesOf<T> = { [N in keyof T & string]: T[N] extends Table<infer _V> ? N : never }[keyof T & string];

/**
 * The class of every table of a cluster. It follows from the part in which the table lies; it is told here once more, for every
 * table by name, so that a new one that is in the wrong part does not compile.
 */
export const REPLICATION_CLASSES: {
  readonly replicated: { readonly [N in TablesOf<Replicated>]: "replicated" };
  /** Of each namespace. */
  readonly identity: { readonly [N in TablesOf<Identity>]: "replicated" };
  readonly oidc: { readonly [N in TablesOf<OidcConfiguration>]: "replicated" };
  readonly local: { readonly [N in TablesOf<Local>]: "local" };
  readonly ignored: { readonly [N in TablesOf<Ignored>]: "ignored" };
  /** Of engines: replicated, or local where their mount is. */
  readonly mounts: {
    readonly [N in
      | TablesOf<Omit<DirectoryMount, "type"> & Omit<KvMount, "type"> & OrchestratorEngine>
      | TablesOf<DirectoryRoles>
      | TablesOf<
          Omit<UserpassMount, "type"> &
            Omit<ApproleMount, "type"> &
            Omit<LdapMount, "type"> &
            Omit<AccountLoginMount, "type">
        >
      | "library"]: "as its mount";
  };
} = {
  replicated: {
    namespaces: "replicated",
    mounts: "replicated",
    policies: "replicated",
    passwordPolicies: "replicated",
    tokenRoles: "replicated",
    plugins: "replicated",
    calendar: "replicated",
  },
  identity: {
    entities: "replicated",
    entitiesByName: "replicated",
    deletedEntities: "replicated",
    mergedEntities: "replicated",
    aliases: "replicated",
    aliasesByLogin: "replicated",
    aliasesByEntity: "replicated",
    groups: "replicated",
    groupsByName: "replicated",
    members: "replicated",
    groupsOfEntity: "replicated",
    subgroups: "replicated",
    parentsOfGroup: "replicated",
    groupAliases: "replicated",
    groupAliasesByLogin: "replicated",
    groupAliasesByGroup: "replicated",
  },
  oidc: {
    keys: "replicated",
    assignments: "replicated",
    scopes: "replicated",
    clients: "replicated",
    providers: "replicated",
    clientsById: "replicated",
    clientsByKey: "replicated",
    clientsByAssignment: "replicated",
    providersByScope: "replicated",
    identityRoles: "replicated",
    identityRolesByKey: "replicated",
  },
  local: {
    tokens: "local",
    tokensByParent: "local",
    tokensByAccessor: "local",
    tokensByNamespace: "local",
    wrapped: "local",
    cubbyholes: "local",
    mounts: "local",
    leases: "local",
    leasesByToken: "local",
    snapshots: "local",
    oidcCodes: "local",
    oidcExpiries: "local",
    rollbackNotes: "local",
    rollbackPasses: "local",
    calendar: "local",
  },
  ignored: { snapshotSchedules: "ignored", pluginFiles: "ignored", drOperationTokens: "ignored", calendar: "ignored" },
  mounts: {
    entries: "as its mount",
    library: "as its mount",
    staticRoles: "as its mount",
    usernames: "as its mount",
    rotations: "as its mount",
    dynamicRoles: "as its mount",
    roles: "as its mount",
    users: "as its mount",
    accountRoles: "as its mount",
    mappedUsers: "as its mount",
    mappedGroups: "as its mount",
    approles: "as its mount",
    approlesById: "as its mount",
    secretIds: "as its mount",
    secretIdsByAccessor: "as its mount",
    secretIdExpiries: "as its mount",
  },
};
