import { LanguageError } from "../language-error.ts";
import { shown } from "../shown.ts";
import { entriesOf, type LogicalLine } from "./lines.ts";
import type { LdifAttribute, LdifRecord, LdifValue, Modification } from "./record.ts";

/**
 * Reads an LDIF text into its entries. A text of comments and blank lines only has none.
 *
 * `changetype` values are case-sensitive; `modrdn` and `moddn` are not supported. Our choices: `attr:< file:...` is
 * refused, and so is an entry to be added without attributes; base64 has no spaces in it.
 *
 * Source: decisions-directory.md section 10.
 *
 * @throws LanguageError with the line, and nothing else
 * @example
 * parseLdif("dn: cn=ann,dc=example\nobjectClass: person\ncn: ann\n")
 * // [{ change: "add", dn: "cn=ann,dc=example", attributes: [...] }]
 */
export function parseLdif(text: string): readonly LdifRecord[] {
  const records: LdifRecord[] = [];
  let isFirst = true;
  for (const entry of entriesOf(text)) {
    const lines = isFirst ? withoutVersion(entry) : entry;
    isFirst = false;
    if (lines.length > 0) records.push(readRecord(lines));
  }
  return records;
}

function withoutVersion(lines: readonly LogicalLine[]): readonly LogicalLine[] {
  const [first, ...rest] = lines;
  if (first === undefined || !first.text.startsWith("version:")) return lines;
  if (!/^version: *1$/.test(first.text)) throw mistake(first, '"version: 1"');
  return rest;
}

function readRecord([first, ...rest]: readonly LogicalLine[]): LdifRecord {
  if (first === undefined || !first.text.startsWith("dn:")) throw mistake(first, '"dn:" at the beginning of an entry');
  const { value } = readLine(first);
  if (typeof value !== "string") throw mistake(first, "a DN in UTF-8");
  const body = withoutControls(rest);
  const [line, ...others] = body;
  if (line === undefined) throw mistake(first, "attributes or a changetype", "only a dn: line");
  if (!line.text.startsWith("changetype:")) return { change: "add", dn: value, attributes: readAttributes(body, line) };
  return readChange(value, line, others);
}

/** Controls stand right behind the DN, and nothing here heeds them. */
function withoutControls(lines: readonly LogicalLine[]): readonly LogicalLine[] {
  const first = lines.findIndex(({ text }) => !text.startsWith("control:"));
  return first < 0 ? [] : lines.slice(first);
}

function readChange(dn: string, line: LogicalLine, others: readonly LogicalLine[]): LdifRecord {
  const { value: change } = readLine(line);
  switch (change) {
    case "add":
      return { change, dn, attributes: readAttributes(others, line) };
    case "delete":
      if (others[0] !== undefined) throw mistake(others[0], "no attributes allowed for changetype delete");
      return { change, dn };
    case "modify":
      return { change, dn, modifications: readModifications(others, line) };
    case "modrdn":
    case "moddn":
      throw mistake(line, "add, delete or modify", `unsupported changetype ${change}`);
    default:
      throw mistake(
        line,
        "add, delete or modify",
        `invalid changetype ${typeof change === "string" ? clipped(change) : ""}`,
      );
  }
}

/** Attributes in the order in which they first appear; names that differ in case are one. */
function readAttributes(lines: readonly LogicalLine[], before: LogicalLine): readonly LdifAttribute[] {
  if (lines.length === 0) throw mistake(before, "attributes behind it");
  const byName = new Map<string, { name: string; values: LdifValue[] }>();
  for (const line of lines) {
    const { name, value } = readLine(line);
    const attribute = byName.get(name.toLowerCase()) ?? { name, values: [] };
    attribute.values.push(value);
    byName.set(name.toLowerCase(), attribute);
  }
  return [...byName.values()];
}

function readModifications(lines: readonly LogicalLine[], before: LogicalLine): readonly Modification[] {
  const last = lines.at(-1) ?? before;
  if (last.text !== "-") throw mistake(last, "a modify entry to close with a single dash");
  const modifications: Modification[] = [];
  let block: { operation: Modification["operation"]; name: string; values: LdifValue[] } | undefined;
  for (const line of lines) {
    if (line.text === "-") {
      if (block === undefined) throw mistake(line, "add, replace or delete before a dash");
      modifications.push(block);
      block = undefined;
    } else if (block === undefined) {
      block = { ...readOperation(line), values: [] };
    } else {
      const { name, value } = readLine(line);
      if (name !== block.name) throw mistake(line, `a value of ${shown(block.name)}, spelled so, or a dash`);
      block.values.push(value);
    }
  }
  return modifications;
}

function readOperation(line: LogicalLine): { operation: Modification["operation"]; name: string } {
  const { name: operation, value: name } = readLine(line);
  if (operation !== "add" && operation !== "replace" && operation !== "delete") {
    throw mistake(line, "add, replace or delete of an attribute");
  }
  if (typeof name !== "string" || !ATTRIBUTE.test(name)) throw mistake(line, "the name of an attribute");
  return { operation, name };
}

const ATTRIBUTE = /^(?:[A-Za-z][A-Za-z0-9;-]*|\d+(?:\.\d+)+)$/;

/** `name: value`, `name:: base64` or `name:`. */
function readLine(line: LogicalLine): { readonly name: string; readonly value: LdifValue } {
  const { text } = line;
  const colon = text.indexOf(":");
  if (colon < 0) throw mistake(line, '":" behind the name of an attribute');
  const name = text.slice(0, colon);
  if (!ATTRIBUTE.test(name)) throw mistake(line, "the name of an attribute: a letter, then letters, digits, - and ;");
  const kind = text.charAt(colon + 1);
  if (kind === "<") throw mistake(line, "a value in the text itself, not a URL");
  if (kind !== ":") return { name, value: withoutLeadingSpaces(text, colon + 1) };
  const value = decoded(withoutLeadingSpaces(text, colon + 2));
  if (value === undefined) throw mistake(line, `a value of ${shown(name)} in base64`);
  return { name, value };
}

function withoutLeadingSpaces(text: string, from: number): string {
  let start = from;
  while (text.charAt(start) === " ") start += 1;
  return text.slice(start);
}

/** The text that base64 stands for, or the bytes where they are none. */
function decoded(base64: string): LdifValue | undefined {
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined;
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { base64 };
  }
}

const LONGEST_SHOWN = 60;

function clipped(text: string): string {
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}...`;
}

function mistake(at: LogicalLine | undefined, expected: string, found = shown(at?.text ?? "")): LanguageError {
  return new LanguageError({ language: "LDIF", position: { line: at?.line ?? 1, column: 1 }, found, expected });
}
