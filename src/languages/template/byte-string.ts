declare const byteString: unique symbol;

/**
 * A text as the template language holds it: UTF-8 bytes, one to a character of this string (U+0000 to U+00FF). Lengths,
 * indices, comparisons and hashes are those of bytes, and what is no UTF-8 (a cut letter, UTF-16) is held as well.
 */
export type ByteString = string & { readonly [byteString]: true };

const ASCII = /^[\0-\x7f]*$/;
const CHUNK = 8_192;

/** The bytes of a text; a lone surrogate is the replacement character. */
export function encodeText(text: string): ByteString {
  return ASCII.test(text) ? (text as ByteString) : ofBytes(new TextEncoder().encode(text));
}

/** The text of bytes; what is no UTF-8 becomes replacement characters. */
export function decodeText(bytes: ByteString): string {
  return ASCII.test(bytes) ? bytes : new TextDecoder("utf-8", { ignoreBOM: true }).decode(toBytes(bytes));
}

export function ofBytes(bytes: Uint8Array): ByteString {
  let text = "";
  for (let from = 0; from < bytes.length; from += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(from, from + CHUNK));
  }
  return text as ByteString;
}

export function toBytes(text: ByteString): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** One character of a text: its code point and its bytes. A byte that is no UTF-8 is U+FFFD by itself. */
export interface Rune {
  readonly code: number;
  readonly bytes: ByteString;
}

export const REPLACEMENT = 0xfffd;

/** The character that begins at `offset`, which must lie within the text. */
export function runeAt(text: ByteString, offset: number): Rune {
  const lead = text.charCodeAt(offset);
  const length = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (length === 1) return { code: lead, bytes: text.charAt(offset) as ByteString };
  const code = codePointOf(text, offset, lead, length);
  if (code === undefined) return { code: REPLACEMENT, bytes: text.charAt(offset) as ByteString };
  return { code, bytes: text.slice(offset, offset + length) as ByteString };
}

/** The characters of a text, in order. */
export function* runesOf(text: ByteString): Generator<Rune, void, undefined> {
  for (let offset = 0; offset < text.length; ) {
    const rune = runeAt(text, offset);
    yield rune;
    offset += rune.bytes.length;
  }
}

export function countRunes(text: ByteString): number {
  if (ASCII.test(text)) return text.length;
  let count = 0;
  for (let offset = 0; offset < text.length; offset += runeAt(text, offset).bytes.length) count += 1;
  return count;
}

/** The first `count` characters, or all of them. */
export function firstRunes(text: ByteString, count: number): ByteString {
  if (text.length <= count) return text;
  let offset = 0;
  for (let taken = 0; taken < count && offset < text.length; taken += 1) offset += runeAt(text, offset).bytes.length;
  return text.slice(0, offset) as ByteString;
}

/** A character by its code point; surrogates and what lies beyond Unicode are the replacement character. */
export function runeOf(code: number): ByteString {
  const isCharacter = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return encodeText(String.fromCodePoint(isCharacter ? code : REPLACEMENT));
}

function codePointOf(text: string, offset: number, lead: number, length: number): number | undefined {
  if (lead < 0xc2 || lead > 0xf4 || offset + length > text.length) return undefined;
  let code = lead & (0xff >> (length + 1));
  for (let index = 1; index < length; index += 1) {
    const byte = text.charCodeAt(offset + index);
    if ((byte & 0xc0) !== 0x80) return undefined;
    code = (code << 6) | (byte & 0x3f);
  }
  const isOverlong = code < (length === 2 ? 0x80 : length === 3 ? 0x800 : 0x10000);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return isOverlong || isSurrogate || code > 0x10ffff ? undefined : code;
}
