import type { Table } from "../../../kernel/table.ts";
import type { FieldValues } from "../../kit/operation.ts";
import { allMethods } from "../auth/methods/operations.ts";
import { command, type SecretsDecision, type SecretsReading, view, withOthers } from "../declare.ts";
import { commaList, flag, pairs, text } from "../fields.ts";
import { listing, listingWith } from "../listing.ts";
import { AUTH } from "../mounts/state.ts";
import { placeOfNamespace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { done, enveloped } from "../reply.ts";
import { namespaceAt } from "../world.ts";
import {
  deleteAlias,
  deleteEntity,
  type EntityFields,
  identityAt,
  updateAlias,
  writeAlias,
  writeEntity,
} from "./decide.ts";
import { deleteGroupAlias, writeGroupAlias } from "./group-aliases.ts";
import { deleteGroup, type GroupFields, writeGroup } from "./groups.ts";
import { entityLookedFor, groupLookedFor, LOOKUP } from "./lookup.ts";
import { mergeEntities } from "./merge.ts";
import { type AliasId, type EntityId, type GroupId, type Identity, nameKey } from "./state.ts";
import {
  aliasData,
  aliasInfo,
  entityData,
  entityInfo,
  groupAliasData,
  groupAliasInfo,
  groupData,
  groupInfo,
  type Showing,
} from "./views.ts";

/** Entities and groups may have any name, with slashes too: upstream has no rule for it. */
const ANY_NAME = /^.+$/s;

const ALIAS = { name: text, mount_accessor: text, canonical_id: text, custom_metadata: pairs };
const GROUP_ALIAS = { name: text, mount_accessor: text, canonical_id: text };
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

function writtenEntity(decision: SecretsDecision, { id, ...fields }: EntityInput) {
  const made = writeEntity(decision, placeOfNamespace(decision.caller), id, fields);
  return made === undefined ? done() : enveloped({ ...made, aliases: null });
}

type GroupInput = Omit<GroupFields, "name" | "memberEntities" | "memberGroups"> & {
  readonly id?: string;
  readonly name?: string;
  readonly member_entity_ids?: readonly string[];
  readonly member_group_ids?: readonly string[];
};

function writtenGroup(decision: SecretsDecision, { id, member_entity_ids, member_group_ids, ...others }: GroupInput) {
  const fields: GroupFields = { ...others, memberEntities: member_entity_ids, memberGroups: member_group_ids };
  const made = writeGroup(decision, placeOfNamespace(decision.caller), id, fields);
  return made === undefined ? done() : enveloped(made);
}

function writtenGroupAlias(
  decision: SecretsDecision,
  wantedId: string | undefined,
  { name, mount_accessor, canonical_id }: FieldValues<typeof GROUP_ALIAS>,
) {
  const fields = { name, mountAccessor: mount_accessor, group: canonical_id };
  const { id, group } = writeGroupAlias(decision, decision.caller, wantedId, fields);
  return enveloped({ id, canonical_id: group });
}

function deletedEntity(decision: SecretsDecision, id: string | undefined) {
  deleteEntity(decision, placeOfNamespace(decision.caller), id);
  return done();
}

function deletedGroup(decision: SecretsDecision, id: string | undefined) {
  deleteGroup(decision, placeOfNamespace(decision.caller), id);
  return done();
}

function shown<I, T>(
  reading: SecretsReading,
  id: I | undefined,
  dataOf: (identity: Identity, id: I, showing: Showing) => T | undefined,
) {
  const namespace = namespaceAt(reading.state, reading.caller);
  if (id === undefined || namespace === undefined) return refuse("not_found", {});
  const showing: Showing = { namespaceId: namespace.id, methods: methodsOf(reading) };
  return enveloped(dataOf(namespace.identity, id, showing) ?? refuse("not_found", {}));
}

/** The ways of logging in of a namespace, by their accessors. */
function methodsOf(reading: SecretsReading): Showing["methods"] {
  const methods = Object.entries(allMethods(reading));
  return new Map(
    methods.map(([path, { accessor, type, local }]) => [
      accessor,
      { mount_path: AUTH + path, mount_type: type, local },
    ]),
  );
}

const entityNamed = (reading: SecretsReading, name: string): EntityId | undefined =>
  identityAt(reading, reading.caller).entitiesByName.get(nameKey(name));
const groupNamed = (reading: SecretsReading, name: string): GroupId | undefined =>
  identityAt(reading, reading.caller).groupsByName.get(nameKey(name));

/** Names as their holders have them, in byte order. */
function namesOf(holders: Table<{ readonly name: string }>): readonly string[] {
  return [...holders.values()].map(({ name }) => name).sort();
}

/** What a look-up found, or 204. */
function found<I, T>(
  reading: SecretsReading,
  id: I | undefined,
  dataOf: (identity: Identity, id: I, showing: Showing) => T | undefined,
) {
  return id === undefined ? done() : shown(reading, id, dataOf);
}

// Calls beside the contract.
const BESIDE = { evidence: "observed" } as const;

/** Entities and groups, and their aliases (decisions-oidc.md, 3; identity/README.md). */
export const identityOperations = {
  entities: {
    lookup: view({
      route: "POST /v1/identity/lookup/entity",
      ...BESIDE,
      fields: LOOKUP,
      view: (reading, asked) => found(reading, entityLookedFor(identityAt(reading, reading.caller), asked), entityData),
    }),
    merge: command({
      route: "POST /v1/identity/entity/merge",
      ...BESIDE,
      onSecondary: "forwarded",
      fields: {
        from_entity_ids: commaList,
        to_entity_id: text,
        force: flag,
        conflicting_alias_ids_to_keep: commaList,
      },
      decide: (decision, { from_entity_ids, to_entity_id, conflicting_alias_ids_to_keep }) => {
        mergeEntities(decision, decision.caller, {
          from: from_entity_ids ?? [],
          into: to_entity_id ?? "",
          keep: conflicting_alias_ids_to_keep ?? [],
        });
        return done();
      },
    }),
    list: withOthers(
      view({
        route: "LIST /v1/identity/entity/id",
        ...read,
        view: (reading) => {
          const identity = identityAt(reading, reading.caller);
          const methods = methodsOf(reading);
          return listingWith(
            [...identity.entities.keys()].map((id) => [id, entityInfo(identity, id as EntityId, methods)]),
          );
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
        view: (reading, { id }) => shown(reading, id as EntityId, entityData),
      }),
      {
        ByName: view({
          route: "GET /v1/identity/entity/name/**:name",
          ...read,
          names: ANY_NAME,
          view: (reading, { name }) => shown(reading, entityNamed(reading, name), entityData),
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
  groupAliases: {
    list: view({
      route: "LIST /v1/identity/group-alias/id",
      ...BESIDE,
      view: (reading) => {
        const methods = methodsOf(reading);
        const { groupAliases } = identityAt(reading, reading.caller);
        return listingWith([...groupAliases.entries()].map(([id, alias]) => [id, groupAliasInfo(alias, methods)]));
      },
    }),
    read: view({
      route: "GET /v1/identity/group-alias/id/:id",
      ...BESIDE,
      view: (reading, { id }) => shown(reading, id as AliasId, groupAliasData),
    }),
    write: command({
      route: "POST /v1/identity/group-alias",
      ...BESIDE,
      onSecondary: "forwarded",
      fields: { ...GROUP_ALIAS, id: text },
      decide: (decision, { id, ...fields }) => writtenGroupAlias(decision, id || undefined, fields),
    }),
    update: command({
      route: "POST /v1/identity/group-alias/id/:id",
      ...BESIDE,
      onSecondary: "forwarded",
      fields: GROUP_ALIAS,
      decide: (decision, { id, ...fields }) => writtenGroupAlias(decision, id, fields),
    }),
    delete: command({
      route: "DELETE /v1/identity/group-alias/id/:id",
      ...BESIDE,
      onSecondary: "forwarded",
      decide: (decision, { id }) => {
        deleteGroupAlias(decision, decision.caller, id as AliasId);
        return done();
      },
    }),
  },
  aliases: {
    list: view({
      route: "LIST /v1/identity/entity-alias/id",
      ...BESIDE,
      view: (reading) => {
        const methods = methodsOf(reading);
        const { aliases } = identityAt(reading, reading.caller);
        return listingWith([...aliases.entries()].map(([id, alias]) => [id, aliasInfo(alias, methods)]));
      },
    }),
    read: view({
      route: "GET /v1/identity/entity-alias/id/:id",
      ...BESIDE,
      view: (reading, { id }) => shown(reading, id as AliasId, aliasData),
    }),
    update: command({
      route: "POST /v1/identity/entity-alias/id/:id",
      ...BESIDE,
      onSecondary: "forwarded",
      fields: ALIAS,
      decide: (decision, { id, name, mount_accessor, canonical_id, custom_metadata }) => {
        const canonicalId = updateAlias(decision, decision.caller, id as AliasId, {
          ...(name ? { name } : {}),
          ...(mount_accessor ? { mountAccessor: mount_accessor } : {}),
          entity: canonical_id || undefined,
          customMetadata: custom_metadata,
        });
        return enveloped({ id, canonical_id: canonicalId });
      },
    }),
    delete: command({
      route: "DELETE /v1/identity/entity-alias/id/:id",
      ...BESIDE,
      onSecondary: "forwarded",
      decide: (decision, { id }) => {
        deleteAlias(decision, decision.caller, id as AliasId);
        return done();
      },
    }),
    write: command({
      route: "POST /v1/identity/entity-alias",
      ...write,
      fields: ALIAS,
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
    lookup: view({
      route: "POST /v1/identity/lookup/group",
      ...BESIDE,
      fields: LOOKUP,
      view: (reading, asked) => found(reading, groupLookedFor(identityAt(reading, reading.caller), asked), groupData),
    }),
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
        view: (reading, { id }) => shown(reading, id as GroupId, groupData),
      }),
      {
        ByName: view({
          route: "GET /v1/identity/group/name/**:name",
          ...read,
          names: ANY_NAME,
          view: (reading, { name }) => shown(reading, groupNamed(reading, name), groupData),
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
