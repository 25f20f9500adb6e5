import type { Position } from "../language-error.ts";

/**
 * A document, or the inside of a block: its items in the order of the text. Nothing is merged and no key is known
 * here, so repeated keys stay visible and `__proto__` is a key like any other.
 */
export type Body = readonly Item[];

export type Item = Block | Attribute;

/**
 * `path "a/*" { ... }`, key and labels and body; `agent { ... }` and `agent = { ... }` are blocks without labels.
 *
 * The position is that of the key; in a JSON document, that of the label where there is one.
 */
export interface Block extends Position {
  readonly type: "block";
  readonly key: string;
  readonly labels: readonly string[];
  readonly body: Body;
}

/** `capabilities = ["read"]`: a key and a value that is no object. */
export interface Attribute extends Position {
  readonly type: "attribute";
  readonly key: string;
  readonly value: Value;
}

export type Value = StringValue | NumberValue | BooleanValue | ListValue | ObjectValue;

/** A quoted text, a heredoc, or the `null` of a JSON document, which HCL1 reads as "". */
export interface StringValue extends Position {
  readonly type: "string";
  readonly value: string;
}

/**
 * `value` is the number as JavaScript has it (infinite where that is too small), `text` its spelling, for readers who
 * want it as text (`policy = 7` is the text "7" to HCL1), or who tell `20` from `20.0`.
 */
export interface NumberValue extends Position {
  readonly type: "number";
  readonly value: number;
  readonly text: string;
}

export interface BooleanValue extends Position {
  readonly type: "boolean";
  readonly value: boolean;
}

export interface ListValue extends Position {
  readonly type: "list";
  readonly items: readonly Value[];
}

/** An object inside a list. */
export interface ObjectValue extends Position {
  readonly type: "object";
  readonly body: Body;
}
