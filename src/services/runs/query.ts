/** The query parameters that an operation knows, in the order of the request; of one name the last value. */
export type Query = ReadonlyMap<string, string>;

/** A query as a command's input carries it. */
export type QueryPairs = readonly (readonly [name: string, value: string])[];

/** What the second argument of a typed call may hold, as far as its operation knows it. */
export interface QueryParameters {
  /** The page of a list; numbers, or texts as the wire would have them. */
  readonly page?: { readonly number?: number | string | undefined; readonly size?: number | string | undefined };
  /** What to bring along: `"run"`, `"run.workspace"`, several with commas or as an array. */
  readonly include?: string | readonly string[];
  /** Groups of terms; a group's terms hold on one and the same outcome, and one group is enough. */
  readonly filter?: readonly FilterGroup[] | { readonly [n: string]: FilterGroup };
}

interface FilterGroup {
  readonly status?: string | undefined;
  readonly enforcementLevel?: string | undefined;
}

/** Kinds of query parameters. */
export type Parameter = keyof QueryParameters;

export type ParametersOf<P extends Parameter> = [P] extends [never] ? Record<never, never> : Pick<QueryParameters, P>;

/** What of a query an operation knows. Unknown parameters are ignored, and not echoed in links. */
export function knownQuery(pairs: Iterable<readonly [string, string]>, parameters: readonly Parameter[]): Query {
  const known = new Map<string, string>();
  for (const [name, value] of pairs) if (parameters.some((kind) => IS_OF_KIND[kind](name))) known.set(name, value);
  return known;
}

const IS_OF_KIND: Readonly<Record<Parameter, (name: string) => boolean>> = {
  page: (name) => name === "page[number]" || name === "page[size]",
  include: (name) => name === "include",
  filter: (name) => name === "filter" || name.startsWith("filter["),
};
