import type { SecretsRecorder } from "../declare.ts";
import { pairKey, pairPrefix } from "../pair-key.ts";
import { type NamespacePlace, placeOfNamespace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { identityAt } from "./decide.ts";
import { createGroup } from "./groups.ts";
import type { AliasId, EntityId, GroupId, Identity } from "./state.ts";

// Source of all rules in this file: README.md, 4.

/** What the alias of a group is written with; what is absent stays, and a group that nobody names is made. */
export interface GroupAliasFields {
  readonly name?: string | undefined;
  readonly mountAccessor?: string | undefined;
  readonly group?: string | undefined;
}

/** Writes the alias of an id, or else of a name on an accessor. */
export function writeGroupAlias(
  decision: SecretsRecorder,
  place: NamespacePlace,
  wantedId: string | undefined,
  fields: GroupAliasFields,
): { readonly id: AliasId; readonly group: GroupId } {
  const at = placeOfNamespace(place);
  const identity = identityAt(decision, at);
  const before = wantedId === undefined ? undefined : identity.groupAliases.get(wantedId);
  if (wantedId !== undefined && before === undefined) return refuse("alias_unknown", { alias: wantedId });
  const name = fields.name || before?.name || refuse("identity_name_missing", { object: "alias" });
  const mountAccessor = fields.mountAccessor || before?.mountAccessor || refuse("alias_accessor_missing", {});
  const login = identity.groupAliasesByLogin.get(pairKey(mountAccessor, name));
  if (wantedId !== undefined && login !== undefined && login !== wantedId) {
    refuse("alias_login_taken", { name, accessor: mountAccessor });
  }
  const id = (wantedId as AliasId | undefined) ?? login ?? (decision.draw.uuid() as AliasId);
  const known = fields.group || identity.groupAliases.get(id)?.group;
  const type = known === undefined ? "external" : identity.groups.get(known)?.type;
  if (known !== undefined && type === undefined) return refuse("group_unknown", { group: known });
  if (type === "internal") return refuse("alias_of_internal_group", { group: known ?? "" });
  const group = (known as GroupId | undefined) ?? createGroup(decision, at, { type: "external" }).id;
  decision.record({ type: "GroupAliasWritten", data: { at, id, alias: { group, name, mountAccessor } } });
  return { id, group };
}

export function deleteGroupAlias(decision: SecretsRecorder, place: NamespacePlace, id: AliasId): void {
  const at = placeOfNamespace(place);
  if (identityAt(decision, at).groupAliases.has(id)) decision.record({ type: "GroupAliasDeleted", data: { at, id } });
}

/** What a login on an accessor, in groups of some names, changes in the external groups of an entity; undefined for nothing. */
export function externalChange(
  identity: Identity,
  entity: EntityId,
  accessor: string,
  names: readonly string[],
): { readonly joined: readonly GroupId[]; readonly left: readonly GroupId[] } | undefined {
  if (identity.groupAliases.size === 0) return undefined;
  const aliasOf = (group: GroupId) => identity.groupAliases.get(identity.groupAliasesByGroup.get(group) ?? "");
  const named = names.map((name) => identity.groupAliasesByLogin.get(pairKey(accessor, name)));
  const wanted = new Set(
    named.map((id) => identity.groupAliases.get(id ?? "")?.group).filter((id) => id !== undefined),
  );
  const held = [...identity.groupsOfEntity.values({ prefix: pairPrefix(entity) })];
  const joined = [...wanted].filter((group) => !held.includes(group));
  const left = held.filter((group) => aliasOf(group)?.mountAccessor === accessor && !wanted.has(group));
  return joined.length + left.length === 0 ? undefined : { joined, left };
}
