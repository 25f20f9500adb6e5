import { type ByteString, countRunes, encodeText, firstRunes, runeAt, runeOf } from "./byte-string.ts";
import { floatDigits } from "./format-number.ts";
import { canBackquote, isPrintable, quoteRune, quoteText } from "./quote.ts";
import type { Rendering } from "./rendering.ts";
import { type IntegerValue, isInteger, type TextValue, type Value } from "./value.ts";

/** Widths and precisions beyond it are none. */
const WIDEST = 1_000_000;

/** The values one after the other, as `%v` writes them; a space stands between two of which neither is a text. */
export function print(rendering: Rendering, values: readonly Value[]): ByteString {
  let printed = "";
  values.forEach((value, index) => {
    const isApart = index > 0 && value.type !== "string" && values[index - 1]?.type !== "string";
    printed += (isApart ? " " : "") + plainly(rendering, value);
  });
  return printed as ByteString;
}

/** The values with a space between any two and a line break at the end. */
export function printLine(rendering: Rendering, values: readonly Value[]): ByteString {
  return `${values.map((value) => plainly(rendering, value)).join(" ")}\n` as ByteString;
}

/** A value as `%v` writes it. */
export function plainly(rendering: Rendering, value: Value): ByteString {
  if (value.type === "string") return rendering.spent(value.text);
  return new Formatter(rendering, "" as ByteString, []).one(value);
}

/**
 * The format with its verbs replaced by the values, as Go's fmt.Sprintf does it: with flags, widths, precisions, `*` and
 * `[2]`, and with what it writes for mistakes (`%!d(string=a)`, `%!s(MISSING)`), since a wrong format is no error.
 *
 * Our choice: `%b`, `%x` and `%X` of a number with a fraction are written as mistakes; nobody names accounts that way.
 */
export function printFormat(rendering: Rendering, format: ByteString, values: readonly Value[]): ByteString {
  return new Formatter(rendering, format, values).format();
}

