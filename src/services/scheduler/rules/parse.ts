import type { Block, Body, Item, Value } from "../../../languages/block-syntax/ast.ts";
import { type JsonMember, type JsonValue, readJson } from "../../../languages/block-syntax/json-reader.ts";
import { parseDocument } from "../../../languages/block-syntax/parse-document.ts";
import { LanguageError, type Position } from "../../../languages/language-error.ts";
import { inNeutralWords } from "../../../languages/vocabulary/rule-text.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import { ALL_WORDS, IMPLIED, LABELLED, type Level, OPERATOR, SINGLE, VARIABLES, type Words } from "./words.ts";

// Source of all rules in this file: decisions-scheduler-acl.md, section 8.

/** What a block with a label grants, short-hand words expanded; `deny` among it denies all. */
export interface LabelledRule {
  readonly kind: string;
  readonly label: string;
  readonly capabilities: readonly string[];
}

/** The paths of variables in a namespace, and what may be done with them. */
export interface VariablesRule {
  readonly namespace: string;
  readonly path: string;
  readonly capabilities: readonly string[];
}

/** What a policy says. */
export interface Rules {
  readonly labelled: readonly LabelledRule[];
  readonly variables: readonly VariablesRule[];
  readonly levels: ReadonlyMap<string, Level>;
  /** The capabilities of the operator block. */
  readonly operator: readonly string[];
}

const LANGUAGE = "policy rules";

/** Names of blocks and of keys are the same in any case (amendments.md, N2). */
class AnyCase extends Set<string> {
  override has(key: string): boolean {
    return super.has(key.toLowerCase());
  }
}

const LABELLED_KEYS: ReadonlySet<string> = new AnyCase([...LABELLED.keys(), "path"]);

function inLowerCase(items: readonly Item[]): Item[] {
  return items.map((item) => {
    const key = item.key.toLowerCase();
    return item.type === "block" ? { ...item, key, body: inLowerCase(item.body) } : { ...item, key };
  });
}

/**
 * Parses and validates the rules of a policy, in block syntax or as JSON. The empty text is a policy that grants nothing. With the words of
 * a vocabulary both are known: rule text is kept as it was written (vocabularies.md).
 *
 * @throws LanguageError with line and column of the first mistake
 * @example
 * parseRules('namespace "default" { policy = "read" }').labelled[0]?.capabilities; // ["list-jobs", "parse-job", ...]
 */
export function parseRules(text: string, words?: ServiceWords): Rules {
  const rules: MutableRules = { labelled: [], variables: [], levels: new Map(), operator: [] };
  if (text === "") return rules;
  const seen = new Set<string>();
  if (text.trimStart().startsWith("{")) refuseJsonOnly(readJson(text));
  const document = inLowerCase(parseDocument(text, LABELLED_KEYS));
  for (const item of words === undefined ? document : inNeutralWords(words, document, isWord)) {
    const isLabelled = LABELLED.has(item.key);
    if (!isLabelled && !SINGLE.has(item.key)) throw mistake(item, `the unknown key "${item.key}"`, KEYS);
    if (item.type !== "block") throw mistake(item, `"${item.key}" with a value`, `a block ${item.key} { ... }`);
    if (isLabelled) readLabelled(item, rules);
    else if (seen.has(item.key)) throw mistake(item, `a second ${item.key} block`, `one ${item.key} block`);
    else readSingle(item, rules);
    seen.add(item.key);
  }
  if (seen.size === 0) throw mistake({ line: 1, column: 1 }, "no block at all", KEYS);
  return rules;
}

/** What JSON can say, and the real service does not take (amendments.md, N5). */
function refuseJsonOnly(document: JsonValue): void {
  for (const { key, value } of membersOf(document)) {
    if (!LABELLED.has(key.toLowerCase())) continue;
    for (const label of objectsIn(value).flatMap(membersOf)) {
      if (label.value.type === "array") throw mistake(label, `a list for the label "${label.key}"`, "one object");
      const keys = membersOf(label.value).map((member) => member.key.toLowerCase());
      if (keys.length > 0 && keys.every((name) => name === "variables")) {
        throw mistake(label, `nothing but variables in "${label.key}"`, "a policy or capabilities beside them");
      }
    }
  }
}

function objectsIn(value: JsonValue): readonly JsonValue[] {
  return value.type === "array" ? value.items : [value];
}

function membersOf(value: JsonValue): readonly JsonMember[] {
  return value.type === "object" ? value.members : [];
}

const isWord = (word: string): boolean => ALL_WORDS.has(word);

interface MutableRules {
  readonly labelled: LabelledRule[];
  readonly variables: VariablesRule[];
  readonly levels: Map<string, Level>;
  operator: readonly string[];
}

const KEYS = [...LABELLED.keys(), ...SINGLE.keys()].join(", ");

// --- blocks with a label --------------------------------------------------------------------------------------------

