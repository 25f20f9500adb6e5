import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ancestors, normaliseDn, parentDn, parseDn } from "../../../src/languages/ldif/dn.ts";
import { property } from "../../support/property.ts";
import { mistakeIn, mistakeOf } from "../language-mistakes.ts";

const cn = (value: string) => [[{ attribute: "cn", value }]];

describe("a distinguished name", () => {
  it("has its levels from the entry up", () => {
    expect(parseDn("cn=Ann,OU=People,dc=example,dc=com")).toEqual([
      [{ attribute: "cn", value: "Ann" }],
      [{ attribute: "OU", value: "People" }],
      [{ attribute: "dc", value: "example" }],
      [{ attribute: "dc", value: "com" }],
    ]);
  });

  it("may have several parts at one level", () => {
    expect(parseDn("uid=ann + cn=Ann B.,dc=x")).toEqual([
      [
        { attribute: "uid", value: "ann" },
        { attribute: "cn", value: "Ann B." },
      ],
      [{ attribute: "dc", value: "x" }],
    ]);
  });

  it("is the root, without levels, when it is blank", () => {
    expect(parseDn("")).toEqual([]);
    expect(parseDn("   ")).toEqual([]);
  });

  it.each<[text: string, value: string]>([
    ["cn=Ann", "Ann"],
    ["  cn  =  Ann  ", "Ann"],
    ["cn=", ""],
    ["cn=a  b", "a  b"],
    ["cn=a=b#c", "a=b#c"],
    ["cn=Ann\\, the first", "Ann, the first"],
    ["cn=Ann\\2C the first", "Ann, the first"],
    ["cn=Ann\\2c the first", "Ann, the first"],
    ['cn="Ann, the first"', "Ann, the first"],
    ['cn= "Ann" ', "Ann"],
    ['cn="a \\"b\\" + c;"', 'a "b" + c;'],
    ['cn=""', ""],
    ["cn=\\ a\\ ", " a "],
    ["cn=a \\  ", "a  "],
    ["cn=\\#a", "#a"],
    ["cn=\\\\", "\\"],
    ['cn=a\\+b\\;c\\<d\\>e\\=f\\"g', 'a+b;c<d>e=f"g'],
    ["cn=Lu\\C4\\8Di\\C4\\87", "Lučić"],
    ["cn=Lučić", "Lučić"],
    ["cn=\\F0\\9F\\98\\80", "😀"],
    ["cn=\\00", "\0"],
  ])("%j has the value %j", (text, value) => {
    expect(parseDn(text)).toEqual(cn(value));
  });

  it("takes object identifiers as attribute names", () => {
    expect(parseDn("2.5.4.3=Ann")).toEqual([[{ attribute: "2.5.4.3", value: "Ann" }]]);
  });

  it.each<[text: string, column: number, message: string]>([
    ["cn", 3, 'found the end of the text, expected "=" after the attribute name "cn"'],
    ["cn=a,", 6, "found the end of the text, expected an attribute name"],
    ["cn=a,,dc=x", 6, 'found ",", expected an attribute name'],
    ["=a", 1, 'found "=", expected an attribute name'],
    ["1=a", 1, "expected an attribute name"],
    ["cn=a+", 6, "expected an attribute name"],
    ["cn=#0403616263", 4, 'found "#", expected a value; write "\\#"'],
    ["cn=a<b", 5, 'found "<", expected it to be escaped in a value'],
    ['cn=a"b', 5, "expected it to be escaped in a value"],
    ["cn=a\0b", 5, "expected it to be escaped in a value"],
    ["cn=a\\zb", 5, 'found "\\\\", expected an escape such as \\, or \\2C'],
    ["cn=a\\", 5, "expected an escape"],
    ["cn=a\\C4b", 5, "found escaped bytes that are none, expected UTF-8"],
    ['cn="a', 4, "expected a closing quote"],
    ['cn="a"b', 7, 'found "b", expected ",", "+" or the end of the name'],
    [`cn=${"a".repeat(8_190)}`, 1, "found a text of 8193 characters, expected at most 8192"],
  ])("%j is refused at column %i", (text, column, message) => {
    const error = mistakeIn(() => parseDn(text));
    expect(error).toMatchObject({ language: "distinguished name", line: 1, column });
    expect(error.message).toContain(message);
  });

  property([fc.string({ unit: "binary", maxLength: 40 })])(
    "is read or refused with a LanguageError from any text",
    (text) => {
      expect(() => mistakeOf(() => parseDn(`cn=${text}`))).not.toThrow();
    },
  );
});

