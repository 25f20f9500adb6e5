import type { Plain } from "../../../kernel/plain.ts";
import { heardHeaders, renamedIdentifier } from "../../../languages/vocabulary/rename.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import type { HttpAsked } from "../../kit/http.ts";
import type { NamedOperation } from "../registry.ts";
import { PAGES, type PathContext } from "./path.ts";
import { shapeOf } from "./shapes.ts";

// Requests in the words of a vocabulary, as the service reads them: in its own.

/** A request with the names of its headers. */
export function heard<A extends HttpAsked>(words: ServiceWords, asked: A): A {
  return { ...asked, headers: heardHeaders(words, asked.headers) };
}

/** A decoded path that may be one of a page. */
export function heardPage(words: ServiceWords, path: string): string {
  const page = words.prefixes.own.find(({ neutral }) => neutral === PAGES);
  if (page === undefined) return path;
  if (path.startsWith(page.own)) return PAGES + path.slice(page.own.length);
  return path.startsWith(PAGES) ? page.own + path.slice(PAGES.length) : path;
}

type Input = { readonly [name: string]: Plain };

/** The fields of a request: their names, and the words in them. Those that are the caller's own stay as they are. */
export function heardFields<F extends Input | undefined>(
  words: ServiceWords,
  named: NamedOperation | undefined,
  fields: F,
  context: PathContext,
): F {
  if (fields === undefined || named === undefined || named.operation.takesBody || isEmpty(fields)) return fields;
  return shapeOf(named.name).fields(fields, { words, to: "neutral", context }, "") as F;
}

function isEmpty(fields: Input): boolean {
  for (const _ in fields) return false;
  return true;
}

/** What a header of the scheme Basic holds: a client and its secret (decisions-oidc.md, 11). */
export function heardBasic(words: ServiceWords, basic: string): string {
  const colon = basic.indexOf(":");
  return `${basic.slice(0, colon + 1)}${renamedIdentifier(words, basic.slice(colon + 1), "neutral")}`;
}
