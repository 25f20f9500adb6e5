import fc from "fast-check";
import { describe, expect } from "vitest";
import { parseBlocks } from "../../../src/languages/block-syntax/parse-blocks.ts";
import { parseBlocksFromJson } from "../../../src/languages/block-syntax/parse-blocks-from-json.ts";
import { parseDocument } from "../../../src/languages/block-syntax/parse-document.ts";
import { property } from "../../support/property.ts";
import { runs } from "../../support/runs.ts";
import { mistakeOf } from "../language-mistakes.ts";
import { documents, inBlockSyntax, inJson, LABELLED, meaningOf, styles } from "./documents.ts";

const FRAGMENTS = [
  "{",
  "}",
  "[",
  "]",
  ",",
  "=",
  ":",
  '"',
  "\\",
  "$",
  "${",
  "<<E\n",
  "E\n",
  "#",
  "//",
  "/*",
  "*/",
  "\n",
  "\0",
  "0x",
  "1e",
  "a",
  "\ud800",
];

describe("block syntax and JSON", () => {
  property([documents(), styles()])("both spellings of a document say what it says", (document, style) => {
    expect(meaningOf(parseBlocks(inBlockSyntax(document, style)))).toEqual(document);
    expect(meaningOf(parseBlocksFromJson(inJson(document, style), LABELLED))).toEqual(document);
  });

  property([documents(), styles()])("a document is known by its first character", (document, style) => {
    expect(meaningOf(parseDocument(inBlockSyntax(document, style), LABELLED))).toEqual(document);
    expect(meaningOf(parseDocument(inJson(document, style), LABELLED))).toEqual(document);
  });

  property([documents(), styles(), fc.nat(), fc.nat({ max: 3 }), fc.constantFrom("", ...FRAGMENTS)], runs(1_000))(
    "a damaged document is read or refused with a LanguageError at a place in it",
    (document, style, at, length, fragment) => {
      for (const whole of [inBlockSyntax(document, style), inJson(document, style)]) {
        const start = at % (whole.length + 1);
        expectReadOrRefused(whole.slice(0, start) + fragment + whole.slice(start + length));
      }
    },
  );

  property(
    [
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(fc.constantFrom(...FRAGMENTS)).map((parts) => parts.join("")),
      ),
    ],
    runs(2_000),
  )("any text is read or refused with a LanguageError at a place in it", (text) => {
    expectReadOrRefused(text);
  });

  property([documents(), styles()])("reading a document changes no prototype", (document, style) => {
    parseBlocks(inBlockSyntax(document, style));
    parseBlocksFromJson(inJson(document, style), LABELLED);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect({}).toEqual(Object.create(null));
  });
});

function expectReadOrRefused(text: string): void {
  for (const parse of [() => parseBlocks(text), () => parseBlocksFromJson(text, LABELLED)]) {
    const mistake = mistakeOf(parse);
    if (mistake === undefined) continue;
    const lines = text.split("\n");
    expect(mistake.line).toBeLessThanOrEqual(lines.length);
    expect(mistake.column).toBeLessThanOrEqual((lines[mistake.line - 1]?.length ?? 0) + 1);
  }
}
