import type { Parameter } from "./declare.ts";

/** The query parameters that an operation knows, in the order of the request; of one name the last value. */
export type Query = ReadonlyMap<string, string>;

/** A query as a command's input carries it. */
export type QueryPairs = readonly (readonly [name: string, value: string])[];

/** What of a query an operation knows. Unknown parameters are ignored, and not echoed in links. */
export function knownQuery(pairs: Iterable<readonly [string, string]>, parameters: readonly Parameter[]): Query {
  const known = new Map<string, string>();
  for (const [name, value] of pairs) if (parameters.some((kind) => isOfKind(kind, name))) known.set(name, value);
  return known;
}

function isOfKind(kind: Parameter, name: string): boolean {
  switch (kind) {
    case "page":
      return name === "page[number]" || name === "page[size]";
    case "include":
      return name === "include";
    case "filter":
      return name === "filter" || name.startsWith("filter[");
    default:
      return kind satisfies never;
  }
}
