/** The URL of a request, as far as services read it: a `URL`, or what stands for it. */
export interface UrlRead extends Readonly<Pick<URL, "href" | "origin" | "pathname" | "search">> {
  readonly searchParams: ParametersRead;
}

/** The parameters of a query, which are only looked at. */
export type ParametersRead = Iterable<readonly [string, string]> &
  Pick<URLSearchParams, "get" | "getAll" | "has" | "keys">;

/** A path, or a segment of one, without its escapes, which is where words are looked up; undefined where one of them is none. */
export function decoded(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
