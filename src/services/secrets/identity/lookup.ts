import type { FieldValues } from "../../kit/operation.ts";
import { text } from "../fields.ts";
import { pairKey } from "../pair-key.ts";
import { refuse } from "../rejections.ts";
import { type EntityId, type GroupId, type Identity, nameKey } from "./state.ts";

// Source of all rules in this file: identity/README.md, 1.

/** By what an entity or a group is looked for. */
export const LOOKUP = { id: text, name: text, alias_id: text, alias_name: text, alias_mount_accessor: text };

type Asked = FieldValues<typeof LOOKUP>;

export function entityLookedFor(identity: Identity, asked: Asked): EntityId | undefined {
  refuseParameters(asked);
  const { id, name, alias_id, alias_name, alias_mount_accessor } = asked;
  if (id) return identity.entities.has(id) ? (id as EntityId) : undefined;
  if (name) return identity.entitiesByName.get(nameKey(name));
  const alias = alias_id || identity.aliasesByLogin.get(pairKey(alias_mount_accessor ?? "", alias_name ?? ""));
  return alias === undefined ? undefined : identity.aliases.get(alias)?.entity;
}

export function groupLookedFor(identity: Identity, asked: Asked): GroupId | undefined {
  refuseParameters(asked);
  const { id, name, alias_id, alias_name, alias_mount_accessor } = asked;
  if (id) return identity.groups.has(id) ? (id as GroupId) : undefined;
  if (name) return identity.groupsByName.get(nameKey(name));
  const alias = alias_id || identity.groupAliasesByLogin.get(pairKey(alias_mount_accessor ?? "", alias_name ?? ""));
  return alias === undefined ? undefined : identity.groupAliases.get(alias)?.group;
}

/** Exactly one of the ways has to be given; that by the name of an alias has two halves. */
function refuseParameters({ id, name, alias_id, alias_name, alias_mount_accessor }: Asked): void {
  const halves = [alias_name, alias_mount_accessor].filter(Boolean).length;
  const given = [id, name, alias_id].filter(Boolean).length + halves;
  if (given === 0) refuse("lookup_parameters_missing", {});
  if (given > 1 && !(given === 2 && halves === 2)) refuse("lookup_parameters_conflict", {});
  if (given === 1 && halves === 1) refuse("lookup_alias_incomplete", {});
}
