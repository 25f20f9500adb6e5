import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type ByteString, countRunes, decodeText, firstRunes, ofBytes, runeAt, toBytes } from "./byte-string.ts";
import { compareEqual, compareLess } from "./comparisons.ts";
import { escapeHtml, escapeQuery, escapeScript } from "./escapes.ts";
import { plainly, print, printFormat, printLine } from "./format.ts";
import { formatInstant } from "./layout.ts";
import { lowerCase, upperCase } from "./letter-case.ts";
import type { Rendering } from "./rendering.ts";
import { TemplateError } from "./template-error.ts";
import { booleanValue, intValue, isInteger, isTrue, textValue, type Value } from "./value.ts";

/** What a parameter takes: a text, an integer of type int, or anything (`nil` too). */
export type Parameter = "text" | "int" | "any";

/**
 * A function of the language: what it takes, in order, and what it makes of that. It spends from the rendering for each byte that it
 * reads (`read`), and that it makes.
 */
export interface TemplateFunction {
  readonly parameters: readonly Parameter[];
  /** What any further arguments are; without it there are none. */
  readonly rest?: Parameter;
  readonly apply: (rendering: Rendering, values: readonly Value[]) => Value;
}

/** A first-in-line helper of `and` and `or`, which the renderer carries out itself: they look at no more than they need. */
const SHORT_CIRCUIT: TemplateFunction = { parameters: ["any"], rest: "any", apply: (_, [first]) => first as Value };

const FUNCTIONS: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ["and", SHORT_CIRCUIT],
  ["or", SHORT_CIRCUIT],
  ["not", { parameters: ["any"], apply: (_, [value]) => booleanValue(!isTrue(value as Value)) }],
  ["call", { parameters: ["any"], rest: "any", apply: () => refuse("no value here can be called") }],
  [
    "eq",
    {
      parameters: ["any"],
      rest: "any",
      apply: (rendering, values) => booleanValue(compareEqual(compared(rendering, values))),
    },
  ],
  ["ne", comparison((left, right) => !compareEqual([left, right]))],
  ["lt", comparison(compareLess)],
  ["le", comparison((left, right) => compareLess(left, right) || compareEqual([left, right]))],
  ["gt", comparison((left, right) => !compareLess(left, right) && !compareEqual([left, right]))],
  ["ge", comparison((left, right) => !compareLess(left, right))],
  ["len", { parameters: ["any"], apply: (_, [value]) => intValue(BigInt(textOf(value, "len").length)) }],
  ["index", { parameters: ["any"], rest: "any", apply: (_, [value, ...indexes]) => indexOf(value as Value, indexes) }],
  [
    "slice",
    { parameters: ["any"], rest: "any", apply: (rendering, [value, ...ends]) => sliceOf(rendering, value, ends) },
  ],
  ["print", { parameters: [], rest: "any", apply: (rendering, values) => textValue(print(rendering, values)) }],
  ["println", { parameters: [], rest: "any", apply: (rendering, values) => textValue(printLine(rendering, values)) }],
  [
    "printf",
    {
      parameters: ["text"],
      rest: "any",
      apply: (rendering, [format, ...values]) => textValue(printFormat(rendering, read(rendering, format), values)),
    },
  ],
  ["html", escaping(escapeHtml)],
  ["js", escaping(escapeScript)],
  ["urlquery", escaping(escapeQuery)],

  ["random", { parameters: ["int"], apply: (rendering, [length]) => random(rendering, count(length)) }],
  [
    "truncate",
    { parameters: ["int", "text"], apply: (rendering, [most, text]) => truncate(rendering, count(most), text) },
  ],
  [
    "truncate_sha256",
    { parameters: ["int", "text"], apply: (rendering, [most, text]) => hashTail(rendering, count(most), text) },
  ],
  ["uppercase", mapping((text) => upperCase(text))],
  ["lowercase", mapping((text) => lowerCase(text))],
  [
    "replace",
    {
      parameters: ["text", "text", "text"],
      apply: (rendering, [from, to, text]) =>
        textValue(replaceAll(rendering, read(rendering, from), read(rendering, to), read(rendering, text))),
    },
  ],
  ["sha256", mapping((text) => hashOf(text))],
  ["base64", mapping((text) => btoa(text) as ByteString)],
  ["unix_time", { parameters: [], apply: (rendering) => digits(rendering, Math.floor(rendering.nowMs / 1000)) }],
  ["unix_time_millis", { parameters: [], apply: (rendering) => digits(rendering, rendering.nowMs) }],
  [
    "timestamp",
    {
      parameters: ["text"],
      apply: (rendering, [layout]) =>
        textValue(rendering.spent(formatInstant(rendering.nowMs, read(rendering, layout)))),
    },
  ],
  ["uuid", { parameters: [], apply: (rendering) => made(rendering, rendering.draw.uuid()) }],
  ["utf16le", mapping(utf16)],
]);