interface Flags {
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

const NO_FLAGS: Readonly<Flags> = Object.freeze({
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

const FLAGS: ReadonlyMap<string, "sharp" | "zero" | "plus" | "minus" | "space"> = new Map([
  ["#", "sharp"],
  ["0", "zero"],
  ["+", "plus"],
  ["-", "minus"],
  [" ", "space"],
]);

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

class Formatter {
  readonly #rendering: Rendering;
  readonly #format: ByteString;
  readonly #values: readonly Value[];
  #written: string[] = [];
  #flags: Flags = { ...NO_FLAGS };
  #offset = 0;
  #next = 0;
  /** Whether an index `[n]` was used: then values that are left over are no mistake. */
  #reordered = false;
  #isGoodIndex = true;
  #isBehindIndex = false;

  constructor(rendering: Rendering, format: ByteString, values: readonly Value[]) {
    this.#rendering = rendering;
    this.#format = format;
    this.#values = values;
  }

  one(value: Value): ByteString {
    this.#print(value, "v");
    return this.#result();
  }

  format(): ByteString {
    const format = this.#format;
    while (this.#offset < format.length) {
      const percent = format.indexOf("%", this.#offset);
      const end = percent < 0 ? format.length : percent;
      if (end > this.#offset) this.#write(format.slice(this.#offset, end));
      this.#offset = end;
      if (percent >= 0) {
        this.#rendering.step();
        this.#offset += 1;
        this.#verb();
      }
    }
    this.#writeExtra();
    return this.#result();
  }

  #result(): ByteString {
    return this.#written.join("") as ByteString;
  }

  #write(text: string): void {
    this.#rendering.spend(text.length);
    this.#written.push(text);
  }

  #verb(): void {
    this.#flags = { ...NO_FLAGS };
    this.#isGoodIndex = true;
    this.#isBehindIndex = false;
    this.#readFlags();
    const simple = this.#format.charAt(this.#offset);
    if (simple >= "a" && simple <= "z" && this.#next < this.#values.length) {
      this.#offset += 1;
      this.#printNext(simple);
      return;
    }
    this.#readIndex();
    this.#readWidth();
    this.#readPrecision();
    if (!this.#isBehindIndex) this.#readIndex();
    if (this.#offset >= this.#format.length) {
      this.#write("%!(NOVERB)");
      return;
    }
    const { bytes } = runeAt(this.#format, this.#offset);
    this.#offset += bytes.length;
    const verb = bytes.length === 1 && bytes >= "\x80" ? runeOf(0xfffd) : bytes;
    if (verb === "%") this.#write("%");
    else if (!this.#isGoodIndex) this.#write(`%!${verb}(BADINDEX)`);
    else if (this.#next >= this.#values.length) this.#write(`%!${verb}(MISSING)`);
    else this.#printNext(verb);
  }

  #printNext(verb: string): void {
    const value = this.#values[this.#next];
    this.#next += 1;
    const flags = this.#flags;
    if (verb === "v" || verb === "w") {
      flags.sharpV = flags.sharp;
      flags.sharp = false;
      flags.plusV = flags.plus;
      flags.plus = false;
    }
    if (value !== undefined) this.#print(value, verb);
  }

  #readFlags(): void {
    for (; ; this.#offset += 1) {
      const flag = FLAGS.get(this.#format.charAt(this.#offset));
      if (flag === undefined) return;
      this.#flags[flag] = true;
    }
  }

  /** `[2]`: which value comes next. */
  #readIndex(): void {
    this.#isBehindIndex = false;
    if (this.#format.charAt(this.#offset) !== "[") return;
    this.#reordered = true;
    const closing = this.#format.indexOf("]", this.#offset);
    this.#rendering.spend((closing < 0 ? this.#format.length : closing) - this.#offset);
    const isOpen = closing < 0 || this.#format.length - this.#offset < 3;
    const digits = isOpen ? "" : this.#format.slice(this.#offset + 1, closing);
    this.#offset = isOpen ? this.#offset + 1 : closing + 1;
    const isNumber = /^\d+$/.test(digits) && isWithinWidest(digits);
    const index = isNumber ? Number(digits) - 1 : -1;
    if (isNumber && index >= 0 && index < this.#values.length) this.#next = index;
    else this.#isGoodIndex = false;
    this.#isBehindIndex = isNumber;
  }

  #readWidth(): void {
    const flags = this.#flags;
    if (this.#format.charAt(this.#offset) === "*") {
      this.#offset += 1;
      flags.width = this.#starred();
      if (flags.width === undefined) this.#write("%!(BADWIDTH)");
      if (flags.width !== undefined && flags.width < 0) {
        flags.width = -flags.width;
        flags.minus = true;
        flags.zero = false;
      }
      this.#isBehindIndex = false;
      return;
    }
    flags.width = this.#readNumber();
    if (this.#isBehindIndex && flags.width !== undefined) this.#isGoodIndex = false;
  }

  #readPrecision(): void {
    const flags = this.#flags;
    if (this.#offset + 1 >= this.#format.length || this.#format.charAt(this.#offset) !== ".") return;
    this.#offset += 1;
    if (this.#isBehindIndex) this.#isGoodIndex = false;
    this.#readIndex();
    if (this.#format.charAt(this.#offset) === "*") {
      this.#offset += 1;
      const precision = this.#starred();
      flags.precision = precision !== undefined && precision >= 0 ? precision : undefined;
      if (flags.precision === undefined) this.#write("%!(BADPREC)");
      this.#isBehindIndex = false;
    } else {
      flags.precision = this.#readNumber() ?? 0;
    }
  }

  /** A number that is too large is none, and what is left of the format goes with it. */
  #readNumber(): number | undefined {
    const digits = /^\d*/.exec(this.#format.slice(this.#offset, this.#offset + 16))?.[0] ?? "";
    if (digits === "") return undefined;
    if (!isWithinWidest(digits)) {
      this.#offset = this.#format.length;
      return undefined;
    }
    this.#offset += digits.length;
    return Number(digits);
  }

  /** The value for a `*`. */
  #starred(): number | undefined {
    const value = this.#values[this.#next];
    if (value === undefined) return undefined;
    this.#next += 1;
    if (!isInteger(value)) return undefined;
    const number = Number(value.integer);
    return Math.abs(number) > WIDEST ? undefined : number;
  }

  #writeExtra(): void {
    if (this.#reordered || this.#next >= this.#values.length) return;
    this.#flags = { ...NO_FLAGS };
    this.#write("%!(EXTRA ");
    this.#values.slice(this.#next).forEach((value, index) => {
      if (index > 0) this.#write(", ");
      if (value.type !== "nil") this.#write(`${value.type}=`);
      this.#print(value, "v");
    });
    this.#write(")");
  }

  #print(value: Value, verb: string): void {
    if (value.type === "nil") {
      if (verb === "v" || verb === "T") this.#pad("<nil>");
      else this.#write(`%!${verb}(<nil>)`);
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
    this.#write(`%!${verb}(${value.type}=`);
    this.#print(value, "v");
    this.#write(")");
  }

  #printFields(fields: ReadonlyMap<string, Value>, verb: string): void {
    const { sharpV, plusV } = this.#flags;
    this.#write(sharpV ? "fields{" : "{");
    let isFirst = true;
    for (const [name, field] of fields) {
      if (!isFirst) this.#write(sharpV ? ", " : " ");
      isFirst = false;
      if (sharpV || plusV) this.#write(`${encodeText(name)}:`);
      this.#print(field, verb);
    }
    this.#write("}");
  }

  #printText(value: TextValue, verb: string): void {
    switch (verb) {
      case "v":
        if (this.#flags.sharpV) this.#quoted(value.text);
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
    if (this.#flags.sharp && canBackquote(cut)) this.#pad(`\`${cut}\``);
    else this.#pad(quoteText(cut, this.#flags.plus));
  }

  #hexText(text: ByteString, isUpper: boolean): void {
    const { space, sharp, precision } = this.#flags;
    const pairs = Array.from(text.slice(0, precision ?? text.length), (byte) =>
      cased(byte.charCodeAt(0).toString(16).padStart(2, "0"), isUpper),
    );
    const prefix = sharp ? (isUpper ? "0X" : "0x") : "";
    if (pairs.length === 0) this.#pad("");
    else this.#pad(space ? pairs.map((pair) => prefix + pair).join(" ") : prefix + pairs.join(""));
  }

  #printInteger(value: IntegerValue, verb: string): void {
    const base = BASES.get(verb);
    if (verb === "v" && this.#flags.sharpV && value.type === "uint8") this.#hexUnsigned(value);
    else if (base !== undefined) this.#integer(value, base, verb);
    else if (verb === "c") this.#pad(runeOf(codeOf(value)));
    else if (verb === "q") this.#pad(quoteRune(codeOf(value), this.#flags.plus));
    else if (verb === "U") this.#codePoint(value);
    else this.#mistake(value, verb);
  }

  /** `%#v` of an unsigned number. */
  #hexUnsigned(value: IntegerValue): void {
    const { sharp } = this.#flags;
    this.#flags.sharp = true;
    this.#integer(value, 16, "v");
    this.#flags.sharp = sharp;
  }

  #integer(value: IntegerValue, base: Base, verb: string): void {
    const { width, precision, zero, minus, plus, space, sharp } = this.#flags;
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
    const { precision, sharp } = this.#flags;
    const least = Math.max(precision ?? 4, 4);
    this.#rendering.spend(least);
    const shown = sharp && code <= 0x10ffffn && isPrintable(Number(code)) ? ` '${runeOf(Number(code))}'` : "";
    this.#padWithSpaces(`U+${code.toString(16).toUpperCase().padStart(least, "0")}${shown}`);
  }

  #printFloat(float: number, value: Value, verb: string): void {
    const { precision: wanted } = this.#flags;
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
    const { plus, space, zero, minus, width = 0, sharp } = this.#flags;
    const isNegative = digits.startsWith("-");
    const sign = isNegative ? "-" : space && !plus ? " " : "+";
    const unsigned = withPoint(isNegative ? digits.slice(1) : digits, sharp, verb, precision);
    if (!plus && sign === "+") {
      this.#pad(unsigned);
      return;
    }
    const isPadded = zero && !minus && width > unsigned.length + 1;
    this.#rendering.spend(isPadded ? width : 0);
    if (isPadded) this.#write(sign + unsigned.padStart(width - 1, "0"));
    else this.#pad(sign + unsigned);
  }

  /** As many characters as the precision says. */
  #cut(text: ByteString): ByteString {
    const { precision } = this.#flags;
    return precision === undefined ? text : firstRunes(text, precision);
  }

  #padWithSpaces(text: string): void {
    const { zero } = this.#flags;
    this.#flags.zero = false;
    this.#pad(text);
    this.#flags.zero = zero;
  }

  #pad(text: string): void {
    const { width = 0, minus, zero } = this.#flags;
    const missing = width === 0 ? 0 : width - countRunes(text as ByteString);
    if (missing > 0) this.#rendering.spend(missing);
    if (missing <= 0) this.#write(text);
    else this.#write(minus ? text + " ".repeat(missing) : (zero ? "0" : " ").repeat(missing) + text);
  }
}

/** Go reads digit by digit and gives up when what it has so far is too large. */
function isWithinWidest(digits: string): boolean {
  return Number(digits.slice(0, -1) || "0") <= WIDEST;
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
