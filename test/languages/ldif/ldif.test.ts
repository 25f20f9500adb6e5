import { describe, expect, it } from "vitest";
import { parseLdif } from "../../../src/languages/ldif/parse.ts";
import { eachTakesAtMost } from "../../support/processor-time.ts";
import { mistakeIn, mistakeOf } from "../language-mistakes.ts";

const lines = (...all: string[]) => all.join("\n");
const add = (attributes: Record<string, string[]>, dn = "cn=a") => ({
  change: "add",
  dn,
  attributes: Object.entries(attributes).map(([name, values]) => ({ name, values })),
});

describe("LDIF (decisions-directory.md, 10)", () => {
  it.each<[rule: string, text: string, records: unknown[]]>([
    ["adds without a changetype", lines("dn: cn=a", "cn: a"), [add({ cn: ["a"] })]],
    ["adds with one", lines("dn: cn=a", "changetype: add", "cn: a"), [add({ cn: ["a"] })]],
    [
      "repeated attributes become several values",
      lines("dn: cn=a", "m: 1", "cn: a", "M: 2"),
      [add({ m: ["1", "2"], cn: ["a"] })],
    ],
    [
      "CRLF ends lines too",
      "dn: cn=a\r\ncn: a\r\n\r\ndn: cn=b\r\ncn: b\r\n",
      [add({ cn: ["a"] }), add({ cn: ["b"] }, "cn=b")],
    ],
    ["several blank lines are fine", lines("", "", "dn: cn=a", "cn: a", "", "", ""), [add({ cn: ["a"] })]],
    ["a leading space continues a line", lines("dn: cn=", " a", "cn: a", " b", "  c"), [add({ cn: ["ab c"] })]],
    ["a line of one space is not blank", lines("dn: cn=a", "cn: a", " ", "sn: b"), [add({ cn: ["a"], sn: ["b"] })]],
    [
      "comments and what continues them are left out",
      lines("# x", " y", "dn: cn=a", "# z", "  w", "cn: a"),
      [add({ cn: ["a"] })],
    ],
    ["the first line may be a version", lines("version: 1", "dn: cn=a", "cn: a"), [add({ cn: ["a"] })]],
    ["a version may stand by itself", lines("version: 1", "", "dn: cn=a", "cn: a"), [add({ cn: ["a"] })]],
    ["the DN may be base64", lines("dn:: Y249YQ==", "cn: a"), [add({ cn: ["a"] })]],
    ["a value may be base64", lines("dn: cn=a", "cn:: w6k="), [add({ cn: ["é"] })]],
    [
      "bytes that are no text stay bytes",
      lines("dn: cn=a", "p:: /w=="),
      [{ ...add({}), attributes: [{ name: "p", values: [{ base64: "/w==" }] }] }],
    ],
    ["an empty value", lines("dn: cn=a", "cn:", "sn: "), [add({ cn: [""], sn: [""] })]],
    ["leading spaces of a value are dropped, others kept", lines("dn: cn=a", "cn:   a b "), [add({ cn: ["a b "] })]],
    [
      "control lines are ignored",
      lines("dn: cn=a", "control: 1.2.3 true", "changetype: delete"),
      [{ change: "delete", dn: "cn=a" }],
    ],
    [
      "attributes may have options and OIDs for names",
      lines("dn: cn=a", "cn;lang-de: a", "2.5.4.3: b"),
      [add({ "cn;lang-de": ["a"], "2.5.4.3": ["b"] })],
    ],
    ["a line of one space that continues nothing is nothing", lines(" ", "dn: cn=a", "cn: a"), [add({ cn: ["a"] })]],
    ["nor does it make an entry", lines("", " ", "", " "), []],
    ["nothing but comments is no entry", lines("# a", "", "# b"), []],
    ["blank is no entry", "\n\n", []],
    ["empty is no entry", "", []],
    [
      "modify has blocks, each closed by a dash",
      lines(
        "dn: cn=a",
        "changetype: modify",
        "add: m",
        "m: 1",
        "m: 2",
        "-",
        "delete: x",
        "-",
        "replace: y",
        "y:: w6k=",
        "-",
      ),
      [
        {
          change: "modify",
          dn: "cn=a",
          modifications: [
            { operation: "add", name: "m", values: ["1", "2"] },
            { operation: "delete", name: "x", values: [] },
            { operation: "replace", name: "y", values: ["é"] },
          ],
        },
      ],
    ],
  ])("%s", (_, text, records) => {
    expect(parseLdif(text)).toEqual(records);
  });

  it.each<[piece: string, text: string]>([
    ["only a dn: line", "dn: cn=a"],
    ["only a dn: line", lines("dn: cn=a", "", "cn: a")],
    ['"dn:"', "cn: a"],
    ['"dn:"', lines("DN: cn=a", "cn: a")],
    ['"dn:"', lines(" dn: cn=a", "cn: a").replace(" dn", " xdn")],
    ["version", lines("version: 2", "dn: cn=a", "cn: a")],
    ['"dn:"', lines("dn: cn=a", "cn: a", "", "version: 1", "dn: cn=b", "cn: b")],
    ["no attributes allowed", lines("dn: cn=a", "changetype: delete", "cn: a")],
    ["single dash", lines("dn: cn=a", "changetype: modify", "add: m", "m: 1")],
    ["single dash", lines("dn: cn=a", "changetype: modify")],
    ["before a dash", lines("dn: cn=a", "changetype: modify", "-")],
    ["spelled so", lines("dn: cn=a", "changetype: modify", "add: m", "M: 1", "-")],
    ["add, replace or delete", lines("dn: cn=a", "changetype: modify", "increment: m", "m: 1", "-")],
    ["unsupported changetype modrdn", lines("dn: cn=a", "changetype: modrdn", "newrdn: cn=b")],
    ["unsupported changetype moddn", lines("dn: cn=a", "changetype: moddn", "newrdn: cn=b")],
    ["invalid changetype x", lines("dn: cn=a", "changetype: x")],
    ["invalid changetype Add", lines("dn: cn=a", "changetype: Add", "cn: a")],
    ["not a URL", lines("dn: cn=a", "jpegPhoto:< file:///etc/passwd")],
    ["base64", lines("dn: cn=a", "cn:: w6k")],
    ["base64", lines("dn: cn=a", "cn:: w 6=")],
    ["UTF-8", lines("dn:: /w==", "cn: a")],
    ["the name of an attribute", lines("dn: cn=a", "1cn: a")],
    ["the name of an attribute", lines("dn: cn=a", "c_n: a")],
    ['":"', lines("dn: cn=a", "cn a")],
    ["attributes behind it", lines("dn: cn=a", "changetype: add")],
  ])("says %j", (piece, text) => {
    expect(mistakeIn(() => parseLdif(text)).message).toContain(piece);
  });

  it("names the line of a mistake", () => {
    const mistake = mistakeIn(() => parseLdif(lines("# note", "dn: cn=a", "cn: a", "", "dn: cn=b", "c", " n a")));
    expect(mistake.line).toBe(6);
  });
});

describe("a hostile megabyte", () => {
  eachTakesAtMost(10);

  it.each([
    ["blank lines", "\n".repeat(1_000_000)],
    ["continuations", `dn: cn=a\ncn: ${"\n a".repeat(300_000)}`],
    ["spaces", ` ${"\n ".repeat(300_000)}`],
    ["colons", ":".repeat(1_000_000)],
    ["entries", "dn: cn=a\ncn: a\n\n".repeat(60_000)],
    ["controls", `dn: cn=a\n${"control: 1\n".repeat(90_000)}`],
    ["one long value", `dn: cn=a\ncn: ${"a".repeat(1_000_000)}`],
    ["one long name", "a".repeat(1_000_000)],
    ["base64 that is none", `dn: cn=a\ncn:: ${"=".repeat(1_000_000)}`],
    ["values of one attribute", `dn: cn=a\n${"cn: a\n".repeat(150_000)}`],
    ["prototype members", "dn: cn=a\nconstructor: a\ntoString: b\n"],
  ])("of %s is read or refused", (_, text) => {
    mistakeOf(() => parseLdif(text));
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
