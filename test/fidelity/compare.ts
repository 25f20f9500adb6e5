import { patternOf, type Variables } from "./placeholders.ts";
import type { Heard } from "./play.ts";
import { type Answer, COMPARED_HEADERS } from "./recording.ts";

/** A place at which two answers differ; what is not there is undefined. */
export interface Difference {
  readonly place: string;
  readonly real: unknown;
  readonly ours: unknown;
}

/** Where an answer differs from the real one. */
export function differences(real: Answer, ours: Heard, variables: Variables): readonly Difference[] {
  const found: Difference[] = [];
  const note = (place: string, left: unknown, right: unknown): void => {
    found.push({ place, real: left, ours: right });
  };
  if (real.status !== ours.status) note("status", real.status, ours.status);
  for (const name of COMPARED_HEADERS) {
    const [left, right] = [real.headers[name], ours.headers[name]];
    if (left !== right && !fits(left, right, variables)) note(`header.${name}`, left, right);
  }
  compare("body", real.body, ours.body, variables, note);
  for (const number of real.numbers ?? []) if (!ours.text.includes(number)) note("numbers", number, undefined);
  return found;
}

/** Whether a value is one that the real one stands for. */
export function fits(real: unknown, ours: unknown, variables: Variables): boolean {
  let same = true;
  compare("", real, ours, variables, () => {
    same = false;
  });
  return same;
}

type Note = (place: string, real: unknown, ours: unknown) => void;

function compare(place: string, real: unknown, ours: unknown, variables: Variables, note: Note): void {
  if (real === "<any>") return;
  const member = place.slice(place.lastIndexOf(".") + 1);
  if (COUNTED.has(member) && typeof real === "number") {
    const count = countOf(ours);
    if (count !== real) note(place, real, count);
  } else if (SECONDS.has(member) && typeof real === "number" && typeof ours === "number") {
    if (Math.abs(real - ours) > 5) note(place, real, ours);
  } else if (real === "<unix>") {
    if (!(typeof ours === "number" && ours > 1e9 && ours < 1e10)) note(place, real, ours);
  } else if (isJwt(real)) {
    compare(place, real.jwt, claimsOf(ours), variables, note);
  } else if (Array.isArray(real) && Array.isArray(ours)) {
    if (real.length !== ours.length) note(place, real, ours);
    else for (const [index, item] of real.entries()) compare(`${place}[]`, item, ours[index], variables, note);
  } else if (isObject(real) && isObject(ours)) {
    compareMembers(place, real, ours, variables, note);
  } else if (typeof real === "string" && typeof ours === "string") {
    if (real !== ours && patternOf(real, variables)?.test(ours) !== true) note(place, real, ours);
  } else if (real !== ours) {
    note(place, real, ours);
  }
}

function compareMembers(place: string, real: Members, ours: Members, variables: Variables, note: Note): void {
  const left = new Set(Object.keys(ours));
  // Names that are known come before names that only have a form.
  const names = Object.keys(real).sort(
    (one, other) => Number(one.includes("<uuid>")) - Number(other.includes("<uuid>")),
  );
  for (const name of names) {
    const pattern = patternOf(name, variables);
    const fitting = [...left].filter((other) => (pattern === undefined ? other === name : pattern.test(other)));
    const several = real[name] === "<several>";
    if (fitting.length === 0) note(`${place}.${name}`, real[name], undefined);
    for (const other of several ? fitting : fitting.slice(0, 1)) {
      left.delete(other);
      if (!several) compare(`${place}.${name}`, real[name], ours[other], variables, note);
    }
  }
  for (const name of left) note(`${place}.${name}`, undefined, shownAs(ours[name], name));
}

type Members = { readonly [name: string]: unknown };

/** What is only ours, with texts as the counts that stand for them. */
function shownAs(value: unknown, name: string): unknown {
  return COUNTED.has(name) ? countOf(value) : value;
}

/** Texts of errors were not recorded, only how many there were. */
const COUNTED: ReadonlySet<string> = new Set(["errors", "warnings", "error_description"]);

function countOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length;
  return typeof value === "string" ? 1 : value;
}

/** They may be some seconds apart, as real time passed. */
const SECONDS: ReadonlySet<string> = new Set(["ttl", "lease_duration", "creation_ttl", "explicit_max_ttl"]);

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isJwt(value: unknown): value is { readonly jwt: unknown } {
  return isObject(value) && Array.isArray(value["jwt"]) && Object.keys(value).length === 1;
}

function claimsOf(token: unknown): unknown {
  if (typeof token !== "string") return token;
  return token
    .split(".")
    .slice(0, 2)
    .map((part): unknown => JSON.parse(Buffer.from(part, "base64url").toString()));
}
