import type { Table } from "../../../kernel/table.ts";
import { command, type SecretsDecision, type SecretsReading, view, withOthers } from "../declare.ts";
import { commaList, flag, pairs, text } from "../fields.ts";
import { listing, listingWith } from "../listing.ts";
import { placeOfNamespace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { done, enveloped } from "../reply.ts";
import { namespaceAt } from "../world.ts";
import { createEntity, type EntityFields, identityAt, updateEntity, writeAlias } from "./decide.ts";
import { createGroup, type GroupFields, updateGroup } from "./groups.ts";
import { type EntityId, type GroupId, nameKey } from "./state.ts";
import { entityData, entityInfo, groupData, groupInfo } from "./views.ts";

/** Entities and groups may have any name, with slashes too: upstream has no rule for it. */
const ANY_NAME = /^.+$/s;

const ENTITY = { name: text, id: text, metadata: pairs, policies: commaList, disabled: flag };
const GROUP = {
  name: text,
  id: text,
  type: text,
  metadata: pairs,
  policies: commaList,
  member_entity_ids: commaList,
  member_group_ids: commaList,
};

// Upstream's shapes; that there are these paths, and what some of them refuse, is chosen.
const write = { evidence: "chosen", onSecondary: "forwarded" } as const;
const read = { evidence: "chosen" } as const;

type EntityInput = Omit<EntityFields, "name"> & { readonly id?: string; readonly name?: string };

/** Writes the entity that an id or else a name stands for; a new one when it stands for none. */
function writtenEntity(decision: SecretsDecision, { id = "", ...fields }: EntityInput) {
  const at = placeOfNamespace(decision.caller);
  const identity = identityAt(decision, at);
  const known = id !== "" ? (id as EntityId) : identity.entitiesByName.get(nameKey(fields.name ?? ""));
  const before = known === undefined ? undefined : identity.entities.get(known);
  if (known !== undefined && before === undefined) return refuse("entity_unknown", { entity: known });
  if (known !== undefined && before !== undefined) {
    updateEntity(decision, at, known, before, fields);
    return done();
  }
  return enveloped({ ...createEntity(decision, at, fields), aliases: null });
}

function shownEntity(reading: SecretsReading, id: string | undefined) {
  const namespace = namespaceAt(reading.state, reading.caller);
  const data =
    id === undefined || namespace === undefined
      ? undefined
      : entityData(namespace.identity, id as EntityId, namespace.id);
  return data === undefined ? refuse("not_found", {}) : enveloped(data);
}

function deletedEntity(decision: SecretsDecision, id: string | undefined) {
  const at = placeOfNamespace(decision.caller);
  if (id !== undefined && identityAt(decision, at).entities.has(id)) {
    decision.record({ type: "EntityDeleted", data: { at, id: id as EntityId } });
  }
  return done();
}

type GroupInput = {
  readonly id?: string;
  readonly name?: string;
  readonly type?: string;
  readonly metadata?: { readonly [name: string]: string };
  readonly policies?: readonly string[];
  readonly member_entity_ids?: readonly string[];
  readonly member_group_ids?: readonly string[];
};

function writtenGroup(decision: SecretsDecision, { id = "", ...given }: GroupInput) {
  const at = placeOfNamespace(decision.caller);
  const identity = identityAt(decision, at);
  const { member_entity_ids: memberEntities, member_group_ids: memberGroups, ...others } = given;
  const fields: GroupFields = { ...others, memberEntities, memberGroups };
  const known = id !== "" ? (id as GroupId) : identity.groupsByName.get(nameKey(given.name ?? ""));
  const before = known === undefined ? undefined : identity.groups.get(known);
  if (known !== undefined && before === undefined) return refuse("group_unknown", { group: known });
  if (known !== undefined && before !== undefined) {
    updateGroup(decision, at, known, before, fields);
    return done();
  }
  return enveloped(createGroup(decision, at, fields));
}

function shownGroup(reading: SecretsReading, id: string | undefined) {
  const namespace = namespaceAt(reading.state, reading.caller);
  const data =
    id === undefined || namespace === undefined
      ? undefined
      : groupData(namespace.identity, id as GroupId, namespace.id);
  return data === undefined ? refuse("not_found", {}) : enveloped(data);
}

function deletedGroup(decision: SecretsDecision, id: string | undefined) {
  const at = placeOfNamespace(decision.caller);
  if (id !== undefined && identityAt(decision, at).groups.has(id)) {
    decision.record({ type: "GroupDeleted", data: { at, id: id as GroupId } });
  }
  return done();
}

const entityNamed = (reading: SecretsReading, name: string): string | undefined =>
  identityAt(reading, reading.caller).entitiesByName.get(nameKey(name));
const groupNamed = (reading: SecretsReading, name: string): string | undefined =>
  identityAt(reading, reading.caller).groupsByName.get(nameKey(name));

/** Names as their holders have them, in byte order. */
function namesOf(holders: Table<{ readonly name: string }>): readonly string[] {
  return [...holders.values()].map(({ name }) => name).sort();
}

/** Entities, their aliases, and groups (decisions-oidc.md, 3). */
export const identityOperations = {
  entities: {
    list: withOthers(
      view({
        route: "LIST /v1/identity/entity/id",
        ...read,
        view: (reading) => {
          const identity = identityAt(reading, reading.caller);
          return listingWith([...identity.entities.keys()].map((id) => [id, entityInfo(identity, id as EntityId)]));
        },
      }),
      {
        ByName: view({
          route: "LIST /v1/identity/entity/name",
          ...read,
          view: (reading) => listing(namesOf(identityAt(reading, reading.caller).entities)),
        }),
      },
    ),
    read: withOthers(
      view({
        route: "GET /v1/identity/entity/id/**:id",
        ...read,
        names: ANY_NAME,
        view: (reading, { id }) => shownEntity(reading, id),
      }),
      {
        ByName: view({
          route: "GET /v1/identity/entity/name/**:name",
          ...read,
          names: ANY_NAME,
          view: (reading, { name }) => shownEntity(reading, entityNamed(reading, name)),
        }),
      },
      ({ id }) => (id === undefined ? "ByName" : undefined),
    ),
    write: withOthers(
      command({
        route: "POST /v1/identity/entity",
        ...write,
        fields: ENTITY,
        decide: (decision, input) => writtenEntity(decision, input),
      }),
      {
        ById: command({
          route: "POST /v1/identity/entity/id/**:id",
          ...write,
          names: ANY_NAME,
          fields: ENTITY,
          decide: (decision, input) => writtenEntity(decision, input),
        }),
        ByName: command({
          route: "POST /v1/identity/entity/name/**:name",
          ...write,
          names: ANY_NAME,
          fields: ENTITY,
          decide: (decision, { id: _, ...input }) => writtenEntity(decision, input),
        }),
      },
      ({ id, name }) => (id !== undefined ? "ById" : name !== undefined ? "ByName" : undefined),
    ),
    delete: withOthers(
      command({
        route: "DELETE /v1/identity/entity/id/**:id",
        ...write,
        names: ANY_NAME,
        decide: (decision, { id }) => deletedEntity(decision, id),
      }),
      {
        ByName: command({
          route: "DELETE /v1/identity/entity/name/**:name",
          ...write,
          names: ANY_NAME,
          decide: (decision, { name }) => deletedEntity(decision, entityNamed(decision, name)),
        }),
      },
      ({ id }) => (id === undefined ? "ByName" : undefined),
    ),
  },
  aliases: {
    write: command({
      route: "POST /v1/identity/entity-alias",
      ...write,
      fields: { name: text, mount_accessor: text, canonical_id: text, custom_metadata: pairs },
      decide: (decision, { name, mount_accessor, canonical_id, custom_metadata }) => {
        if (name === undefined || name === "") return refuse("identity_name_missing", { object: "alias" });
        if (mount_accessor === undefined || mount_accessor === "") return refuse("alias_accessor_missing", {});
        const written = writeAlias(decision, decision.caller, {
          name,
          mountAccessor: mount_accessor,
          entity: canonical_id || undefined,
          customMetadata: custom_metadata,
        });
        return written.written ? enveloped({ id: written.id, canonical_id: written.entity }) : done();
      },
    }),
  },
  groups: {
    list: withOthers(
      view({
        route: "LIST /v1/identity/group/id",
        ...read,
        view: (reading) => {
          const identity = identityAt(reading, reading.caller);
          return listingWith([...identity.groups.keys()].map((id) => [id, groupInfo(identity, id as GroupId)]));
        },
      }),
      {
        ByName: view({
          route: "LIST /v1/identity/group/name",
          ...read,
          view: (reading) => listing(namesOf(identityAt(reading, reading.caller).groups)),
        }),
      },
    ),
    read: withOthers(
      view({
        route: "GET /v1/identity/group/id/**:id",
        ...read,
        names: ANY_NAME,
        view: (reading, { id }) => shownGroup(reading, id),
      }),
      {
        ByName: view({
          route: "GET /v1/identity/group/name/**:name",
          ...read,
          names: ANY_NAME,
          view: (reading, { name }) => shownGroup(reading, groupNamed(reading, name)),
        }),
      },
      ({ id }) => (id === undefined ? "ByName" : undefined),
    ),
    write: withOthers(
      command({
        route: "POST /v1/identity/group",
        ...write,
        fields: GROUP,
        decide: (decision, input) => writtenGroup(decision, input),
      }),
      {
        ById: command({
          route: "POST /v1/identity/group/id/**:id",
          ...write,
          names: ANY_NAME,
          fields: GROUP,
          decide: (decision, input) => writtenGroup(decision, input),
        }),
        ByName: command({
          route: "POST /v1/identity/group/name/**:name",
          ...write,
          names: ANY_NAME,
          fields: GROUP,
          decide: (decision, { id: _, ...input }) => writtenGroup(decision, input),
        }),
      },
      ({ id, name }) => (id !== undefined ? "ById" : name !== undefined ? "ByName" : undefined),
    ),
    delete: withOthers(
      command({
        route: "DELETE /v1/identity/group/id/**:id",
        ...write,
        names: ANY_NAME,
        decide: (decision, { id }) => deletedGroup(decision, id),
      }),
      {
        ByName: command({
          route: "DELETE /v1/identity/group/name/**:name",
          ...write,
          names: ANY_NAME,
          decide: (decision, { name }) => deletedGroup(decision, groupNamed(decision, name)),
        }),
      },
      ({ id }) => (id === undefined ? "ByName" : undefined),
    ),
  },
};
