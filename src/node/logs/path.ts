import { parsePath, pathText, valueAt } from "../../kernel/state-path.ts";
import { Table } from "../../kernel/table.ts";
import { nearestNames } from "../../languages/nearest.ts";
import { type CommandError, usageError } from "../exit.ts";

/** A path in the state, as somebody types it. @throws CommandError for text that is no path */
export function pathIn(text: string): readonly string[] {
  try {
    return parsePath(text);
  } catch (error) {
    if (error instanceof TypeError) throw usageError(error.message);
    throw error;
  }
}

/** So many names are told of an object that has many. */
const NAMES_TOLD = 12;

/** Says that nothing ever stood at a path: how far it leads, and what there is from there on. */
export function nothingAt(state: unknown, path: string, names: readonly string[]): CommandError {
  let depth = 0;
  while (depth < names.length && valueAt(state, names.slice(0, depth + 1)).value !== undefined) depth += 1;
  const known = names.slice(0, depth);
  const { value } = valueAt(state, known);
  const children = childrenOf(value);
  const near = nearestNames(names[depth] ?? "", children);
  const told = near.length > 0 ? near : children.slice(0, NAMES_TOLD);
  const more = children.length > told.length ? ["..."] : [];
  const where = depth === 0 ? "at the top" : `at ${pathText(known.map(stepOf))}`;
  const next = told.length === 0 ? [`${where} the path ends`] : [`${where} there is ${[...told, ...more].join(", ")}`];
  return usageError(`nothing stands at ${path}, and nothing ever did`, ...next);
}

function stepOf(name: string): { readonly kind: "member"; readonly name: string } {
  return { kind: "member", name };
}

function childrenOf(value: unknown): string[] {
  if (value instanceof Table) return [...value.keys()];
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}
