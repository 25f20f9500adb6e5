import type { Brand, EpochMs } from "../../../kernel/brand.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import { Table } from "../../../kernel/table.ts";
import { pairKey, pairPrefix } from "../pair-key.ts";
import type { InNamespace } from "../place.ts";

export type EntityId = Brand<string, "EntityId">;
export type AliasId = Brand<string, "AliasId">;
export type GroupId = Brand<string, "GroupId">;

/** What somebody notes about an object, by names. */
export type Metadata = { readonly [name: string]: string };

/** Who is behind tokens (decisions-oidc.md, 3). */
export interface Entity {
  readonly name: string;
  readonly metadata: Metadata;
  readonly policies: readonly string[];
  readonly disabled: boolean;
  /** The ids of those that were merged into it; absent for none. */
  readonly mergedIds?: readonly EntityId[];
  readonly createdAtMs: EpochMs;
  readonly changedAtMs: EpochMs;
}

/** The name under which an entity logs in through a mount. */
export interface Alias {
  readonly entity: EntityId;
  readonly name: string;
  readonly mountAccessor: string;
  /** Set by the way of logging in. */
  readonly metadata: Metadata;
  readonly customMetadata: Metadata;
  /** The entities that it was of before they were merged; absent for none. */
  readonly mergedFrom?: readonly EntityId[];
  readonly createdAtMs: EpochMs;
  readonly changedAtMs: EpochMs;
}

export type GroupType = "internal" | "external";

/** A group; who is in it stands in the tables of members. */
export interface Group {
  readonly name: string;
  readonly type: GroupType;
  readonly metadata: Metadata;
  readonly policies: readonly string[];
  /** How often it was written, and put into another group or taken out of one. */
  readonly modifyIndex: number;
  readonly createdAtMs: EpochMs;
  readonly changedAtMs: EpochMs;
}

/** The name that a way of logging in has for an external group. */
export interface GroupAlias {
  readonly group: GroupId;
  readonly name: string;
  readonly mountAccessor: string;
  readonly createdAtMs: EpochMs;
  readonly changedAtMs: EpochMs;
}

/** The people of one namespace. Pairs are keyed as `pairKey`, once in each direction, so that no group is ever walked in vain. */
export interface Identity {
  readonly entities: Table<Entity>;
  /** By their names as `nameKey` has them. */
  readonly entitiesByName: Table<EntityId>;
  /** Ids of entities that were deleted: their tokens are refused, where those of an id that never was are not. */
  readonly deletedEntities: Table<true>;
  /** By ids of entities that were merged: the one that they are now. */
  readonly mergedEntities: Table<EntityId>;
  readonly aliases: Table<Alias>;
  /** By mount accessor and name. */
  readonly aliasesByLogin: Table<AliasId>;
  /** By entity and mount accessor: an entity has one alias on each. */
  readonly aliasesByEntity: Table<AliasId>;
  readonly groups: Table<Group>;
  /** By their names as `nameKey` has them. */
  readonly groupsByName: Table<GroupId>;
  /** By group and entity. */
  readonly members: Table<EntityId>;
  /** By entity and group. */
  readonly groupsOfEntity: Table<GroupId>;
  /** By group and the group in it. */
  readonly subgroups: Table<GroupId>;
  /** By a group and the one that it is in. */
  readonly parentsOfGroup: Table<GroupId>;
  readonly groupAliases: Table<GroupAlias>;
  /** By mount accessor and name. */
  readonly groupAliasesByLogin: Table<AliasId>;
  /** By group: it has one. */
  readonly groupAliasesByGroup: Table<AliasId>;
}

