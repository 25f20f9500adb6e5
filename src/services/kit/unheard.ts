import { HASHICORP } from "../../languages/vocabulary/hashicorp.ts";
import type { ServiceName } from "../../languages/vocabulary/vocabulary.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import type { HeadersRead } from "./http.ts";

/**
 * A sentence on the headers of a request that a service without words of its own does not know, because the client calls them as the real
 * service does; undefined where there is none. A header that came under its neutral name as well was looked at.
 *
 * Source: real-clients.md, H10.
 */
export function unheardText(state: object, service: string, headers: HeadersRead): string | undefined {
  if (wordsOf(state)?.[service as ServiceName] !== undefined) return undefined;
  const unheard = namesIn(service).filter(([neutral, own]) => headers.get(own) && !headers.get(neutral));
  if (unheard.length === 0) return undefined;
  const [real, neutral] = [1, 0].map((side) => unheard.map((names) => names[side]).join(", "));
  const were = unheard.length === 1 ? `header ${real} was` : `headers ${real} were`;
  return `the ${were} not looked at: this world speaks neutral words (${neutral}), unless its vocabulary is "hashicorp"`;
}

function namesIn(service: string): readonly (readonly [neutral: string, own: string])[] {
  return Object.entries(HASHICORP[service as ServiceName]?.headers ?? {});
}
