// biome-ignore-all lint/suspicious/noTemplateCurlyInString: block syntax has interpolations of its own
import { describe, expect, it } from "vitest";
import { parseBlocks } from "../../../src/languages/block-syntax/parse-blocks.ts";
import { parseBlocksFromJson } from "../../../src/languages/block-syntax/parse-blocks-from-json.ts";
import { parseDocument } from "../../../src/languages/block-syntax/parse-document.ts";
import { parseContractDuration } from "../../../src/languages/duration.ts";
import { isInstantText } from "../../../src/languages/instant.ts";
import { normaliseDn, parseDn } from "../../../src/languages/ldif/dn.ts";
import { eachTakesAtMost } from "../../support/processor-time.ts";
import { mistakeIn, mistakeOf } from "../language-mistakes.ts";

const MEGABYTE = 1_048_576;
const LABELLED = new Set(["path"]);

const filled = (unit: string, head = "", tail = "") => head + unit.repeat(Math.ceil(MEGABYTE / unit.length)) + tail;

const TEXTS: Record<string, string> = {
  "nested braces": filled("a{"),
  "nested brackets": filled("[", "a="),
  "nested JSON objects": filled('{"a":'),
  "nested JSON arrays": filled("[", '{"a":'),
  "closing braces": filled("}"),
  "an unclosed text": filled("a", 'a="'),
  "an unclosed JSON text": filled("a", '{"a":"'),
  "an unclosed interpolation": filled("{", 'a="${'),
  interpolations: filled("${a}", 'a="', '"'),
  dollars: filled("$", 'a="', '"'),
  backslashes: filled("\\", 'a="'),
  "escaped bytes": filled("\\xff", 'a="', '"'),
  "an unclosed heredoc": filled("E\n", "a=<<EE\n"),
  "an unclosed heredoc of blank lines": filled(" ", "a=<<-E\n"),
  "a heredoc of blank lines": filled(" \n", "a=<<-E\n", "  E\n"),
  "an unclosed comment": filled("*", "/*"),
  slashes: filled("/"),
  comments: filled("/**/"),
  "line comments": filled("#\n"),
  "line breaks": filled("\n"),
  spaces: filled(" "),
  "spaces before JSON": filled(" ", "", "{}"),
  NULs: filled("\0"),
  "lone surrogates": filled("\ud800"),
  "lone surrogates in a text": filled("\ud800", 'a="', '"'),
  "one long key": filled("a"),
  "one long key of letters beyond the basic plane": filled("\u{10400}"),
  "one long number": filled("1", "a="),
  "one long octal number": filled("7", "a=0"),
  "one long hexadecimal number": filled("f", "a=0x"),
  "one long exponent": filled("1", "a=1e"),
  "one long JSON number": filled("1", '{"a":', "}"),
  "a number with a bad end": filled("1", '{"a":', "x}"),
  labels: filled("a "),
  "commas in a list": filled(",", "a=[", "]"),
  "values in a list": filled("1,", "a=[", "]"),
  "blocks on one line": filled("a{}"),
  "blocks on many lines": filled('path "__proto__" {\n}\n'),
  "prototype keys in JSON": `{${filled('"__proto__":{"constructor":1},')}"toString":{}}`,
  attributes: filled("a=1 "),
};

describe("a hostile text of a megabyte", () => {
  eachTakesAtMost(10);

  it.each(Object.entries(TEXTS))("%s: is read or refused", { tags: "full" }, (_, text) => {
    mistakeOf(() => parseBlocks(text));
    mistakeOf(() => parseBlocksFromJson(text, LABELLED));
    mistakeOf(() => parseDocument(text, LABELLED));
    mistakeOf(() => parseDn(text));
    mistakeOf(() => parseDn(`cn=${text.slice(0, 8_000)}`));
    mistakeOf(() => normaliseDn(`cn="${text.slice(0, 8_000)}"`));
    parseContractDuration(text);
    isInstantText(text);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it("of labels is read, of more than a million is refused", () => {
    expect(() => parseBlocks(`${"a ".repeat(999_999)}{}`)).not.toThrow();
    const mistake = mistakeIn(() => parseBlocks(`${"a ".repeat(1_000_001)}{}`));
    expect(mistake.message).toContain("found one more, expected at most 1000000 keys, labels and values");
  });

  it("beyond the largest request is refused unread", () => {
    const text = " ".repeat(33_554_433);
    const message = "found a text of 33554433 characters, expected at most 33554432";
    expect(mistakeIn(() => parseBlocks(text)).message).toContain(message);
    expect(mistakeIn(() => parseBlocksFromJson(text, LABELLED)).message).toContain(message);
  });
});
