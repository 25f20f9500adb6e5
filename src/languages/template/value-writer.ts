import { type ByteString, countRunes, encodeText, firstRunes, runeOf } from "./byte-string.ts";
import { floatDigits } from "./format-number.ts";
import { canBackquote, isPrintable, quoteRune, quoteText } from "./quote.ts";
import type { Rendering } from "./rendering.ts";
import type { IntegerValue, TextValue, Value } from "./value.ts";

/** What a verb of a format says besides its letter. */
export interface Flags {
  plus: boolean;
  minus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  /** `%+v` and `%#v` mean something else than the flags do elsewhere. */
  plusV: boolean;
  sharpV: boolean;
  width: number | undefined;
  precision: number | undefined;
}

export const NO_FLAGS: Readonly<Flags> = Object.freeze({
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  plusV: false,
  sharpV: false,
  width: undefined,
  precision: undefined,
});

type Base = 2 | 8 | 10 | 16;

/** What integers are written in. */
const BASES: ReadonlyMap<string, Base> = new Map([
  ["v", 10],
  ["d", 10],
  ["b", 2],
  ["o", 8],
  ["O", 8],
  ["x", 16],
  ["X", 16],
]);

type FloatStyle = Parameters<typeof floatDigits>[1];

/** How numbers with a fraction are written, and how precisely where nothing is said; -1 is as precisely as they are. */
const FLOATS: ReadonlyMap<string, { readonly style: FloatStyle; readonly precision: number }> = new Map([
  ["v", { style: "g", precision: -1 }],
  ["g", { style: "g", precision: -1 }],
  ["G", { style: "G", precision: -1 }],
  ["e", { style: "e", precision: 6 }],
  ["E", { style: "E", precision: 6 }],
  ["f", { style: "f", precision: 6 }],
  ["F", { style: "f", precision: 6 }],
]);
/** Writes values one after the other, each as a verb with flags has it: the second half of Go's fmt.Sprintf. */
export class ValueWriter {
  readonly #rendering: Rendering;
  #written: string[] = [];
  flags: Flags = { ...NO_FLAGS };

  constructor(rendering: Rendering) {
    this.#rendering = rendering;
  }

  result(): ByteString {
    return this.#written.join("") as ByteString;
  }

  write(text: string): void {
    this.#rendering.spend(text.length);
    this.#written.push(text);
  }

  /** Writes a value as a verb has it, with the flags that are set. */
  print(value: Value, verb: string): void {
    if (value.type === "nil") {
      if (verb === "v" || verb === "T") this.#pad("<nil>");
      else this.write(`%!${verb}(<nil>)`);
      return;
    }
    if (verb === "T") this.#pad(this.#cut(encodeText(value.type)));
    else if (verb === "p") this.#mistake(value, verb);
    else if (value.type === "string") this.#printText(value, verb);
    else if (value.type === "bool") {
      if (verb === "t" || verb === "v") this.#pad(String(value.truth));
      else this.#mistake(value, verb);
    } else if (value.type === "float64") this.#printFloat(value.float, value, verb);
    else if (value.type === "fields" && verb !== "w") this.#printFields(value.fields, verb);
    else if (value.type === "fields") this.#mistake(value, verb);
    else this.#printInteger(value, verb);
  }

