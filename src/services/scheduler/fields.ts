import { parseGoDuration } from "../../languages/go-duration.ts";
import { isInstantText, ZERO_TIME } from "../../languages/instant.ts";
import { setOwn } from "../../languages/objects.ts";
import { shown } from "../../languages/shown.ts";
import type { FieldReader } from "../kit/operation.ts";

/** A field of a body: what it holds. `I` is what typed calls take for it. */
export interface SchedulerField<I = unknown, O = unknown> extends FieldReader<I, O> {
  readonly kind: "text" | "texts" | "flag" | "count" | "duration" | "instant" | "links";
}

export const text: SchedulerField<string, string> = { kind: "text" };
export const texts: SchedulerField<readonly string[], readonly string[]> = { kind: "texts" };
export const flag: SchedulerField<boolean, boolean> = { kind: "flag" };
export const count: SchedulerField<number, number> = { kind: "count" };
/** A text with units, or a number of nanoseconds; read as a text. */
export const duration: SchedulerField<string | number, string> = { kind: "duration" };
/** A text as RFC 3339 has it. */
export const instant: SchedulerField<string, string> = { kind: "instant" };

/** Names something by its id or by its name. */
export interface Link {
  readonly ID?: string;
  readonly Name?: string;
}

export const links: SchedulerField<readonly Link[], readonly Link[]> = { kind: "links" };

type Known = { readonly [name: string]: SchedulerField };

/** A text of which typed calls know the choices; the wire may send any. */
export function choice<T extends string>(): SchedulerField<T, string> {
  return { kind: "text" };
}

/** A field that typed calls have to give. */
export function needed<I, O>(field: SchedulerField<I, O>): SchedulerField<I, O> & { readonly needed: true } {
  return { ...field, needed: true };
}

/** The fields of a body by the contract's spelling; absent ones and those that were null are left out. */
type Values = { readonly [name: string]: string | boolean | number | readonly string[] | readonly Link[] };

export type FieldsRead =
  | { readonly ok: true; readonly fields: Values }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads the known fields of a body. Their names are matched in any case, of several spellings the last counts, and unknown fields
 * are ignored (decisions-scheduler-acl.md, section 1). A null in a list is an empty text, as the real service's reader has it.
 *
 * @param made what the server makes: its value is ignored, its type is not (amendments.md, N7)
 */
export function readFields(known: Known, body: object, made: Known = {}): FieldsRead {
  const all = { ...known, ...made };
  const spellings = new Map(Object.keys(all).map((name) => [name.toLowerCase(), name]));
  const fields: Record<string, Values[string]> = {};
  for (const [given, value] of Object.entries(body) as [string, unknown][]) {
    const name = spellings.get(given.toLowerCase());
    if (name === undefined) continue;
    // A null leaves a field as it is.
    if (value === null || value === undefined) continue;
    const { kind } = all[name] as SchedulerField;
    const read = fieldOf(kind, value);
    if (read === undefined) {
      return { ok: false, reason: `${name} is ${shown(value)}, and has to be ${WORDS[kind]}` };
    }
    if (!Object.hasOwn(made, name)) setOwn(fields, name, read);
  }
  return { ok: true, fields };
}

const WORDS: Readonly<Record<SchedulerField["kind"], string>> = {
  text: "a string",
  texts: "an array of strings",
  flag: "true or false",
  count: "a whole number that is not negative",
  duration: 'a text with units, such as "30m", or a number of nanoseconds',
  links: "an array of objects with an ID or a Name",
  instant: 'a text such as "2026-01-01T00:00:00Z"',
};

function fieldOf(kind: SchedulerField["kind"], value: unknown): Values[string] | undefined {
  switch (kind) {
    case "text":
      return typeof value === "string" ? wellFormed(value) : undefined;
    case "flag":
      return typeof value === "boolean" ? value : undefined;
    case "count":
      return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
    case "texts":
      if (!Array.isArray(value) || !value.every((item) => item === null || typeof item === "string")) return undefined;
      return value.map((item: string | null) => wellFormed(item ?? ""));
    case "duration":
      if (typeof value === "number") return durationText(`${Math.trunc(value)}ns`);
      return value === "" ? value : durationText(value);
    case "instant":
      return typeof value === "string" && (value === ZERO_TIME || isInstantText(value)) ? value : undefined;
    case "links":
      return linksIn(value);
    default:
      return kind satisfies never;
  }
}

function linksIn(value: unknown): readonly Link[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const links: Link[] = [];
  for (const item of value as readonly unknown[]) {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return undefined;
    const read = readFields(OF_LINKS, item);
    if (!read.ok) return undefined;
    links.push(read.fields);
  }
  return links;
}

const OF_LINKS: Known = { ID: text, Name: text };

function durationText(value: unknown): string | undefined {
  return typeof value === "string" && parseGoDuration(value).ok ? value : undefined;
}

/** Half of a surrogate pair is no character: it would be another text once it was written as bytes. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** How many bytes a text has as UTF-8: what limits are counted in. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
