import { type ByteString, REPLACEMENT, runeOf, runesOf } from "./byte-string.ts";

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [7, "\\a"],
  [8, "\\b"],
  [9, "\\t"],
  [10, "\\n"],
  [11, "\\v"],
  [12, "\\f"],
  [13, "\\r"],
  [92, "\\\\"],
]);

/** Whether a character shows: letters, marks, numbers, punctuation, symbols and the space. */
export function isPrintable(code: number): boolean {
  if (code < 0x7f) return code >= 0x20;
  return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) && PRINTABLE.test(String.fromCodePoint(code));
}

/** A text in quotes, with escapes for what does not show (`%q`), and for all beyond ASCII when asked to (`%+q`). */
export function quoteText(text: ByteString, asciiOnly: boolean): ByteString {
  let quoted = '"';
  for (const { code, bytes } of runesOf(text)) {
    const isBroken = code === REPLACEMENT && bytes.length === 1;
    quoted += isBroken ? `\\x${hex(bytes.charCodeAt(0), 2)}` : escaped(code, bytes, '"', asciiOnly);
  }
  return `${quoted}"` as ByteString;
}

/** A character in single quotes. */
export function quoteRune(code: number, asciiOnly: boolean): ByteString {
  const bytes = runeOf(code);
  const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return `'${escaped(isCharacter ? code : REPLACEMENT, bytes, "'", asciiOnly)}'` as ByteString;
}

/** Whether a text can stand in backquotes as it is: UTF-8 without controls, backquotes and byte order marks. */
export function canBackquote(text: ByteString): boolean {
  for (const { code, bytes } of runesOf(text)) {
    if (code === REPLACEMENT && bytes.length === 1) return false;
    if (code === 0xfeff || code === 0x60 || code === 0x7f || (code < 0x20 && code !== 0x09)) return false;
  }
  return true;
}

function escaped(code: number, bytes: ByteString, quote: string, asciiOnly: boolean): string {
  if (bytes === quote) return `\\${quote}`;
  const short = SHORT_ESCAPES.get(code);
  if (short !== undefined) return short;
  if (asciiOnly ? code < 0x7f && code >= 0x20 : isPrintable(code)) return bytes;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, "0");
}
