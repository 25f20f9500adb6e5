import type { Renames, ServiceVocabulary, Vocabulary } from "./vocabulary.ts";

/** Which words something is put into: those of the vocabulary, or the contract's. */
export type Direction = "own" | "neutral";

/** Words of one kind, each way. */
export type Renaming = { readonly [D in Direction]: ReadonlyMap<string, string> };

interface Prefix {
  readonly neutral: string;
  readonly own: string;
}

/** The words of a service, ready to be looked up. */
export interface ServiceWords {
  /** Names in lower case; what they become is spelled as it was given. */
  readonly headers: Renaming;
  readonly segments: Renaming;
  readonly fields: Renaming;
  readonly values: Renaming;
  /** Values of one field alone, by its neutral name. */
  readonly valuesOf: ReadonlyMap<string, Renaming>;
  /** The longest first. */
  readonly prefixes: { readonly [D in Direction]: readonly Prefix[] };
  /** Finds names that may stand anywhere in a text for people: no other word looks like one. */
  readonly inTexts: RegExp | undefined;
  /** Finds those, and names that could be plain English where they stand in quotes. */
  readonly inQuotes: RegExp | undefined;
  /** What both find becomes. */
  readonly names: ReadonlyMap<string, string>;
  /** What segments of paths are called in neutral words, values among them. */
  readonly pathWords: ReadonlyMap<string, string>;
  /** Finds a segment behind the first one that a direction renames: most paths have none. */
  readonly inPaths: { readonly [D in Direction]: RegExp | undefined };
  /** Where the service has its routes: which segments of a path are words of its own. */
  readonly routesAt?: RoutesAt;
}

/**
 * The patterns of the routes that a path fits, and what of it they are about; undefined where none does.
 *
 * @param at where the path is meant: the service knows what that is
 */
export type RoutesAt = (
  world: object,
  at: object,
  path: string,
) => { readonly below: string; readonly patterns: readonly string[] } | undefined;

/** The words of a vocabulary; a service that it does not name has none. */
export interface Words {
  readonly runs?: ServiceWords;
  readonly scheduler?: ServiceWords;
  readonly secrets?: ServiceWords;
}

/** Makes a vocabulary ready to be looked up in. It has been found unambiguous; `routesAt` are the routes of whoever has some. */
export function wordsOfVocabulary(vocabulary: Vocabulary, routesAt: RoutesAt): Words {
  const words = Object.entries(vocabulary as { readonly [service: string]: ServiceVocabulary | undefined }).map(
    ([service, tables]) => [service, Object.freeze({ ...serviceWords(tables ?? {}), routesAt })] as const,
  );
  return Object.freeze(Object.fromEntries(words));
}

function serviceWords({
  headers = {},
  segments = {},
  fields = {},
  values = {},
  prefixes = {},
}: ServiceVocabulary): ServiceWords {
  const general = Object.fromEntries(Object.entries(values).filter(([neutral]) => !neutral.includes("=")));
  const named = [renaming(headers), renaming(fields), renaming(general)];
  const names = new Map(named.flatMap(({ own }) => [...own]));
  const plain = [...names.keys()].filter((name) => /^[A-Za-z]+$/.test(name));
  const special = [...names.keys()].filter((name) => !plain.includes(name));
  const [ofPaths, ofValues] = [renaming(segments), renaming(general)];
  const segmentsTo = (to: Direction): RegExp | undefined =>
    finderOf(
      [...ofPaths[to].keys(), ...ofValues[to].keys()].filter((word) => !word.includes("/")),
      (choice) => `/(?:${choice})(?=/|$)`,
      "",
    );
  return Object.freeze({
    headers: renamingOfHeaders(headers),
    segments: ofPaths,
    pathWords: new Map([...ofValues.neutral, ...ofPaths.neutral]),
    inPaths: { own: segmentsTo("own"), neutral: segmentsTo("neutral") },
    fields: renaming(fields),
    values: ofValues,
    valuesOf: renamingsByField(values),
    prefixes: prefixesEachWay(prefixes),
    inTexts: finderOf(special, inText),
    inQuotes: finderOf([...names.keys()], () =>
      [
        ...(special.length === 0 ? [] : [inText(choiceOf(special))]),
        ...(plain.length === 0 ? [] : [inQuotes(choiceOf(plain))]),
      ].join("|"),
    ),
    names,
  });
}

/**
 * A table of renames each way. The own words take the place of the neutral ones, and those the place of the own ones, so that no two words
 * of the wire ever are one.
 *
 * Our choice: vocabularies.md says what a neutral word becomes, and not what becomes of an own word that a caller of the typed door uses as
 * a name. As a permutation a vocabulary can be undone whatever was named.
 */
function renaming(renames: Renames): Renaming {
  const own = new Map(Object.entries(renames));
  const back = new Map([...own].map(([neutral, word]) => [word, neutral]));
  for (const word of back.keys()) {
    if (own.has(word)) continue;
    let first = word;
    for (let before = back.get(first); before !== undefined; before = back.get(first)) first = before;
    own.set(word, first);
  }
  return { own, neutral: new Map([...own].map(([neutral, word]) => [word, neutral])) };
}

function renamingOfHeaders(renames: Renames): Renaming {
  const entries = Object.entries(renames);
  return {
    own: new Map(entries.map(([neutral, word]) => [neutral.toLowerCase(), word])),
    neutral: new Map(entries.map(([neutral, word]) => [word.toLowerCase(), neutral])),
  };
}

function renamingsByField(values: Renames): ReadonlyMap<string, Renaming> {
  const byField = new Map<string, Record<string, string>>();
  for (const [neutral, word] of Object.entries(values)) {
    const equals = neutral.lastIndexOf("=");
    if (equals < 0) continue;
    const field = neutral.slice(0, equals);
    byField.set(field, { ...byField.get(field), [neutral.slice(equals + 1)]: word });
  }
  return new Map([...byField].map(([field, renames]) => [field, renaming(renames)]));
}

function prefixesEachWay(renames: Renames): ServiceWords["prefixes"] {
  const pairs = Object.entries(renames).map(([neutral, own]): Prefix => ({ neutral, own }));
  const longestFirst = (side: Direction): readonly Prefix[] =>
    [...pairs].sort((left, right) => right[side].length - left[side].length);
  return { own: longestFirst("neutral"), neutral: longestFirst("own") };
}

function finderOf(names: readonly string[], around: (choice: string) => string, flags = "g"): RegExp | undefined {
  if (names.length === 0) return undefined;
  return new RegExp(around(choiceOf(names)), flags);
}

const inText = (choice: string): string => `(?<![\\w.-])(?:${choice})(?![\\w-])`;
const inQuotes = (choice: string): string => `(?<=['"\`])(?:${choice})(?=['"\`])`;

/** The longest first, so that none is found in another one. */
function choiceOf(names: readonly string[]): string {
  const longestFirst = [...names].sort((left, right) => right.length - left.length);
  return longestFirst.map(escaped).join("|");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
