import { LanguageError } from "../language-error.ts";
import type { Block, Body, Item, Value } from "./ast.ts";
import { type JsonMember, type JsonObject, type JsonValue, readJson } from "./json-reader.ts";

/**
 * Parses the JSON spelling of a block syntax document, into what `parseBlocks` makes of the other spelling.
 *
 * | JSON | Block syntax |
 * |---|---|
 * | `{"agent": {"policy": "read"}}` | `agent { policy = "read" }` |
 * | `{"path": {"a/*": {...}, "b": {...}}}` | `path "a/*" {...} path "b" {...}` |
 * | `{"rule": [{"charset": {...}}, {"charset": {...}}]}` | `rule "charset" {...} rule "charset" {...}` |
 * | `{"length": 20, "names": ["a"]}` | `length = 20 names = ["a"]` |
 *
 * Our choice: JSON alone cannot tell a label from a key of the body (`variables { path "x" {...} }` and
 * `variables "path" { x {...} }` are one JSON document; HCL1 guesses, from whether all members are objects, and differs
 * by depth). So the caller names the keys whose blocks bear a label. Under such a key, members that are all objects are
 * labels, as in HCL1; else the block stands without a label, for the caller to refuse where it stands.
 *
 * Source: decisions-secrets-core.md D.1 and D.6; decisions-scheduler-acl.md section 8.
 *
 * @param labelledKeys the keys, at any depth, whose blocks bear a label
 * @throws LanguageError with line and column; also when the document is not an object
 * @example
 * parseBlocksFromJson('{"path": {"a/*": {"capabilities": ["read"]}}}', new Set(["path"]))
 * // [{ type: "block", key: "path", labels: ["a/*"], line: 1, column: 11, body: [...] }]
 */
export function parseBlocksFromJson(text: string, labelledKeys: ReadonlySet<string>): Body {
  const document = readJson(text);
  if (document.type === "object") return bodyOf(document, labelledKeys);
  const found = document.type === "array" ? "an array" : `a ${document.type}`;
  throw new LanguageError({ language: "JSON", position: document, found, expected: "an object" });
}

function bodyOf(object: JsonObject, labelledKeys: ReadonlySet<string>): Body {
  return object.members.flatMap((member) => itemsOf(member, labelledKeys));
}

function itemsOf(member: JsonMember, labelledKeys: ReadonlySet<string>): readonly Item[] {
  const { key, line, column } = member;
  const objects = objectsOf(member.value);
  if (objects !== undefined) return objects.flatMap((object) => blocksOf(member, object, labelledKeys));
  return [{ type: "attribute", key, value: plainValue(member.value, labelledKeys), line, column }];
}

function blocksOf(
  { key, line, column }: JsonMember,
  object: JsonObject,
  labelledKeys: ReadonlySet<string>,
): readonly Block[] {
  const labelled = labelledKeys.has(key) ? labelledBodies(object) : [];
  if (labelled.length === 0) {
    return [{ type: "block", key, labels: [], body: bodyOf(object, labelledKeys), line, column }];
  }
  return labelled.map(({ label, body }) => ({
    type: "block",
    key,
    labels: [label.key],
    body: bodyOf(body, labelledKeys),
    line: label.line,
    column: label.column,
  }));
}

/** The members of an object that are bodies under a label: all of them, or none if one of them is no object. */
function labelledBodies(object: JsonObject): readonly { label: JsonMember; body: JsonObject }[] {
  const labelled: { label: JsonMember; body: JsonObject }[] = [];
  for (const label of object.members) {
    const bodies = objectsOf(label.value);
    if (bodies === undefined) return [];
    for (const body of bodies) labelled.push({ label, body });
  }
  return labelled;
}

/** An object, or a list of nothing but objects: a block, or a block repeated. */
function objectsOf(value: JsonValue): readonly JsonObject[] | undefined {
  if (value.type === "object") return [value];
  if (value.type !== "array" || value.items.length === 0) return undefined;
  const objects = value.items.filter((item) => item.type === "object");
  return objects.length === value.items.length ? objects : undefined;
}

function plainValue(value: JsonValue, labelledKeys: ReadonlySet<string>): Value {
  const { line, column } = value;
  switch (value.type) {
    case "array":
      return { type: "list", items: value.items.map((item) => plainValue(item, labelledKeys)), line, column };
    case "object":
      return { type: "object", body: bodyOf(value, labelledKeys), line, column };
    default:
      return value;
  }
}
