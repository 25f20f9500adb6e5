import type { Refusal } from "../../../kernel/outcome.ts";
import { type Datum, refusalTexts } from "../../../languages/vocabulary/refusal.ts";
import {
  heardHeaders,
  renamed,
  renamedIdentifier,
  renamedText,
  renamedValue,
} from "../../../languages/vocabulary/rename.ts";
import {
  free,
  identifier,
  keyed,
  membersOf,
  record,
  type Turn,
  textsOf,
  value,
} from "../../../languages/vocabulary/shape.ts";
import type { Direction, ServiceWords } from "../../../languages/vocabulary/words.ts";
import type { HttpAsked } from "../http.ts";
import { type ErrorObject, errorForm, isForm } from "../responses.ts";

// Requests and answers of the run service in the words of a vocabulary.

/** A request with its path and its parameters in neutral words. */
export function heard(words: ServiceWords, asked: HttpAsked): HttpAsked {
  const { href, origin, search, searchParams, pathname } = asked.url;
  const query = new URLSearchParams([...searchParams].map((pair) => renamedPair(words, pair, "neutral")));
  return {
    ...asked,
    headers: heardHeaders(words, asked.headers),
    url: { href, origin, search, searchParams: query, pathname: renamedPath(words, pathname, "neutral") },
  };
}

export function heardToken(words: ServiceWords, token: string): string {
  return renamedIdentifier(words, token, "neutral");
}

/** Of a path the words of the service come first, and then in turn with names and ids. */
function renamedPath({ segments }: ServiceWords, pathname: string, to: Direction): string {
  if (segments.own.size === 0) return pathname;
  return pathname
    .split("/")
    .map((segment, index) => (index === 2 || index % 2 === 1 ? renamed(segments, segment, to) : segment))
    .join("/");
}

/** The name of a parameter, part by part: `page[number]`, `filter[1][status]`. */
function renamedParameter({ fields }: ServiceWords, name: string, to: Direction): string {
  return name.replace(/[^[\]]+/g, (part) => renamed(fields, part, to));
}

/** A parameter: what a filter asks for is an enumerated value, and what is to be included are names of relationships. */
function renamedPair(
  words: ServiceWords,
  [name, worth]: readonly [string, string],
  to: Direction,
): [name: string, worth: string] {
  const other = renamedParameter(words, name, to);
  const neutral = to === "own" ? name : other;
  const last = /([^[\]]+)\]?$/.exec(neutral)?.[1] ?? neutral;
  if (neutral === "include") return [other, worth.replace(/[^.,]+/g, (part) => renamed(words.fields, part, to))];
  return [other, neutral.startsWith("filter") ? renamedValue(words, last, worth, to) : worth];
}

/** A link: a path, and a query. */
const link: Turn<unknown> = textsOf((text, { words, to }) => {
  const [path = "", query] = text.split("?", 2);
  const turned = renamedPath(words, path, to);
  if (query === undefined) return turned;
  const pairs = query.split("&").map((pair) => {
    const [name = "", worth = ""] = pair.split("=", 2).map(decodeURIComponent);
    return renamedPair(words, [name, worth], to).map(encodeURIComponent).join("=");
  });
  return `${turned}?${pairs.join("&")}`;
});

const links = keyed(
  textsOf((name, { words, to }) => renamed(words.fields, name, to)),
  link,
);

const MEMBERS: { readonly [name: string]: Turn<unknown> } = {
  id: identifier,
  type: value,
  scope: value,
  status: value,
  stage: value,
  source: value,
  "trigger-reason": value,
  "execution-mode": value,
  "policy-kind": value,
  enforcement_level: value,
  links,
  engine: free,
  variables: free,
};

const shownRecord = record(membersOf(MEMBERS));

/** What an answer shows. */
export function spokenDocument(words: ServiceWords, document: unknown): unknown {
  return shownRecord(document, { words, to: "own", context: undefined }, "");
}

/** The errors of a refusal, or of what was malformed. */
export function spokenErrors(
  words: ServiceWords,
  errors: readonly ErrorObject[],
  refusal: Refusal | undefined,
): readonly ErrorObject[] {
  return errors.map((error) => {
    const { detail, source, ...others } = error;
    const told =
      refusal === undefined || detail === undefined
        ? detail
        : refusalTexts(words, refusal.data, datumOf(words), (data) => [detailOf(refusal.code, data) ?? detail])[0];
    return {
      ...others,
      ...(told === undefined
        ? {}
        : { detail: refusal === undefined ? renamedText(words, told, { quoted: true }) : told }),
      ...(source === undefined ? {} : { source: { parameter: renamedParameter(words, source.parameter, "own") } }),
    };
  });
}

function datumOf(words: ServiceWords): (member: string, text: string) => Datum {
  return (member, text) => {
    if (member === "reason") return ["told", text];
    if (member === "parameter") return ["kept", renamedParameter(words, text, "own")];
    return ["kept", member === "status" ? renamedValue(words, member, text, "own") : text];
  };
}

function detailOf(code: string, data: object): string | undefined {
  if (!isForm(code)) return undefined;
  const [error] = errorForm(code, data).errors;
  return error.detail;
}

/** Where an answer sends whoever asked. */
export function spokenLocation(words: ServiceWords, location: string): string {
  return link(location, { words, to: "own", context: undefined }, "") as string;
}
