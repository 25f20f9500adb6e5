import type { Plain } from "../../../kernel/plain.ts";
import { heardHeaders, renamedIdentifier } from "../../../languages/vocabulary/rename.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import type { HttpAsked } from "../http.ts";
import type { NamedOperation } from "../routes.ts";
import type { PathContext } from "./path.ts";
import { shapeOf } from "./shapes.ts";

// Requests in the words of a vocabulary, as the service reads them: in its own.

/** Below it lies the authorization page (decisions-oidc.md, 9). */
export const PAGES = "/ui/secrets/";

/** A request with the names of its headers, and with the page that it may ask for. */
export function heard<A extends HttpAsked>(words: ServiceWords, asked: A): A {
  const headers = heardHeaders(words, asked.headers);
  const page = words.prefixes.own.find(({ neutral }) => neutral === PAGES);
  const { pathname } = asked.url;
  if (page === undefined || !(pathname.startsWith(page.own) || pathname.startsWith(PAGES))) {
    return { ...asked, headers };
  }
  const isOwn = pathname.startsWith(page.own);
  const neutral = isOwn ? PAGES + pathname.slice(page.own.length) : page.own + pathname.slice(PAGES.length);
  const { href, origin, search, searchParams } = asked.url;
  return { ...asked, headers, url: { href, origin, pathname: neutral, search, searchParams } };
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
