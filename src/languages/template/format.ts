import { type ByteString, runeAt, runeOf } from "./byte-string.ts";
import type { Rendering } from "./rendering.ts";
import { isInteger, type Value } from "./value.ts";
import { type Flags, NO_FLAGS, ValueWriter } from "./value-writer.ts";

/** The widest width and the most precise precision that Go takes. */
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
  const writer = new ValueWriter(rendering);
  writer.print(value, "v");
  return writer.result();
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

const FLAGS: ReadonlyMap<string, keyof Pick<Flags, "sharp" | "zero" | "plus" | "minus" | "space">> = new Map([
  ["#", "sharp"],
  ["0", "zero"],
  ["+", "plus"],
  ["-", "minus"],
  [" ", "space"],
]);

class Formatter {
  readonly #rendering: Rendering;
  readonly #format: ByteString;
  readonly #values: readonly Value[];
  readonly #writer: ValueWriter;
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
    this.#writer = new ValueWriter(rendering);
  }

  format(): ByteString {
    const format = this.#format;
    while (this.#offset < format.length) {
      const percent = format.indexOf("%", this.#offset);
      const end = percent < 0 ? format.length : percent;
      if (end > this.#offset) this.#writer.write(format.slice(this.#offset, end));
      this.#offset = end;
      if (percent >= 0) {
        this.#rendering.step();
        this.#offset += 1;
        this.#verb();
      }
    }
    this.#writeExtra();
    return this.#writer.result();
  }

  #verb(): void {
    this.#writer.flags = { ...NO_FLAGS };
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
      this.#writer.write("%!(NOVERB)");
      return;
    }
    const { bytes } = runeAt(this.#format, this.#offset);
    this.#offset += bytes.length;
    const verb = bytes.length === 1 && bytes >= "\x80" ? runeOf(0xfffd) : bytes;
    if (verb === "%") this.#writer.write("%");
    else if (!this.#isGoodIndex) this.#writer.write(`%!${verb}(BADINDEX)`);
    else if (this.#next >= this.#values.length) this.#writer.write(`%!${verb}(MISSING)`);
    else this.#printNext(verb);
  }

  #printNext(verb: string): void {
    const value = this.#values[this.#next];
    this.#next += 1;
    const flags = this.#writer.flags;
    if (verb === "v" || verb === "w") {
      flags.sharpV = flags.sharp;
      flags.sharp = false;
      flags.plusV = flags.plus;
      flags.plus = false;
    }
    if (value !== undefined) this.#writer.print(value, verb);
  }

  #readFlags(): void {
    for (; ; this.#offset += 1) {
      const flag = FLAGS.get(this.#format.charAt(this.#offset));
      if (flag === undefined) return;
      this.#writer.flags[flag] = true;
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
    const flags = this.#writer.flags;
    if (this.#format.charAt(this.#offset) === "*") {
      this.#offset += 1;
      flags.width = this.#starred();
      if (flags.width === undefined) this.#writer.write("%!(BADWIDTH)");
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
    const flags = this.#writer.flags;
    if (this.#offset + 1 >= this.#format.length || this.#format.charAt(this.#offset) !== ".") return;
    this.#offset += 1;
    if (this.#isBehindIndex) this.#isGoodIndex = false;
    this.#readIndex();
    if (this.#format.charAt(this.#offset) === "*") {
      this.#offset += 1;
      const precision = this.#starred();
      flags.precision = precision !== undefined && precision >= 0 ? precision : undefined;
      if (flags.precision === undefined) this.#writer.write("%!(BADPREC)");
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
    this.#writer.flags = { ...NO_FLAGS };
    this.#writer.write("%!(EXTRA ");
    this.#values.slice(this.#next).forEach((value, index) => {
      if (index > 0) this.#writer.write(", ");
      if (value.type !== "nil") this.#writer.write(`${value.type}=`);
      this.#writer.print(value, "v");
    });
    this.#writer.write(")");
  }
}

/** Go reads digit by digit and gives up when what it has so far is too large. */
function isWithinWidest(digits: string): boolean {
  return Number(digits.slice(0, -1) || "0") <= WIDEST;
}
