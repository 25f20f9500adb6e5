import * as v from "valibot";
import { optionsSchema, textsByName } from "../../../kernel/arguments.ts";
import type { SecretsRecorder } from "../declare.ts";
import type { NamespacePlace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { createEntity, identityAt, writeAlias } from "./decide.ts";
import { createGroup } from "./groups.ts";

const id = v.pipe(v.string("an id is a text"), v.nonEmpty("an id is not empty"));
const name = v.pipe(v.string("a name is a text"), v.nonEmpty("a name is not empty"));
const policies = v.pipe(
  v.array(v.string("a policy is a name"), "policies are an array of names"),
  v.check(
    (names) => !names.some((policy) => policy.toLowerCase() === "root"),
    "policies name root, which no entity or group has",
  ),
);
const ids = v.array(id, "members are an array of ids");

const newAlias = optionsSchema({
  name,
  mountAccessor: name,
  metadata: v.optional(textsByName),
  customMetadata: v.optional(textsByName),
});

/** What a test author makes an entity with, but for its namespace. */
export const NEW_ENTITY = {
  id: v.optional(id),
  name: v.optional(name),
  metadata: v.optional(textsByName),
  policies: v.optional(policies),
  disabled: v.optional(v.boolean("disabled is true or false")),
  aliases: v.optional(v.array(newAlias, "aliases are an array")),
};

/** What a test author makes a group with, but for its namespace. */
export const NEW_GROUP = {
  id: v.optional(id),
  name: v.optional(name),
  type: v.optional(v.picklist(["internal", "external"], 'type is "internal" or "external"')),
  metadata: v.optional(textsByName),
  policies: v.optional(policies),
  memberEntityIds: v.optional(ids),
  memberGroupIds: v.optional(ids),
};

type Read<S extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<S, undefined>>;

export function newEntity(
  decision: SecretsRecorder,
  at: NamespacePlace,
  { id: wanted, aliases = [], ...fields }: Read<typeof NEW_ENTITY>,
): { readonly id: string } {
  if (wanted !== undefined && identityAt(decision, at).entities.has(wanted)) {
    refuse("entity_exists", { entity: wanted });
  }
  const made = createEntity(decision, at, fields, wanted);
  for (const alias of aliases) writeAlias(decision, at, { ...alias, entity: made.id });
  return { id: made.id };
}

export function newGroup(
  decision: SecretsRecorder,
  at: NamespacePlace,
  { id: wanted, memberEntityIds, memberGroupIds, ...fields }: Read<typeof NEW_GROUP>,
): { readonly id: string } {
  if (wanted !== undefined && identityAt(decision, at).groups.has(wanted)) refuse("group_exists", { group: wanted });
  const members = { memberEntities: memberEntityIds, memberGroups: memberGroupIds };
  return { id: createGroup(decision, at, { ...fields, ...members }, wanted).id };
}
