import type { Attribute, Block, Item } from "../../../languages/block-syntax/ast.ts";
import { parseDocument } from "../../../languages/block-syntax/parse-document.ts";
import { LanguageError } from "../../../languages/language-error.ts";
import { inNeutralWords } from "../../../languages/vocabulary/rule-text.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import { documentText } from "../document-text.ts";
import { CAPABILITIES, type Capability } from "./capabilities.ts";
import type { PathRule } from "./rules.ts";

const LANGUAGE = "access policy";

/** The old spelling of `capabilities`. */
const SHORTHANDS: ReadonlyMap<string, readonly Capability[]> = new Map<string, readonly Capability[]>([
  ["read", ["read", "list"]],
  ["write", ["create", "read", "update", "delete", "list"]],
  ["sudo", ["create", "read", "update", "delete", "list", "sudo"]],
  ["deny", ["deny"]],
]);

/**
 * The rules of an access policy, from either spelling of its document or from base64 of one.
 *
 * Source: decisions-secrets-core.md, D.1.
 *
 * @throws LanguageError with line and column: the text does not parse, or has an unknown key or capability
 * @example
 * parsePolicy('path "ldap/library/*" { capabilities = ["read", "list"] }');
 * // [{ path: "ldap/library/*", capabilities: ["read", "list"] }]
 */
export function parsePolicy(document: string, words?: ServiceWords): readonly PathRule[] {
  const rules: PathRule[] = [];
  const body = parseDocument(documentText(document), new Set(["path"]));
  for (const item of words === undefined ? body : inNeutralWords(words, body, isWord)) {
    if (item.key === "name" && item.type === "attribute") continue;
    if (item.key !== "path" || item.type !== "block") throw mistake(item, `invalid key ${item.key}`, '"path"');
    rules.push(ruleOf(item));
  }
  return rules;
}

const isWord = (word: string): boolean => SHORTHANDS.has(word) || (CAPABILITIES as readonly string[]).includes(word);

function ruleOf(block: Block): PathRule {
  const [label] = block.labels;
  if (label === undefined || block.labels.length > 1) throw mistake(block, "a path block", "one path as its label");
  const path = label.replace(/^\//, "");
  if (path.includes("+*")) throw mistake(block, `"${label}"`, "a path without +*");
  if (path.includes("{{"))
    throw mistake(block, `"${label}"`, "a path without a template, which nothing here would fill");
  const capabilities: Capability[] = [];
  for (const item of block.body) {
    if (item.type === "attribute" && item.key === "capabilities") capabilities.push(...capabilitiesOf(item));
    else if (item.type === "attribute" && item.key === "policy") capabilities.push(...shorthandOf(item));
    else throw mistake(item, `invalid key ${item.key}`, '"capabilities" or "policy"');
  }
  return { path, capabilities: [...new Set(capabilities)] };
}

function capabilitiesOf({ value }: Attribute): readonly Capability[] {
  if (value.type !== "list") throw mistake(value, `a ${value.type}`, "a list of capabilities");
  return value.items.map((item) => {
    const known = item.type === "string" ? CAPABILITIES.find((capability) => capability === item.value) : undefined;
    if (known !== undefined) return known;
    const found = item.type === "string" ? `"${item.value}"` : `a ${item.type}`;
    throw mistake(item, `invalid capability ${found}`, CAPABILITIES.join(", "));
  });
}

function shorthandOf({ value }: Attribute): readonly Capability[] {
  const known = value.type === "string" ? SHORTHANDS.get(value.value) : undefined;
  if (known === undefined) throw mistake(value, "an invalid policy word", [...SHORTHANDS.keys()].join(", "));
  return known;
}

function mistake(position: Item | Attribute["value"], found: string, expected: string): LanguageError {
  return new LanguageError({ language: LANGUAGE, position, found, expected });
}