export const NO_IDENTITY = Object.freeze<Identity>({
  entities: Table.of(),
  entitiesByName: Table.of(),
  deletedEntities: Table.of(),
  mergedEntities: Table.of(),
  aliases: Table.of(),
  aliasesByLogin: Table.of(),
  aliasesByEntity: Table.of(),
  groups: Table.of(),
  groupsByName: Table.of(),
  members: Table.of(),
  groupsOfEntity: Table.of(),
  subgroups: Table.of(),
  parentsOfGroup: Table.of(),
  groupAliases: Table.of(),
  groupAliasesByLogin: Table.of(),
  groupAliasesByGroup: Table.of(),
});

type Unstamped<T> = Omit<T, "createdAtMs" | "changedAtMs" | "modifyIndex" | "mergedIds" | "mergedFrom">;

/** Names of entities and groups are the same in any case (amendments.md, S34). */
export function nameKey(name: string): string {
  return name.toLowerCase();
}

/** The facts of identity. */
export interface IdentityEvents {
  /** A new one, or what an existing one has become. */
  EntityWritten: InNamespace & { readonly id: EntityId; readonly entity: Unstamped<Entity> };
  /** With its aliases, and out of its groups. */
  EntityDeleted: InNamespace & { readonly id: EntityId };
  EntityAliasWritten: InNamespace & { readonly id: AliasId; readonly alias: Unstamped<Alias> };
  EntityAliasDeleted: InNamespace & { readonly id: AliasId };
  GroupWritten: InNamespace & {
    readonly id: GroupId;
    readonly group: Unstamped<Group>;
    /** All members; absent when they stay as they are. */
    readonly memberEntities?: readonly EntityId[];
    readonly memberGroups?: readonly GroupId[];
  };
  GroupDeleted: InNamespace & { readonly id: GroupId };
  GroupAliasWritten: InNamespace & { readonly id: AliasId; readonly alias: Unstamped<GroupAlias> };
  GroupAliasDeleted: InNamespace & { readonly id: AliasId };
  /** A login told in which external groups an entity is. */
  ExternalGroupsChanged: InNamespace & {
    readonly entity: EntityId;
    readonly joined: readonly GroupId[];
    readonly left: readonly GroupId[];
  };
  /** What some entities had is another one's, but for aliases that are dropped. */
  EntitiesMerged: InNamespace & {
    readonly from: readonly EntityId[];
    readonly into: EntityId;
    readonly dropped: readonly AliasId[];
  };
}

