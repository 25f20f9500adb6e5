import type { EpochMs } from "../../kernel/brand.ts";
import type { Calendar, DeadlineKey } from "../../kernel/calendar.ts";
import type { Part } from "../../kernel/evolvers.ts";
import { withEntry, withMember } from "../../kernel/parts.ts";
import type { Table } from "../../kernel/table.ts";
import type { DirectoryWorld } from "../../surroundings/directory/state.ts";
import type { OrchestratorWorld } from "../../surroundings/orchestrator/state.ts";
import type { StoresWorld } from "../../surroundings/stores/state.ts";
import type { SealState } from "./cluster/state.ts";
import { copyOfCluster, copyOfDirectoryMount, copyOfLocal, copyOfNamespace, copyOfReplicated } from "./copies.ts";
import { type DirectoryRoles, noRoles } from "./directory-config/roles.ts";
import type { DirectoryConfig } from "./directory-config/state.ts";
import type { RequestFailure } from "./faults/state.ts";
import type { Identity } from "./identity/state.ts";
import type { KvData } from "./kv/state.ts";
import type { Lease, LeaseId } from "./leases/state.ts";
import type { Library } from "./library/state.ts";
import type { AuthorizationCode, Expiring } from "./oidc/flows/state.ts";
import type { OidcConfiguration } from "./oidc/state.ts";
import type { RollbackNote } from "./orchestrator/rollback/state.ts";
import type { OrchestratorEngine } from "./orchestrator/state.ts";
import type { PasswordPolicy } from "./password-policies/state.ts";
import type { ClusterName, InMount, InNamespace, MountPath, MountPlace, NamespacePlace } from "./place.ts";
import type { Plugin } from "./plugins/state.ts";
import type { AclPolicy } from "./policies/state.ts";
import type { Quirk } from "./quirks.ts";
import type { SecondaryKey } from "./replication/activation/public-key.ts";
import type { MerkleState } from "./replication/merkle/state.ts";
import type { DrOperationToken, GenerationAttempt } from "./replication/operation-tokens/state.ts";
import type { Links, Peer, ReplicationOptions, ReplicationRole, Wal } from "./replication/state.ts";
import type { SnapshotConfig } from "./snapshots/configuration.ts";
import type { SnapshotSchedule } from "./snapshots/state.ts";
import type { Token, TokenId } from "./tokens/state.ts";
import type { WrappedResponse } from "./wrapping/state.ts";

/** What the secrets service reads and changes: its clusters, and the surroundings that its engines act on. */
export interface SecretsWorld extends DirectoryWorld, OrchestratorWorld, StoresWorld {
  readonly secrets: { readonly [cluster: string]: Cluster };
}

/**
 * A cluster, in three parts by who receives them (decisions-replication.md, 1). What is shipped between clusters is a
 * reference to a part, so nothing inside names the cluster.
 */
export interface Cluster {
  /** Received by disaster-recovery secondaries, and by performance secondaries but for what filters remove. */
  readonly replicated: Replicated;
  /** Received by disaster-recovery secondaries. */
  readonly local: Local;
  /** Received by nobody. */
  readonly ignored: Ignored;
}

/** The objects of one namespace. */
export interface Namespace {
  /** `root`, or six base62 characters. */
  readonly id: string;
  readonly customMetadata: { readonly [name: string]: string };
  /** Those that are shared with other clusters; local ones lie in the local part. */
  readonly mounts: Table<Mount>;
  readonly policies: Table<AclPolicy>;
  readonly passwordPolicies: Table<PasswordPolicy>;
  readonly identity: Identity;
  readonly oidc: OidcConfiguration;
}

/** The root namespace and, by their full paths, all others. */
export interface Replicated extends Namespace {
  readonly namespaces: Table<Namespace>;
  /** The plugin catalog: one for all namespaces, by `pluginKey`. What is built in is not in it. */
  readonly plugins: Table<Plugin>;
  readonly calendar: Calendar;
}

