import type { Cursor } from "../cursor.ts";

/** The smallest part of a template, with the place of its first character. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly offset: number;
}

export type TokenKind =
  | "text"
  | "{{"
  | "}}"
  | "space"
  | "assign"
  | "declare"
  | "pipe"
  | "("
  | ")"
  | "mark"
  | "string"
  | "raw"
  | "char"
  | "number"
  | "variable"
  | "field"
  | "dot"
  | "bool"
  | "nil"
  | "word"
  | "keyword"
  | "end";

const KEYWORDS: ReadonlySet<string> = new Set([
  "block",
  "break",
  "continue",
  "define",
  "else",
  "end",
  "if",
  "range",
  "template",
  "with",
]);

/** Cuts a template into tokens, one at a time: first its text up to an action, then what stands in the action. */
export class Lexer {
  readonly #cursor: Cursor;
  #insideAction = false;
  #openParentheses = 0;
  /** Where a trim marker cut the text behind it. */
  #trimsNext = false;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  next(): Token {
    for (;;) {
      const token = this.#insideAction ? this.#nextInside() : this.#nextText();
      if (token !== undefined) return token;
    }
  }

  /** Text up to the next action, its opening, or nothing where a comment or a trimmed text was. */
  #nextText(): Token | undefined {
    const cursor = this.#cursor;
    if (this.#trimsNext) {
      this.#trimsNext = false;
      cursor.skipBlanks();
    }
    const start = cursor.offset;
    const open = cursor.text.indexOf("{{", start);
    const end = open < 0 ? cursor.text.length : open;
    const trims = open >= 0 && /^-[ \t\r\n]/.test(cursor.text.slice(open + 2, open + 4));
    if (end > start) {
      cursor.offset = end;
      const text = cursor.text.slice(start, end);
      const kept = trims ? trimmedRight(text) : text;
      return kept === "" ? undefined : { kind: "text", text: kept, offset: start };
    }
    if (open < 0) return { kind: "end", text: "", offset: start };
    const inside = open + 2 + (trims ? 2 : 0);
    cursor.offset = inside;
    if (cursor.text.startsWith("/*", inside)) {
      this.#skipComment();
      return undefined;
    }
    this.#insideAction = true;
    this.#openParentheses = 0;
    return { kind: "{{", text: "{{", offset: open };
  }

  #skipComment(): void {
    const cursor = this.#cursor;
    const end = cursor.text.indexOf("*/", cursor.offset + 2);
    if (end < 0) throw cursor.error('"*/" to end it', { found: "a comment that goes on to the end" });
    cursor.offset = end + 2;
    if (!this.#skipClosing()) throw cursor.error('"}}" right behind the comment');
  }

  /** Moves past `}}` or a space, `-}}`, and says whether it stood here. */
  #skipClosing(): boolean {
    const cursor = this.#cursor;
    if (cursor.take(/[ \t\r\n]-\}\}/y) !== "") {
      this.#trimsNext = true;
      return true;
    }
    return cursor.skip("}}");
  }

  #nextInside(): Token {
    const cursor = this.#cursor;
    const offset = cursor.offset;
    const token = (kind: TokenKind): Token => ({ kind, text: cursor.text.slice(offset, cursor.offset), offset });
    if (this.#skipClosing()) {
      if (this.#openParentheses > 0) throw cursor.error('")"', { offset, found: "the end of the action" });
      this.#insideAction = false;
      return token("}}");
    }
    if (cursor.atEnd) throw cursor.error('"}}" to end the action');
    if (this.#skipSpaces()) return token("space");
    if (cursor.skip("=")) return token("assign");
    if (cursor.skip(":=")) return token("declare");
    if (cursor.skip("|")) return token("pipe");
    const character = cursor.peek();
    if (character === '"') return this.#quoted('"', "string", token);
    if (character === "'") return this.#quoted("'", "char", token);
    if (character === "`") return this.#raw(token);
    if (cursor.skip("$")) return this.#name("variable", "variable", token);
    if (character === "." && !isDigit(cursor.text.charAt(offset + 1))) {
      cursor.skip(".");
      return this.#name("field", "dot", token);
    }
    if (/[.+\-\d]/.test(character)) return this.#number(token);
    if (isWordCharacter(cursor)) return this.#word(token);
    return this.#mark(character, token);
  }

  /** A run of white space, but not the space of a closing `-}}`. */
  #skipSpaces(): boolean {
    const cursor = this.#cursor;
    const start = cursor.offset;
    cursor.skipBlanks();
    if (cursor.offset > start && cursor.text.startsWith("-}}", cursor.offset)) cursor.offset -= 1;
    return cursor.offset > start;
  }

  #quoted(quote: '"' | "'", kind: TokenKind, token: (kind: TokenKind) => Token): Token {
    const cursor = this.#cursor;
    const opening = cursor.offset;
    cursor.skip(quote);
    while (!cursor.skip(quote)) {
      const plain = cursor.take(quote === '"' ? /[^"\\\n]+/y : /[^'\\\n]+/y);
      if (plain === "" && cursor.take(/\\[^\n]/y) === "") {
        throw cursor.error("a closing quote", { offset: opening, found: "no end of a literal" });
      }
    }
    return token(kind);
  }

  #raw(token: (kind: TokenKind) => Token): Token {
    const cursor = this.#cursor;
    const end = cursor.text.indexOf("`", cursor.offset + 1);
    if (end < 0) throw cursor.error("a closing backquote", { found: "no end of a literal" });
    cursor.offset = end + 1;
    return token("raw");
  }

  #name(kind: TokenKind, bare: TokenKind, token: (kind: TokenKind) => Token): Token {
    if (this.#atTerminator()) return token(bare);
    this.#cursor.takeRun(/[\p{L}\p{Nd}_]{1,1024}/uy);
    this.#expectTerminator();
    return token(kind);
  }

  #number(token: (kind: TokenKind) => Token): Token {
    const cursor = this.#cursor;
    cursor.take(
      /[+-]?(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]*)?)/y,
    );
    if (isWordCharacter(cursor) || /[+-]/.test(cursor.peek())) throw cursor.error("a number to end here");
    return token("number");
  }

  #word(token: (kind: TokenKind) => Token): Token {
    const word = this.#cursor.takeRun(/[\p{L}\p{Nd}_]{1,1024}/uy);
    this.#expectTerminator();
    if (KEYWORDS.has(word)) return token("keyword");
    if (word === "nil") return token("nil");
    return token(word === "true" || word === "false" ? "bool" : "word");
  }

  #mark(character: string, token: (kind: TokenKind) => Token): Token {
    const cursor = this.#cursor;
    if (character === "(") this.#openParentheses += 1;
    if (character === ")") this.#openParentheses -= 1;
    if (this.#openParentheses < 0) throw cursor.error("no closing parenthesis");
    if (!/[!-~]/.test(character) || character === ":")
      throw cursor.error("an operand, a pipe or the end of the action");
    cursor.skip(character);
    return token(character === "(" || character === ")" ? character : "mark");
  }

  #atTerminator(): boolean {
    const cursor = this.#cursor;
    return cursor.atEnd || /[ \t\r\n.,|:()]/.test(cursor.peek()) || cursor.text.startsWith("}}", cursor.offset);
  }

  #expectTerminator(): void {
    if (!this.#atTerminator()) throw this.#cursor.error("a space or the end of the action behind a name");
  }
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

function isWordCharacter(cursor: Cursor): boolean {
  const pattern = /[\p{L}\p{Nd}_]/uy;
  pattern.lastIndex = cursor.offset;
  return pattern.test(cursor.text);
}

function trimmedRight(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
