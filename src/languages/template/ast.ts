import type { ByteString } from "./byte-string.ts";
import type { Value } from "./value.ts";

/** A parsed template: what it and the templates that it defines consist of. */
export interface Template {
  readonly trees: ReadonlyMap<string, readonly Node[]>;
}

export type Node = TextNode | ActionNode | BranchNode | RangeNode | CallNode | JumpNode;

export interface TextNode {
  readonly kind: "text";
  readonly text: ByteString;
}

/** `{{...}}`: prints what the pipeline gives, unless it declares or assigns a variable. */
export interface ActionNode {
  readonly kind: "action";
  readonly pipeline: Pipeline;
}

/** `if` and `with`. */
export interface BranchNode {
  readonly kind: "if" | "with";
  readonly pipeline: Pipeline;
  readonly body: readonly Node[];
  readonly otherwise: readonly Node[] | undefined;
}

export interface RangeNode {
  readonly kind: "range";
  readonly pipeline: Pipeline;
  readonly body: readonly Node[];
  readonly otherwise: readonly Node[] | undefined;
}

/** `{{template "name" pipeline}}`; without a pipeline the template is given nil. */
export interface CallNode {
  readonly kind: "template";
  readonly name: string;
  readonly pipeline: Pipeline | undefined;
}

export interface JumpNode {
  readonly kind: "break" | "continue";
}

export interface Pipeline {
  readonly kind: "pipeline";
  readonly variables: readonly string[];
  /** Whether the variables were declared before: `=`, not `:=`. */
  readonly assigns: boolean;
  readonly commands: readonly Command[];
}

/** An operand with its arguments: `printf "%d" 5`. There is at least one. */
export type Command = readonly Operand[];

export type Operand =
  | ConstantOperand
  | { readonly kind: "nil" }
  | { readonly kind: "dot" }
  | { readonly kind: "field"; readonly names: readonly string[] }
  | { readonly kind: "variable"; readonly name: string; readonly names: readonly string[] }
  | { readonly kind: "function"; readonly name: string }
  | { readonly kind: "chain"; readonly of: Pipeline; readonly names: readonly string[] }
  | Pipeline;

/** A literal. A number that is whole may stand where an integer is asked for, however it is written (`1e3`). */
export interface ConstantOperand {
  readonly kind: "constant";
  /** Undefined for an integer that no value can hold. */
  readonly value: Value | undefined;
  readonly integer?: bigint;
}
