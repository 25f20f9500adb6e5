import { valuesOf } from "./search.ts";
import type { DirectoryEntry } from "./state.ts";

/** Tells whether an entry is meant by a search. */
export type EntryFilter = (entry: DirectoryEntry) => boolean;

/** Filters deeper than this are refused: nobody writes them, and each level is a step of the stack. */
const MAX_DEPTH = 50;

/**
 * Reads a search filter (RFC 4515): `(attribute=value)` with `*` for any text, `(attribute=*)` for presence, and `&`, `|`
 * and `!` of filters. Values compare without regard to case.
 *
 * @throws TypeError that says what was expected where
 * @example
 * parseFilter("(&(objectClass=person)(cn=svc-*))")(entry)
 */
export function parseFilter(text: string): EntryFilter {
  const reader = new FilterReader(text);
  const filter = reader.filter(0);
  reader.end();
  return filter;
}

class FilterReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  filter(depth: number): EntryFilter {
    if (depth > MAX_DEPTH) throw this.#mistake(`at most ${MAX_DEPTH} levels`);
    this.#expect("(");
    const operator = this.#text[this.#at];
    let filter: EntryFilter;
    if (operator === "&" || operator === "|" || operator === "!") {
      this.#at += 1;
      filter = combined(operator, this.#filters(depth));
    } else {
      filter = this.#comparison();
    }
    this.#expect(")");
    return filter;
  }

  end(): void {
    if (this.#at < this.#text.length) throw this.#mistake("the end");
  }

  #filters(depth: number): EntryFilter[] {
    const filters: EntryFilter[] = [];
    while (this.#text[this.#at] === "(") filters.push(this.filter(depth + 1));
    return filters;
  }

  #comparison(): EntryFilter {
    const match = /^([A-Za-z0-9.;-]+)(=|>=|<=|~=)([^()]*)/.exec(this.#text.slice(this.#at));
    if (match === null) throw this.#mistake("attribute=value");
    const [whole, attribute = "", operator = "", pattern = ""] = match;
    if (operator !== "=") throw this.#mistake("=, the only comparison that this directory knows");
    this.#at += whole.length;
    if (pattern === "*") return (entry) => valuesOf(entry, attribute).length > 0;
    const parts = pattern.split("*").map((part) => unescaped(part).toLowerCase());
    return (entry) =>
      valuesOf(entry, attribute).some((value) => typeof value === "string" && fitsParts(value.toLowerCase(), parts));
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw this.#mistake(character);
    this.#at += 1;
  }

  #mistake(expected: string): TypeError {
    return new TypeError(`filter ${JSON.stringify(this.#text)}: expected ${expected} at column ${this.#at + 1}`);
  }
}

function combined(operator: "&" | "|" | "!", filters: readonly EntryFilter[]): EntryFilter {
  switch (operator) {
    case "&":
      return (entry) => filters.every((filter) => filter(entry));
    case "|":
      return (entry) => filters.some((filter) => filter(entry));
    case "!":
      return (entry) => !filters.some((filter) => filter(entry));
    default:
      return operator satisfies never;
  }
}

/** Escaped bytes stand for UTF-8 (RFC 4515, 3). */
function unescaped(part: string): string {
  return part.replace(/(?:\\[0-9A-Fa-f]{2})+/g, (escapes) => {
    const bytes = escapes
      .split("\\")
      .slice(1)
      .map((hex) => Number.parseInt(hex, 16));
    return new TextDecoder().decode(new Uint8Array(bytes));
  });
}

/** Whether a value begins with the first part, ends with the last, and has the others between them in order. */
function fitsParts(value: string, parts: readonly string[]): boolean {
  const [first = "", ...rest] = parts;
  if (rest.length === 0) return value === first;
  const last = rest.pop() as string;
  if (!value.startsWith(first) || value.length < first.length + last.length || !value.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= value.length - last.length;
}
