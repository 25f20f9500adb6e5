import { type Plain, setOwn } from "../../../kernel/plain.ts";
import { type Datum, refusalTexts } from "../../../languages/vocabulary/refusal.ts";
import { heardHeaders, renamed, renamedIdentifier, renamedText } from "../../../languages/vocabulary/rename.ts";
import { free, identifier, membersOf, record, type Turn, value } from "../../../languages/vocabulary/shape.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import type { Answered } from "../door.ts";
import type { HttpAsked } from "../http.ts";
import { errorForm, isForm } from "../responses.ts";

// Requests and answers of the scheduler in the words of a vocabulary.

/** A request with its headers, its path and its parameters by their neutral names. */
export function heard(words: ServiceWords, asked: HttpAsked): HttpAsked {
  const { href, origin, search, searchParams, pathname } = asked.url;
  const named = new URLSearchParams(
    [...searchParams].map(([name, worth]) => [renamed(words.fields, name, "neutral"), worth]),
  );
  return {
    ...asked,
    headers: heardHeaders(words, asked.headers),
    url: { href, origin, search, searchParams: named, pathname: heardPath(words, pathname) },
  };
}

/** The words of a route stand at its beginning; names of policies and of tokens come behind them. */
function heardPath({ segments }: ServiceWords, pathname: string): string {
  if (segments.own.size === 0) return pathname;
  const [root = "", ...given] = pathname.split("/");
  const turned = given.map((segment, index) => (index < 3 ? renamed(segments, segment, "neutral") : segment));
  const below = renamed(segments, given[3] ?? "", "neutral");
  if (turned[2] === "token" && OF_TOKENS.has(below)) turned[3] = below;
  return [root, ...turned].join("/");
}

const OF_TOKENS: ReadonlySet<string> = new Set(["self", "onetime"]);

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
  const { fields: renaming } = words;
  const lower = new Map([...renaming.neutral].map(([own, neutral]) => [own.toLowerCase(), [own, neutral] as const]));
  const spelled: Record<string, Plain> = {};
  for (const [name, given] of Object.entries(fields) as [string, Plain][]) {
    setOwn(spelled, lower.get(name.toLowerCase())?.[0] ?? name, given);
  }
  return shownRecord(spelled, { words, to: "neutral", context: undefined }, "") as object;
}

export function heardToken(words: ServiceWords, token: string): string {
  return renamedIdentifier(words, token, "neutral");
}

/** What an answer shows. */
export function spokenBody(words: ServiceWords, body: unknown): unknown {
  return shownRecord(body, { words, to: "own", context: undefined }, "");
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
  return isForm(code) ? errorForm(code, data).message : undefined;
}
