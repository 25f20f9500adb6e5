import { pairPrefix } from "../pair-key.ts";
import type { NamespacePath, NamespacePlace } from "../place.ts";
import { namespaceAt, type SecretsWorld } from "../world.ts";
import type { Entity, EntityId, GroupId, Identity } from "./state.ts";

/** A group that an entity is in. */
export interface GroupOfEntity {
  readonly id: GroupId;
  readonly name: string;
}

/** The groups of an entity, those that it is in and those that these are in, each once and each list by name. */
export interface Membership {
  readonly direct: readonly GroupOfEntity[];
  readonly inherited: readonly GroupOfEntity[];
  /** What the groups add to the policies of a token. */
  readonly policies: readonly string[];
}

/** Memberships by the people among whom they were found. */
const found = new WeakMap<Identity, Map<EntityId, Membership>>();

const NOWHERE: Membership = Object.freeze({
  direct: Object.freeze([]),
  inherited: Object.freeze([]),
  policies: Object.freeze([]),
});

/** The groups of an entity. It goes up from the entity, so groups that it is not in cost nothing. */
export function membershipOf(identity: Identity, entity: EntityId): Membership {
  if (identity.groupsOfEntity.size === 0) return NOWHERE;
  let known = found.get(identity);
  if (known === undefined) {
    known = new Map();
    found.set(identity, known);
  }
  let membership = known.get(entity);
  if (membership === undefined) {
    membership = membershipIn(identity, entity);
    known.set(entity, membership);
  }
  return membership;
}

function membershipIn(identity: Identity, entity: EntityId): Membership {
  const direct = [...identity.groupsOfEntity.values({ prefix: pairPrefix(entity) })];
  if (direct.length === 0) return NOWHERE;
  const above = ancestorsOf(identity, direct);
  const policies = [...direct, ...above].flatMap((id) => identity.groups.get(id)?.policies ?? []);
  return { direct: byName(identity, direct), inherited: byName(identity, above), policies: [...new Set(policies)] };
}

/** The groups above some, each once, without these themselves. */
export function ancestorsOf(identity: Identity, groups: readonly GroupId[]): GroupId[] {
  const seen = new Set(groups);
  for (const id of seen) {
    for (const parent of identity.parentsOfGroup.values({ prefix: pairPrefix(id) })) seen.add(parent);
  }
  return [...seen].slice(groups.length);
}

function byName(identity: Identity, groups: readonly GroupId[]): GroupOfEntity[] {
  return groups
    .map((id) => ({ id, name: identity.groups.get(id)?.name ?? "" }))
    .sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
}

/** An entity, and the people among whom it is. */
export interface KnownEntity {
  readonly id: EntityId;
  readonly entity: Entity;
  readonly identity: Identity;
  readonly namespace: NamespacePath | undefined;
}

/**
 * The entity of an id, as a namespace knows it, or what became of it.
 *
 * Our choice: a namespace knows its own entities and those of the namespaces above it, because tokens of those work in it.
 */
export function entityIn(world: SecretsWorld, at: NamespacePlace, id: string): KnownEntity | "deleted" | undefined {
  let isDeleted = false;
  for (let { namespace } = at; ; namespace = above(namespace)) {
    const place = namespace === undefined ? { cluster: at.cluster } : { cluster: at.cluster, namespace };
    const identity = namespaceAt(world, place)?.identity;
    // Whoever was merged is the one that he was merged into (README.md, 5.2).
    const known = (identity?.mergedEntities.get(id) ?? id) as EntityId;
    const entity = identity?.entities.get(known);
    if (identity !== undefined && entity !== undefined) return { id: known, entity, identity, namespace };
    isDeleted ||= identity?.deletedEntities.has(id) ?? false;
    if (namespace === undefined) return isDeleted ? "deleted" : undefined;
  }
}

function above(namespace: NamespacePath): NamespacePath | undefined {
  const path = namespace.slice(0, namespace.lastIndexOf("/", namespace.length - 2) + 1);
  return path === "" ? undefined : (path as NamespacePath);
}
