import type { Table } from "../../../kernel/table.ts";
import type { SecretsRecorder } from "../declare.ts";
import { pairKey } from "../pair-key.ts";
import { type NamespacePlace, placeOfNamespace } from "../place.ts";
import { hasRoot, policyNames } from "../policies/names.ts";
import { refuse } from "../rejections.ts";
import { namespaceAt } from "../world.ts";
import {
  type AliasId,
  type Entity,
  type EntityId,
  type Identity,
  type Metadata,
  NO_IDENTITY,
  nameKey,
} from "./state.ts";

// Source of all rules in this file: decisions-oidc.md, 3.

/** What an entity is written with; what is absent stays as it is. */
export interface EntityFields {
  readonly name?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly policies?: readonly string[] | undefined;
  readonly disabled?: boolean | undefined;
}

export function identityAt(decision: Pick<SecretsRecorder, "state">, at: NamespacePlace): Identity {
  return namespaceAt(decision.state, at)?.identity ?? NO_IDENTITY;
}

/** A new entity, under an id of the caller's or one that is drawn. */
export function createEntity(
  decision: SecretsRecorder,
  place: NamespacePlace,
  fields: EntityFields,
  wantedId?: string,
): { readonly id: EntityId; readonly name: string } {
  const at = placeOfNamespace(place);
  refuseRootPolicy(fields.policies);
  const id = (wantedId ?? decision.draw.uuid()) as EntityId;
  const { entitiesByName } = identityAt(decision, at);
  const name = fields.name || drawnName(decision, "entity", entitiesByName);
  if (entitiesByName.has(nameKey(name))) refuse("entity_name_taken", { name });
  const { metadata = {}, policies = [], disabled = false } = fields;
  const entity = { name, metadata, policies: policyNames(policies), disabled };
  decision.record({ type: "EntityWritten", data: { at, id, entity } });
  return { id, name };
}

/** A free name for what was given none. Our choice: it begins with its kind, as upstream's names do. */
export function drawnName({ draw }: SecretsRecorder, kind: "entity" | "group", taken: Table<unknown>): string {
  for (;;) {
    const name = `${kind}_${draw.uuid().slice(0, 8)}`;
    if (!taken.has(nameKey(name))) return name;
  }
}

/**
 * Writes the entity that an id or else a name stands for; a new one when it stands for none.
 *
 * @returns the new one
 */
export function writeEntity(
  decision: SecretsRecorder,
  place: NamespacePlace,
  id: string | undefined,
  fields: EntityFields,
): ReturnType<typeof createEntity> | undefined {
  const { entities, entitiesByName } = identityAt(decision, place);
  const known = (id || entitiesByName.get(nameKey(fields.name ?? ""))) as EntityId | undefined;
  if (known === undefined) return createEntity(decision, place, fields);
  const before = entities.get(known);
  if (before === undefined) return refuse("entity_unknown", { entity: known });
  updateEntity(decision, place, known, before, fields);
  return undefined;
}

export function deleteEntity(decision: SecretsRecorder, place: NamespacePlace, id: string | undefined): void {
  const at = placeOfNamespace(place);
  if (id === undefined || !identityAt(decision, at).entities.has(id)) return;
  decision.record({ type: "EntityDeleted", data: { at, id: id as EntityId } });
}

/** Changes what was given of an entity. */
function updateEntity(
  decision: SecretsRecorder,
  place: NamespacePlace,
  id: EntityId,
  before: Entity,
  fields: EntityFields,
): void {
  refuseRootPolicy(fields.policies);
  const at = placeOfNamespace(place);
  const name = fields.name || before.name;
  const holder = identityAt(decision, at).entitiesByName.get(nameKey(name));
  if (holder !== undefined && holder !== id) refuse("entity_name_taken", { name });
  const { metadata = before.metadata, policies = before.policies, disabled = before.disabled } = fields;
  const entity = { name, metadata, policies: policyNames(policies), disabled };
  decision.record({ type: "EntityWritten", data: { at, id, entity } });
}

export function refuseRootPolicy(policies: readonly string[] | undefined): void {
  if (hasRoot(policyNames(policies ?? []))) refuse("policy_of_identity", { policy: "root" });
}

