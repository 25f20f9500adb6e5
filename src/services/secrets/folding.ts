import type { Calendar, Due } from "../../kernel/calendar.ts";
import { type Flat, produceFlat } from "../../kernel/draft.ts";
import type { Part } from "../../kernel/evolvers.ts";
import { withEntry, withMember } from "../../kernel/parts.ts";
import type { Table } from "../../kernel/table.ts";
import type { ApproleSlice, Approles } from "./auth/approle/state.ts";
import {
  COPY_OF_PART,
  copyOfCluster,
  copyOfDirectoryMount,
  copyOfIgnored,
  copyOfLocal,
  copyOfNamespace,
  copyOfReplicated,
} from "./copies.ts";
import type { Identity } from "./identity/state.ts";
import type { Library } from "./library/state.ts";
import {
  type AccountLoginMount,
  type DirectoryMount,
  type DirectoryRoles,
  type KvMount,
  type LdapMount,
  type MaybeLocal,
  type Mount,
  type Mounts,
  noRoles,
  type UserpassMount,
  type VersionedKvMount,
} from "./mounts/state.ts";
import type { Namespace } from "./namespaces/state.ts";
import type { Keys } from "./oidc/keys/state.ts";
import type { OidcConfiguration } from "./oidc/state.ts";
import type { OrchestratorEngine } from "./orchestrator/state.ts";
import { type ClusterName, type InCluster, type InMount, type InNamespace, localMountKey } from "./place.ts";
import type { Cluster, Ignored } from "./state.ts";
import type { StaticRoleSlice, StaticRoles } from "./static-roles/state.ts";
import type { Local, Replicated } from "./storage.ts";
import { clusterNamed, isMountLocal, type SecretsWorld } from "./world.ts";

// The ways of facts to the slices that they change. A part that is not there stays away: folding refuses nothing.

/** Changes one of a cluster's three parts. */
export function withPart<W extends SecretsWorld, P extends keyof Cluster>(
  world: W,
  { cluster }: InCluster,
  part: P,
  change: (part: Cluster[P]) => Cluster[P],
): W {
  return withMember<SecretsWorld, "secrets">(world, "secrets", (clusters) =>
    withMember<SecretsWorld["secrets"], ClusterName>(clusters, cluster, (before) =>
      withMember<Cluster, P>(before, part, change, copyOfCluster),
    ),
  ) as W;
}

export const withLocal: Part<SecretsWorld, Local, InCluster> = (world, at, change) =>
  withPart(world, at, "local", change);

export const withReplicated: Part<SecretsWorld, Replicated, InCluster> = (world, at, change) =>
  withPart(world, at, "replicated", change);

export const withIgnored: Part<SecretsWorld, Ignored, InCluster> = (world, at, change) =>
  withPart(world, at, "ignored", change);

