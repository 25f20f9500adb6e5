import type { Cursor } from "../cursor.ts";

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\\a", "\x07"],
  ["\\b", "\b"],
  ["\\f", "\f"],
  ["\\n", "\n"],
  ["\\r", "\r"],
  ["\\t", "\t"],
  ["\\v", "\v"],
  ["\\\\", "\\"],
  ['\\"', '"'],
]);

/**
 * Reads a quoted text, which the cursor stands before, and returns what it says.
 *
 * Escapes are those of HCL1: `\n` and its like, `\"`, `\\`, bytes as `\x41` or `\101`, characters as `\u00e9` or
 * `\U0001F600`. A line break ends no text and so is a mistake. Inside `${...}`, which nothing here evaluates, the
 * text is kept as it stands: quotes and line breaks are free there, escapes stay unread.
 */
export function readQuotedText(cursor: Cursor): string {
  const opening = cursor.offset;
  cursor.skip('"');
  const parts: string[] = [];
  let verbatimFrom = cursor.offset;
  while (cursor.peek() !== '"') {
    if (cursor.atEnd || cursor.peek() === "\n") throw unclosed(cursor, opening);
    if (cursor.peek() === "\\") {
      parts.push(cursor.text.slice(verbatimFrom, cursor.offset), readEscape(cursor));
      verbatimFrom = cursor.offset;
    } else if (cursor.skip("${")) {
      skipInterpolation(cursor);
    } else {
      cursor.take(/\$?[^"\\$\n]*/y);
    }
  }
  parts.push(cursor.text.slice(verbatimFrom, cursor.offset));
  cursor.skip('"');
  return parts.join("");
}

/** Moves past the rest of a `${...}`, with the braces inside it. */
function skipInterpolation(cursor: Cursor): void {
  const opening = cursor.offset - "${".length;
  let open = 1;
  while (open > 0) {
    cursor.take(/[^{}\\]*/y);
    if (cursor.skip("{")) open += 1;
    else if (cursor.skip("}")) open -= 1;
    else if (cursor.peek() === "\\") readEscape(cursor);
    else throw cursor.error('"}" for the "${" of an interpolation', { offset: opening, found: "no end of it" });
  }
}

function readEscape(cursor: Cursor): string {
  const plain = ESCAPES.get(cursor.text.slice(cursor.offset, cursor.offset + 2));
  if (plain !== undefined) {
    cursor.offset += 2;
    return plain;
  }
  const codePoint = cursor.take(/\\u[\da-fA-F]{4}|\\U00(?:0[\da-fA-F]|10)[\da-fA-F]{4}/y);
  return codePoint === "" ? readBytes(cursor) : characterOf(parseInt(codePoint.slice(2), 16));
}

/** A run of `\xc3\xa9` or `\303\251`: the bytes are UTF-8, so they make characters together. */
function readBytes(cursor: Cursor): string {
  const bytes: number[] = [];
  for (let byte = takeByte(cursor); byte !== ""; byte = takeByte(cursor)) {
    bytes.push(byte.startsWith("\\x") ? parseInt(byte.slice(2), 16) : parseInt(byte.slice(1), 8));
  }
  if (bytes.length === 0) throw cursor.error('an escape of block syntax, such as \\" or \\n or \\u00e9');
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

function takeByte(cursor: Cursor): string {
  return cursor.take(/\\x[\da-fA-F]{2}|\\[0-3][0-7]{2}/y);
}

/** A surrogate is no character; Go writes the replacement character for it. */
function characterOf(code: number): string {
  return code >= 0xd800 && code <= 0xdfff ? "\ufffd" : String.fromCodePoint(code);
}

function unclosed(cursor: Cursor, opening: number): Error {
  const { line, column } = cursor.position(opening);
  return cursor.error(`a closing quote for the text that begins at line ${line}, column ${column}`);
}
