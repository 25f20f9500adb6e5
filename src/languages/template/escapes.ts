import { type ByteString, runesOf } from "./byte-string.ts";
import { isPrintable } from "./quote.ts";

const HTML: ReadonlyMap<string, string> = new Map([
  ['"', "&#34;"],
  ["'", "&#39;"],
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ["\0", "\xef\xbf\xbd"],
]);

const SCRIPT: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ["'", "\\'"],
  ['"', '\\"'],
  ["<", "\\u003C"],
  [">", "\\u003E"],
  ["&", "\\u0026"],
  ["=", "\\u003D"],
]);

/** The text with the characters escaped that mean something in HTML. */
export function escapeHtml(text: ByteString): ByteString {
  return text.replace(/["'&<>\0]/g, (character) => HTML.get(character) ?? "") as ByteString;
}

/** The text as it may stand in a JavaScript literal. */
export function escapeScript(text: ByteString): ByteString {
  let escaped = "";
  for (const { code, bytes } of runesOf(text)) {
    const special = SCRIPT.get(bytes);
    if (special !== undefined) escaped += special;
    else if (code < 0x20) escaped += `\\u00${hex(code, 2)}`;
    else escaped += code < 0x80 || isPrintable(code) ? bytes : `\\u${hex(code, 4)}`;
  }
  return escaped as ByteString;
}

/** The text as it may stand in the query of a URL: a space is `+`. */
export function escapeQuery(text: ByteString): ByteString {
  return text.replace(/[^A-Za-z0-9\-_.~]/g, (byte) =>
    byte === " " ? "+" : `%${hex(byte.charCodeAt(0), 2)}`,
  ) as ByteString;
}

function hex(number: number, digits: number): string {
  return number.toString(16).toUpperCase().padStart(digits, "0");
}