describe("two spellings of one name", () => {
  it.each<[one: string, other: string]>([
    ["CN=Ann,DC=Example", "cn=ann,dc=example"],
    ["cn=ann,dc=example", " cn = ann ; dc = example "],
    ["cn=Ann\\, the first,dc=x", 'CN="ann, the first",dc=x'],
    ["cn=Lu\\C4\\8Di\\C4\\87", "cn=LUČIĆ"],
    ["uid=ann+cn=Ann", "CN=ann + UID=ann"],
    ["cn=\\61nn", "cn=ann"],
    ["", "  "],
  ])("%j and %j are equal once normalised", (one, other) => {
    expect(normaliseDn(one)).toBe(normaliseDn(other));
  });

  it.each<[one: string, other: string]>([
    ["cn=a b", "cn=a  b"],
    ["cn=a", "cn=a\\ "],
    ["cn=a,dc=x", "cn=a\\,dc\\=x"],
    ["cn=a+uid=b", "cn=a\\+uid\\=b"],
    ["cn=a", "commonName=a"],
  ])("%j and %j stay apart", (one, other) => {
    expect(normaliseDn(one)).not.toBe(normaliseDn(other));
  });

  property([names()])("a normalised name is a name that stays as it is and says the same", (levels) => {
    const normalised = normaliseDn(spell(levels));
    expect(normaliseDn(normalised)).toBe(normalised);
    const values = parseDn(normalised).map((parts) => parts.map((part) => part.value));
    expect(values).toEqual(levels.map((value) => [value.toLowerCase()]));
  });
});

describe("the tree of names", () => {
  const ann = normaliseDn("cn=Ann\\, B.,ou=People,dc=example");
  const people = normaliseDn("ou=people,dc=example");
  const top = normaliseDn("dc=example");
  const root = normaliseDn("");

  it("has the root above the top, and nothing above the root", () => {
    expect(parentDn(ann)).toBe(people);
    expect(parentDn(people)).toBe(top);
    expect(parentDn(top)).toBe(root);
    expect(parentDn(root)).toBeUndefined();
  });

  it("lists ancestors nearest first, without the root", () => {
    expect(ancestors(ann)).toEqual([people, top]);
    expect(ancestors(top)).toEqual([]);
    expect(ancestors(root)).toEqual([]);
  });

  it("is not taken in by an escaped comma or a common ending", () => {
    expect(ancestors(normaliseDn("cn=a\\,dc=example"))).not.toContain(top);
    expect(ancestors(normaliseDn("cn=a,adc=example"))).not.toContain(top);
  });

  property([names()])("a name ends with each of its ancestors", (levels) => {
    const dn = normaliseDn(spell(levels));
    const above = ancestors(dn);
    expect(above).toHaveLength(Math.max(levels.length - 1, 0));
    for (const ancestor of above) expect(dn.endsWith(`,${ancestor}`)).toBe(true);
  });
});

/** Values of one name, each of any characters. */
function names() {
  return fc.array(fc.string({ unit: "grapheme", maxLength: 8 }), { maxLength: 5 });
}

function spell(values: readonly string[]): string {
  return values.map((value) => `cn="${value.replace(/["\\]/g, "\\$&").replaceAll("\0", "\\00")}"`).join(" , ");
}
