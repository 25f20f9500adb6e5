import type { Direction, Renaming, ServiceWords } from "./words.ts";

/** A word as it is called in a direction; one that no row has stays. */
export function renamed(renaming: Renaming, word: string, to: Direction): string {
  return renaming[to].get(word) ?? word;
}

/** An enumerated value of a field, which has its neutral name here. */
export function renamedValue({ values, valuesOf }: ServiceWords, field: string, value: string, to: Direction): string {
  return valuesOf.get(field)?.[to].get(value) ?? renamed(values, value, to);
}

/**
 * An identifier, which begins with a word.
 *
 * Our choice: a neutral one is taken as well where own ones are, because test authors get them from the control surface, such as root
 * tokens. What begins an identifier is not chosen by anybody, so that nothing becomes ambiguous.
 */
export function renamedIdentifier({ prefixes }: ServiceWords, identifier: string, to: Direction): string {
  const from = to === "own" ? "neutral" : "own";
  for (const prefix of prefixes[to]) {
    if (identifier.startsWith(prefix[from])) return prefix[to] + identifier.slice(prefix[from].length);
  }
  return identifier;
}

/** A text for people, with the names in it renamed. `quoted` tells whether what stands in quotes are names, and not a caller's words. */
export function renamedText(
  { inTexts, inQuotes, names }: ServiceWords,
  text: string,
  { quoted }: { readonly quoted: boolean },
): string {
  const finder = quoted ? inQuotes : inTexts;
  return finder === undefined ? text : text.replace(finder, (name) => names.get(name) ?? name);
}

/** Headers of a request, asked for by their neutral names. */
export function heardHeaders({ headers }: ServiceWords, given: Pick<Headers, "get">): Pick<Headers, "get"> {
  if (headers.own.size === 0) return given;
  return {
    get: (name) => {
      // Most are asked for in lower case.
      const own = headers.own.get(name) ?? headers.own.get(name.toLowerCase());
      if (own !== undefined) return given.get(own);
      // A name that stands for another one by now is nobody's.
      return headers.neutral.has(name.toLowerCase()) ? null : given.get(name);
    },
  };
}

/** The own name of a header, in whatever case it was written. */
export function spokenHeader({ headers }: ServiceWords, name: string): string {
  return headers.own.get(name.toLowerCase()) ?? name;
}

/** Headers of an answer, under their own names. */
export function spokenHeaders(
  words: ServiceWords,
  given: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  const { own } = words.headers;
  if (own.size === 0) return given;
  const names = Object.keys(given);
  // Most answers have none of them.
  if (!names.some((name) => own.has(name.toLowerCase()))) return given;
  return Object.fromEntries(names.map((name) => [spokenHeader(words, name), given[name] as string]));
}
