import { filledIn, type TemplateData } from "../../../languages/scope-template/fill.ts";
import { directiveNamed } from "../../../languages/scope-template/parse.ts";
import { type KnownEntity, membershipOf } from "../identity/membership.ts";
import { templateData } from "../identity/template-data.ts";
import type { NamespacePath } from "../place.ts";

// Source of all rules in this file: README.md, 1.

/** A path as it counts for an entity; undefined where something of it has no value, and then its rule grants nothing. */
export function filledPath(
  template: string,
  known: KnownEntity,
  namespace: NamespacePath | undefined,
): string | undefined {
  const data = templateData(known, 0);
  const [first = "", ...pieces] = template.split("{{");
  let path = first;
  for (const piece of pieces) {
    const [name = "", text = ""] = piece.split("}}");
    const value = textOf(name.trim(), known, namespace, data);
    if (value === undefined) return undefined;
    path += value + text;
  }
  return path.includes("+*") ? undefined : path.replace(/^\//, "");
}

function textOf(
  name: string,
  known: KnownEntity,
  namespace: NamespacePath | undefined,
  data: TemplateData,
): string | undefined {
  const [, kind, group = "", member = ""] = /^identity\.groups\.(ids|names)\.([^.]*)\.(.+)$/.exec(name) ?? [];
  if (kind !== undefined) return textOfGroup(known, namespace, kind === "ids" ? "id" : "name", group, member);
  const directive = directiveNamed(name);
  if (directive === undefined || directive.kind === "time") return undefined;
  const value = filledIn(directive, data);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A group that the entity is in; by name one of the policy's own namespace. */
function textOfGroup(
  { identity, id, namespace: home }: KnownEntity,
  namespace: NamespacePath | undefined,
  by: "id" | "name",
  named: string,
  member: string,
): string | undefined {
  if (by === "name" && home !== namespace) return undefined;
  const { direct, inherited } = membershipOf(identity, id);
  const found = [...direct, ...inherited].find((group) => group[by] === named);
  if (found === undefined) return undefined;
  if (member === "id" || member === "name") return found[member];
  const { metadata = {} } = identity.groups.get(found.id) ?? {};
  const key = member.startsWith("metadata.") ? member.slice("metadata.".length) : undefined;
  return key !== undefined && Object.hasOwn(metadata, key) ? metadata[key] : undefined;
}