export interface Local {
  readonly tokens: Table<Token>;
  /** The tokens that end with another one, as `tokenKey(parent)` and the child. */
  readonly tokensByParent: Table<TokenId>;
  /** Service tokens as their namespace, a space and their accessor. */
  readonly tokensByAccessor: Table<TokenId>;
  /** Tokens of child namespaces as their namespace, a space and the token: they end with it. */
  readonly tokensByNamespace: Table<TokenId>;
  /** What wrapping tokens hold, by token. */
  readonly wrapped: Table<WrappedResponse>;
  /** What tokens keep for themselves, as `tokenKey(token)` and a path. */
  readonly cubbyholes: Table<KvData>;
  /** Mounts that no other performance cluster sees, by `localMountKey`. */
  readonly mounts: Table<Mount>;
  readonly leases: Table<Lease>;
  /** The leases of each token, as `tokenKey(token)`, the position that issued the lease and its own characters: they end with it. */
  readonly leasesByToken: Table<LeaseId>;
  /** Configurations of automated snapshots, by name. */
  readonly snapshots: Table<SnapshotConfig>;
  /** Authorization codes of the OIDC provider that are not spent. */
  readonly oidcCodes: Table<AuthorizationCode>;
  /** What the OIDC provider issued, in the order in which it expires. */
  readonly oidcExpiries: Table<Expiring>;
  /** What orchestrator engines have half made, by their mounts and the requests that failed. */
  readonly rollbackNotes: Table<RollbackNote>;
  /** The next pass of each engine that has noted something, by `localMountKey`. */
  readonly rollbackPasses: Table<DeadlineKey>;
  readonly performance: ReplicationRole;
  /** What activation tokens for performance can be encrypted to; absent until one is asked for. */
  readonly secondaryKey?: SecondaryKey;
  /** How many activation tokens for secondaries were made here: each is an entry of the log. */
  readonly activationTokens: number;
  readonly calendar: Calendar;
}

export type License = "enterprise" | "community";

export interface Ignored {
  /** The cluster's own id, a UUID. */
  readonly id: string;
  readonly url: string;
  readonly clusterAddress: string;
  /** The token that the cluster was born with, also when it no longer works. */
  readonly rootToken: string;
  readonly createdAtMs: EpochMs;
  readonly license: License;
  /** The version that the service says it has. */
  readonly version: string;
  readonly seal: SealState;
  readonly nodes: Nodes;
  /** It runs, sealed or not; a stopped one answers nobody and fires nothing. */
  readonly running: boolean;
  /** One more with each commit that changed what is replicated or local (decisions-replication.md, 1). */
  readonly walIndex: number;
  /** What secondaries that have connected still lack of the log; absent where none has. */
  readonly wal?: Wal;
  readonly dr: ReplicationRole;
  /** What activation tokens for disaster recovery can be encrypted to; absent until one is asked for. */
  readonly secondaryKey?: SecondaryKey;
  /** What is wrong with the trees over its storage; absent while nothing is. */
  readonly merkle?: MerkleState;
  /** As a secondary: how it stands to its primaries. */
  readonly links: Links;
  /** As a primary: who has connected to it. */
  readonly peers: readonly Peer[];
  readonly drOperationTokens: Table<DrOperationToken>;
  /** An attempt to make such a token; absent while there is none. */
  readonly generation?: GenerationAttempt;
  /** When a role of it changed last; absent when none ever did. */
  readonly roleChangedAtMs?: EpochMs;
  /** How often its storage was replaced by that of another time: its log does not lead from the one to the other. */
  readonly restores: number;
  readonly replication: ReplicationOptions;
  /** Requests to come that fail because a test wants them to, in the order in which that was said. */
  readonly requestFailures: readonly RequestFailure[];
  readonly quirks: readonly Quirk[];
  /** How the attempts of each snapshot configuration went, and when the next is due. */
  readonly snapshotSchedules: Table<SnapshotSchedule>;
  /** Where the binaries of plugins lie; null when there is no such directory. */
  readonly pluginDirectory: string | null;
  /** The SHA-256 sums of what lies there, by command. */
  readonly pluginFiles: Table<string>;
  /** Somebody said what lies there; before, every command has its file, and with the right sum. */
  readonly pluginFilesKnown: boolean;
  readonly podEnvironment: PodEnvironment;
  readonly calendar: Calendar;
}

/** What a cluster finds where it runs, if that is a pod of an orchestrator. What it does not find is absent. */
export interface PodEnvironment {
  readonly host?: string;
  readonly port?: string;
  /** The contents of the files. */
  readonly caFile?: string;
  readonly tokenFile?: string;
}

/** The nodes of a cluster, numbered from 0: one is active, the others stand by. */
export interface Nodes {
  readonly count: number;
  readonly active: number;
  readonly activeSinceMs: EpochMs;
}

/** What a mount is written and tuned with. */
export interface MountSettings {
  readonly description: string;
  readonly options: { readonly [name: string]: string } | null;
  /** 0 = the system's. */
  readonly defaultLeaseTtlSeconds: number;
  readonly maxLeaseTtlSeconds: number;
}

