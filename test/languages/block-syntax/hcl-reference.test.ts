// biome-ignore-all lint/suspicious/noTemplateCurlyInString: block syntax has interpolations of its own
import fc from "fast-check";
import reference from "hcl-parser";
import { describe, expect, it } from "vitest";
import type { Body, Item, Value } from "../../../src/languages/block-syntax/ast.ts";
import { parseBlocks } from "../../../src/languages/block-syntax/parse-blocks.ts";
import { parseBlocksFromJson } from "../../../src/languages/block-syntax/parse-blocks-from-json.ts";
import { property } from "../../support/property.ts";
import { mistakeOf } from "../language-mistakes.ts";
import { type Document, documents, type Entry, inBlockSyntax, LABELLED, styles } from "./documents.ts";

describe("HCL1, where it takes a text", () => {
  it.each([
    "",
    'path "a/*" { capabilities = ["read", "list",] }',
    'path "a" { x = 1 } path "b" { x = 2 } path "a" { x = 3 }',
    'rule "charset" { charset = "abc", min-chars = 1 }',
    "a = 1, b = 2",
    "a = 1 b = 2",
    "a = 010 b = 0x1F c = -0x10 d = .5 e = 1. f = 1e3 g = 1.5e-3",
    "a = [1,,2] b = [,]",
    'a = [true, "x", 1.5]',
    "a = <<END\nabc\nEND\n",
    "a = <<END\n  abc\n  END\n",
    "a = <<END\nxEND\nEND\n",
    "a = <<-END\n  abc\n    d\n  END\n",
    "a = <<-END\n  abc\n\n  x\n  END\n",
    'a = "x${ "y" }z" b = "x${\n1}z" c = "$${x}" d = "${ \\" }"',
    String.raw`a = "\u00e9\xc3\xa9\101\U0001F600\a\v" b = "\ud800"`,
    'agent = { policy = "read" } node { policy = "write" }',
    'namespace "d" { variables { path "x" { c = [1] } } }',
    'a.b-c = 1 é = 2 "a b" = 3',
    'a "b" "c" {}',
    'x = true y = "a" /* c */ # d\n// e\nz=1',
    "a {} , b {}",
    "a { x = 1 } a { y = 2 }",
  ])("reads the same from %j", (text) => {
    expect(decoded(parseBlocks(text))).toEqual(referenceReading(text));
  });

  it.each([
    '{"path": {"a/*": {"capabilities": ["read"]}}}',
    '{"rule": [{"charset": {"charset": "a"}}, {"charset": {"charset": "b"}}]}',
    '{"namespace":{"default":{"policy":"read"}},"agent":{"policy":"read"}}',
    '{"namespace": {"d": {"variables": {"path": {"x": {"c": [1]}}}}}}',
    '{"a": 1,}',
    '{"a": [1,]}',
    '{"a": null}',
    '{"a": "x\ty"}',
  ])("reads the same from the JSON %j", (text) => {
    expect(decoded(parseBlocksFromJson(text, LABELLED))).toEqual(referenceReading(text));
  });

  // HCL1 folds the case of keys that bear labels, and joins what repeats in ways that services do not rely on.
  property([documents().map(withDistinctKeys), styles()])("reads the same from any document", (document, style) => {
    fc.pre(document.length > 0);
    const text = inBlockSyntax(document, style);
    expect(decoded(parseBlocks(text))).toEqual(referenceReading(text));
  });
});

describe("HCL1, where it is wrong", () => {
  it.each<[text: string, why: string]>([
    ["a =", "a key and = at the very end vanish"],
    ["a { b = } }", "a missing value vanishes before a doubled brace"],
    ["a = [[1] [2]]", "lists in a list need no commas"],
    ["a = 20abc = 3", "a number may run into the next key"],
    ['{"a": 1} x', "what follows a JSON document is not looked at"],
  ])("it takes %j (%s), which is refused here", (text) => {
    expect(reference.parse(text)[1]).toBeNull();
    const parse = () => (text.startsWith("{") ? parseBlocksFromJson(text, LABELLED) : parseBlocks(text));
    expect(mistakeOf(parse)).toBeDefined();
  });

  it.each<[text: string, why: string]>([
    ["a = <<-END\n  b\nEND\n", "the dash counts into the length of the line that ends a heredoc"],
    [String.raw`{"a": "\/"}`, "an escape of JSON is unknown"],
  ])("it refuses %j (%s), which is taken here", (text) => {
    expect(reference.parse(text)[1]).not.toBeNull();
    const parse = () => (text.startsWith("{") ? parseBlocksFromJson(text, LABELLED) : parseBlocks(text));
    expect(mistakeOf(parse)).toBeUndefined();
  });

  it("loses the booleans of a JSON list and the surrogate pairs of JSON, which are kept here", () => {
    expect(reference.parse('{"a": [true, 1]}')[0]).toEqual({ a: [1] });
    expect(decoded(parseBlocksFromJson('{"a": [true, 1]}', LABELLED))).toEqual({ a: [true, 1] });
    const pair = String.raw`{"a": "\ud83d\ude00"}`;
    expect(reference.parse(pair)[0]).toEqual({ a: "\ufffd\ufffd" });
    expect(decoded(parseBlocksFromJson(pair, LABELLED))).toEqual({ a: "😀" });
  });
});

function referenceReading(text: string): unknown {
  const [document, error] = reference.parse(text);
  expect(error).toBeNull();
  return document;
}

/** A document as HCL1 decodes it when nobody says what to expect: blocks as lists of objects, labels as keys. */
function decoded(body: Body): object {
  const members = new Map<string, unknown>();
  for (const item of body) {
    const before = members.get(item.key);
    members.set(item.key, item.type === "block" ? [...asList(before), decodedBlock(item)] : decodedValue(item.value));
  }
  return Object.fromEntries(members);
}

function decodedBlock({ labels, body }: Extract<Item, { type: "block" }>): object {
  return labels.reduceRight((inner, label) => ({ [label]: [inner] }), decoded(body));
}

function decodedValue(value: Value): unknown {
  if (value.type === "list") return value.items.map(decodedValue);
  return value.type === "object" ? decoded(value.body) : value.value;
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function withDistinctKeys(document: Document): Document {
  const seen = new Set<string>();
  const kept: Entry[] = [];
  for (const entry of document) {
    const key = entry.key.toLowerCase();
    if (seen.has(key) || key === "" || key === "__proto__") continue;
    seen.add(key);
    kept.push("value" in entry ? entry : { ...entry, body: withDistinctKeys(entry.body) });
  }
  return kept;
}
