// biome-ignore-all lint/suspicious/noTemplateCurlyInString: block syntax has interpolations of its own
import { describe, expect, it } from "vitest";
import { parseBlocks } from "../../../src/languages/block-syntax/parse-blocks.ts";
import { type Datum, meaningOf } from "./documents.ts";

const block = (key: string, labels: string[], ...body: object[]) => ({ key, labels, body });
const n = (number: string) => ({ number });

describe("block syntax", () => {
  it("reads a path policy with the position of each part", () => {
    expect(parseBlocks('# mine\npath "a/*" {\n  capabilities = ["read", "list"]\n}\n')).toEqual([
      {
        type: "block",
        key: "path",
        labels: ["a/*"],
        line: 2,
        column: 1,
        body: [
          {
            type: "attribute",
            key: "capabilities",
            line: 3,
            column: 3,
            value: {
              type: "list",
              line: 3,
              column: 18,
              items: [
                { type: "string", value: "read", line: 3, column: 19 },
                { type: "string", value: "list", line: 3, column: 27 },
              ],
            },
          },
        ],
      },
    ]);
  });

  it("reads a password policy whose rule stands on one line with commas", () => {
    const text = 'length = 20 rule "charset" { charset = "abc", min-chars = 1 }';
    expect(meaningOf(parseBlocks(text))).toEqual([
      { key: "length", value: n("20") },
      block("rule", ["charset"], { key: "charset", value: "abc" }, { key: "min-chars", value: n("1") }),
    ]);
  });

  it("reads scheduler rules with blocks inside blocks", () => {
    const text = `
      namespace "default" { // ours
        policy = "read"
        variables { path "x/*" { capabilities = ["list"] } }
      }
      agent { policy = "read" }`;
    expect(meaningOf(parseBlocks(text))).toEqual([
      block(
        "namespace",
        ["default"],
        { key: "policy", value: "read" },
        block("variables", [], block("path", ["x/*"], { key: "capabilities", value: ["list"] })),
      ),
      block("agent", [], { key: "policy", value: "read" }),
    ]);
  });

  it.each(["", "   \n\t ", "# only\n// comments /*\n/* here\n*/", "/**/", "#", "\r\n"])(
    "finds nothing in %j",
    (text) => {
      expect(parseBlocks(text)).toEqual([]);
    },
  );

  it.each<[text: string, keys: string[]]>([
    ["a = 1 b = 2", ["a", "b"]],
    ["a = 1\nb = 2", ["a", "b"]],
    ["a = 1, b = 2,", ["a", "b"]],
    ["a\n=\n1\n,\nb\n{\n}", ["a", "b"]],
    ["a{}b{}", ["a", "b"]],
    ["a {} /* c */ b {} # d", ["a", "b"]],
    ['a.b-c_9 = 1 größe = 2 _ = 3 "a b" = 4 "" = 5', ["a.b-c_9", "größe", "_", "a b", ""]],
    ["a = 1 a = 2 a {}", ["a", "a", "a"]],
    ["__proto__ = 1 constructor {} toString = 2", ["__proto__", "constructor", "toString"]],
  ])("takes %j: items need nothing between them, and a comma may stand there", (text, keys) => {
    expect(parseBlocks(text).map((item) => item.key)).toEqual(keys);
  });

  it.each<[text: string, labels: string[]]>([
    ["a {}", []],
    ["a = {}", []],
    ["a b {}", ["b"]],
    ['a "b c" {}', ["b c"]],
    ['"a" "" {}', [""]],
    ['a "b" c "d" {}', ["b", "c", "d"]],
  ])("reads the labels of %j", (text, labels) => {
    expect(meaningOf(parseBlocks(text))).toEqual([block("a", labels)]);
  });

  it.each<[literal: string, value: Datum]>([
    ['"x"', "x"],
    ['""', ""],
    ["true", true],
    ["false", false],
    ["[]", []],
    ["[1, 2]", [n("1"), n("2")]],
    ['[\n  "a", # one\n  "b",\n]', ["a", "b"]],
    ["[,1,,2,]", [n("1"), n("2")]],
    ["[[1], [], [true]]", [[n("1")], [], [true]]],
    ["[<<E\nx\nE\n, 1]", ["x\n", n("1")]],
  ])("reads the value %j", (literal, value) => {
    expect(meaningOf(parseBlocks(`a = ${literal}`))).toEqual([{ key: "a", value }]);
  });

  it("keeps objects that stand in a list", () => {
    expect(parseBlocks("a = [{ b = 1, c {} }]")).toMatchObject([
      { value: { type: "list", items: [{ type: "object", line: 1, column: 6, body: [{ key: "b" }, { key: "c" }] }] } },
    ]);
  });

  it.each<[text: string, value: number]>([
    ["0", 0],
    ["20", 20],
    ["-5", -5],
    ["-0", 0],
    ["1.5", 1.5],
    ["1.", 1],
    [".5", 0.5],
    ["1e3", 1000],
    ["1.5E-3", 0.0015],
    ["0x1F", 31],
    ["-0X10", -16],
    ["010", 8],
    ["-017", -15],
    ["0159.5", 159.5],
    ["9007199254740993", 9007199254740992],
    ["1e999", Number.POSITIVE_INFINITY],
  ])("reads the number %s and keeps its spelling", (text, value) => {
    expect(parseBlocks(`a = ${text}`)).toMatchObject([{ value: { type: "number", value, text } }]);
  });

  it.each<[literal: string, value: string]>([
    [String.raw`"a\"b\\c"`, 'a"b\\c'],
    [String.raw`"\a\b\f\n\r\t\v"`, "\x07\b\f\n\r\t\v"],
    [String.raw`"\u00e9\U0001F600\x41\101"`, "é😀AA"],
    [String.raw`"\xc3\xa9 \303\251"`, "é é"],
    [String.raw`"\xff"`, "\ufffd"],
    [String.raw`"\ud800"`, "\ufffd"],
    [String.raw`"\x00"`, "\0"],
    ['"# no // comment /* here"', "# no // comment /* here"],
    ['"a\tb\rc"', "a\tb\rc"],
    ['"a ${var.b} c"', "a ${var.b} c"],
    ['"${ "quoted" }"', '${ "quoted" }'],
    ['"${ {a = {}} }"', "${ {a = {}} }"],
    ['"${\n1}"', "${\n1}"],
    ['"${ \\" \\n }"', '${ \\" \\n }'],
    ['"$${a}{$}$"', "$${a}{$}$"],
    ['"{}"', "{}"],
    ['"\ud800"', "\ud800"],
  ])("reads the text %j", (literal, value) => {
    expect(meaningOf(parseBlocks(`a = ${literal}`))).toEqual([{ key: "a", value }]);
  });

  it.each<[literal: string, value: string]>([
    ["<<END\nEND\n", ""],
    ["<<END\na\n  b\nEND\n", "a\n  b\n"],
    ["<<END\r\na\r\nEND\r\n", "a\n"],
    ["<<END\n  a\n  END\n", "  a\n  "],
    ["<<END\nxEND\nENDx\n END x\nEND\n", "xEND\nENDx\n END x\n"],
    ['<<END\n"${ # \\n\nEND\n', '"${ # \\n\n'],
    ["<<größe9_\na\ngröße9_\n", "a\n"],
    ["<<-END\n    a\n      b\n    END\n", "a\n  b\n"],
    ["<<-END\n  a\nb\n  END\n", "  a\nb\n"],
    ["<<-END\n  a\n\n  END\n", "  a\n\n"],
    ["<<-END\n  a\nEND\n", "  a\n"],
    ["<<-END\n\tEND\n", ""],
  ])("reads the heredoc %j", (literal, value) => {
    expect(meaningOf(parseBlocks(`a = ${literal}b = 1`))).toEqual([
      { key: "a", value },
      { key: "b", value: n("1") },
    ]);
  });

  it("counts lines across comments, interpolations and heredocs", () => {
    const text = '/* 1\n 2 */ a = "${\n}" b = <<E\n4\nE\nc = 1';
    expect(parseBlocks(text).map(({ key, line, column }) => [key, line, column])).toEqual([
      ["a", 2, 7],
      ["b", 3, 4],
      ["c", 6, 1],
    ]);
  });
});
