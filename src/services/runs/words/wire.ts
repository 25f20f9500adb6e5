import type { Refusal } from "../../../kernel/outcome.ts";
import { type Datum, refusalTexts } from "../../../languages/vocabulary/refusal.ts";
import { renamed, renamedIdentifier, renamedText, renamedValue } from "../../../languages/vocabulary/rename.ts";
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
import { encodedSegment } from "../documents.ts";
import { type ErrorObject, runsForms } from "../responses.ts";
import { segmentsOf } from "../routes.ts";

// Requests and answers of the run service in the words of a vocabulary.

export function heardToken(words: ServiceWords, token: string): string {
  return renamedIdentifier(words, token, "neutral");
}

/** The segments of a path in other words: those of the service, and what ids begin with. Names that callers gave stay as they are. */
export function renamedSegments(words: ServiceWords, given: readonly string[], to: Direction): readonly string[] {
  if (words.segments.own.size === 0 && words.prefixes.own.length === 0) return given;
  const turned: string[] = [];
  const neutral = to === "own" ? given : turned;
  for (const [index, segment] of given.entries()) turned.push(TURNS[placeAt(neutral, index)](words, segment, to));
  return turned;
}

/** A path as URLs have it. */
export function renamedPath(words: ServiceWords, pathname: string, to: Direction): string {
  const given = segmentsOf(pathname);
  return given === undefined ? pathname : renamedSegments(words, given, to).map(encodedSegment).join("/");
}

type Place = "word" | "id" | "name";

/** What stands at a place, by the neutral segments before it: words of the service come first, and then in turn with ids. */
function placeAt(segments: readonly string[], index: number): Place {
  if (segments[1] === OUTPUTS && index > 1) return index === 2 ? "id" : "name";
  if (index % 2 === 1 || index === 2 || segments[index - 1] === "actions") return "word";
  return segments[3] === "organizations" ? "name" : "id";
}

/** Where outputs are read without a token (decisions-policy-checks.md, 4.7). */
const OUTPUTS = "policy-check-outputs";

const TURNS: { readonly [P in Place]: (words: ServiceWords, segment: string, to: Direction) => string } = {
  word: ({ segments }, segment, to) => renamed(segments, segment, to),
  id: renamedIdentifier,
  name: (_, segment) => segment,
};

/** The name of a parameter, part by part: `page[number]`, `filter[1][status]`. */
export function renamedParameter({ fields }: ServiceWords, name: string, to: Direction): string {
  return name.replace(/[^[\]]+/g, (part) => renamed(fields, part, to));
}

/** A parameter: what a filter asks for is an enumerated value, and what is to be included are names of relationships. */
export function renamedPair(
  words: ServiceWords,
  [name, worth]: readonly [string, string],
  to: Direction,
): [name: string, worth: string] {
  const other = renamedParameter(words, name, to);
  const neutral = to === "own" ? name : other;
  const last = /([^[\]]+)\]?$/.exec(neutral)?.[1] ?? neutral;
  if (neutral === "include") return [other, renamedNames(words, worth, to)];
  return [other, neutral.startsWith("filter") ? renamedValue(words, FILTERED.get(last) ?? last, worth, to) : worth];
}

/** Members that a filter calls otherwise than documents do. */
const FILTERED: ReadonlyMap<string, string> = new Map([["enforcementLevel", "enforcement_level"]]);

/** Paths of relationships. */
function renamedNames({ fields }: ServiceWords, names: string, to: Direction): string {
  return names.replace(/[^.,]+/g, (name) => renamed(fields, name, to));
}

/** A link: a path, perhaps behind an origin, and a query. */
const link: Turn<unknown> = textsOf((text, { words, to }) => {
  const [whole = "", query] = text.split("?", 2);
  const [, origin = "", path = ""] = /^([a-z]+:\/\/[^/]*)?(.*)$/is.exec(whole) ?? [];
  const turned = origin + renamedPath(words, path, to);
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

const shownRecord = record(
  membersOf({
    ...MEMBERS,
    // Its id is the name that a caller gave it.
    organization: record(membersOf({ ...MEMBERS, id: free })),
  }),
);

/** A document in other words. */
export function renamedDocument(words: ServiceWords, document: unknown, to: Direction): unknown {
  return shownRecord(document, { words, to, context: undefined }, "");
}

/** What an answer shows. */
export function spokenDocument(words: ServiceWords, document: unknown): unknown {
  return renamedDocument(words, document, "own");
}

const errorRecord = record(membersOf({}));

/** The names of the members that errors have; what they hold are texts. */
export function renamedErrors(words: ServiceWords, document: object, to: Direction): unknown {
  return errorRecord(document, { words, to, context: undefined }, "");
}

/** The document of a refusal, or of what was malformed. */
export function spokenErrors(
  words: ServiceWords,
  errors: readonly ErrorObject[],
  refusal: Refusal | undefined,
): unknown {
  const told = errors.map((error) => {
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
      ...(source === undefined ? {} : { source: spokenSource(words, source) }),
    };
  });
  return renamedErrors(words, { errors: told }, "own");
}

function spokenSource(words: ServiceWords, source: ErrorObject["source"] & object): ErrorObject["source"] & object {
  if ("parameter" in source) return { parameter: renamedParameter(words, source.parameter, "own") };
  return { pointer: source.pointer.replace(/[^/]+/g, (name) => renamed(words.fields, name, "own")) };
}

function datumOf(words: ServiceWords): (member: string, text: string) => Datum {
  return (member, text) => {
    if (member === "reason") return ["told", text];
    if (member === "parameter") return ["kept", renamedParameter(words, text, "own")];
    if (member === "id") return ["kept", renamedIdentifier(words, text, "own")];
    if (member === "name") return ["kept", renamedNames(words, text, "own")];
    return ["kept", member === "status" ? renamedValue(words, member, text, "own") : text];
  };
}

function detailOf(code: string, data: object): string | undefined {
  if (!runsForms.has(code)) return undefined;
  const [error] = runsForms.form({ code, data }).errors;
  return error.detail;
}

/** A link in other words. */
export function renamedLink(words: ServiceWords, location: string, to: Direction): string {
  return link(location, { words, to, context: undefined }, "") as string;
}
