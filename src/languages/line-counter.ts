import type { Position } from "./language-error.ts";

/**
 * Turns offsets of one text into lines and columns.
 *
 * Offsets asked in rising order cost time linear in the text, all together; a step back starts over, which only
 * messages about something unclosed do.
 */
export class LineCounter {
  readonly #text: string;
  #line = 1;
  #lineStart = 0;
  #lineEnd: number;

  constructor(text: string) {
    this.#text = text;
    this.#lineEnd = this.#endOfLineFrom(0);
  }

  /** The position of an offset; a line break is the last character of its own line. */
  at(offset: number): Position {
    if (offset < this.#lineStart) this.#startLine(1, 0);
    while (offset > this.#lineEnd) this.#startLine(this.#line + 1, this.#lineEnd + 1);
    return { line: this.#line, column: offset - this.#lineStart + 1 };
  }

  #startLine(line: number, start: number): void {
    this.#line = line;
    this.#lineStart = start;
    this.#lineEnd = this.#endOfLineFrom(start);
  }

  #endOfLineFrom(start: number): number {
    const lineBreak = this.#text.indexOf("\n", start);
    return lineBreak < 0 ? Number.POSITIVE_INFINITY : lineBreak;
  }
}
