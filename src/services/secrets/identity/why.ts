import { argument, type Fact, fact, shownArgument } from "../../kit/why.ts";
import { gone, inNamespace, type SecretsExplainers, type SecretsMet, there } from "../explaining.ts";
import type { IdentityRefusals } from "./rejections.ts";

/** How entities and groups are looked up. */
const LOOKED_UP_BY = "one of id, name, alias_id, and alias_name with alias_mount_accessor";

/** Why the endpoints of entities, aliases and groups refuse. */
export const identityWhy: SecretsExplainers<IdentityRefusals> = {
  entity_unknown: (met, { entity }) => [goneEntity(met, entity)],
  entity_name_taken: (met, { name }) => [
    there(
      "entity",
      `an entity is named ${name}`,
      met.past.last("EntityWritten", (data) => inNamespace(met)(data) && data.entity.name === name),
    ),
  ],
  entity_exists: (met, { entity }) => [entityFact(met, entity)],
  policy_of_identity: (_, { policy }) => [
    fact("policy", `${policy} is the service's own, and no entity or group has it`),
  ],
  identity_name_missing: argument("name", "a name"),
  alias_accessor_missing: argument("mount_accessor", "the accessor of an auth method"),
  alias_unknown: (met, { alias }) => [
    gone(
      "alias",
      `alias ${alias}`,
      met.past.last("EntityAliasDeleted", ({ id }) => id === alias),
    ),
  ],
  alias_login_taken: (met, { name, accessor }) => [
    there(
      "alias",
      `${name} on ${accessor} has an alias`,
      met.past.last("EntityAliasWritten", ({ alias }) => alias.name === name && alias.mountAccessor === accessor),
    ),
  ],
  lookup_parameters_missing: argument("id", LOOKED_UP_BY),
  lookup_parameters_conflict: argument("id", LOOKED_UP_BY),
  lookup_alias_incomplete: argument("alias_name", "given together with alias_mount_accessor"),
  alias_on_accessor_exists: (met, { entity, accessor }) => {
    const fits = met.past.last(
      "EntityAliasWritten",
      ({ alias }) => alias.entity === entity && alias.mountAccessor === accessor,
    );
    return [
      there(
        "alias",
        `entity ${entity} has the alias ${fits?.data.alias.name ?? "of another name"} on ${accessor}`,
        fits,
      ),
    ];
  },
  group_unknown: (met, { group }) => [goneGroup(met, group)],
  group_name_taken: (met, { name }) => [
    there(
      "group",
      `a group is named ${name}`,
      met.past.last("GroupWritten", (data) => inNamespace(met)(data) && data.group.name === name),
    ),
  ],
  group_exists: (met, { group }) => [groupFact(met, group)],
  group_type_unknown: shownArgument("type", "internal or external"),
  group_type_immutable: (met, { group }) => [...shownArgument("type", "what it was")(met, {}), groupFact(met, group)],
  external_group_members: (met, { group }) => [
    fact("group", `${group} is external: logins make its members`),
    groupFact(met, group),
  ],
  alias_of_internal_group: (met, { group }) => [
    fact("group", `${group} is internal: no login makes its members`),
    groupFact(met, group),
  ],
  merge_entity_missing: (met, { isTarget }) =>
    argument(isTarget ? "to_entity_id" : "from_entity_ids", "the id of an entity")(met, {}),
  merge_into_itself: shownArgument("from_entity_ids", "others than to_entity_id"),
  merge_aliases_conflict: (_, { accessors }) => [
    fact("alias", `more than one of the entities has an alias on ${accessors.join(", ")}`),
  ],
  member_unknown: (met, { member }) => [goneEntity(met, member), goneGroup(met, member)],
  group_cycle: (met, { group, member }) => [groupFact(met, group), groupFact(met, member)],
};

function goneEntity(met: SecretsMet, entity: string): Fact {
  return gone(
    "entity",
    `entity ${entity}`,
    met.past.last("EntityDeleted", ({ id }) => id === entity),
  );
}

function goneGroup(met: SecretsMet, group: string): Fact {
  return gone(
    "group",
    `group ${group}`,
    met.past.last("GroupDeleted", ({ id }) => id === group),
  );
}

function entityFact(met: SecretsMet, entity: string): Fact {
  return there(
    "entity",
    `entity ${entity}`,
    met.past.last("EntityWritten", ({ id }) => id === entity),
  );
}

/** By its id, or by its name: refusals tell either. */
function groupFact(met: SecretsMet, group: string): Fact {
  return there(
    "group",
    `group ${group}`,
    met.past.last("GroupWritten", (data) => data.id === group || data.group.name === group),
  );
}
