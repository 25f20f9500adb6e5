import type { SecretsRecorder } from "../declare.ts";
import { type NamespacePlace, placeOfNamespace } from "../place.ts";
import { policyNames } from "../policies/names.ts";
import { refuse } from "../rejections.ts";
import { drawnName, identityAt, refuseRootPolicy } from "./decide.ts";
import { ancestorsOf } from "./membership.ts";
import {
  type EntityId,
  type Group,
  type GroupId,
  type GroupType,
  type Identity,
  type Metadata,
  nameKey,
} from "./state.ts";

// Source of all rules in this file: decisions-oidc.md, 3.

/** What a group is written with; what is absent stays as it is. */
export interface GroupFields {
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly policies?: readonly string[] | undefined;
  readonly memberEntities?: readonly string[] | undefined;
  readonly memberGroups?: readonly string[] | undefined;
}

export function createGroup(
  decision: SecretsRecorder,
  place: NamespacePlace,
  fields: GroupFields,
  wantedId?: string,
): { readonly id: GroupId; readonly name: string } {
  const { type = "internal" } = fields;
  if (type !== "internal" && type !== "external") return refuse("group_type_unknown", { type });
  const id = (wantedId ?? decision.draw.uuid()) as GroupId;
  const name = fields.name || drawnName(decision, "group", identityAt(decision, place).groupsByName);
  const before = { name, type, metadata: {}, policies: [] } as const;
  recordGroup(decision, place, id, before, { ...fields, name });
  return { id, name };
}

/** Writes the group that an id or else a name stands for; a new one when it stands for none. @returns the new one */
export function writeGroup(
  decision: SecretsRecorder,
  place: NamespacePlace,
  id: string | undefined,
  fields: GroupFields,
): ReturnType<typeof createGroup> | undefined {
  const { groups, groupsByName } = identityAt(decision, place);
  const known = (id || groupsByName.get(nameKey(fields.name ?? ""))) as GroupId | undefined;
  if (known === undefined) return createGroup(decision, place, fields);
  const before = groups.get(known);
  if (before === undefined) return refuse("group_unknown", { group: known });
  updateGroup(decision, place, known, before, fields);
  return undefined;
}

export function deleteGroup(decision: SecretsRecorder, place: NamespacePlace, id: string | undefined): void {
  const at = placeOfNamespace(place);
  if (id === undefined || !identityAt(decision, at).groups.has(id)) return;
  decision.record({ type: "GroupDeleted", data: { at, id: id as GroupId } });
}

function updateGroup(
  decision: SecretsRecorder,
  place: NamespacePlace,
  id: GroupId,
  before: Group,
  fields: GroupFields,
): void {
  if (fields.type !== undefined && fields.type !== "" && fields.type !== before.type) {
    refuse("group_type_immutable", { group: before.name });
  }
  recordGroup(decision, place, id, before, fields);
}

function recordGroup(
  decision: SecretsRecorder,
  place: NamespacePlace,
  id: GroupId,
  before: Pick<Group, "name" | "type" | "metadata" | "policies">,
  fields: GroupFields,
): void {
  const at = placeOfNamespace(place);
  const identity = identityAt(decision, at);
  const name = fields.name || before.name;
  const holder = identity.groupsByName.get(nameKey(name));
  if (holder !== undefined && holder !== id) refuse("group_name_taken", { name });
  refuseRootPolicy(fields.policies);
  const memberEntities = unique(fields.memberEntities) as EntityId[] | undefined;
  const memberGroups = unique(fields.memberGroups) as GroupId[] | undefined;
  refuseMembers(identity, { id, name, type: before.type }, memberEntities, memberGroups);
  const { metadata = before.metadata, policies = before.policies } = fields;
  const group = { name, type: before.type, metadata, policies: policyNames(policies) };
  decision.record({
    type: "GroupWritten",
    data: {
      at,
      id,
      group,
      ...(memberEntities === undefined ? {} : { memberEntities }),
      ...(memberGroups === undefined ? {} : { memberGroups }),
    },
  });
}

function unique(ids: readonly string[] | undefined): string[] | undefined {
  return ids === undefined ? undefined : [...new Set(ids.filter((id) => id !== ""))].sort();
}

function refuseMembers(
  identity: Identity,
  { id, name, type }: { readonly id: GroupId; readonly name: string; readonly type: GroupType },
  memberEntities: readonly EntityId[] = [],
  memberGroups: readonly GroupId[] = [],
): void {
  if (type === "external" && memberEntities.length + memberGroups.length > 0) {
    refuse("external_group_members", { group: name });
  }
  for (const member of memberEntities) if (!identity.entities.has(member)) refuse("member_unknown", { member });
  if (memberGroups.length === 0) return;
  for (const member of memberGroups) {
    if (member !== id && !identity.groups.has(member)) refuse("member_unknown", { member });
  }
  const above = new Set([id, ...ancestorsOf(identity, [id])]);
  for (const member of memberGroups) if (above.has(member)) refuse("group_cycle", { group: name, member });
}
