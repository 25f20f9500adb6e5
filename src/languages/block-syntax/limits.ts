import type { Cursor } from "../cursor.ts";
import { LanguageError, type Position } from "../language-error.ts";

/** The size of the largest request, and so of the largest document (decisions-secrets-core.md A.2, 413). */
const LONGEST_DOCUMENT = 33_554_432;

/**
 * Our choice: how deep braces and brackets may nest. Real documents need five levels; the parsers call themselves for
 * each level, so this also keeps a million brackets from exhausting the stack.
 */
const DEEPEST_NESTING = 64;

/**
 * Our choice: how many keys, labels and values a document may have. It bounds the memory of a parsed document, which
 * takes some hundred bytes for each of them, and leaves room for more than 100,000 paths in a policy.
 */
const MOST_PARTS = 1_000_000;

/** Keeps one parse within bounds; each method throws a `LanguageError` when its bound is passed. */
export class Limits {
  readonly #cursor: Cursor;
  #depth = 0;
  #parts = 0;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
    const { length } = cursor.text;
    if (length > LONGEST_DOCUMENT) {
      throw cursor.error(`at most ${LONGEST_DOCUMENT}`, { found: `a text of ${length} characters` });
    }
    // HCL1 takes NUL for the end of the text and complains; wherever it stands, it is no character of a document.
    const nul = cursor.text.indexOf("\0");
    if (nul >= 0) throw cursor.error("a text without it", { offset: nul });
  }

  /** Counts a key, a label or a value, which begins at `position`. */
  countPart(position: Position): void {
    this.#parts += 1;
    if (this.#parts <= MOST_PARTS) return;
    throw this.#exceeded(position, "one more", `at most ${MOST_PARTS} keys, labels and values`);
  }

  /** Reads what is one level deeper, behind the bracket at `position`. */
  nested<T>(position: Position, read: () => T): T {
    this.#depth += 1;
    if (this.#depth > DEEPEST_NESTING) {
      throw this.#exceeded(position, `level ${this.#depth} of nesting`, `at most ${DEEPEST_NESTING}`);
    }
    const result = read();
    this.#depth -= 1;
    return result;
  }

  #exceeded(position: Position, found: string, expected: string): LanguageError {
    return new LanguageError({ language: this.#cursor.language, position, found, expected });
  }
}
