import { heardHeaders } from "../../languages/vocabulary/rename.ts";
import type { ServiceWords } from "../../languages/vocabulary/words.ts";
import type { HeadersRead, UrlRead } from "./http.ts";

/** What of a request has words in it besides its path, which is decoded first, and its body. */
interface Worded {
  readonly headers: HeadersRead;
  readonly url: UrlRead;
}

type Pair = readonly [name: string, worth: string];

/** A request with its headers by their neutral names and its parameters as they are in neutral words. */
export function heardWith<A extends Worded>(words: ServiceWords, asked: A, neutralPair: (pair: Pair) => Pair): A {
  const { href, origin, search, searchParams, pathname } = asked.url;
  const pairs = [...searchParams].map((pair): [string, string] => [...neutralPair(pair)]);
  return {
    ...asked,
    headers: heardHeaders(words, asked.headers),
    url: { href, origin, search, searchParams: new URLSearchParams(pairs), pathname },
  };
}
