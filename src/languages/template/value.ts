import { type ByteString, encodeText } from "./byte-string.ts";
import { TemplateError } from "./template-error.ts";

/** What a template is given, by the names that it calls them. A number is a whole one, of type int64. */
export type TemplateFields = Readonly<Record<string, string | number>>;

/** A value while a template is rendered. Its type is what `%T` prints and what a function's argument is checked by. */
export type Value = TextValue | IntegerValue | FloatValue | BooleanValue | NilValue | FieldsValue;

export interface TextValue {
  readonly type: "string";
  readonly text: ByteString;
}

/** `uint8` is what the index of a text gives, `int64` a field that is a number, `int` all other integers. */
export interface IntegerValue {
  readonly type: "int" | "int64" | "uint8";
  readonly integer: bigint;
}

export interface FloatValue {
  readonly type: "float64";
  readonly float: number;
}

export interface BooleanValue {
  readonly type: "bool";
  readonly truth: boolean;
}

export interface NilValue {
  readonly type: "nil";
}

/** All fields together: what a lone dot stands for outside `with` and `range`. */
export interface FieldsValue {
  readonly type: "fields";
  readonly fields: ReadonlyMap<string, Value>;
}

export const NIL: NilValue = Object.freeze({ type: "nil" });

export const textValue = (text: ByteString): TextValue => ({ type: "string", text });

export const booleanValue = (truth: boolean): BooleanValue => ({ type: "bool", truth });

export const intValue = (integer: bigint): IntegerValue => ({ type: "int", integer });

/** Only own members are fields: a template cannot reach what every JavaScript object inherits. */
export function fieldsValue(fields: TemplateFields): FieldsValue {
  const values = new Map<string, Value>();
  for (const [name, field] of Object.entries(fields)) {
    values.set(
      name,
      typeof field === "string"
        ? textValue(encodeText(field))
        : { type: "int64", integer: BigInt.asIntN(64, BigInt(Math.trunc(field))) },
    );
  }
  return { type: "fields", fields: values };
}

export function isInteger(value: Value): value is IntegerValue {
  return value.type === "int" || value.type === "int64" || value.type === "uint8";
}

/** Empty texts, zeros, false and nil are false, everything else is true. */
export function isTrue(value: Value): boolean {
  switch (value.type) {
    case "string":
      return value.text !== "";
    case "float64":
      return value.float !== 0;
    case "bool":
      return value.truth;
    case "nil":
      return false;
    case "fields":
      return true;
    default:
      return value.integer !== 0n;
  }
}

/**
 * The field of a value. Only the fields themselves have some; of nothing, which a template is given that is called without an argument, each
 * is nothing as well.
 */
export function fieldOf(value: Value, name: string): Value {
  if (value.type === "nil") return NIL;
  const field = value.type === "fields" ? value.fields.get(name) : undefined;
  if (field === undefined) throw new TemplateError(`can't evaluate field ${name} in type ${value.type}`);
  return field;
}
