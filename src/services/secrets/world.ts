import type { Calendar } from "../../kernel/calendar.ts";
import { Table } from "../../kernel/table.ts";
import type { DirectoryWorld } from "../../surroundings/directory/state.ts";
import type { LineWorld } from "../../surroundings/faults/line.ts";
import type { OrchestratorWorld } from "../../surroundings/orchestrator/state.ts";
import type { StoresWorld } from "../../surroundings/stores/state.ts";
import type {
  AccountLoginMount,
  ApproleMount,
  DirectoryMount,
  LdapMount,
  Mount,
  OrchestratorMount,
  UserpassMount,
} from "./mounts/state.ts";
import type { Namespace } from "./namespaces/state.ts";
import {
  type ClusterName,
  localMountKey,
  type MountPath,
  type MountPlace,
  mountPlace,
  type NamespacePlace,
} from "./place.ts";
import type { Quirk } from "./quirks.ts";
import type { Cluster } from "./state.ts";

/** What the secrets service reads and changes: its clusters, and the surroundings that its engines act on. */
export interface SecretsWorld extends DirectoryWorld, OrchestratorWorld, StoresWorld, LineWorld {
  readonly secrets: { readonly [cluster: string]: Cluster };
}

/** A cluster by its name, which may be that of a member that every object has. */
export function clusterNamed({ secrets }: SecretsWorld, name: string): Cluster | undefined {
  return Object.hasOwn(secrets, name) ? secrets[name] : undefined;
}

/** A cluster that is known to be there. */
export function clusterOf(world: SecretsWorld, name: ClusterName): Cluster {
  const cluster = clusterNamed(world, name);
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

/** All mounts of a namespace as they are seen there. */
export function* mountsAt(
  world: SecretsWorld,
  at: NamespacePlace,
): Generator<{ readonly path: MountPath; readonly mount: Mount; readonly local: boolean }> {
  const { mounts: own } = clusterOf(world, at.cluster).local;
  for (const [key, mount] of namespaceAt(world, at)?.mounts ?? []) {
    const path = key as MountPath;
    if (!isHidden(own, mountPlace(at, path))) yield { path, mount, local: false };
  }
  const prefix = localMountKey(mountPlace(at, "" as MountPath));
  for (const [key, mount] of own.entries({ prefix })) {
    yield { path: key.slice(prefix.length) as MountPath, mount, local: true };
  }
}

/** The users of a method; undefined where there is none. */
export function userpassAt(world: SecretsWorld, at: MountPlace): UserpassMount | undefined {
  const mount = mountAt(world, at);
  return mount?.type === "auth/userpass" ? mount : undefined;
}

/** The roles and secret ids of a method; undefined where there is none. */
export function approleAt(world: SecretsWorld, at: MountPlace): ApproleMount | undefined {
  const mount = mountAt(world, at);
  return mount?.type === "auth/approle" ? mount : undefined;
}

/** The method that asks the directory; undefined where there is none. */
export function ldapMethodAt(world: SecretsWorld, at: MountPlace): LdapMount | undefined {
  const mount = mountAt(world, at);
  return mount?.type === "auth/ldap" ? mount : undefined;
}

/** The method that asks the orchestrator; undefined where there is none. */
export function accountLoginAt(world: SecretsWorld, at: MountPlace): AccountLoginMount | undefined {
  const mount = mountAt(world, at);
  return mount?.type === "auth/orchestrator" ? mount : undefined;
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
  const mounts = clusterNamed(world, at.cluster)?.local.mounts;
  return mounts !== undefined && mounts.size > 0 && mounts.has(localMountKey(at));
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

/** Whether a cluster takes part: a sealed or stopped one fires nothing (decisions-secrets-core.md, A.9), and one without an active node neither. */
export function isAwake({ ignored }: Cluster): boolean {
  return ignored.running && ignored.seal.status === "unsealed";
}

/**
 * The parts of a cluster whose deadlines fire. On a disaster-recovery secondary none of its primary's do, and on a performance
 * secondary none of what it shares (decisions-replication.md, 1 and 3).
 */
export function awakeParts(cluster: Cluster): readonly DuePart[] {
  if (cluster.ignored.election !== undefined) return ELECTION_ONLY;
  if (!isAwake(cluster)) return NO_PARTS;
  if (cluster.ignored.dr.mode === "secondary") return IGNORED_ONLY;
  return cluster.local.performance.mode === "secondary" ? ALL_BUT_SHARED : ALL_PARTS;
}

/** A part of a cluster that has deadlines of its own. */
export type DuePart = keyof Cluster | "election";

const NO_CALENDAR: Calendar = Table.of();

/** The deadlines of such a part. */
export function calendarOf({ ignored, ...storage }: Cluster, part: DuePart): Calendar {
  if (part === "election") return ignored.election?.calendar ?? NO_CALENDAR;
  return part === "ignored" ? ignored.calendar : storage[part].calendar;
}

const NO_PARTS: readonly DuePart[] = Object.freeze([]);
const ELECTION_ONLY: readonly DuePart[] = Object.freeze(["election"] as const);
const IGNORED_ONLY: readonly DuePart[] = Object.freeze(["ignored"] as const);
const ALL_BUT_SHARED: readonly DuePart[] = Object.freeze(["local", "ignored"] as const);
const ALL_PARTS: readonly DuePart[] = Object.freeze(["replicated", "local", "ignored"] as const);

export function hasQuirk(world: SecretsWorld, cluster: ClusterName, quirk: Quirk): boolean {
  return clusterOf(world, cluster).ignored.quirks.includes(quirk);
}
