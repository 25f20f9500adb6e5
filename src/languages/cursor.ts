import { LanguageError, type Position } from "./language-error.ts";
import { LineCounter } from "./line-counter.ts";
import { shown } from "./shown.ts";

/**
 * A reading point in a text: what a parser of this folder holds while it moves from left to right.
 *
 * It never moves back, and each pattern it is given is tried at the reading point only, so a parser built on it takes
 * time linear in the text.
 */
export class Cursor {
  readonly language: string;
  readonly text: string;
  offset = 0;
  readonly #lines: LineCounter;

  constructor(language: string, text: string) {
    this.language = language;
    this.text = text;
    this.#lines = new LineCounter(text);
  }

  get atEnd(): boolean {
    return this.offset >= this.text.length;
  }

  /** The next UTF-16 code unit, "" at the end. */
  peek(): string {
    return this.text.charAt(this.offset);
  }

  /** Moves past `expected` if it comes next, and says whether it did. */
  skip(expected: string): boolean {
    if (!this.text.startsWith(expected, this.offset)) return false;
    this.offset += expected.length;
    return true;
  }

  /** Moves past spaces, tabs and line breaks. */
  skipBlanks(): void {
    while (isBlank(this.text.charCodeAt(this.offset))) this.offset += 1;
  }

  /** Moves past what a sticky pattern matches here and returns it, "" where it matches nothing. */
  take(pattern: RegExp): string {
    const start = this.offset;
    pattern.lastIndex = start;
    if (!pattern.test(this.text)) return "";
    this.offset = pattern.lastIndex;
    return this.text.slice(start, this.offset);
  }

  /**
   * As `take`, again and again. For runs of any length of a class of Unicode characters: V8 keeps a place to go back to
   * for each of them, and millions in one match would exhaust its stack, so the pattern bounds its own repetition.
   */
  takeRun(pattern: RegExp): string {
    const start = this.offset;
    while (this.take(pattern) !== "");
    return this.text.slice(start, this.offset);
  }

  position(offset = this.offset): Position {
    return this.#lines.at(offset);
  }

  /** An error to throw, about what stands at `offset` unless `found` words it better. */
  error(expected: string, { offset = this.offset, found = this.#foundAt(offset) } = {}): LanguageError {
    return new LanguageError({ language: this.language, position: this.position(offset), found, expected });
  }

  #foundAt(offset: number): string {
    const code = this.text.codePointAt(offset);
    if (code === undefined) return "the end of the text";
    return code === 0x0a ? "the end of the line" : shown(String.fromCodePoint(code));
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