/** All functions, which LDIF templates have. */
export const FUNCTION_NAMES: ReadonlySet<string> = new Set(FUNCTIONS.keys());

/** What templates of names have: all but `utf16le`. Source: decisions-directory.md section 11. */
export const NAME_FUNCTIONS: ReadonlySet<string> = new Set([...FUNCTION_NAMES].filter((name) => name !== "utf16le"));

/** The function of a name that the parser has found to be one. */
export function functionOf(name: string): TemplateFunction {
  const found = FUNCTIONS.get(name);
  if (found === undefined) throw new TemplateError(`function "${name}" not defined`);
  return found;
}

function comparison(compare: (left: Value, right: Value) => boolean): TemplateFunction {
  return {
    parameters: ["any", "any"],
    apply: (rendering, values) => {
      const [left, right] = compared(rendering, values);
      return booleanValue(compare(left as Value, right as Value));
    },
  };
}

function compared(rendering: Rendering, values: readonly Value[]): readonly Value[] {
  for (const value of values) if (value.type === "string") read(rendering, value);
  return values;
}

function mapping(map: (text: ByteString) => ByteString): TemplateFunction {
  return {
    parameters: ["text"],
    apply: (rendering, [text]) => {
      const given = read(rendering, text);
      // UTF-16 makes two bytes of one, and nothing makes more.
      rendering.spend(2 * given.length);
      return textValue(map(given));
    },
  };
}

function escaping(escaped: (text: ByteString) => ByteString): TemplateFunction {
  return {
    parameters: [],
    rest: "any",
    apply: (rendering, values) => {
      const printed = values.map((value): Value => (value.type === "nil" ? textValue(NO_VALUE) : value));
      const [only] = printed;
      const text = printed.length === 1 && only !== undefined ? plainly(rendering, only) : print(rendering, printed);
      rendering.spend(6 * text.length);
      return textValue(escaped(text));
    },
  };
}

/** What stands where a value is missing. */
export const NO_VALUE = "<no value>" as ByteString;

function random(rendering: Rendering, length: bigint): Value {
  if (length < 0n) refuse(`a random text of ${length} characters`);
  rendering.spend(bounded(length));
  return textValue(rendering.draw.base62(Number(length)) as ByteString);
}

/** Source: decisions-directory.md section 11: characters are counted, not bytes. */
function truncate(rendering: Rendering, most: bigint, value: Value | undefined): Value {
  if (most <= 0n) refuse(`max length must be > 0 but was ${most}`);
  return textValue(rendering.spent(firstRunes(read(rendering, value), bounded(most))));
}

const HASH_LENGTH = 8;

/** Source: decisions-directory.md section 11: the hash is that of the part that was cut off. */
function hashTail(rendering: Rendering, most: bigint, value: Value | undefined): Value {
  if (most <= HASH_LENGTH) refuse(`max length must be > ${HASH_LENGTH} but was ${most}`);
  const text = read(rendering, value);
  const length = bounded(most);
  if (countRunes(text) <= length) return textValue(rendering.spent(text));
  const kept = firstRunes(text, length - HASH_LENGTH);
  const cutOff = text.slice(kept.length) as ByteString;
  return textValue(rendering.spent((kept + hashOf(cutOff).slice(0, HASH_LENGTH)) as ByteString));
}

function hashOf(text: ByteString): ByteString {
  return bytesToHex(sha256(toBytes(text))) as ByteString;
}

