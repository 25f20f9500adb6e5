import type { EpochMs } from "../../kernel/brand.ts";
import type { Calendar } from "../../kernel/calendar.ts";
import type { Part } from "../../kernel/evolvers.ts";
import { withEntry, withMember } from "../../kernel/parts.ts";
import type { Table } from "../../kernel/table.ts";
import type { DirectoryWorld } from "../../surroundings/directory/state.ts";
import type { DirectoryConfig } from "./directory-config/state.ts";
import type { Lease, LeaseId } from "./leases/state.ts";
import type { Library } from "./library/state.ts";
import type { PasswordPolicy } from "./password-policies/state.ts";
import type { ClusterName, InMount, InNamespace, MountPath, MountPlace, NamespacePlace } from "./place.ts";
import type { AclPolicy } from "./policies/state.ts";
import type { Quirk } from "./quirks.ts";
import type { Token } from "./tokens/state.ts";

/** What the secrets service reads and changes: its clusters, and the surroundings that its engines act on. */
export interface SecretsWorld extends DirectoryWorld {
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
  readonly mounts: Table<Mount>;
  readonly policies: Table<AclPolicy>;
  readonly passwordPolicies: Table<PasswordPolicy>;
}

/** The root namespace and, by their full paths, all others. */
export interface Replicated extends Namespace {
  readonly namespaces: Table<Namespace>;
  readonly calendar: Calendar;
}

export interface Local {
  readonly tokens: Table<Token>;
  readonly leases: Table<Lease>;
  /** The leases of each token, as `<token>/` and the lease's own characters: they end with it. */
  readonly leasesByToken: Table<LeaseId>;
  readonly calendar: Calendar;
}

export interface Ignored {
  readonly url: string;
  readonly clusterAddress: string;
  /** The token that the cluster was born with, also when it no longer works. */
  readonly rootToken: string;
  readonly createdAtMs: EpochMs;
  readonly quirks: readonly Quirk[];
  readonly calendar: Calendar;
}

interface MountEntry {
  readonly accessor: string;
  readonly uuid: string;
  readonly description: string;
  /** 0 = the system's. */
  readonly defaultLeaseTtlSeconds: number;
  readonly maxLeaseTtlSeconds: number;
}

/** A directory engine. */
export interface DirectoryMount extends MountEntry {
  readonly type: "ldap";
  readonly config?: DirectoryConfig;
  readonly library: Library;
}

/** A secret engine at its path. */
export type Mount = DirectoryMount;

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

export function mountAt(world: SecretsWorld, at: MountPlace): Mount | undefined {
  return namespaceAt(world, at)?.mounts.get(at.mount);
}

/** The mount that a path of a namespace lies in: mounts never lie in each other, so the first that fits is the one. */
export function mountOfPath(namespace: Namespace, path: string): MountPath | undefined {
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    const candidate = path.slice(0, slash + 1);
    if (namespace.mounts.has(candidate)) return candidate as MountPath;
  }
  return undefined;
}

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
      withMember<Cluster, P>(before, part, change),
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
    return withMember(replicated, "namespaces", (namespaces) => withEntry(namespaces, namespace, change));
  });

export const withMount: Part<SecretsWorld, Mount, InMount> = (world, fact, change) =>
  withNamespace(world, fact, (namespace) =>
    withMember(namespace, "mounts", (mounts) => withEntry(mounts, fact.at.mount, change)),
  );

export const withLibrary: Part<SecretsWorld, Library, InMount> = (world, fact, change) =>
  withMount(world, fact, (mount) => withMember(mount, "library", change));
