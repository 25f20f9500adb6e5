/** The URL of a request, as far as services read it: a `URL`, or what stands for it. */
export interface UrlRead extends Readonly<Pick<URL, "href" | "origin" | "pathname" | "search">> {
  readonly searchParams: ParametersRead;
}

/** The parameters of a query, which are only looked at. */
export type ParametersRead = Iterable<readonly [string, string]> &
  Pick<URLSearchParams, "get" | "getAll" | "has" | "keys">;