export const identityEvolvers: FlatEvolvers<Identity, IdentityEvents> = {
  EntityWritten: (identity, { id, entity }, { atMs }) => {
    const before = identity.entities.get(id);
    if (before !== undefined) identity.entitiesByName = identity.entitiesByName.delete(nameKey(before.name));
    const { mergedIds } = before ?? {};
    const known = stamped(entity, before, atMs);
    identity.entities = identity.entities.set(id, mergedIds === undefined ? known : { ...known, mergedIds });
    identity.entitiesByName = identity.entitiesByName.set(nameKey(entity.name), id);
    identity.deletedEntities = identity.deletedEntities.delete(id);
    identity.mergedEntities = identity.mergedEntities.delete(id);
  },
  EntityDeleted: (identity, { id }) => {
    const entity = identity.entities.get(id);
    if (entity === undefined) return;
    identity.entities = identity.entities.delete(id);
    identity.entitiesByName = identity.entitiesByName.delete(nameKey(entity.name));
    for (const gone of [id, ...(entity.mergedIds ?? [])]) {
      identity.deletedEntities = identity.deletedEntities.set(gone, true);
      identity.mergedEntities = identity.mergedEntities.delete(gone);
    }
    for (const alias of [...identity.aliasesByEntity.values({ prefix: pairPrefix(id) })]) dropAlias(identity, alias);
    for (const group of [...identity.groupsOfEntity.values({ prefix: pairPrefix(id) })]) {
      takeOut(identity, group, id);
    }
  },
  EntityAliasWritten: (identity, { id, alias }, { atMs }) => {
    const before = identity.aliases.get(id);
    if (before !== undefined) dropAlias(identity, id);
    const { mergedFrom } = before ?? {};
    const known = stamped(alias, before, atMs);
    identity.aliases = identity.aliases.set(id, mergedFrom === undefined ? known : { ...known, mergedFrom });
    identity.aliasesByLogin = identity.aliasesByLogin.set(pairKey(alias.mountAccessor, alias.name), id);
    identity.aliasesByEntity = identity.aliasesByEntity.set(pairKey(alias.entity, alias.mountAccessor), id);
  },
  EntityAliasDeleted: (identity, { id }) => dropAlias(identity, id),
  GroupWritten: (identity, { id, group, memberEntities, memberGroups }, { atMs }) => {
    const before = identity.groups.get(id);
    if (before !== undefined) identity.groupsByName = identity.groupsByName.delete(nameKey(before.name));
    const modifyIndex = (before?.modifyIndex ?? 0) + 1;
    identity.groups = identity.groups.set(id, { ...stamped(group, before, atMs), modifyIndex });
    identity.groupsByName = identity.groupsByName.set(nameKey(group.name), id);
    if (memberEntities !== undefined) {
      emptyOfEntities(identity, id);
      for (const entity of memberEntities) putIn(identity, id, entity);
    }
    if (memberGroups !== undefined) {
      const left = new Set(identity.subgroups.values({ prefix: pairPrefix(id) }));
      const moved = [...left, ...memberGroups].filter((child) => !left.has(child) || !memberGroups.includes(child));
      for (const child of moved) countChange(identity, child);
      emptyOfGroups(identity, id);
      for (const child of memberGroups) {
        identity.subgroups = identity.subgroups.set(pairKey(id, child), child);
        identity.parentsOfGroup = identity.parentsOfGroup.set(pairKey(child, id), id);
      }
    }
  },
  GroupDeleted: (identity, { id }) => {
    const group = identity.groups.get(id);
    if (group === undefined) return;
    identity.groups = identity.groups.delete(id);
    identity.groupsByName = identity.groupsByName.delete(nameKey(group.name));
    emptyOfEntities(identity, id);
    emptyOfGroups(identity, id);
    const alias = identity.groupAliasesByGroup.get(id);
    if (alias !== undefined) dropGroupAlias(identity, alias);
    for (const parent of [...identity.parentsOfGroup.values({ prefix: pairPrefix(id) })]) {
      identity.subgroups = identity.subgroups.delete(pairKey(parent, id));
      identity.parentsOfGroup = identity.parentsOfGroup.delete(pairKey(id, parent));
    }
  },
  GroupAliasWritten: (identity, { id, alias }, { atMs }) => {
    const before = identity.groupAliases.get(id);
    if (before !== undefined) dropGroupAlias(identity, id);
    const other = identity.groupAliasesByGroup.get(alias.group);
    if (other !== undefined) dropGroupAlias(identity, other);
    identity.groupAliases = identity.groupAliases.set(id, stamped(alias, before, atMs));
    identity.groupAliasesByLogin = identity.groupAliasesByLogin.set(pairKey(alias.mountAccessor, alias.name), id);
    identity.groupAliasesByGroup = identity.groupAliasesByGroup.set(alias.group, id);
  },
  GroupAliasDeleted: (identity, { id }) => dropGroupAlias(identity, id),
  ExternalGroupsChanged: (identity, { entity, joined, left }) => {
    for (const group of joined) putIn(identity, group, entity);
    for (const group of left) takeOut(identity, group, entity);
    for (const group of [...joined, ...left]) countChange(identity, group);
  },
  EntitiesMerged: (identity, { from, into, dropped }, { atMs }) => {
    for (const alias of dropped) dropAlias(identity, alias);
    for (const id of from) mergeInto(identity, id, into, atMs);
  },
};