function replaceAll(rendering: Rendering, from: ByteString, to: ByteString, text: ByteString): ByteString {
  const parts = from === "" ? emptyParts(text) : partsBetween(text, from);
  rendering.spend(text.length + (parts.length - 1) * (to.length - from.length));
  return parts.join(to) as ByteString;
}

/** Engines look at most of a long text again at each place where it might stand. */
const LONG = 64;

function partsBetween(text: string, separator: string): string[] {
  if (separator.length < LONG) return text.split(separator);
  const parts: string[] = [];
  const shorter = borders(separator);
  let from = 0;
  let fits = 0;
  for (let at = 0; at < text.length; at += 1) {
    while (fits > 0 && text.charCodeAt(at) !== separator.charCodeAt(fits)) fits = shorter[fits - 1] as number;
    if (text.charCodeAt(at) === separator.charCodeAt(fits)) fits += 1;
    if (fits < separator.length) continue;
    parts.push(text.slice(from, at + 1 - fits));
    from = at + 1;
    fits = 0;
  }
  parts.push(text.slice(from));
  return parts;
}

/** For each beginning of a text, the longest other beginning that it ends with (Knuth, Morris, Pratt). */
function borders(text: string): Int32Array {
  const lengths = new Int32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) length = lengths[length - 1] as number;
    if (text.charCodeAt(at) === text.charCodeAt(length)) length += 1;
    lengths[at] = length;
  }
  return lengths;
}

/** An empty text stands before each character and behind the last. */
function emptyParts(text: ByteString): string[] {
  const parts = [""];
  for (let offset = 0; offset < text.length; ) {
    const { bytes } = runeAt(text, offset);
    parts.push(bytes);
    offset += bytes.length;
  }
  parts.push("");
  return parts;
}

function utf16(text: ByteString): ByteString {
  const characters = decodeText(text);
  const bytes = new Uint8Array(characters.length * 2);
  for (let index = 0; index < characters.length; index += 1) {
    const unit = characters.charCodeAt(index);
    bytes[2 * index] = unit & 0xff;
    bytes[2 * index + 1] = unit >> 8;
  }
  return ofBytes(bytes);
}

/** Only texts have elements here: their bytes. */
function indexOf(value: Value, indexes: readonly Value[]): Value {
  if (value.type === "nil") refuse("index of untyped nil");
  return indexes.reduce((item, index) => {
    const text = textOf(item, "index");
    const at = offsetOf(index, text.length);
    if (at >= text.length) refuse(`index out of range: ${at}`);
    return { type: "uint8", integer: BigInt(text.charCodeAt(at)) };
  }, value);
}

function sliceOf(rendering: Rendering, value: Value | undefined, ends: readonly Value[]): Value {
  const text = textOf(value, "slice");
  if (ends.length > 2) refuse("a text is sliced by two indexes at most");
  const [from = 0, to = text.length] = ends.map((end) => offsetOf(end, text.length));
  if (from > to) refuse(`invalid slice index: ${from} > ${to}`);
  return textValue(rendering.spent(text.slice(from, to) as ByteString));
}

function offsetOf(index: Value, length: number): number {
  if (!isInteger(index)) return refuse(`cannot index a text with a value of type ${index.type}`);
  if (index.integer < 0n || index.integer > BigInt(length)) refuse(`index out of range: ${index.integer}`);
  return Number(index.integer);
}

function textOf(value: Value | undefined, what: string): ByteString {
  if (value?.type !== "string") return refuse(`${what} of a value of type ${value?.type ?? "nil"}`);
  return value.text;
}

/** The text of an argument that was checked to be one. Reading it is spent. */
function read(rendering: Rendering, value: Value | undefined): ByteString {
  return rendering.spent(textOf(value, "text"));
}

function made(rendering: Rendering, text: string): Value {
  return textValue(rendering.spent(text as ByteString));
}

function count(value: Value | undefined): bigint {
  if (value === undefined || !isInteger(value)) return refuse("a number is missing");
  return value.integer;
}

/** As a JavaScript number; what is larger than any text is cut to that. */
function bounded(number: bigint): number {
  return Number(number > 2n ** 40n ? 2n ** 40n : number);
}

function digits(rendering: Rendering, number: number): Value {
  return made(rendering, String(number));
}

function refuse(why: string): never {
  throw new TemplateError(why);
}
