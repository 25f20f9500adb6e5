import { TemplateError } from "./template-error.ts";
import { isInteger, type Value } from "./value.ts";

/** Whether the first equals any of the others. Integers compare whatever their types; nil equals nil only. */
export function compareEqual([first, ...others]: readonly Value[]): boolean {
  if (first === undefined || others.length === 0) throw new TemplateError("missing argument for comparison");
  return others.some((other) => isEqual(first, other));
}

/** Whether the first comes before the second: numbers by size, texts by their bytes. */
export function compareLess(left: Value, right: Value): boolean {
  if (isInteger(left) && isInteger(right)) return left.integer < right.integer;
  if (left.type === "float64" && right.type === "float64") return left.float < right.float;
  if (left.type === "string" && right.type === "string") return left.text < right.text;
  throw new TemplateError(`invalid types for comparison: ${left.type} and ${right.type}`);
}

function isEqual(left: Value, right: Value): boolean {
  if (isInteger(left) && isInteger(right)) return left.integer === right.integer;
  if (left.type === "nil" || right.type === "nil") return left.type === right.type;
  if (left.type === "float64" && right.type === "float64") return left.float === right.float;
  if (left.type === "string" && right.type === "string") return left.text === right.text;
  if (left.type === "bool" && right.type === "bool") return left.truth === right.truth;
  if (left.type === "fields" && right.type === "fields") return left === right;
  throw new TemplateError(`incompatible types for comparison: ${left.type} and ${right.type}`);
}