function mergeInto(identity: Flat<Identity>, id: EntityId, into: EntityId, atMs: EpochMs): void {
  const [entity, known] = [identity.entities.get(id), identity.entities.get(into)];
  if (entity === undefined || known === undefined) return;
  for (const alias of [...identity.aliasesByEntity.values({ prefix: pairPrefix(id) })]) {
    const record = identity.aliases.get(alias);
    if (record === undefined) continue;
    const { mountAccessor, mergedFrom = [] } = record;
    const moved = { ...record, entity: into, mergedFrom: [...mergedFrom, id], changedAtMs: atMs };
    identity.aliases = identity.aliases.set(alias, moved);
    identity.aliasesByEntity = identity.aliasesByEntity
      .delete(pairKey(id, mountAccessor))
      .set(pairKey(into, mountAccessor), alias);
  }
  for (const group of [...identity.groupsOfEntity.values({ prefix: pairPrefix(id) })]) {
    takeOut(identity, group, id);
    putIn(identity, group, into);
  }
  const merged = [id, ...(entity.mergedIds ?? [])];
  for (const one of merged) identity.mergedEntities = identity.mergedEntities.set(one, into);
  identity.entitiesByName = identity.entitiesByName.delete(nameKey(entity.name));
  const mergedIds = [...(known.mergedIds ?? []), ...merged];
  identity.entities = identity.entities.delete(id).set(into, { ...known, mergedIds, changedAtMs: atMs });
}

function putIn(identity: Flat<Identity>, group: GroupId, entity: EntityId): void {
  identity.members = identity.members.set(pairKey(group, entity), entity);
  identity.groupsOfEntity = identity.groupsOfEntity.set(pairKey(entity, group), group);
}

function takeOut(identity: Flat<Identity>, group: GroupId, entity: EntityId): void {
  identity.members = identity.members.delete(pairKey(group, entity));
  identity.groupsOfEntity = identity.groupsOfEntity.delete(pairKey(entity, group));
}

function dropGroupAlias(identity: Flat<Identity>, id: AliasId): void {
  const alias = identity.groupAliases.get(id);
  if (alias === undefined) return;
  identity.groupAliases = identity.groupAliases.delete(id);
  identity.groupAliasesByLogin = identity.groupAliasesByLogin.delete(pairKey(alias.mountAccessor, alias.name));
  identity.groupAliasesByGroup = identity.groupAliasesByGroup.delete(alias.group);
}

function stamped<T extends object>(
  record: T,
  before: { readonly createdAtMs: EpochMs } | undefined,
  atMs: EpochMs,
): T & { readonly createdAtMs: EpochMs; readonly changedAtMs: EpochMs } {
  return { ...record, createdAtMs: before?.createdAtMs ?? atMs, changedAtMs: atMs };
}

function dropAlias(identity: Flat<Identity>, id: AliasId): void {
  const alias = identity.aliases.get(id);
  if (alias === undefined) return;
  identity.aliases = identity.aliases.delete(id);
  identity.aliasesByLogin = identity.aliasesByLogin.delete(pairKey(alias.mountAccessor, alias.name));
  identity.aliasesByEntity = identity.aliasesByEntity.delete(pairKey(alias.entity, alias.mountAccessor));
}

function emptyOfEntities(identity: Flat<Identity>, group: GroupId): void {
  for (const entity of [...identity.members.values({ prefix: pairPrefix(group) })]) takeOut(identity, group, entity);
}

/** A group that is put into another one, or taken out of it, has changed. */
function countChange(identity: Flat<Identity>, id: GroupId): void {
  const group = identity.groups.get(id);
  if (group === undefined) return;
  identity.groups = identity.groups.set(id, { ...group, modifyIndex: group.modifyIndex + 1 });
}

function emptyOfGroups(identity: Flat<Identity>, group: GroupId): void {
  for (const child of [...identity.subgroups.values({ prefix: pairPrefix(group) })]) {
    identity.subgroups = identity.subgroups.delete(pairKey(group, child));
    identity.parentsOfGroup = identity.parentsOfGroup.delete(pairKey(child, group));
  }
}
