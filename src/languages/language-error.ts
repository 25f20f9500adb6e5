/** A place in a text. Lines and columns count from 1; a column is one UTF-16 code unit, as in most editors. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * What every parser of this folder throws for a text that it cannot read, and the only thing it throws.
 *
 * The first mistake wins. `language` says which grammar was at work; the message says what was found where, and what
 * was expected there.
 *
 * @example
 * try { parseBlocks('path "a" [') } catch (error) { error.message }
 * // 'block syntax, line 1, column 10: found "[", expected "{" or a label'
 */
export class LanguageError extends Error {
  override readonly name = "LanguageError";
  readonly language: string;
  readonly line: number;
  readonly column: number;

  constructor(mistake: { language: string; position: Position; found: string; expected: string }) {
    const { language, position, found, expected } = mistake;
    super(`${language}, line ${position.line}, column ${position.column}: found ${found}, expected ${expected}`);
    this.language = language;
    this.line = position.line;
    this.column = position.column;
  }
}
