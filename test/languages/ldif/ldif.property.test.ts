import fc from "fast-check";
import { describe, expect } from "vitest";
import { LanguageError } from "../../../src/languages/language-error.ts";
import { parseLdif } from "../../../src/languages/ldif/parse.ts";
import type { LdifAttribute, LdifRecord } from "../../../src/languages/ldif/record.ts";
import { property } from "../../support/property.ts";
import { runs } from "../../support/runs.ts";
import { mutatedLdif } from "./mutations.ts";

// An independent writer, after RFC 2849: unsafe values in base64, lines folded anywhere, comments and blank lines between.

const name = fc.constantFrom("cn", "sn", "objectClass", "member", "userPassword", "2.5.4.3", "cn;lang-de");
const value = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.constantFrom("", " a", "a ", ":x", "<y", "a\nb", "é", "-", "#", "dn: cn=x", "a\r", "\0"),
  fc
    .uint8Array({ minLength: 1, maxLength: 8 })
    .map((bytes) => Uint8Array.from([0xff, ...bytes]))
    .map((bytes) => ({ base64: btoa(String.fromCharCode(...bytes)) })),
);
const attributes: fc.Arbitrary<LdifAttribute[]> = fc.uniqueArray(
  fc.record({ name, values: fc.array(value, { minLength: 1, maxLength: 3 }) }),
  { selector: (attribute) => attribute.name, minLength: 1, maxLength: 4 },
);
const dn = fc.constantFrom("cn=a,dc=x", "cn=é,dc=x", " cn=odd", "");
const record: fc.Arbitrary<LdifRecord> = fc.oneof(
  fc.record({ change: fc.constant("add" as const), dn, attributes }),
  fc.record({ change: fc.constant("delete" as const), dn }),
  fc.record({
    change: fc.constant("modify" as const),
    dn,
    modifications: fc.array(
      fc.record({
        operation: fc.constantFrom("add" as const, "replace" as const, "delete" as const),
        name,
        values: fc.array(value, { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
);

const isSafe = (text: string) => /^(?:[\x21-\x39\x3b\x3d-\x7e][\x20-\x7e]*)?$/.test(text) && !/ $/.test(text);

function attributeLine(attribute: string, of: LdifAttribute["values"][number]): string {
  if (typeof of !== "string") return `${attribute}:: ${of.base64}`;
  if (isSafe(of)) return `${attribute}: ${of}`;
  return `${attribute}:: ${btoa(String.fromCharCode(...new TextEncoder().encode(of)))}`;
}

function linesOf(of: LdifRecord): string[] {
  const first = attributeLine("dn", of.dn);
  switch (of.change) {
    case "delete":
      return [first, "changetype: delete"];
    case "add":
      return [first, ...of.attributes.flatMap((each) => each.values.map((held) => attributeLine(each.name, held)))];
    case "modify":
      return [
        first,
        "changetype: modify",
        ...of.modifications.flatMap((each) => [
          `${each.operation}: ${each.name}`,
          ...each.values.map((held) => attributeLine(each.name, held)),
          "-",
        ]),
      ];
  }
}

interface Style {
  readonly newline: string;
  readonly width: number;
  readonly blanks: number;
  readonly comment: boolean;
}

const style: fc.Arbitrary<Style> = fc.record({
  newline: fc.constantFrom("\n", "\r\n"),
  width: fc.integer({ min: 4, max: 80 }),
  blanks: fc.integer({ min: 1, max: 3 }),
  comment: fc.boolean(),
});

function written(records: readonly LdifRecord[], { newline, width, blanks, comment }: Style): string {
  const fold = (line: string) => {
    if (line === "-") return line;
    const parts = [line.slice(0, width)];
    for (let at = width; at < line.length; at += width - 1) parts.push(` ${line.slice(at, at + width - 1)}`);
    return parts.join(newline);
  };
  return records
    .map((each) => [...(comment ? ["# note", " and more"] : []), ...linesOf(each).map(fold)].join(newline))
    .map((entry) => entry + newline.repeat(blanks + 1))
    .join("");
}

describe("LDIF", () => {
  property([fc.array(record, { maxLength: 5 }), style])("reads what an independent writer wrote", (records, how) => {
    expect(parseLdif(written(records, how))).toEqual(records);
  });

  property([mutatedLdif], runs(3_000))("whatever a text says, it is read or refused by an error of its own", (text) => {
    try {
      expect(Array.isArray(parseLdif(text))).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(LanguageError);
    }
  });
});