/** What an alias is written with. */
export interface AliasFields {
  readonly name: string;
  readonly mountAccessor: string;
  /** Absent: it stays with its entity, or gets a new one. */
  readonly entity?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly customMetadata?: Metadata | undefined;
}

/** Whether writing an alias would leave it as it is, with the entity that it has. */
export function isWritten(
  decision: Pick<SecretsRecorder, "state">,
  at: NamespacePlace,
  {
    name,
    mountAccessor,
    metadata,
  }: { readonly name: string; readonly mountAccessor: string; readonly metadata: Metadata },
): boolean {
  const { aliases, aliasesByLogin } = identityAt(decision, at);
  const alias = aliases.get(aliasesByLogin.get(pairKey(mountAccessor, name)) ?? "");
  return alias !== undefined && isSame(metadata, alias.metadata);
}

/** Writes the alias of a name on an accessor: there is one of each. One that would stay as it is is not written. */
export function writeAlias(
  decision: SecretsRecorder,
  place: NamespacePlace,
  fields: AliasFields,
): { readonly id: AliasId; readonly entity: EntityId; readonly written: boolean } {
  const at = placeOfNamespace(place);
  const { name, mountAccessor } = fields;
  const identity = identityAt(decision, at);
  const known = identity.aliasesByLogin.get(pairKey(mountAccessor, name));
  const before = known === undefined ? undefined : identity.aliases.get(known);
  if (fields.entity !== undefined && !identity.entities.has(fields.entity)) {
    refuse("entity_unknown", { entity: fields.entity });
  }
  const entity = (fields.entity as EntityId | undefined) ?? before?.entity ?? createEntity(decision, at, {}).id;
  const holder = identity.aliasesByEntity.get(pairKey(entity, mountAccessor));
  if (holder !== undefined && holder !== known) {
    refuse("alias_on_accessor_exists", { entity, accessor: mountAccessor });
  }
  const id = known ?? (decision.draw.uuid() as AliasId);
  const { metadata = before?.metadata ?? {}, customMetadata = before?.customMetadata ?? {} } = fields;
  const written =
    before?.entity !== entity || !isSame(metadata, before.metadata) || !isSame(customMetadata, before.customMetadata);
  if (written) {
    const alias = { entity, name, mountAccessor, metadata, customMetadata };
    decision.record({ type: "EntityAliasWritten", data: { at, id, alias } });
  }
  return { id, entity, written };
}

/** Writes the alias of an id: what is absent stays. */
export function updateAlias(
  decision: SecretsRecorder,
  place: NamespacePlace,
  id: AliasId,
  fields: Partial<Pick<AliasFields, "name" | "mountAccessor" | "entity" | "customMetadata">>,
): EntityId {
  const at = placeOfNamespace(place);
  const identity = identityAt(decision, at);
  const before = identity.aliases.get(id) ?? refuse("alias_unknown", { alias: id });
  const { name = before.name, mountAccessor = before.mountAccessor, customMetadata = before.customMetadata } = fields;
  const entity = (fields.entity ?? before.entity) as EntityId;
  if (!identity.entities.has(entity)) refuse("entity_unknown", { entity });
  const login = identity.aliasesByLogin.get(pairKey(mountAccessor, name));
  if (login !== undefined && login !== id) refuse("alias_login_taken", { name, accessor: mountAccessor });
  const holder = identity.aliasesByEntity.get(pairKey(entity, mountAccessor));
  if (holder !== undefined && holder !== id) refuse("alias_on_accessor_exists", { entity, accessor: mountAccessor });
  const alias = { entity, name, mountAccessor, metadata: before.metadata, customMetadata };
  decision.record({ type: "EntityAliasWritten", data: { at, id, alias } });
  return entity;
}

export function deleteAlias(decision: SecretsRecorder, place: NamespacePlace, id: AliasId): void {
  const at = placeOfNamespace(place);
  if (identityAt(decision, at).aliases.has(id)) decision.record({ type: "EntityAliasDeleted", data: { at, id } });
}

function isSame(left: Metadata, right: Metadata): boolean {
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
}