interface MountEntry extends MountSettings {
  /** It is there from the start. */
  readonly initial?: true;
  readonly accessor: string;
  readonly uuid: string;
  /** What the catalog had for it, when that is not built in. */
  readonly plugin?: MountedPlugin;
}

/** A plugin that runs: overwriting its entry in the catalog does not disturb it. */
export interface MountedPlugin {
  readonly name: string;
  /** Absent when it was registered without one. */
  readonly version?: string;
}

/** A directory engine. */
export interface DirectoryMount extends MountEntry {
  readonly type: "ldap";
  readonly config?: DirectoryConfig;
  readonly library: Library;
  /** Appears with the first role. */
  readonly roles?: DirectoryRoles;
}

/** A store of values without versions. */
export interface KvMount extends MountEntry {
  readonly type: "kv";
  readonly entries: Table<KvData>;
}

/** An engine for credentials of an orchestrator. */
export interface OrchestratorMount extends MountEntry {
  readonly type: "orchestrator";
  readonly engine: OrchestratorEngine;
}

/** A secret engine at its path. */
export type Mount = DirectoryMount | KvMount | OrchestratorMount;
export type EngineType = Mount["type"];

// --- reading --------------------------------------------------------------------------------------------------------

export function clusterOf(world: SecretsWorld, name: ClusterName): Cluster {
  const cluster = Object.hasOwn(world.secrets, name) ? world.secrets[name] : undefined;
  if (cluster === undefined) throw new TypeError(`no cluster is named ${name}`);
  return cluster;
}

export function namespaceAt(world: SecretsWorld, at: NamespacePlace): Namespace | undefined {
  const { replicated } = clusterOf(world, at.cluster);
  return at.namespace === undefined ? replicated : replicated.namespaces.get(at.namespace);
}

/** The mount at a place; a local one hides a shared one (decisions-replication.md, 3). */
export function mountAt(world: SecretsWorld, at: MountPlace): Mount | undefined {
  const { mounts } = clusterOf(world, at.cluster).local;
  if (mounts.size === 0) return namespaceAt(world, at)?.mounts.get(at.mount);
  return (
    mounts.get(localMountKey(at)) ?? (isHidden(mounts, at) ? undefined : namespaceAt(world, at)?.mounts.get(at.mount))
  );
}

/** Whether a local mount takes the place of a shared one: it lies at its path, above or below it. */
export function isHidden(local: Table<Mount>, at: Pick<MountPlace, "namespace" | "mount">): boolean {
  const key = localMountKey(at);
  if (local.firstFrom(key)?.[0].startsWith(key)) return true;
  const start = key.length - at.mount.length;
  for (let slash = at.mount.indexOf("/"); slash >= 0; slash = at.mount.indexOf("/", slash + 1)) {
    if (local.has(key.slice(0, start + slash + 1))) return true;
  }
  return false;
}

/** The directory engine at a place; undefined where there is none. */
export function directoryAt(world: SecretsWorld, at: MountPlace): DirectoryMount | undefined {
  const mount = mountAt(world, at);
  return mount?.type === "ldap" ? mount : undefined;
}

/** The orchestrator engine at a place; undefined where there is none. */
export function orchestratorAt(world: SecretsWorld, at: MountPlace): OrchestratorMount | undefined {
  const mount = mountAt(world, at);
  return mount?.type === "orchestrator" ? mount : undefined;
}

/** Whether the mount at a place is not shared with other clusters; of a cluster that is not there nothing is. */
export function isMountLocal(world: SecretsWorld, at: MountPlace): boolean {
  if (!Object.hasOwn(world.secrets, at.cluster)) return false;
  const { mounts } = clusterOf(world, at.cluster).local;
  return mounts.size > 0 && mounts.has(localMountKey(at));
}

/** The key of a local mount. No path holds a space. */
export function localMountKey({ namespace, mount }: Pick<MountPlace, "namespace" | "mount">): string {
  return `${namespace ?? ""} ${mount}`;
}

/** Where a path of a namespace lies. */
export interface MountOfPath {
  readonly path: MountPath;
  readonly mount: Mount;
}

/** The mount that a path of a namespace lies in: mounts never lie in each other, so the first that fits is the one. */
export function mountOfPath(world: SecretsWorld, at: NamespacePlace, path: string): MountOfPath | undefined {
  const namespace = namespaceAt(world, at);
  if (namespace === undefined) return undefined;
  const { mounts } = clusterOf(world, at.cluster).local;
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    const candidate = path.slice(0, slash + 1) as MountPath;
    const mount = mounts.size === 0 ? namespace.mounts.get(candidate) : mountAt(world, { ...at, mount: candidate });
    if (mount !== undefined) return { path: candidate, mount };
  }
  return undefined;
}

