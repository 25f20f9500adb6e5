import { nearestNames } from "../nearest.ts";
import { tablesOf } from "./read.ts";
import type { Renames, Scope, ServiceName, Vocabulary } from "./vocabulary.ts";

/** The words that a service has anyway, by their kind: none of them can be an own one of something else. */
export type NeutralWords = { readonly [S in Scope]: readonly string[] };

/**
 * Refuses a vocabulary in which a word of the wire could mean two things: two words that become one, a word that becomes another one of the
 * service which keeps its name, and beginnings of identifiers of which one begins the other. A word that the service has not is refused, too.
 *
 * @param name how messages call it
 * @throws TypeError that names both words
 */
export function refuseAmbiguity(
  name: string,
  vocabulary: Vocabulary,
  neutralOf: (service: ServiceName) => NeutralWords,
): void {
  for (const service of Object.keys(vocabulary) as ServiceName[]) {
    const tables = vocabulary[service];
    if (tables === undefined) continue;
    const known = neutralOf(service);
    for (const [scope, renames] of tablesOf(tables)) {
      const where = `${name}.${service}.${scope}`;
      refuseUnknown(where, scope, renames, known);
      if (scope === "prefixes") refuseNestedPrefixes(where, renames, known[scope]);
      else refuseSharedWords(where, scope, renames, known[scope]);
    }
  }
}

/** A word that the service has not is a slip that nothing else would tell. */
function refuseUnknown(where: string, scope: Scope, renames: Renames, known: NeutralWords): void {
  for (const neutral of Object.keys(renames)) {
    const equals = scope === "values" ? neutral.lastIndexOf("=") : -1;
    if (equals >= 0) refuseUnknownWord(where, "fields", neutral.slice(0, equals), known.fields);
    refuseUnknownWord(where, scope, neutral.slice(equals + 1), known[scope]);
  }
}

function refuseUnknownWord(where: string, scope: Scope, word: string, known: readonly string[]): void {
  const spelled = (one: string): string => (scope === "headers" ? one.toLowerCase() : one);
  if (known.some((one) => spelled(one) === spelled(word))) return;
  const near = nearestNames(word, new Set(known));
  const others =
    known.length <= FEW
      ? `, there is ${known.join(", ")}`
      : near.length > 0
        ? `, did you mean ${near.join(" or ")}?`
        : "";
  throw new TypeError(`${where}: the service has no ${ONE[scope]} ${JSON.stringify(word)}${others}`);
}

/** So many words can be read at a glance. */
const FEW = 10;

const ONE: { readonly [S in Scope]: string } = {
  headers: "header",
  segments: "segment",
  fields: "field",
  values: "value",
  prefixes: "beginning of an identifier",
};

function refuseSharedWords(where: string, scope: Scope, renames: Renames, known: readonly string[]): void {
  const spelled = (word: string): string => (scope === "headers" ? word.toLowerCase() : word);
  for (const [field, rows] of byField(scope, renames)) {
    const renamed = new Set(rows.map(([neutral]) => spelled(neutral)));
    const other = new Map<string, string>(
      // A value of one field shares it with those of every field.
      [...known, ...(field === "" ? [] : namesOf(renames))].map((word) => [spelled(word), word]),
    );
    const taken = new Map<string, string>();
    for (const [neutral, own] of rows) {
      const twice = taken.get(spelled(own));
      if (twice !== undefined) throw ambiguous(where, twice, neutral, own);
      taken.set(spelled(own), neutral);
      const kept = renamed.has(spelled(own)) ? undefined : other.get(spelled(own));
      if (kept !== undefined) {
        throw new TypeError(
          `${where} is ambiguous: ${JSON.stringify(neutral)} becomes ${JSON.stringify(own)}, and ${JSON.stringify(kept)} is a word that stays`,
        );
      }
    }
    if (renamed.size < rows.length) {
      const seen = new Map<string, string>();
      for (const [neutral, own] of rows) {
        const twice = seen.get(spelled(neutral));
        if (twice !== undefined) throw ambiguous(where, twice, neutral, own);
        seen.set(spelled(neutral), neutral);
      }
    }
  }
}

/** Rows by the field whose values they are alone; "" for all others. */
function byField(scope: Scope, renames: Renames): ReadonlyMap<string, [neutral: string, own: string][]> {
  const groups = new Map<string, [string, string][]>();
  for (const [neutral, own] of Object.entries(renames)) {
    const equals = scope === "values" ? neutral.lastIndexOf("=") : -1;
    const field = equals < 0 ? "" : neutral.slice(0, equals);
    const row: [string, string] = [neutral.slice(equals + 1), own];
    groups.set(field, [...(groups.get(field) ?? []), row]);
  }
  return groups;
}

function namesOf(renames: Renames): readonly string[] {
  return Object.values(renames).filter(
    (own, index) => !(Object.keys(renames)[index] ?? "").includes("=") && own !== "",
  );
}

function ambiguous(where: string, one: string, other: string, own: string): TypeError {
  return new TypeError(
    `${where} is ambiguous: ${JSON.stringify(one)} and ${JSON.stringify(other)} both become ${JSON.stringify(own)}`,
  );
}

/** An identifier begins with one word at most, in either language. */
function refuseNestedPrefixes(where: string, renames: Renames, known: readonly string[]): void {
  const rows = Object.entries(renames);
  for (const side of [0, 1] as const) {
    for (const [index, row] of rows.entries()) {
      const nested = rows.find((other, at) => at !== index && other[side].startsWith(row[side]));
      if (nested === undefined) continue;
      throw new TypeError(
        `${where} is ambiguous: what begins with ${JSON.stringify(nested[side])} begins with ${JSON.stringify(row[side])} as well (${row[0]} -> ${row[1]}, ${nested[0]} -> ${nested[1]})`,
      );
    }
  }
  for (const [neutral, own] of rows) {
    const kept = known.find((word) => !Object.hasOwn(renames, word) && (word.startsWith(own) || own.startsWith(word)));
    if (kept === undefined) continue;
    throw new TypeError(
      `${where} is ambiguous: ${JSON.stringify(neutral)} becomes ${JSON.stringify(own)}, and ${JSON.stringify(kept)} is a beginning that stays`,
    );
  }
}
