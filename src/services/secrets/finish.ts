import type { Speech } from "../../languages/vocabulary/shape.ts";
import type { ServiceWords } from "../../languages/vocabulary/words.ts";
import { renderToken, renderTokenSoon } from "../../surroundings/orchestrator/tokens.ts";
import type { AcceptedAnswer } from "./door.ts";
import { type KvData, objectOf } from "./kv/state.ts";
import { withToken } from "./reply.ts";
import type { PathContext } from "./words/path.ts";

// Signing is rendering: a command commits what is signed, and the bytes are made with the answer.

/** The body of an answer as whoever asked gets it at once. */
export function finished({ body, unsigned, isTextual }: AcceptedAnswer, words: ServiceWords | undefined): unknown {
  if (isTextual) return withData(body as { readonly data: KvData });
  return unsigned === undefined ? body : withToken(body, unsigned, renderToken(unsigned.token, words));
}

function withData<B extends { readonly data: KvData }>(body: B): B {
  return { ...body, data: objectOf(body.data) };
}

/**
 * The same for whoever waits: a promise where the body is still to be made, or something in it to be signed.
 *
 * @param speech what the rest of the body is going to be put into: words of the wire, none for a typed call
 */
export function finishedSoon(
  { body, unsigned, render }: AcceptedAnswer,
  words: ServiceWords | undefined,
  speech?: Speech<PathContext>,
): unknown {
  if (unsigned !== undefined)
    return renderTokenSoon(unsigned.token, words).then((jwt) => withToken(body, unsigned, jwt));
  return render === undefined || body === undefined ? body : render(body, speech);
}
