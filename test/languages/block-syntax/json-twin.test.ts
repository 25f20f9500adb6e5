// biome-ignore-all lint/suspicious/noTemplateCurlyInString: block syntax has interpolations of its own
import { describe, expect, it } from "vitest";
import { parseBlocks } from "../../../src/languages/block-syntax/parse-blocks.ts";
import { parseBlocksFromJson } from "../../../src/languages/block-syntax/parse-blocks-from-json.ts";
import { parseDocument } from "../../../src/languages/block-syntax/parse-document.ts";
import { mistakeIn } from "../language-mistakes.ts";
import { meaningOf } from "./documents.ts";

const LABELLED = new Set(["path", "rule", "namespace"]);

describe("a document in JSON", () => {
  it("has the position of each key and value, and of the label where there is one", () => {
    expect(parseBlocksFromJson('{\n  "path": {"a/*": {"capabilities": ["read"]}}}', LABELLED)).toEqual([
      {
        type: "block",
        key: "path",
        labels: ["a/*"],
        line: 2,
        column: 12,
        body: [
          {
            type: "attribute",
            key: "capabilities",
            line: 2,
            column: 20,
            value: {
              type: "list",
              line: 2,
              column: 36,
              items: [{ type: "string", value: "read", line: 2, column: 37 }],
            },
          },
        ],
      },
    ]);
  });

  it.each<[json: string, blocks: string]>([
    ["{}", ""],
    ['{"path": {"a/*": {"capabilities": ["read"]}}}', 'path "a/*" { capabilities = ["read"] }'],
    ['{"path": {"a": {}, "b": {"x": 1}}}', "path a {} path b { x = 1 }"],
    ['{"path": {"a": {}}, "path": {"a": {}}}', "path a {} path a {}"],
    ['{"path": {"a": [{"x": 1}, {"x": 2}]}}', "path a { x = 1 } path a { x = 2 }"],
    [
      '{"rule": [{"charset": {"charset": "a"}}, {"charset": {"charset": "b"}}]}',
      'rule charset { charset = "a" } rule charset { charset = "b" }',
    ],
    [
      '{"rule": {"charset": {"charset": "abc", "min-chars": 1}}, "length": 20}',
      'rule charset { charset = "abc", min-chars = 1 } length = 20',
    ],
    [
      '{"namespace":{"default":{"policy":"read"}},"agent":{"policy":"read"}}',
      'namespace default { policy = "read" } agent { policy = "read" }',
    ],
    [
      '{"namespace": {"d": {"variables": {"path": {"x": {"y": []}}}}}}',
      "namespace d { variables { path x { y = [] } } }",
    ],
    ['{"agent": [{"policy": "read"}, {"policy": "write"}]}', 'agent { policy = "read" } agent { policy = "write" }'],
    ['{"agent": {"plugin": {}}}', "agent { plugin {} }"],
    ['{"path": {}}', "path {}"],
    ['{"path": {"policy": "read"}}', 'path { policy = "read" }'],
    ['{"path": {"a": {}, "policy": "read"}}', 'path { a {} policy = "read" }'],
    ['{"path": "a", "x": [], "y": [true, [1.5]]}', 'path = "a" x = [] y = [true, [1.5]]'],
    ['{"a": null}', 'a = ""'],
    ['{"a": 1,}', "a = 1"],
    ['{"a": [1, 2,], }', "a = [1, 2]"],
    ['{"__proto__": {"constructor": 1}, "toString": {}}', "__proto__ { constructor = 1 } toString {}"],
    [' \t\r\n{ "a" :\r\n1 } \n', "a = 1"],
  ])("%s says what %j says", (json, blocks) => {
    expect(meaningOf(parseBlocksFromJson(json, LABELLED))).toEqual(meaningOf(parseBlocks(blocks)));
  });

  it("keeps objects that share a list with other values", () => {
    expect(parseBlocksFromJson('{"a": [1, {"path": {"x": {}}}]}', LABELLED)).toMatchObject([
      {
        type: "attribute",
        value: { items: [{ value: 1 }, { type: "object", body: [{ key: "path", labels: ["x"] }] }] },
      },
    ]);
  });

  it.each<[json: string, value: string]>([
    [String.raw`"a\"b\\c\/d\b\f\n\r\t"`, 'a"b\\c/d\b\f\n\r\t'],
    [String.raw`"\u00e9\uD83D\ude00"`, "é😀"],
    [String.raw`"\ud83dx\ude00"`, "\ufffdx\ufffd"],
    [String.raw`"\u0000"`, "\0"],
    ['"${a} ${"', "${a} ${"],
    ['"a\tb"', "a\tb"],
  ])("reads the text %s", (json, value) => {
    expect(meaningOf(parseBlocksFromJson(`{"a": ${json}}`, LABELLED))).toEqual([{ key: "a", value }]);
  });

  it.each<[json: string, line: number, column: number, message: string]>([
    ["", 1, 1, "found the end of the text, expected a value"],
    ["[]", 1, 1, "found an array, expected an object"],
    ['"a"', 1, 1, "found a string, expected an object"],
    ["{", 1, 2, 'found the end of the text, expected a key in quotes or "}"'],
    ["{a: 1}", 1, 2, 'found "a", expected a key in quotes or "}"'],
    ['{"a" 1}', 1, 6, 'found "1", expected ":"'],
    ['{"a": }', 1, 7, 'found "}", expected a value'],
    ['{"a": 1 "b": 2}', 1, 9, 'found "\\"", expected "," or "}"'],
    ['{"a": 1,,}', 1, 9, 'expected a key in quotes or "}"'],
    ['{"a": [1 2]}', 1, 10, 'found "2", expected "," or "]"'],
    ['{"a": [,]}', 1, 8, "expected a value"],
    ['{"a": 01}', 1, 7, "expected a value"],
    ['{"a": 1.}', 1, 7, "expected a value"],
    ['{"a": 0x1}', 1, 7, "expected a value"],
    ['{"a": -}', 1, 7, "expected a value"],
    ['{"a": nul}', 1, 7, "expected a value"],
    ['{"a": truer}', 1, 7, "expected a value"],
    [
      '{"a": "b\nc"}',
      1,
      9,
      "found the end of the line, expected a closing quote for the text that begins at line 1, column 7",
    ],
    ['{"a": "b', 1, 9, "found the end of the text, expected a closing quote"],
    [String.raw`{"a": "\x41"}`, 1, 8, "expected an escape of JSON"],
    [String.raw`{"a": "\u12"}`, 1, 8, "expected an escape of JSON"],
    ['{"a": 1} x', 1, 10, 'found "x", expected the end of the text'],
    ['{"a": 1} // c', 1, 10, 'found "/", expected the end of the text'],
    ['{\n"a": 1\n', 3, 1, 'found the end of the text, expected "," or "}"'],
    ['{"a": "\0"}', 1, 8, "expected a text without it"],
    [`{"a": ${"[".repeat(64)}`, 1, 70, "found level 65 of nesting, expected at most 64"],
  ])("with a mistake, %j, is refused at line %i, column %i", (json, line, column, message) => {
    const mistake = mistakeIn(() => parseBlocksFromJson(json, LABELLED));
    expect(mistake).toMatchObject({ name: "LanguageError", language: "JSON", line, column });
    expect(mistake.message).toContain(message);
  });
});

describe("a document in either spelling", () => {
  it.each<[text: string, language: string]>([
    ["{", "JSON"],
    [" \n\t{", "JSON"],
    ["[", "block syntax"],
    ["a {", "block syntax"],
    ["# {\n{", "block syntax"],
  ])("%j is taken as %s by its first character that is not blank", (text, language) => {
    expect(mistakeIn(() => parseDocument(text, LABELLED)).language).toBe(language);
  });

  it("reads the same either way", () => {
    const blocks = parseDocument("path a { x = 1 }", LABELLED);
    expect(meaningOf(parseDocument('{"path": {"a": {"x": 1}}}', LABELLED))).toEqual(meaningOf(blocks));
  });
});
