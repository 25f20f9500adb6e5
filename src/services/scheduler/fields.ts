import { setOwn } from "../../kernel/plain.ts";
import { shown } from "../../languages/shown.ts";

/** What a field of a body holds. */
export type FieldKind = "text" | "texts" | "flag";

/** The fields of a body by the contract's spelling; absent ones and those that were null are left out. */
export type Fields = { readonly [name: string]: string | boolean | readonly string[] };

/** The fields that an operation knows. */
export type FieldKinds = { readonly [name: string]: FieldKind };

export type FieldsRead =
  | { readonly ok: true; readonly fields: Fields }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads the known fields of a body. Their names are matched in any case, of several spellings the last counts, and unknown fields
 * are ignored (decisions-scheduler-acl.md, section 1). A null in a list is an empty text, as the real service's reader has it.
 */
export function readFields(kinds: FieldKinds, body: object): FieldsRead {
  const spellings = new Map(Object.keys(kinds).map((name) => [name.toLowerCase(), name]));
  const fields: Record<string, string | boolean | readonly string[]> = {};
  for (const [given, value] of Object.entries(body) as [string, unknown][]) {
    const name = spellings.get(given.toLowerCase());
    if (name === undefined) continue;
    // A null leaves a field as it is.
    if (value === null || value === undefined) continue;
    const read = fieldOf(kinds[name] as FieldKind, value);
    if (read === undefined)
      return { ok: false, reason: `${name} is ${shown(value)}, and has to be ${WORDS[kinds[name] as FieldKind]}` };
    setOwn(fields, name, read);
  }
  return { ok: true, fields };
}

const WORDS: Readonly<Record<FieldKind, string>> = {
  text: "a string",
  texts: "an array of strings",
  flag: "true or false",
};

function fieldOf(kind: FieldKind, value: unknown): string | boolean | readonly string[] | undefined {
  switch (kind) {
    case "text":
      return typeof value === "string" ? wellFormed(value) : undefined;
    case "flag":
      return typeof value === "boolean" ? value : undefined;
    case "texts":
      if (!Array.isArray(value) || !value.every((item) => item === null || typeof item === "string")) return undefined;
      return value.map((item: string | null) => wellFormed(item ?? ""));
    default:
      return kind satisfies never;
  }
}

/** Half of a surrogate pair is no character: it would be another text once it was written as bytes. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** A field that is a text. */
export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}

/** A field that is a list; an empty one when it was left out. */
export function textsIn(fields: Fields, name: string): readonly string[] {
  const value = fields[name];
  return typeof value === "object" ? value : [];
}

/** A field that is true or false. */
export function flagIn(fields: Fields, name: string): boolean | undefined {
  const value = fields[name];
  return typeof value === "boolean" ? value : undefined;
}

/** How many bytes a text has as UTF-8: what limits are counted in. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
