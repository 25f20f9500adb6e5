import fc from "fast-check";

const LINES = [
  "dn: cn=a,dc=x",
  "dn:: Y249YQ==",
  "dn:",
  "changetype: add",
  "changetype: modify",
  "changetype: delete",
  "changetype: modrdn",
  "control: 1.2.3",
  "version: 1",
  "add: cn",
  "replace: cn",
  "delete: cn",
  "cn: a",
  "cn:: w6k=",
  "cn:< file:///x",
  "cn:",
  "-",
  "",
  " ",
  " continued",
  "# note",
  "constructor: x",
  "2.5.4.3: é",
];

const line = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...LINES) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...LINES), fc.nat(12), fc.constantFrom(":", " ", "=", "-", "\0", "é", "\r"))
      .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1)),
  },
);

/** Lines of LDIF, some of them damaged, in any order. */
export const mutatedLdif = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom("\n", "\r\n", "\n\n"))
  .map(([lines, newline]) => lines.join(newline));
