import { Cursor } from "../cursor.ts";
import { LanguageError } from "../language-error.ts";
import type { Body, Item, Value } from "./ast.ts";
import { describe, nextToken, type Token } from "./lexer.ts";
import { Limits } from "./limits.ts";

/**
 * Parses a document in block syntax: what HCL1 takes, in which path policies, password policies and scheduler rules
 * are written.
 *
 * ```
 * document  = item { [","] item }
 * item      = key { label } "{" document "}"  |  key "=" value
 * value     = text | heredoc | number | "true" | "false" | "{" document "}" | "[" list "]"
 * ```
 *
 * Keys and labels are bare or quoted. Line breaks mean nothing, items need nothing between them, and a list takes
 * stray commas. Comments begin with `#` or `//`, or stand between slash-star and star-slash.
 *
 * Accepted by HCL1 through gaps in its parser, and refused here: a key and `=` at the very end of a document, an `=`
 * before a doubled closing brace, lists in a list without commas between them, a number that runs into a word.
 *
 * Source: decisions-secrets-core.md D.1 and D.6; decisions-scheduler-acl.md section 8.
 *
 * @throws LanguageError with line and column of the first mistake, also for documents beyond the bounds of `limits.ts`
 * @example
 * parseBlocks('path "a/*" { capabilities = ["read"] }')
 * // [{ type: "block", key: "path", labels: ["a/*"], line: 1, column: 1, body: [
 * //   { type: "attribute", key: "capabilities", line: 1, column: 14, value: { type: "list", items: [...] } }] }]
 */
export function parseBlocks(text: string): Body {
  const cursor = new Cursor("block syntax", text.replaceAll("\r\n", "\n"));
  return new BlockParser(cursor).document();
}

class BlockParser {
  readonly #cursor: Cursor;
  readonly #limits: Limits;
  #token: Token;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
    this.#limits = new Limits(cursor);
    this.#token = nextToken(cursor);
  }

  document(): Body {
    return this.#items("end");
  }

  #items(closing: "}" | "end"): Body {
    const items: Item[] = [];
    while (!this.#is(closing)) {
      items.push(this.#item(closing));
      this.#accept(",");
    }
    return items;
  }

  #item(closing: "}" | "end"): Item {
    const { line, column } = this.#token;
    const key = this.#name();
    if (key === undefined) throw this.#unexpected(closing === "}" ? 'a key or "}"' : "a key");
    const labels: string[] = [];
    for (let label = this.#name(); label !== undefined; label = this.#name()) labels.push(label);

    if (this.#is("{")) return { type: "block", key, labels, body: this.#braced(), line, column };
    if (labels.length > 0) throw this.#unexpected('"{" or a label');
    if (!this.#accept("=")) throw this.#unexpected('"=", "{" or a label');
    if (this.#is("{")) return { type: "block", key, labels, body: this.#braced(), line, column };
    return { type: "attribute", key, value: this.#value(), line, column };
  }

  /** The key or label that comes next, bare or quoted; a heredoc is none. */
  #name(): string | undefined {
    const token = this.#token;
    if (token.kind !== "word" && token.kind !== "text") return undefined;
    this.#limits.countPart(token);
    this.#advance();
    return token.value;
  }

  #value(): Value {
    const token = this.#token;
    const { line, column } = token;
    this.#limits.countPart(token);
    switch (token.kind) {
      case "text":
      case "heredoc":
        this.#advance();
        return { type: "string", value: token.value, line, column };
      case "number":
        this.#advance();
        return { type: "number", value: token.value, text: token.text, line, column };
      case "boolean":
        this.#advance();
        return { type: "boolean", value: token.value, line, column };
      case "[":
        return { type: "list", items: this.#bracketed(), line, column };
      case "{":
        return { type: "object", body: this.#braced(), line, column };
      default:
        throw this.#unexpected("a value");
    }
  }

  #braced(): Body {
    return this.#limits.nested(this.#token, () => {
      this.#advance();
      const body = this.#items("}");
      this.#advance();
      return body;
    });
  }

  #bracketed(): readonly Value[] {
    return this.#limits.nested(this.#token, () => {
      this.#advance();
      const values: Value[] = [];
      this.#acceptCommas();
      while (!this.#accept("]")) {
        values.push(this.#value());
        if (!this.#is(",") && !this.#is("]")) throw this.#unexpected('"," or "]"');
        this.#acceptCommas();
      }
      return values;
    });
  }

  #acceptCommas(): void {
    while (this.#accept(","));
  }

  #is(kind: Token["kind"]): boolean {
    return this.#token.kind === kind;
  }

  #accept(kind: Token["kind"]): boolean {
    const isNext = this.#is(kind);
    if (isNext) this.#advance();
    return isNext;
  }

  #advance(): void {
    this.#token = nextToken(this.#cursor);
  }

  #unexpected(expected: string): LanguageError {
    const { language } = this.#cursor;
    return new LanguageError({ language, position: this.#token, found: describe(this.#token), expected });
  }
}
