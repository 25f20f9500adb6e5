import { rfc3339 } from "../../../languages/instant.ts";
import { pairPrefix } from "../pair-key.ts";
import { membershipOf } from "./membership.ts";
import type { Alias, AliasId, EntityId, GroupAlias, GroupId, Identity, Metadata } from "./state.ts";

/** The way of logging in that an accessor stands for, as aliases show it. */
export interface MethodOfAlias {
  readonly mount_path: string;
  readonly mount_type: string;
  readonly local: boolean;
}

/** Where people are shown. */
export interface Showing {
  readonly namespaceId: string;
  readonly methods: ReadonlyMap<string, MethodOfAlias>;
}

/** Our choice: an accessor that no method has, which entities may have aliases on here (decisions-oidc.md, 3), has no path and no type. */
const NO_METHOD: MethodOfAlias = { mount_path: "", mount_type: "", local: false };

/** What reading an entity shows (decisions-oidc.md, 3). */
export function entityData(identity: Identity, id: EntityId, { namespaceId, methods }: Showing) {
  const entity = identity.entities.get(id);
  if (entity === undefined) return undefined;
  const { direct, inherited } = membershipOf(identity, id);
  const ids = (groups: readonly { readonly id: GroupId }[]): string[] => groups.map((group) => group.id);
  return {
    id,
    name: entity.name,
    metadata: shownMetadata(entity.metadata),
    policies: [...entity.policies],
    disabled: entity.disabled,
    aliases: [...identity.aliasesByEntity.values({ prefix: pairPrefix(id) })].map((alias) =>
      aliasShown(identity, alias, methods),
    ),
    direct_group_ids: ids(direct),
    inherited_group_ids: ids(inherited),
    group_ids: ids([...direct, ...inherited]),
    namespace_id: namespaceId,
    creation_time: rfc3339(entity.createdAtMs),
    last_update_time: rfc3339(entity.changedAtMs),
    merged_entity_ids: [...(entity.mergedIds ?? [])] as string[],
  };
}

/** What a listing by ids says of an alias. */
export function aliasInfo(
  { entity, mountAccessor, name, metadata, customMetadata }: Alias,
  methods: Showing["methods"],
) {
  return {
    canonical_id: entity,
    name,
    mount_accessor: mountAccessor,
    ...(methods.get(mountAccessor) ?? NO_METHOD),
    metadata: shownMetadata(metadata),
    custom_metadata: customMetadata,
  };
}

/** What reading an alias shows. */
export function aliasData(identity: Identity, id: AliasId, { namespaceId, methods }: Showing) {
  return identity.aliases.has(id) ? { ...aliasShown(identity, id, methods), namespace_id: namespaceId } : undefined;
}

function aliasShown(identity: Identity, id: string, methods: Showing["methods"]) {
  const alias = identity.aliases.get(id);
  if (alias === undefined) throw new Error(`alias ${id} is in an index, and is not there`);
  return {
    id,
    ...aliasInfo(alias, methods),
    merged_from_canonical_ids: alias.mergedFrom === undefined ? null : [...alias.mergedFrom],
    creation_time: rfc3339(alias.createdAtMs),
    last_update_time: rfc3339(alias.changedAtMs),
  };
}

/** What a listing by ids says of an entity (amendments.md, S34). */
export function entityInfo(identity: Identity, id: EntityId, methods: Showing["methods"]) {
  const aliases = [...identity.aliasesByEntity.values({ prefix: pairPrefix(id) })].map((alias) => {
    const { name, mount_accessor, mount_path, mount_type } = aliasShown(identity, alias, methods);
    return { id: alias, name, mount_accessor, mount_path, mount_type };
  });
  const { name = "" } = identity.entities.get(id) ?? {};
  return aliases.length === 0 ? { name } : { name, aliases };
}

/** What a listing by ids says of a group. */
export function groupInfo(identity: Identity, id: GroupId) {
  const { name = "" } = identity.groups.get(id) ?? {};
  return {
    name,
    num_member_entities: [...identity.members.keys({ prefix: pairPrefix(id) })].length,
    num_parent_groups: [...identity.parentsOfGroup.keys({ prefix: pairPrefix(id) })].length,
  };
}

/** What a listing by ids says of the alias of a group. */
export function groupAliasInfo({ group, mountAccessor, name }: GroupAlias, methods: Showing["methods"]) {
  const { mount_path, mount_type } = methods.get(mountAccessor) ?? NO_METHOD;
  return { canonical_id: group, name, mount_accessor: mountAccessor, mount_path, mount_type };
}

/** What reading the alias of a group shows. */
export function groupAliasData(identity: Identity, id: AliasId, { namespaceId, methods }: Showing) {
  return identity.groupAliases.has(id)
    ? { ...groupAliasShown(identity, id, methods), namespace_id: namespaceId }
    : undefined;
}

function groupAliasShown(identity: Identity, id: string, methods: Showing["methods"]) {
  const alias = identity.groupAliases.get(id);
  if (alias === undefined) throw new Error(`alias ${id} is in an index, and is not there`);
  return {
    id,
    ...groupAliasInfo(alias, methods),
    metadata: null,
    merged_from_canonical_ids: null,
    creation_time: rfc3339(alias.createdAtMs),
    last_update_time: rfc3339(alias.changedAtMs),
  };
}

/** Nothing noted is null (amendments.md, S34). */
function shownMetadata(metadata: Metadata): Metadata | null {
  return Object.keys(metadata).length === 0 ? null : metadata;
}

/** No members are null (identity/README.md, 3). */
function listOrNull(ids: Iterable<string>): string[] | null {
  const list = [...ids];
  return list.length === 0 ? null : list;
}

/** What reading a group shows. */
export function groupData(identity: Identity, id: GroupId, { namespaceId, methods }: Showing) {
  const group = identity.groups.get(id);
  const alias = identity.groupAliasesByGroup.get(id);
  if (group === undefined) return undefined;
  return {
    id,
    name: group.name,
    type: group.type,
    metadata: shownMetadata(group.metadata),
    policies: [...group.policies],
    member_entity_ids: listOrNull(identity.members.values({ prefix: pairPrefix(id) })),
    member_group_ids: listOrNull(identity.subgroups.values({ prefix: pairPrefix(id) })),
    parent_group_ids: [...identity.parentsOfGroup.values({ prefix: pairPrefix(id) })] as string[],
    namespace_id: namespaceId,
    alias: alias === undefined ? {} : groupAliasShown(identity, alias, methods),
    modify_index: group.modifyIndex,
    creation_time: rfc3339(group.createdAtMs),
    last_update_time: rfc3339(group.changedAtMs),
  };
}
