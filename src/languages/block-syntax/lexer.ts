import type { Cursor } from "../cursor.ts";
import type { Position } from "../language-error.ts";
import { shown } from "../shown.ts";
import { readHeredoc } from "./heredoc.ts";
import { numberOf } from "./number-literal.ts";
import { readQuotedText } from "./string-literal.ts";

/** The smallest part of a block syntax document, with the position of its first character. */
export type Token = NameToken | HeredocToken | NumberToken | BooleanToken | Mark;

/** A bare word or a quoted text: what keys and labels are made of. */
interface NameToken extends Position {
  readonly kind: "word" | "text";
  readonly value: string;
}

interface HeredocToken extends Position {
  readonly kind: "heredoc";
  readonly value: string;
}

interface NumberToken extends Position {
  readonly kind: "number";
  readonly value: number;
  readonly text: string;
}

interface BooleanToken extends Position {
  readonly kind: "boolean";
  readonly value: boolean;
}

interface Mark extends Position {
  readonly kind: Punctuation | "end";
}

type Punctuation = "{" | "}" | "[" | "]" | "," | "=";

/** Reads the next token; spaces, line breaks and comments between tokens mean nothing, as in HCL1. */
export function nextToken(cursor: Cursor): Token {
  skipBlanksAndComments(cursor);
  const { line, column } = cursor.position();
  if (cursor.atEnd) return { kind: "end", line, column };
  const character = cursor.peek();
  if (isPunctuation(character)) {
    cursor.skip(character);
    return { kind: character, line, column };
  }
  if (character === '"') return { kind: "text", value: readQuotedText(cursor), line, column };
  if (character === "<") return { kind: "heredoc", value: readHeredoc(cursor), line, column };
  return readNumber(cursor, line, column) ?? readWord(cursor, line, column);
}

/** How a message names a token. */
export function describe(token: Token): string {
  switch (token.kind) {
    case "word":
    case "text":
      return shown(token.value);
    case "heredoc":
      return "a heredoc";
    case "number":
      return `the number ${token.text}`;
    case "boolean":
      return String(token.value);
    case "end":
      return "the end of the text";
    default:
      return shown(token.kind);
  }
}

function isPunctuation(character: string): character is Punctuation {
  return "{}[],=".includes(character);
}

function readNumber(cursor: Cursor, line: number, column: number): NumberToken | undefined {
  const start = cursor.offset;
  const text = cursor.take(/-?(?:0[xX][\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)|\.\d+(?:[eE][+-]?\d+)?/y);
  if (text === "") return undefined;
  const isIllegalOctal = /^-?0\d+$/.test(text) && /[89]/.test(text);
  const rest = cursor.take(/[\p{L}\p{Nd}_]{1,20}/uy);
  if (isIllegalOctal || rest !== "") throw cursor.error("a number", { offset: start, found: shown(text + rest) });
  return { kind: "number", value: numberOf(text), text, line, column };
}

function readWord(cursor: Cursor, line: number, column: number): NameToken | BooleanToken {
  const initial = cursor.take(/[\p{L}_]/uy);
  if (initial === "") throw cursor.error("a key, a value or punctuation");
  const word = initial + cursor.takeRun(/[\p{L}\p{Nd}_.-]{1,1024}/uy);
  const isBoolean = word === "true" || word === "false";
  return isBoolean
    ? { kind: "boolean", value: word === "true", line, column }
    : { kind: "word", value: word, line, column };
}

function skipBlanksAndComments(cursor: Cursor): void {
  for (;;) {
    cursor.skipBlanks();
    if (cursor.peek() !== "#" && cursor.peek() !== "/") return;
    if (cursor.skip("/*")) skipBlockComment(cursor);
    else if (cursor.skip("#") || cursor.skip("//")) cursor.take(/[^\n]*/y);
    else return;
  }
}

function skipBlockComment(cursor: Cursor): void {
  const end = cursor.text.indexOf("*/", cursor.offset);
  if (end < 0) {
    const found = "a comment that goes on to the end of the text";
    throw cursor.error('"*/" to end it', { offset: cursor.offset - "/*".length, found });
  }
  cursor.offset = end + "*/".length;
}