export const withNamespace: Part<SecretsWorld, Namespace, InNamespace> = (world, { at }, change) =>
  withReplicated(world, at, (replicated) => {
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

export const withIdentity: Part<SecretsWorld, Identity, InNamespace> = (world, fact, change) =>
  withNamespace(world, fact, (namespace) => withMember(namespace, "identity", change, copyOfNamespace));

export const withOidc: Part<SecretsWorld, OidcConfiguration, InNamespace> = (world, fact, change) =>
  withNamespace(world, fact, (namespace) => withMember(namespace, "oidc", change, copyOfNamespace));

export const withKeys: Part<SecretsWorld, Keys, InNamespace> = (world, fact, change) =>
  withDue(world, fact.at, "replicated", change, (due) =>
    withOidc(world, fact, (oidc) => withMember(oidc, "keys", (keys) => due({ keys }).keys)),
  );

/** The table that mounts of a namespace lie in, local or shared ones. */
function withMountTable(
  world: SecretsWorld,
  { at, local }: MaybeLocal,
  change: (mounts: Table<Mount>) => Table<Mount>,
): SecretsWorld {
  if (local) return withLocal(world, at, (part) => withMember(part, "mounts", change, copyOfLocal));
  return withNamespace(world, { at }, (namespace) => withMember(namespace, "mounts", change, copyOfNamespace));
}

/** What comes into being or goes says itself in which part it lies. */
export const withMounts: Part<SecretsWorld, Mounts, MaybeLocal> = (world, fact, change) =>
  withDue(world, fact.at, fact.local ? "local" : "replicated", change, (due) =>
    withMountTable(world, fact, (mounts) => due({ mounts }).mounts),
  );

export const withMount: Part<SecretsWorld, Mount, InMount> = (world, { at }, change) => {
  const local = isMountLocal(world, at);
  const key = local ? localMountKey(at) : at.mount;
  return withMountTable(world, local ? { at, local } : { at }, (mounts) => withEntry(mounts, key, change));
};

/** A directory engine; a fact about one finds no mount of another type. */
export const withDirectoryMount: Part<SecretsWorld, DirectoryMount, InMount> = (world, fact, change) =>
  withMount(world, fact, (mount) => (mount.type === "ldap" ? change(mount) : mount));

export const withKv: Part<SecretsWorld, KvMount, InMount> = (world, fact, change) =>
  withMount(world, fact, (mount) => (mount.type === "kv" ? change(mount) : mount));

export const withVersionedKv: Part<SecretsWorld, VersionedKvMount, InMount> = (world, fact, change) =>
  withMount(world, fact, (mount) => (mount.type === "kv2" ? change(mount) : mount));

export const withUserpass: Part<SecretsWorld, UserpassMount, InMount> = (world, fact, change) =>
  withMount(world, fact, (mount) => (mount.type === "auth/userpass" ? change(mount) : mount));

export const withApprole: Part<SecretsWorld, Approles, InMount> = (world, fact, change) =>
  withDue<ApproleSlice>(world, fact.at, isMountLocal(world, fact.at) ? "local" : "replicated", change, (due) =>
    withMount(world, fact, (mount) => {
      if (mount.type !== "auth/approle") return mount;
      const { approles, approlesById, secretIds, secretIdsByAccessor, secretIdExpiries, deadline } = due(mount);
      return { ...mount, approles, approlesById, secretIds, secretIdsByAccessor, secretIdExpiries, deadline };
    }),
  );

export const withLdapMethod: Part<SecretsWorld, LdapMount, InMount> = (world, fact, change) =>
  withMount(world, fact, (mount) => (mount.type === "auth/ldap" ? change(mount) : mount));

export const withAccountLogin: Part<SecretsWorld, AccountLoginMount, InMount> = (world, fact, change) =>
  withMount(world, fact, (mount) => (mount.type === "auth/orchestrator" ? change(mount) : mount));

export const withLibrary: Part<SecretsWorld, Library, InMount> = (world, fact, change) =>
  withDirectoryMount(world, fact, (mount) => withMember(mount, "library", change, copyOfDirectoryMount));

export const withOrchestratorEngine: Part<SecretsWorld, OrchestratorEngine, InMount> = (world, fact, change) =>
  withMount(world, fact, (mount) => (mount.type === "orchestrator" ? withMember(mount, "engine", change) : mount));

/** The roles of a directory engine, from none on. */
export const withRoles: Part<SecretsWorld, DirectoryRoles, InMount> = (world, fact, change) =>
  withDirectoryMount(world, fact, (mount) => {
    const before = mount.roles ?? noRoles;
    const roles = change(before);
    return roles === before ? mount : { ...mount, roles };
  });

export const withStaticRoles: Part<SecretsWorld, StaticRoles, InMount> = (world, fact, change) =>
  withDue<StaticRoleSlice>(world, fact.at, isMountLocal(world, fact.at) ? "local" : "replicated", change, (due) =>
    withRoles(world, fact, (roles) => {
      const { staticRoles, usernames, rotations, deadline } = due(roles);
      if (staticRoles === roles.staticRoles) return roles;
      return { staticRoles, usernames, rotations, deadline, dynamicRoles: roles.dynamicRoles };
    }),
  );

/**
 * Changes something together with the calendar in which it is due, that of the part that it lies in.
 *
 * @param way leads to it, and changes it by what it is given
 */
function withDue<T extends object>(
  world: SecretsWorld,
  at: InCluster,
  part: "replicated" | "local",
  change: (held: T & Due) => T & Due,
  way: (due: (held: T) => T) => SecretsWorld,
): SecretsWorld {
  const cluster = clusterNamed(world, at.cluster);
  if (cluster === undefined) return world;
  let { calendar } = cluster[part];
  const changed = way((held) => {
    const after = change({ ...held, calendar });
    calendar = after.calendar;
    return after;
  });
  return withCalendar(changed, at, part, () => calendar);
}

/** Changes the deadlines of a part. */
function withCalendar<P extends keyof Cluster>(
  world: SecretsWorld,
  at: InCluster,
  part: P,
  change: (calendar: Calendar) => Calendar,
): SecretsWorld {
  return withPart(world, at, part, (holder) =>
    withMember<Cluster[P], "calendar">(holder, "calendar", change, COPY_OF_PART[part]),
  );
}

/** What of a cluster does not name who receives it: parts that may be written to. */
export interface OwnParts {
  readonly ignored: Flat<Ignored>;
  readonly local: Flat<Local>;
}

/** Changes two parts at once. Each is copied once, however many of its members change: a promotion changes five. */
export function withOwnParts(
  world: SecretsWorld,
  { cluster }: InCluster,
  change: (parts: OwnParts) => void,
): SecretsWorld {
  return withMember(world, "secrets", (clusters) =>
    withMember(clusters, cluster, (before) => {
      let { local } = before;
      const ignored = produceFlat(
        before.ignored,
        (ownIgnored) => {
          local = produceFlat(local, (ownLocal) => change({ ignored: ownIgnored, local: ownLocal }), copyOfLocal);
        },
        copyOfIgnored,
      );
      if (ignored === before.ignored && local === before.local) return before;
      return { replicated: before.replicated, local, ignored };
    }),
  );
}
