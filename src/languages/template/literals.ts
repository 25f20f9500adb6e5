import type { ConstantOperand } from "./ast.ts";
import { type ByteString, encodeText, runeOf } from "./byte-string.ts";
import { booleanValue, intValue, textValue } from "./value.ts";

const ESCAPES: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["b", 8],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
  ["\\", 92],
]);

const ESCAPE = /\\(?:([abfnrtv\\])|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-3][0-7]{2})|(['"]))|\\/g;

const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

/** Our choice: more characters than any number that a float can hold has. */
const LONGEST_NUMBER = 400;

/** What a text literal says, quotes included in what is given; undefined where an escape is none. */
export function unquoted(literal: string): ByteString | undefined {
  const quote = literal.charAt(0);
  const inner = literal.slice(1, -1);
  if (quote === "`") return encodeText(inner.replaceAll("\r", ""));
  if (!inner.includes("\\")) return encodeText(inner);
  let text = "";
  let from = 0;
  for (const match of inner.matchAll(ESCAPE)) {
    const bytes = bytesOfEscape(match, quote);
    if (bytes === undefined) return undefined;
    text += encodeText(inner.slice(from, match.index)) + bytes;
    from = match.index + match[0].length;
  }
  return (text + encodeText(inner.slice(from))) as ByteString;
}

/** A text, a character, a number, true or false; undefined where the literal has no meaning. */
export function constantOf(
  kind: "string" | "raw" | "char" | "number" | "bool",
  literal: string,
): ConstantOperand | undefined {
  switch (kind) {
    case "string":
    case "raw": {
      const text = unquoted(literal);
      return text === undefined ? undefined : { kind: "constant", value: textValue(text) };
    }
    case "char":
      return characterConstant(literal);
    case "bool":
      return { kind: "constant", value: booleanValue(literal === "true") };
    case "number":
      return numberConstant(literal);
  }
}

/** `'a'` is the number of the character. Bytes written as `'\xff'` are numbers as they stand. */
function characterConstant(literal: string): ConstantOperand | undefined {
  const inner = literal.slice(1, -1);
  const byte = /^\\(?:x([\da-fA-F]{2})|([0-3][0-7]{2}))$/.exec(inner);
  if (byte !== null) return integerConstant(BigInt(parseInt(byte[1] ?? byte[2] ?? "", byte[1] === undefined ? 8 : 16)));
  const bytes = unquoted(literal);
  if (bytes === undefined) return undefined;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)),
  );
  const code = text.codePointAt(0);
  return code === undefined || String.fromCodePoint(code) !== text ? undefined : integerConstant(BigInt(code));
}

function numberConstant(literal: string): ConstantOperand | undefined {
  const integer = integerOf(literal);
  if (integer !== undefined) {
    if (integer > INT64_MAX && !/^[+-]/.test(literal) && integer <= UINT64_MAX)
      return { kind: "constant", value: undefined };
    const fits = integer <= INT64_MAX && integer >= -INT64_MAX - 1n;
    return fits ? integerConstant(integer) : undefined;
  }
  const float = floatOf(literal);
  if (float === undefined) return undefined;
  const isWhole = Number.isInteger(float) && float >= -(2 ** 63) && float < 2 ** 63;
  return { kind: "constant", value: { type: "float64", float }, ...(isWhole && { integer: BigInt(float) }) };
}

function integerConstant(integer: bigint): ConstantOperand {
  return { kind: "constant", value: intValue(integer), integer };
}

const INTEGER =
  /^([+-]?)(?:0[xX]((?:_?[\da-fA-F])+)|0[bB]((?:_?[01])+)|0[oO]((?:_?[0-7])+)|0((?:_?[0-7])+)|(0|[1-9](?:_?\d)*))$/;

function integerOf(literal: string): bigint | undefined {
  const match = INTEGER.exec(literal);
  if (match === null) return undefined;
  const [, sign, hex, binary, octal, oldOctal, decimal] = match;
  const digits = (hex ?? binary ?? octal ?? oldOctal ?? decimal ?? "").replaceAll("_", "");
  if (digits.length > 64) return UINT64_MAX + 1n;
  const prefix = hex !== undefined ? "0x" : binary !== undefined ? "0b" : decimal !== undefined ? "" : "0o";
  const magnitude = BigInt(prefix + digits);
  return sign === "-" ? -magnitude : magnitude;
}

const DECIMAL_FLOAT = /^[+-]?(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?$/;
const HEX_FLOAT =
  /^([+-]?)0[xX](?:_?([\da-fA-F](?:_?[\da-fA-F])*)(?:\.([\da-fA-F](?:_?[\da-fA-F])*)?)?|\.([\da-fA-F](?:_?[\da-fA-F])*))[pP]([+-]?\d(?:_?\d)*)$/;

/** A number with a point or an exponent; one without is an integer and, too large for one, none. */
function floatOf(literal: string): number | undefined {
  if (literal.length > LONGEST_NUMBER) return undefined;
  const hex = HEX_FLOAT.exec(literal);
  if (hex === null && !(/[.eE]/.test(literal) && DECIMAL_FLOAT.test(literal))) return undefined;
  const float = hex === null ? Number(literal.replaceAll("_", "")) : hexFloat(hex);
  return Number.isFinite(float) ? float : undefined;
}

function hexFloat([, sign, whole = "", fraction = "", bareFraction = "", exponent = "0"]: RegExpExecArray): number {
  const behindPoint = (fraction + bareFraction).replaceAll("_", "");
  const mantissa = Number(BigInt(`0x0${whole.replaceAll("_", "")}${behindPoint}`));
  const magnitude = mantissa * 2 ** (Number(exponent.replaceAll("_", "")) - 4 * behindPoint.length);
  return sign === "-" ? -magnitude : magnitude;
}

function bytesOfEscape(match: RegExpExecArray, quote: string): string | undefined {
  const [, plain, hexByte, code4, code8, octalByte, quoted] = match;
  if (plain !== undefined) return String.fromCharCode(ESCAPES.get(plain) ?? 0);
  if (hexByte !== undefined) return String.fromCharCode(parseInt(hexByte, 16));
  if (octalByte !== undefined) return String.fromCharCode(parseInt(octalByte, 8));
  if (quoted !== undefined) return quoted === quote ? quoted : undefined;
  const code = parseInt(code4 ?? code8 ?? "", 16);
  const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? runeOf(code) : undefined;
}
