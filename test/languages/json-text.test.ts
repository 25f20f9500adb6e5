import { describe, expect, it } from "vitest";
import { memberTexts, mergePatched } from "../../src/languages/json-text.ts";

describe("the members of an object of JSON text", () => {
  it.each<[text: string, members: { readonly [name: string]: string }]>([
    ["{}", {}],
    ['{"a":1.0}', { a: "1.0" }],
    [' { "a" : [1, {"b": 2}] , "b":"x,}\\"" } ', { a: '[1, {"b": 2}]', b: '"x,}\\""' }],
    ['{"a":{"a":1},"a":2}', { a: "2" }],
    ['{"\\u0061":":"}', { a: '":"' }],
    ['{"":{}}', { "": "{}" }],
  ])("of %s", (text, members) => {
    expect(Object.fromEntries(memberTexts(text))).toEqual(members);
  });
});

// The examples of RFC 7396, appendix A, whose both sides are objects.
describe("a merge patch", () => {
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', "{}"],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ['{"n":1.0}', '{"m":1e3}', '{"n":1.0,"m":1e3}'],
  ])("of %s with %s is %s", (target, patch, merged) => {
    expect(mergePatched(target, patch)).toBe(merged);
  });

  it("nests as deep as bodies do", () => {
    const deep = `${'{"a":'.repeat(9_999)}1${"}".repeat(9_999)}`;
    expect(mergePatched("{}", deep)).toBe(deep);
  });
});
