import { Cursor } from "../cursor.ts";
import type { Position } from "../language-error.ts";
import type { BooleanValue, NumberValue, StringValue } from "./ast.ts";
import { Limits } from "./limits.ts";
import { numberOf } from "./number-literal.ts";

/** A JSON value with the position of its first character. */
export type JsonValue = StringValue | NumberValue | BooleanValue | JsonArray | JsonObject;

export interface JsonArray extends Position {
  readonly type: "array";
  readonly items: readonly JsonValue[];
}

/** Members in the order of the text; a key that comes twice is there twice. */
export interface JsonObject extends Position {
  readonly type: "object";
  readonly members: readonly JsonMember[];
}

/** A member, with the position of its key. */
export interface JsonMember extends Position {
  readonly key: string;
  readonly value: JsonValue;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\"', '"'],
  ["\\\\", "\\"],
  ["\\/", "/"],
  ["\\b", "\b"],
  ["\\f", "\f"],
  ["\\n", "\n"],
  ["\\r", "\r"],
  ["\\t", "\t"],
]);

/**
 * Reads JSON and keeps where everything stands, which `JSON.parse` does not.
 *
 * As in the JSON reader of HCL1, `null` is the empty text, a comma may trail, and a text may hold a tab as it is.
 * Unlike there, only JSON's own escapes are known, surrogate pairs make one character, and nothing may follow the
 * document.
 *
 * @throws LanguageError with line and column
 */
export function readJson(text: string): JsonValue {
  const cursor = new Cursor("JSON", text);
  const reader = new JsonReader(cursor);
  const value = reader.value();
  if (!cursor.atEnd) throw cursor.error("the end of the text");
  return value;
}

class JsonReader {
  readonly #cursor: Cursor;
  readonly #limits: Limits;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
    this.#limits = new Limits(cursor);
    this.#cursor.skipBlanks();
  }

  /** Reads a value and the blanks after it. */
  value(): JsonValue {
    const position = this.#cursor.position();
    this.#limits.countPart(position);
    switch (this.#cursor.peek()) {
      case "{":
        return { type: "object", members: this.#sequence(position, "}", () => this.#member()), ...position };
      case "[":
        return { type: "array", items: this.#sequence(position, "]", () => this.value()), ...position };
      case '"':
        return { type: "string", value: this.#text(), ...position };
      default:
        return this.#literal(position);
    }
  }

  #member(): JsonMember {
    const position = this.#cursor.position();
    this.#limits.countPart(position);
    if (this.#cursor.peek() !== '"') throw this.#cursor.error('a key in quotes or "}"');
    const key = this.#text();
    if (!this.#skip(":")) throw this.#cursor.error('":"');
    return { key, value: this.value(), ...position };
  }

  /** What stands between the bracket at `position` and its closing one, separated by commas. */
  #sequence<T>(position: Position, closing: string, read: () => T): readonly T[] {
    return this.#limits.nested(position, () => {
      const entries: T[] = [];
      this.#skip(this.#cursor.peek());
      while (!this.#skip(closing)) {
        entries.push(read());
        if (!this.#skip(",") && this.#cursor.peek() !== closing) throw this.#cursor.error(`"," or "${closing}"`);
      }
      return entries;
    });
  }

  #literal(position: Position): JsonValue {
    const text = this.#cursor.take(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y);
    this.#cursor.skipBlanks();
    switch (text) {
      case "":
        throw this.#cursor.error("a value");
      case "true":
      case "false":
        return { type: "boolean", value: text === "true", ...position };
      case "null":
        return { type: "string", value: "", ...position };
      default:
        return { type: "number", value: numberOf(text), text, ...position };
    }
  }

  /** A quoted text and the blanks after it. */
  #text(): string {
    const value = readText(this.#cursor);
    this.#cursor.skipBlanks();
    return value;
  }

  /** Skips a mark and the blanks after it, if the mark is there. */
  #skip(mark: string): boolean {
    const found = this.#cursor.skip(mark);
    if (found) this.#cursor.skipBlanks();
    return found;
  }
}

function readText(cursor: Cursor): string {
  const { line, column } = cursor.position();
  const parts: string[] = [];
  cursor.skip('"');
  while (!cursor.skip('"')) {
    parts.push(cursor.take(/[^"\\\n]*/y));
    if (cursor.peek() === "\\") parts.push(readEscape(cursor));
    else if (cursor.peek() !== '"') {
      throw cursor.error(`a closing quote for the text that begins at line ${line}, column ${column}`);
    }
  }
  return parts.join("");
}

function readEscape(cursor: Cursor): string {
  const plain = ESCAPES.get(cursor.text.slice(cursor.offset, cursor.offset + 2));
  if (plain !== undefined) {
    cursor.offset += 2;
    return plain;
  }
  const pair = cursor.take(/\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/y);
  if (pair !== "") return String.fromCharCode(parseInt(pair.slice(2, 6), 16), parseInt(pair.slice(8), 16));
  const unit = cursor.take(/\\u[\da-fA-F]{4}/y);
  if (unit === "") throw cursor.error('an escape of JSON, such as \\" or \\n or \\u00e9');
  const code = parseInt(unit.slice(2), 16);
  return code >= 0xd800 && code <= 0xdfff ? "\ufffd" : String.fromCharCode(code);
}
