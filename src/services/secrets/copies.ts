import type { Flat } from "../../kernel/draft.ts";
import type { Library } from "./library/state.ts";
import type { DirectoryMount } from "./mounts/state.ts";
import type { Namespace } from "./namespaces/state.ts";
import type { Cluster, Ignored } from "./state.ts";
import type { Local, Replicated } from "./storage.ts";

// Copies of the objects on the way to what most commits change. V8 copies a frozen object by `{ ...object }` member by member, and moves
// what it has copied so far every third time: of the widest ones half a microsecond and a kilobyte for what a literal does at once.

/** The names of members that are not always there. A new one has to be named here, or it does not compile. */
type Sometimes<T> = { readonly [K in keyof T as undefined extends T[K] ? K : never]-?: true };

const SOMETIMES_LOCAL: Sometimes<Local> = { secondaryKey: true };

const SOMETIMES_IGNORED: Sometimes<Ignored> = {
  wal: true,
  secondaryKey: true,
  merkle: true,
  generation: true,
  roleChangedAtMs: true,
  barrierKey: true,
  rekey: true,
  rekeyBackup: true,
  migrations: true,
  election: true,
  advertisedUrl: true,
};

const SOMETIMES_DIRECTORY: Sometimes<DirectoryMount> = {
  initial: true,
  plugin: true,
  config: true,
  roles: true,
  listingVisibility: true,
};

/** A copy that may be written to. */
export function copyOfCluster({ replicated, local, ignored }: Cluster): Flat<Cluster> {
  return { replicated, local, ignored };
}

/** A copy that may be written to, of any namespace: the root one is the whole of what is replicated. */
export function copyOfNamespace(namespace: Namespace): Flat<Namespace> {
  if ("namespaces" in namespace) return copyOfReplicated(namespace as Replicated);
  const { id, customMetadata, mounts, policies, passwordPolicies, tokenRoles, identity, oidc } = namespace;
  return { id, customMetadata, mounts, policies, passwordPolicies, tokenRoles, identity, oidc };
}

/** A copy that may be written to. */
export function copyOfReplicated(replicated: Replicated): Flat<Replicated> {
  return {
    id: replicated.id,
    customMetadata: replicated.customMetadata,
    mounts: replicated.mounts,
    policies: replicated.policies,
    passwordPolicies: replicated.passwordPolicies,
    tokenRoles: replicated.tokenRoles,
    identity: replicated.identity,
    oidc: replicated.oidc,
    namespaces: replicated.namespaces,
    plugins: replicated.plugins,
    calendar: replicated.calendar,
  };
}

/** A copy that may be written to. */
export function copyOfDirectoryMount(mount: DirectoryMount): Flat<DirectoryMount> {
  const copy: DirectoryMount = {
    type: mount.type,
    accessor: mount.accessor,
    uuid: mount.uuid,
    description: mount.description,
    options: mount.options,
    defaultLeaseTtlSeconds: mount.defaultLeaseTtlSeconds,
    maxLeaseTtlSeconds: mount.maxLeaseTtlSeconds,
    library: mount.library,
  };
  return withSometimes(copy, mount, SOMETIMES_DIRECTORY);
}

/** A copy that may be written to. */
export function copyOfLibrary({ sets, accounts, shelves }: Library): Flat<Library> {
  return { sets, accounts, shelves };
}

/** A copy that may be written to. */
export function copyOfLocal(local: Local): Flat<Local> {
  const copy: Local = {
    tokens: local.tokens,
    tokensByParent: local.tokensByParent,
    tokensByAccessor: local.tokensByAccessor,
    tokensByNamespace: local.tokensByNamespace,
    wrapped: local.wrapped,
    cubbyholes: local.cubbyholes,
    mounts: local.mounts,
    leases: local.leases,
    leasesByToken: local.leasesByToken,
    snapshots: local.snapshots,
    oidcCodes: local.oidcCodes,
    oidcExpiries: local.oidcExpiries,
    rollbackNotes: local.rollbackNotes,
    rollbackPasses: local.rollbackPasses,
    performance: local.performance,
    activationTokens: local.activationTokens,
    calendar: local.calendar,
  };
  return withSometimes(copy, local, SOMETIMES_LOCAL);
}

/** A copy that may be written to. */
export function copyOfIgnored(ignored: Ignored): Flat<Ignored> {
  const copy: Ignored = {
    url: ignored.url,
    clusterAddress: ignored.clusterAddress,
    rootToken: ignored.rootToken,
    createdAtMs: ignored.createdAtMs,
    id: ignored.id,
    license: ignored.license,
    version: ignored.version,
    seal: ignored.seal,
    nodes: ignored.nodes,
    running: ignored.running,
    walIndex: ignored.walIndex,
    dr: ignored.dr,
    links: ignored.links,
    peers: ignored.peers,
    drOperationTokens: ignored.drOperationTokens,
    restores: ignored.restores,
    lineage: ignored.lineage,
    epochs: ignored.epochs,
    requestFailures: ignored.requestFailures,
    replication: ignored.replication,
    quirks: ignored.quirks,
    snapshotSchedules: ignored.snapshotSchedules,
    pluginDirectory: ignored.pluginDirectory,
    pluginFiles: ignored.pluginFiles,
    pluginFilesKnown: ignored.pluginFilesKnown,
    podEnvironment: ignored.podEnvironment,
    calendar: ignored.calendar,
  };
  return withSometimes(copy, ignored, SOMETIMES_IGNORED);
}

/** How each part of a cluster is copied. */
export const COPY_OF_PART: { readonly [P in keyof Cluster]: (part: Cluster[P]) => Flat<Cluster[P]> } = {
  replicated: copyOfReplicated,
  local: copyOfLocal,
  ignored: copyOfIgnored,
};

/** A copy that may be written to, with some members of its own. */
export function ignoredWith(ignored: Ignored, changed: Partial<Ignored>): Flat<Ignored> {
  return Object.assign(copyOfIgnored(ignored), changed);
}

function withSometimes<T extends object>(copy: T, of: T, sometimes: Sometimes<T>): Flat<T> {
  for (const name in sometimes) {
    const member = of[name as never];
    if (member !== undefined) copy[name as never] = member;
  }
  return copy;
}