function readLabelled(block: Block, rules: MutableRules): void {
  const { key: kind } = block;
  const words = LABELLED.get(kind);
  if (words === undefined) return;
  const [label] = block.labels;
  if (label === undefined || block.labels.length > 1) {
    throw mistake(block, `a ${kind} with ${block.labels.length} labels`, "one label");
  }
  if (!words.label.test(label)) {
    throw mistake(block, `the label "${label}"`, "1 to 128 letters, digits, hyphens and asterisks");
  }
  rules.labelled.push({ kind, label, capabilities: grantedBy(block.body, words) });
  if (kind === "namespace") readVariables(label, block.body, rules);
}

/** What `policy` and `capabilities` of a block grant together. Keys that nobody knows are ignored inside a block. */
function grantedBy(body: Body, words: Words): readonly string[] {
  const granted = new Set<string>();
  const policy = lastText(body, "policy", [...words.policies.keys()]);
  for (const capability of words.policies.get(policy) ?? []) granted.add(capability);
  for (const capability of listedIn(body, [...words.capabilities, "deny"])) granted.add(capability);
  for (const capability of granted) for (const implied of IMPLIED.get(capability) ?? []) granted.add(implied);
  return [...granted];
}

function readVariables(namespace: string, body: Body, rules: MutableRules): void {
  for (const item of body) {
    if (item.key !== "variables") continue;
    if (item.type !== "block" || item.labels.length > 0) throw mistake(item, "variables", "a block variables { ... }");
    const paths = item.body.filter(({ key }) => key === "path");
    if (paths.length === 0) throw mistake(item, "variables without a path", 'a block path "..." { ... }');
    for (const path of paths) rules.variables.push(pathRule(namespace, path));
  }
}

function pathRule(namespace: string, item: Item): VariablesRule {
  const [path] = item.type === "block" ? item.labels : [];
  if (item.type !== "block" || path === undefined || item.labels.length > 1) {
    throw mistake(item, "a path", 'a block path "..." { ... } with one label');
  }
  if (path === "" || path.startsWith("/"))
    throw mistake(item, `the path "${path}"`, "a path that begins with no slash");
  const listed = listedIn(item.body, [...VARIABLES, "deny"]);
  const capabilities = listed.includes("read") ? [...new Set([...listed, "list"])] : listed;
  return { namespace, path, capabilities };
}

// --- blocks without a label -----------------------------------------------------------------------------------------

function readSingle(block: Block, rules: MutableRules): void {
  const { key: kind } = block;
  if (block.labels.length > 0) throw mistake(block, `a ${kind} block with a label`, `${kind} { ... }`);
  const levels = SINGLE.get(kind) ?? [];
  if (kind === "operator") {
    const level = levels.find((word) => word === lastText(block.body, "policy", levels));
    if (level !== undefined) rules.levels.set(kind, level);
    rules.operator = grantedBy(block.body, OPERATOR);
    return;
  }
  const policies = policiesIn(block.body);
  const policy = policies.at(-1);
  if (policy === undefined) throw mistake(block, `a ${kind} block without a policy`, `policy = "${levels[0]}"`);
  rules.levels.set(kind, wordIn(policy, levels));
}

// --- values ---------------------------------------------------------------------------------------------------------

function policiesIn(body: Body): readonly Item[] {
  return body.filter(({ key }) => key === "policy");
}

/** The word of an optional `policy`, the last one where there are several; an empty one is as none. */
function lastText(body: Body, key: string, words: readonly string[]): string {
  const item = body.filter((candidate) => candidate.key === key).at(-1);
  if (item === undefined || (item.type === "attribute" && isEmptyText(item.value))) return "";
  return wordIn(item, words);
}

function isEmptyText(value: Value): boolean {
  return value.type === "string" && value.value === "";
}

function wordIn<W extends string>(item: Item, words: readonly W[]): W {
  const value = item.type === "attribute" && item.value.type === "string" ? item.value.value : undefined;
  const word = words.find((candidate) => candidate === value);
  if (word !== undefined) return word;
  const found = value === undefined ? `a ${item.key} that is no text` : `the ${item.key} "${value}"`;
  throw mistake(item.type === "attribute" ? item.value : item, found, words.join(", "));
}

function listedIn(body: Body, words: readonly string[]): readonly string[] {
  return body.filter(({ key }) => key === "capabilities").flatMap((item) => capabilitiesOf(item, words));
}

function capabilitiesOf(item: Item, words: readonly string[]): readonly string[] {
  const list = item.type === "attribute" ? item.value : undefined;
  if (list?.type !== "list") throw mistake(item, "capabilities that are no list", 'a list such as ["read-job"]');
  return list.items.map((entry) => {
    if (entry.type === "string" && words.includes(entry.value)) return entry.value;
    const found = entry.type === "string" ? `the capability "${entry.value}"` : `a ${entry.type}`;
    throw mistake(entry, found, words.join(", "));
  });
}

function mistake({ line, column }: Position, found: string, expected: string): LanguageError {
  return new LanguageError({ language: LANGUAGE, position: { line, column }, found, expected });
}