/** Whether a cluster takes part: a sealed or stopped one fires nothing (decisions-secrets-core.md, A.9). */
export function isAwake({ ignored }: Cluster): boolean {
  return ignored.running && ignored.seal.status === "unsealed";
}

/**
 * The parts of a cluster whose deadlines fire. On a disaster-recovery secondary none of its primary's do, and on a performance
 * secondary none of what it shares (decisions-replication.md, 1 and 3).
 */
export function awakeParts(cluster: Cluster): readonly (keyof Cluster)[] {
  if (!isAwake(cluster)) return NO_PARTS;
  if (cluster.ignored.dr.mode === "secondary") return IGNORED_ONLY;
  return cluster.local.performance.mode === "secondary" ? ALL_BUT_SHARED : ALL_PARTS;
}

const NO_PARTS: readonly (keyof Cluster)[] = Object.freeze([]);
const IGNORED_ONLY: readonly (keyof Cluster)[] = Object.freeze(["ignored"] as const);
const ALL_BUT_SHARED: readonly (keyof Cluster)[] = Object.freeze(["local", "ignored"] as const);
const ALL_PARTS: readonly (keyof Cluster)[] = Object.freeze(["replicated", "local", "ignored"] as const);

// --- folding --------------------------------------------------------------------------------------------------------

type OfCluster = { readonly cluster: ClusterName };

/** Changes one of a cluster's three parts. */
export function withPart<W extends SecretsWorld, P extends keyof Cluster>(
  world: W,
  { cluster }: OfCluster,
  part: P,
  change: (part: Cluster[P]) => Cluster[P],
): W {
  return withMember<SecretsWorld, "secrets">(world, "secrets", (clusters) =>
    withMember<SecretsWorld["secrets"], ClusterName>(clusters, cluster, (before) =>
      withMember<Cluster, P>(before, part, change, copyOfCluster),
    ),
  ) as W;
}

export const withLocal: Part<SecretsWorld, Local, OfCluster> = (world, at, change) =>
  withPart(world, at, "local", change);

export const withReplicated: Part<SecretsWorld, Replicated, OfCluster> = (world, at, change) =>
  withPart(world, at, "replicated", change);

export const withNamespace: Part<SecretsWorld, Namespace, InNamespace> = (world, { at }, change) =>
  withPart(world, at, "replicated", (replicated) => {
    const { namespace } = at;
    // The root namespace is the replicated part itself, and changing it keeps its other members.
    if (namespace === undefined) return change(replicated) as Replicated;
    return withMember(
      replicated,
      "namespaces",
      (namespaces) => withEntry(namespaces, namespace, change),
      copyOfReplicated,
    );
  });

export const withMount: Part<SecretsWorld, Mount, InMount> = (world, fact, change) => {
  const { at } = fact;
  if (isMountLocal(world, at)) {
    return withLocal(world, at, (local) =>
      withMember(local, "mounts", (mounts) => withEntry(mounts, localMountKey(at), change), copyOfLocal),
    );
  }
  return withNamespace(world, fact, (namespace) =>
    withMember(namespace, "mounts", (mounts) => withEntry(mounts, at.mount, change), copyOfNamespace),
  );
};

/** A directory engine; a fact about one finds no mount of another type. */
export const withDirectoryMount: Part<SecretsWorld, DirectoryMount, InMount> = (world, fact, change) =>
  withMount(world, fact, (mount) => (mount.type === "ldap" ? change(mount) : mount));

export const withKv: Part<SecretsWorld, KvMount, InMount> = (world, fact, change) =>
  withMount(world, fact, (mount) => (mount.type === "kv" ? change(mount) : mount));

export const withLibrary: Part<SecretsWorld, Library, InMount> = (world, fact, change) =>
  withDirectoryMount(world, fact, (mount) => withMember(mount, "library", change, copyOfDirectoryMount));

export const withOrchestratorEngine: Part<SecretsWorld, OrchestratorEngine, InMount> = (world, fact, change) =>
  withMount(world, fact, (mount) => (mount.type === "orchestrator" ? withMember(mount, "engine", change) : mount));
/** The roles of a directory engine, from none on. */
export const withRoles: Part<SecretsWorld, DirectoryRoles, InMount> = (world, fact, change) =>
  withDirectoryMount(world, fact, (mount) => ({ ...mount, roles: change(mount.roles ?? noRoles) }));

export const withIgnored: Part<SecretsWorld, Ignored, OfCluster> = (world, at, change) =>
  withPart(world, at, "ignored", change);
