import { describe, expect, it } from "vitest";
import { LanguageError } from "../../src/languages/language-error.ts";
import { LineCounter } from "../../src/languages/line-counter.ts";
import { shown } from "../../src/languages/shown.ts";

describe("a value in a message", () => {
  it.each<[value: unknown, text: string]>([
    ["90", '"90"'],
    ['a "b"\n', '"a \\"b\\"\\n"'],
    ["x".repeat(60), `"${"x".repeat(60)}"`],
    ["x".repeat(61), `"${"x".repeat(60)}"...`],
    [1.5, "1.5"],
    [Number.NaN, "NaN"],
    [true, "true"],
    [null, "null"],
    [undefined, "undefined"],
    [Symbol("s"), "Symbol(s)"],
    [() => 1, "a function"],
    [[1, 2], "an array"],
    [{ toString: 1 }, "an object"],
    [Object.create(null), "an object"],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [new Date(Number.NaN), "an invalid Date"],
  ])("is short and tells texts from the rest (row %#)", (value, text) => {
    expect(shown(value)).toBe(text);
  });
});

describe("the position of an offset", () => {
  it("counts lines and columns from 1, and a line break into its own line", () => {
    const lines = new LineCounter("ab\n\ncd");
    const positions = [0, 1, 2, 3, 4, 5, 6].map((offset) => lines.at(offset));
    expect(positions.map(({ line, column }) => `${line}:${column}`)).toEqual([
      "1:1",
      "1:2",
      "1:3",
      "2:1",
      "3:1",
      "3:2",
      "3:3",
    ]);
  });

  it("is the same when asked again for an earlier one", () => {
    const lines = new LineCounter("ab\n\ncd");
    expect(lines.at(5)).toEqual({ line: 3, column: 2 });
    expect(lines.at(1)).toEqual({ line: 1, column: 2 });
    expect(lines.at(4)).toEqual({ line: 3, column: 1 });
  });
});

describe("a language error", () => {
  it("says where, what was found and what was expected", () => {
    const error = new LanguageError({
      language: "block syntax",
      position: { line: 3, column: 7 },
      found: '"}"',
      expected: "a value",
    });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: "LanguageError", language: "block syntax", line: 3, column: 7 });
    expect(error.message).toBe('block syntax, line 3, column 7: found "}", expected a value');
  });
});
