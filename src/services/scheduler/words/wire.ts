import type { Plain } from "../../../kernel/plain.ts";
import { setOwn } from "../../../languages/objects.ts";
import { type Datum, refusalTexts } from "../../../languages/vocabulary/refusal.ts";
import { renamed, renamedIdentifier, renamedText } from "../../../languages/vocabulary/rename.ts";
import { free, identifier, membersOf, record, type Turn, value } from "../../../languages/vocabulary/shape.ts";
import type { Direction, ServiceWords } from "../../../languages/vocabulary/words.ts";
import type { Answered } from "../door.ts";
import { schedulerForms } from "../responses.ts";

// Requests and answers of the scheduler in the words of a vocabulary.

/** A parameter by its other name. */
export function renamedPair(
  { fields }: ServiceWords,
  [name, worth]: readonly [string, string],
  to: Direction,
): [name: string, worth: string] {
  return [renamed(fields, name, to), worth];
}

/** A decoded path. The words of a route stand at its beginning; names of policies and of tokens come behind them. */
export function renamedPath({ segments }: ServiceWords, path: string, to: Direction): string {
  if (segments.own.size === 0) return path;
  const [root = "", ...given] = path.split("/");
  const turned = given.map((segment, index) => (index < 3 ? renamed(segments, segment, to) : segment));
  const known = (word = ""): string => (to === "own" ? word : renamed(segments, word, to));
  const below = [given[2], ...given.slice(3)].map(known).join("/");
  // Behind `role`, `name` is a word of the route where a name follows, and an id where none does.
  const words = WORDS_BELOW.get(below) ?? (below.startsWith("role/name/") ? 1 : 0);
  return [
    root,
    ...turned.map((word, index) => (index > 2 && index < 3 + words ? renamed(segments, word, to) : word)),
  ].join("/");
}

/** How many words of the route stand where names of policies and accessors stand otherwise. */
const WORDS_BELOW: ReadonlyMap<string, number> = new Map([
  ["policy/self", 1],
  ["token/self", 1],
  ["token/onetime", 1],
  ["token/onetime/exchange", 2],
]);

const MEMBERS: { readonly [name: string]: Turn<unknown> } = {
  Type: value,
  SecretID: identifier,
  AccessorID: identifier,
  Policies: free,
  Rules: free,
};

const shownRecord = record(membersOf(MEMBERS));

/** The fields of a body. As neutral ones, own names are taken in any case (decisions-scheduler-acl.md, section 1). */
export function heardFields(words: ServiceWords, fields: object): object {
  return renamedFields(words, fields, "neutral");
}

/** The fields of a body in other words, in whatever case they were named. */
export function renamedFields(words: ServiceWords, fields: object, to: Direction): object {
  const spelling = new Map([...words.fields[to].keys()].map((name) => [name.toLowerCase(), name]));
  const spelled: Record<string, Plain> = {};
  for (const [name, given] of Object.entries(fields) as [string, Plain][]) {
    setOwn(spelled, spelling.get(name.toLowerCase()) ?? name, given);
  }
  return renamedBody(words, spelled, to) as object;
}

/** What a request or an answer shows, in other words. */
export function renamedBody(words: ServiceWords, body: unknown, to: Direction): unknown {
  return shownRecord(body, { words, to, context: undefined }, "");
}

export function heardToken(words: ServiceWords, token: string): string {
  return renamedIdentifier(words, token, "neutral");
}

/** What an answer shows. */
export function spokenBody(words: ServiceWords, body: unknown): unknown {
  return renamedBody(words, body, "own");
}

/** The text of a refusal. */
export function spokenMessage(words: ServiceWords, answered: Extract<Answered, { readonly ok: false }>): string {
  const { message, refusal } = answered;
  // It is its own text, and a path that nobody knows has none.
  if (message === "") return message;
  const datumOf = (member: string, text: string): Datum => [
    member === "reason" || member === "faults" ? "told" : "kept",
    text,
  ];
  const [text] = refusalTexts(words, refusal.data, datumOf, (data) => [formOf(refusal.code, data) ?? message]);
  return text ?? renamedText(words, message, { quoted: true });
}

function formOf(code: string, data: object): string | undefined {
  return schedulerForms.has(code) ? schedulerForms.form({ code, data }).message : undefined;
}
