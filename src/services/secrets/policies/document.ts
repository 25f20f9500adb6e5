import type { Plain } from "../../../kernel/plain.ts";
import type { Attribute, Block, Item, Value } from "../../../languages/block-syntax/ast.ts";
import { parseDocument } from "../../../languages/block-syntax/parse-document.ts";
import { parseContractDuration } from "../../../languages/duration.ts";
import { LanguageError } from "../../../languages/language-error.ts";
import { renamed } from "../../../languages/vocabulary/rename.ts";
import { inNeutralWords } from "../../../languages/vocabulary/rule-text.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import { documentText } from "../document-text.ts";
import { CAPABILITIES, type Capability } from "./capabilities.ts";
import type { Limits } from "./limits.ts";
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
 * Source: decisions-secrets-core.md, D.1; README.md.
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
    rules.push(ruleOf(item, words));
  }
  return rules;
}

const isWord = (word: string): boolean => SHORTHANDS.has(word) || (CAPABILITIES as readonly string[]).includes(word);

function ruleOf(block: Block, words: ServiceWords | undefined): PathRule {
  const [label] = block.labels;
  if (label === undefined || block.labels.length > 1) throw mistake(block, "a path block", "one path as its label");
  const path = label.replace(/^\//, "");
  if (path.includes("+*")) throw mistake(block, `"${label}"`, "a path without +*");
  if (!isBalanced(path)) throw mistake(block, `unbalanced templating characters in "${label}"`, "a }} for each {{");
  const capabilities: Capability[] = [];
  let limits: Limits = {};
  for (const item of block.body) {
    if (item.key === "comment") continue;
    if (item.type === "attribute" && item.key === "capabilities") capabilities.push(...capabilitiesOf(item));
    else if (item.type === "attribute" && item.key === "policy") capabilities.push(...shorthandOf(item));
    else limits = { ...limits, ...limitOf(item, words) };
  }
  const { minWrappingTtlSeconds: min = 0, maxWrappingTtlSeconds: max = min } = limits;
  if (max < min)
    throw mistake(block, "max_wrapping_ttl cannot be less than min_wrapping_ttl", "a greater or an equal one");
  const rule = { path, capabilities: [...new Set(capabilities)] };
  return Object.keys(limits).length === 0 ? rule : { ...rule, limits };
}

/** Whether each `{{` of a path has its `}}`. */
function isBalanced(path: string): boolean {
  const [first = "", ...pieces] = path.split("{{");
  return !first.includes("}}") && pieces.every((piece) => piece.split("}}").length === 2);
}

/** What one item of a path asks of requests besides the capability (README.md, 2). */
function limitOf(item: Item, words: ServiceWords | undefined): Limits {
  const named = (name: string): string =>
    (words === undefined ? name : renamed(words.fields, name, "neutral")).toLowerCase();
  switch (item.key) {
    case "allowed_parameters":
    case "denied_parameters": {
      if (item.type !== "block" || item.labels.length > 0)
        throw mistake(item, `invalid ${item.key}`, "an object of lists");
      const values = Object.fromEntries(item.body.map((one) => [named(one.key), valuesOf(one)]));
      if (item.body.length === 0) return {};
      return item.key === "allowed_parameters" ? { allowedParameters: values } : { deniedParameters: values };
    }
    case "required_parameters": {
      const names = item.type === "attribute" ? valuesOf(item) : [];
      if (item.type !== "attribute" || !names.every((name) => typeof name === "string"))
        throw mistake(item, `invalid ${item.key}`, "a list of strings");
      return names.length === 0 ? {} : { requiredParameters: names.map(named) };
    }
    case "min_wrapping_ttl":
      return withTtl(item, (minWrappingTtlSeconds) => ({ minWrappingTtlSeconds }));
    case "max_wrapping_ttl":
      return withTtl(item, (maxWrappingTtlSeconds) => ({ maxWrappingTtlSeconds }));
    default:
      throw mistake(item, `invalid key ${item.key}`, KEYS);
  }
}

const KEYS =
  '"capabilities", "policy", "comment", "allowed_parameters", "denied_parameters", "required_parameters", ' +
  '"min_wrapping_ttl" or "max_wrapping_ttl"';

/** 0 is as good as none. */
function withTtl(item: Item, limit: (seconds: number) => Limits): Limits {
  const value = item.type === "attribute" ? item.value : undefined;
  const text = value?.type === "number" ? value.text : value?.type === "string" ? value.value : "";
  const duration = parseContractDuration(text);
  if (!duration.ok) throw mistake(item, `error parsing ${item.key}`, "a duration");
  return duration.seconds === 0 ? {} : limit(duration.seconds);
}

function valuesOf(item: Item): readonly Plain[] {
  if (item.type === "block") throw mistake(item, `an object as ${item.key}`, "a list of values");
  return item.value.type === "list" ? item.value.items.map(plainOf) : [plainOf(item.value)];
}

function plainOf(value: Value): Plain {
  switch (value.type) {
    case "list":
      return value.items.map(plainOf);
    case "object":
      throw mistake(value, "an object", "a string, a number, a boolean or a list of such");
    default:
      return value.value;
  }
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