  #mistake(value: Value, verb: string): void {
    this.write(`%!${verb}(${value.type}=`);
    this.print(value, "v");
    this.write(")");
  }

  #printFields(fields: ReadonlyMap<string, Value>, verb: string): void {
    const { sharpV, plusV } = this.flags;
    this.write(sharpV ? "fields{" : "{");
    let isFirst = true;
    for (const [name, field] of fields) {
      if (!isFirst) this.write(sharpV ? ", " : " ");
      isFirst = false;
      if (sharpV || plusV) this.write(`${encodeText(name)}:`);
      this.print(field, verb);
    }
    this.write("}");
  }

  #printText(value: TextValue, verb: string): void {
    switch (verb) {
      case "v":
        if (this.flags.sharpV) this.#quoted(value.text);
        else this.#pad(this.#cut(value.text));
        return;
      case "s":
        this.#pad(this.#cut(value.text));
        return;
      case "q":
        this.#quoted(value.text);
        return;
      case "x":
      case "X":
        this.#hexText(value.text, verb === "X");
        return;
      default:
        this.#mistake(value, verb);
        return;
    }
  }

  #quoted(text: ByteString): void {
    const cut = this.#cut(text);
    if (this.flags.sharp && canBackquote(cut)) this.#pad(`\`${cut}\``);
    else this.#pad(quoteText(cut, this.flags.plus));
  }

  #hexText(text: ByteString, isUpper: boolean): void {
    const { space, sharp, precision } = this.flags;
    const pairs = Array.from(text.slice(0, precision ?? text.length), (byte) =>
      cased(byte.charCodeAt(0).toString(16).padStart(2, "0"), isUpper),
    );
    const prefix = sharp ? (isUpper ? "0X" : "0x") : "";
    if (pairs.length === 0) this.#pad("");
    else this.#pad(space ? pairs.map((pair) => prefix + pair).join(" ") : prefix + pairs.join(""));
  }

  #printInteger(value: IntegerValue, verb: string): void {
    const base = BASES.get(verb);
    if (verb === "v" && this.flags.sharpV && value.type === "uint8") this.#hexUnsigned(value);
    else if (base !== undefined) this.#integer(value, base, verb);
    else if (verb === "c") this.#pad(runeOf(codeOf(value)));
    else if (verb === "q") this.#pad(quoteRune(codeOf(value), this.flags.plus));
    else if (verb === "U") this.#codePoint(value);
    else this.#mistake(value, verb);
  }

  /** `%#v` of an unsigned number. */
  #hexUnsigned(value: IntegerValue): void {
    const { sharp } = this.flags;
    this.flags.sharp = true;
    this.#integer(value, 16, "v");
    this.flags.sharp = sharp;
  }

  #integer(value: IntegerValue, base: Base, verb: string): void {
    const { width, precision, zero, minus, plus, space, sharp } = this.flags;
    const isNegative = value.integer < 0n;
    if (precision === 0 && value.integer === 0n) {
      this.#padWithSpaces("");
      return;
    }
    const isSigned = isNegative || plus || space;
    const padsWithZeros = precision === undefined && zero && !minus && width !== undefined;
    const least = padsWithZeros ? (width ?? 0) - (isSigned ? 1 : 0) : (precision ?? 0);
    this.#rendering.spend(least);
    const magnitude = (isNegative ? -value.integer : value.integer).toString(base);
    const digits = cased(magnitude, verb === "X").padStart(least, "0");
    const sign = isNegative ? "-" : plus ? "+" : space ? " " : "";
    const prefix = (verb === "O" ? "0o" : "") + (sharp ? basePrefix(base, digits, verb) : "");
    this.#padWithSpaces(sign + prefix + digits);
  }

  #codePoint(value: IntegerValue): void {
    const code = BigInt.asUintN(64, value.integer);
    const { precision, sharp } = this.flags;
    const least = Math.max(precision ?? 4, 4);
    this.#rendering.spend(least);
    const shown = sharp && code <= 0x10ffffn && isPrintable(Number(code)) ? ` '${runeOf(Number(code))}'` : "";
    this.#padWithSpaces(`U+${code.toString(16).toUpperCase().padStart(least, "0")}${shown}`);
  }

  #printFloat(float: number, value: Value, verb: string): void {
    const { precision: wanted } = this.flags;
    if (wanted !== undefined) this.#rendering.spend(wanted);
    const form = FLOATS.get(verb);
    if (form === undefined) {
      this.#mistake(value, verb);
      return;
    }
    const precision = wanted ?? form.precision;
    this.#float(floatDigits(float, form.style, precision), verb, precision);
  }

  #float(digits: string, verb: string, precision: number): void {
    const { plus, space, zero, minus, width = 0, sharp } = this.flags;
    const isNegative = digits.startsWith("-");
    const sign = isNegative ? "-" : space && !plus ? " " : "+";
    const unsigned = withPoint(isNegative ? digits.slice(1) : digits, sharp, verb, precision);
    if (!plus && sign === "+") {
      this.#pad(unsigned);
      return;
    }
    const isPadded = zero && !minus && width > unsigned.length + 1;
    this.#rendering.spend(isPadded ? width : 0);
    if (isPadded) this.write(sign + unsigned.padStart(width - 1, "0"));
    else this.#pad(sign + unsigned);
  }

  /** As many characters as the precision says. */
  #cut(text: ByteString): ByteString {
    const { precision } = this.flags;
    return precision === undefined ? text : firstRunes(text, precision);
  }

  #padWithSpaces(text: string): void {
    const { zero } = this.flags;
    this.flags.zero = false;
    this.#pad(text);
    this.flags.zero = zero;
  }

  #pad(text: string): void {
    const { width = 0, minus, zero } = this.flags;
    const missing = width === 0 ? 0 : width - countRunes(text as ByteString);
    if (missing > 0) this.#rendering.spend(missing);
    if (missing <= 0) this.write(text);
    else this.write(minus ? text + " ".repeat(missing) : (zero ? "0" : " ").repeat(missing) + text);
  }
}

function cased(text: string, isUpper: boolean): string {
  return isUpper ? text.toUpperCase() : text;
}

function basePrefix(base: Base, digits: string, verb: string): string {
  if (base === 2) return "0b";
  if (base === 8) return digits.startsWith("0") ? "" : "0";
  if (base === 16) return verb === "X" ? "0X" : "0x";
  return "";
}

/** The code point that a number stands for; beyond Unicode the replacement character. */
function codeOf({ integer }: IntegerValue): number {
  return integer >= 0n && integer <= 0x10ffffn ? Number(integer) : 0xfffd;
}

/** With `#` a number has a point always, and `%g` keeps zeros at its end. */
function withPoint(number: string, sharp: boolean, verb: string, precision: number): string {
  if (!sharp) return number;
  const exponentAt = number.search(/[eE]/);
  const digits = exponentAt < 0 ? number : number.slice(0, exponentAt);
  const tail = exponentAt < 0 ? "" : number.slice(exponentAt);
  const wanted = verb === "g" || verb === "G" || verb === "v" ? (precision < 0 ? 6 : precision) : 0;
  const significant = digits.replace(".", "").replace(/^0+/, "").length + (digits === "0" ? 1 : 0);
  const pointed = digits.includes(".") ? digits : `${digits}.`;
  return pointed + "0".repeat(Math.max(0, wanted - significant)) + tail;
}
