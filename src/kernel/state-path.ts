import { Table } from "./table.ts";

/** One step down: a member of an object, an index of a list, or a key of a table. */
export type PathStep =
  | { readonly kind: "member"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "key"; readonly key: string };

/** Names that stand behind a dot; all others stand in brackets. */
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/**
 * A path as a person writes it: members behind dots, keys of tables and odd names in brackets.
 *
 * @example
 * 'secrets.east.replicated.mounts["ldap/"].library.accounts["svc-a"].status'
 */
export function pathText(steps: readonly PathStep[]): string {
  let text = "";
  for (const step of steps) {
    if (step.kind === "index") text += `[${step.index}]`;
    else if (step.kind === "member" && PLAIN_NAME.test(step.name)) text += text === "" ? step.name : `.${step.name}`;
    else text += `[${JSON.stringify(step.kind === "member" ? step.name : step.key)}]`;
  }
  return text;
}

/**
 * Reads a path: the names and keys on the way down, whatever they turn out to be in the state.
 *
 * @throws TypeError that says what was expected at which column
 */
export function parsePath(text: string): readonly string[] {
  if (typeof text !== "string") throw new TypeError(`a path is a text, and this is ${typeof text}`);
  const names: string[] = [];
  const pattern = /(?:^|(?!^)\.)([A-Za-z_$][\w$-]*)|\[(?:(\d+)|("(?:[^"\\]|\\.)*"))\]/y;
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex;
    const match = pattern.exec(text);
    const [, name, index, quoted] = match ?? [];
    const read = name ?? index ?? (quoted === undefined ? undefined : unquoted(quoted));
    if (read === undefined) {
      throw new TypeError(`${JSON.stringify(text)} is no path: expected .name, ["key"] or [index] at column ${at + 1}`);
    }
    names.push(read);
  }
  return names;
}

function unquoted(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

/** What stands at a path, and the object that holds it; undefined where the way ends early. */
export function valueAt(
  state: unknown,
  names: readonly string[],
): { readonly value: unknown; readonly holder: unknown } {
  let value: unknown = state;
  let holder: unknown;
  for (const name of names) {
    holder = value;
    value = childOf(value, name);
  }
  return { value, holder };
}

function childOf(value: unknown, name: string): unknown {
  if (value instanceof Table) return value.get(name) as unknown;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
