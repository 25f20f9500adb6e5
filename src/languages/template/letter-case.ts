import { type ByteString, encodeText, runesOf } from "./byte-string.ts";

/**
 * A text in upper case, letter by letter as Go's strings.ToUpper does it: a letter whose upper case has several letters
 * in JavaScript (`ß`) stays as it is, or has its one-letter form where there is one (`ᾳ`).
 */
export function upperCase(text: ByteString): ByteString {
  return eachLetter(text, (letter) => {
    const upper = letter.toUpperCase();
    return isOneLetter(upper) ? upper : titleLetter(letter);
  });
}

/** A string in lower case, letter by letter: `İ` is `i`, and a sigma at the end of a word is treated like all sigmas. */
export function lowerCase(text: ByteString): ByteString {
  return eachLetter(text, (letter) => (letter === "İ" ? "i" : letter.toLowerCase()));
}

const ASCII = /^[\0-\x7f]*$/;

function eachLetter(text: ByteString, mapped: (letter: string) => string): ByteString {
  if (ASCII.test(text)) return mappedAscii(text, mapped);
  let all = "";
  for (const { code } of runesOf(text)) all += mapped(String.fromCodePoint(code));
  return encodeText(all);
}

/** ASCII as a whole: no letter of it depends on its neighbours. */
function mappedAscii(text: ByteString, mapped: (letter: string) => string): ByteString {
  return (mapped("a") === "A" ? text.toUpperCase() : text.toLowerCase()) as ByteString;
}

function isOneLetter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}

/** Greek letters with iota below have a capital of one letter, eight or nine places on. */
function titleLetter(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  const isRow = code >= 0x1f80 && code <= 0x1faf && (code & 0x0f) < 8;
  if (isRow) return String.fromCodePoint(code + 8);
  return code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3 ? String.fromCodePoint(code + 9) : letter;
}
