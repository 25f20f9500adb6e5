import { Cursor } from "../cursor.ts";

/** One `attribute=value` of a name, as written but for its escapes. */
export interface NamePart {
  readonly attribute: string;
  readonly value: string;
}

/** One level of the tree: usually a single part, several where they are joined by `+`. */
export type RelativeName = readonly NamePart[];

declare const normalised: unique symbol;

/**
 * A distinguished name in the one spelling that all its spellings share, so that `===` compares names.
 *
 * In it `,`, `+` and `=` stand between parts only (inside a value they are `\2c`, `\2b`, `\3d`), so it can be cut at
 * its commas without being parsed again.
 */
export type NormalisedDn = string & { readonly [normalised]: true };

/** Our choice: the limit that OpenLDAP has; nobody states one for the simulated directory. */
const LONGEST_DN = 8_192;

/**
 * Reads a distinguished name into its levels, the entry first and the top of the tree last. Blank text is the root
 * above all entries and has no levels.
 *
 * Understood are RFC 4514 and what its ancestors wrote: `\,` and `\2C` escapes (hexadecimal pairs are UTF-8 bytes),
 * quoted values, spaces round `,`, `=` and `+`, `;` for `,`. Our choice: a value in BER form (`#04024869`) is refused,
 * as no client of these services writes one.
 *
 * Source: decisions-directory.md section 2.
 *
 * @throws LanguageError with line and column
 * @example
 * parseDn("CN=Ann\\, the first, DC=example")
 * // [[{ attribute: "CN", value: "Ann, the first" }], [{ attribute: "DC", value: "example" }]]
 */
export function parseDn(text: string): readonly RelativeName[] {
  const cursor = new Cursor("distinguished name", text);
  if (text.length > LONGEST_DN) {
    throw cursor.error(`at most ${LONGEST_DN}`, { found: `a text of ${text.length} characters` });
  }
  skipSpaces(cursor);
  if (cursor.atEnd) return [];

  const names = [readRelativeName(cursor)];
  while (!cursor.atEnd) {
    if (cursor.take(/[,;]/y) === "") throw cursor.error('",", "+" or the end of the name');
    names.push(readRelativeName(cursor));
  }
  return names;
}

/**
 * The spelling by which names are compared: lower case, no spaces round separators, one way to escape, the parts of a
 * level in order. The result is a name itself and stays as it is when normalised again.
 *
 * Runs of spaces inside a value are kept, and attribute names are compared as spelled: `cn`, `commonName` and `2.5.4.3`
 * are three names here.
 *
 * @throws LanguageError as `parseDn` does
 * @example
 * normaliseDn("CN=Ann\\, the first , DC=Example") // "cn=ann\\2c the first,dc=example"
 */
export function normaliseDn(text: string): NormalisedDn {
  const levels = parseDn(text).map((name) => name.map(normalisePart).sort().join("+"));
  return levels.join(",") as NormalisedDn;
}

/** The name one level up: the root `""` above a name of one level, and nothing above the root. */
export function parentDn(dn: NormalisedDn): NormalisedDn | undefined {
  if (dn === "") return undefined;
  const comma = dn.indexOf(",");
  return (comma < 0 ? "" : dn.slice(comma + 1)) as NormalisedDn;
}

/**
 * The names above a name, nearest first, without the root.
 *
 * @example
 * ancestors(normaliseDn("cn=ann,ou=people,dc=example")) // ["ou=people,dc=example", "dc=example"]
 */
export function ancestors(dn: NormalisedDn): readonly NormalisedDn[] {
  const above: NormalisedDn[] = [];
  for (let name = parentDn(dn); name !== undefined && name !== ""; name = parentDn(name)) above.push(name);
  return above;
}

function readRelativeName(cursor: Cursor): RelativeName {
  const parts: NamePart[] = [];
  do {
    parts.push(readPart(cursor));
  } while (cursor.skip("+"));
  return parts;
}

function readPart(cursor: Cursor): NamePart {
  skipSpaces(cursor);
  const attribute = cursor.take(/[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+/y);
  if (attribute === "") throw cursor.error('an attribute name such as "cn"');
  skipSpaces(cursor);
  if (!cursor.skip("=")) throw cursor.error(`"=" after the attribute name "${attribute}"`);
  skipSpaces(cursor);
  if (cursor.peek() === "#") throw cursor.error('a value; write "\\#" where it begins with that character');
  const value = cursor.peek() === '"' ? readQuotedValue(cursor) : readPlainValue(cursor);
  skipSpaces(cursor);
  return { attribute, value };
}

function readQuotedValue(cursor: Cursor): string {
  const opening = cursor.offset;
  cursor.skip('"');
  let value = "";
  while (!cursor.skip('"')) {
    const plain = cursor.take(/[^"\\\0]+/y);
    if (plain === "" && cursor.peek() !== "\\") throw cursor.error("a closing quote", { offset: opening });
    value += plain === "" ? readEscape(cursor) : plain;
  }
  return value;
}

function readPlainValue(cursor: Cursor): string {
  let value = "";
  for (;;) {
    // A space belongs to the value where more of the value follows it; a trailing one must be escaped.
    value += cursor.take(/(?: *[^ "+,;<>\\\0])+/y);
    const spaces = cursor.take(/ +(?=\\)/y);
    if (cursor.peek() !== "\\") break;
    value += spaces + readEscape(cursor);
  }
  if (/["<>\0]/.test(cursor.peek())) throw cursor.error("it to be escaped in a value");
  return value;
}

/** One `\,`, or a run of `\C4\8D`: bytes make characters together. */
function readEscape(cursor: Cursor): string {
  const start = cursor.offset;
  const bytes: number[] = [];
  for (let pair = readHexPair(cursor); pair !== ""; pair = readHexPair(cursor)) bytes.push(parseInt(pair.slice(1), 16));
  if (bytes.length === 0) {
    const escaped = cursor.take(/\\[ "#+,;<=>\\]/y);
    if (escaped === "") throw cursor.error("an escape such as \\, or \\2C");
    return escaped.slice(1);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    throw cursor.error("UTF-8", { offset: start, found: "escaped bytes that are none" });
  }
}

function readHexPair(cursor: Cursor): string {
  return cursor.take(/\\[\da-fA-F]{2}/y);
}

function skipSpaces(cursor: Cursor): void {
  cursor.take(/ */y);
}

function normalisePart({ attribute, value }: NamePart): string {
  const escaped = value.toLowerCase().replace(/^[ #]|[\0"+,;<=>\\]| $/g, asHexPair);
  return `${attribute.toLowerCase()}=${escaped}`;
}

function asHexPair(character: string): string {
  return `\\${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
