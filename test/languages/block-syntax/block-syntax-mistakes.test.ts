// biome-ignore-all lint/suspicious/noTemplateCurlyInString: block syntax has interpolations of its own
import { describe, expect, it } from "vitest";
import { parseBlocks } from "../../../src/languages/block-syntax/parse-blocks.ts";
import { mistakeIn } from "../language-mistakes.ts";

describe("a mistake in block syntax", () => {
  it("is told with its place, what was found and what was expected", () => {
    expect(mistakeIn(() => parseBlocks('path "a" [')).message).toBe(
      'block syntax, line 1, column 10: found "[", expected "{" or a label',
    );
  });

  it.each<[text: string, line: number, column: number, message: string]>([
    // items
    ["a", 1, 2, 'found the end of the text, expected "=", "{" or a label'],
    ["a 1", 1, 3, 'found the number 1, expected "=", "{" or a label'],
    ['a "b"', 1, 6, 'found the end of the text, expected "{" or a label'],
    ['a "b" = 1', 1, 7, 'found "=", expected "{" or a label'],
    ["= 1", 1, 1, 'found "=", expected a key'],
    ["{}", 1, 1, 'found "{", expected a key'],
    ["1 = 1", 1, 1, "found the number 1, expected a key"],
    ["true = 1", 1, 1, "found true, expected a key"],
    ["<<E\na\nE\n= 1", 1, 1, "found a heredoc, expected a key"],
    [", a = 1", 1, 1, 'found ",", expected a key'],
    ["a = 1,, b = 2", 1, 7, 'found ",", expected a key'],
    ["a = 1 }", 1, 7, 'found "}", expected a key'],
    ["a {\n  b = 1\n", 3, 1, 'found the end of the text, expected a key or "}"'],
    ["a { b }", 1, 7, 'found "}", expected "=", "{" or a label'],
    ["a { ]", 1, 5, 'found "]", expected a key or "}"'],
    // values
    ["a =", 1, 4, "found the end of the text, expected a value"],
    ["a = }", 1, 5, 'found "}", expected a value'],
    ["foo { bar = } }", 1, 13, 'found "}", expected a value'],
    ["policy = read", 1, 10, 'found "read", expected a value'],
    ["a = [", 1, 6, "found the end of the text, expected a value"],
    ["a = [read]", 1, 6, 'found "read", expected a value'],
    ["a = [1 2]", 1, 8, 'found the number 2, expected "," or "]"'],
    ["a = [[1] [2]]", 1, 10, 'found "[", expected "," or "]"'],
    ["a = [1", 1, 7, 'found the end of the text, expected "," or "]"'],
    // numbers
    ["ttl = 30d", 1, 7, 'found "30d", expected a number'],
    ["a = 089", 1, 5, 'found "089", expected a number'],
    ["a = 0x", 1, 5, 'found "0x", expected a number'],
    ["a = 1e", 1, 5, 'found "1e", expected a number'],
    ["a = -", 1, 5, 'found "-", expected a key, a value or punctuation'],
    ["a = -.5", 1, 5, 'found "-", expected a key, a value or punctuation'],
    ["a = +1", 1, 5, 'found "+", expected a key, a value or punctuation'],
    // characters
    ["a = 'b'", 1, 5, `found "'", expected a key, a value or punctuation`],
    ["a: 1", 1, 2, 'found ":", expected a key, a value or punctuation'],
    ["\ufeffa = 1", 1, 1, "expected a key, a value or punctuation"],
    ["a\u00a0= 1", 1, 2, "expected a key, a value or punctuation"],
    ["a = 1 \ud800", 1, 7, 'found "\\ud800", expected a key'],
    ["a = 1\n\n😀 = 2", 3, 1, 'found "😀", expected a key'],
    ["a = 1 # \0", 1, 9, 'found "\\u0000", expected a text without it'],
    ['a = "\0"', 1, 6, 'found "\\u0000", expected a text without it'],
    // texts
    [
      'a = "b',
      1,
      7,
      "found the end of the text, expected a closing quote for the text that begins at line 1, column 5",
    ],
    ['a = "b\nc"', 1, 7, "found the end of the line, expected a closing quote"],
    ['\n  a = "', 2, 8, "expected a closing quote for the text that begins at line 2, column 7"],
    [String.raw`a = "\/"`, 1, 6, "expected an escape of block syntax"],
    [String.raw`a = "\x4"`, 1, 6, "expected an escape of block syntax"],
    [String.raw`a = "\400"`, 1, 6, "expected an escape of block syntax"],
    [String.raw`a = "\U00110000"`, 1, 6, "expected an escape of block syntax"],
    ['a = "${ \\d }"', 1, 9, "expected an escape of block syntax"],
    ['a = "b ${ {} "', 1, 8, 'found no end of it, expected "}" for the "${" of an interpolation'],
    // comments
    ["a = 1 /* b", 1, 7, 'found a comment that goes on to the end of the text, expected "*/"'],
    ["a /*/", 1, 3, "found a comment that goes on to the end of the text"],
    ["a / b", 1, 3, 'found "/", expected a key, a value or punctuation'],
    // heredocs
    ["a = <b", 1, 5, 'found "<", expected a heredoc such as <<END'],
    ["a = <<\nb\n", 1, 5, "expected a heredoc such as <<END"],
    ["a = <<-\nb\n", 1, 5, "expected a heredoc such as <<END"],
    ["a = <<END b\nEND\n", 1, 5, "expected a heredoc such as <<END"],
    ["a = <<END", 1, 5, "expected a heredoc such as <<END"],
    ["a = <<END\nb\n", 3, 1, 'found the end of the text, expected a line "END" to end the heredoc of line 1'],
    ["\na = <<END\nb\nEND", 4, 4, 'expected a line "END" to end the heredoc of line 2'],
  ])("in %j is at line %i, column %i", (text, line, column, message) => {
    const mistake = mistakeIn(() => parseBlocks(text));
    expect(mistake).toMatchObject({ name: "LanguageError", language: "block syntax", line, column });
    expect(mistake.message).toContain(message);
  });

  it("does not hide behind Windows line endings", () => {
    expect(mistakeIn(() => parseBlocks("a = 1\r\nb = \r\n]"))).toMatchObject({ line: 3, column: 1 });
  });

  it.each<[text: string, message: string]>([
    ["a { ".repeat(65), "line 1, column 259: found level 65 of nesting, expected at most 64"],
    [`a = ${"[".repeat(65)}`, "line 1, column 69: found level 65 of nesting, expected at most 64"],
  ])("may be that it nests too deeply", (text, message) => {
    expect(mistakeIn(() => parseBlocks(text)).message).toContain(message);
  });

  it("is not made by 64 levels", () => {
    expect(() => parseBlocks(`${"a { ".repeat(63)}a = [] ${"}".repeat(63)}`)).not.toThrow();
  });
});
