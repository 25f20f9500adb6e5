import { BrokenOff } from "../services/kit/connection.ts";
import { WHY_HEADER, type WireAnswer } from "../services/kit/http.ts";
import { noteServed } from "./served.ts";

/** A wire answer as the `Response` that `fetch` gives. */
export function responseOf({ status, headers, body, served, pieces, why }: WireAnswer): Response {
  const response = new Response(pieces === undefined ? body : streamOf(pieces), { status, headers: { ...headers } });
  noteServed(response, served);
  if (why !== undefined) explainWhenRead(response, why);
  return response;
}

/** A body that comes in pieces, and breaks off as it does for `fetch`. */
function streamOf(pieces: AsyncIterable<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (stream) => {
      try {
        const next = await iterator.next();
        if (next.done === true) stream.close();
        else stream.enqueue(next.value);
      } catch (error) {
        stream.error(error instanceof BrokenOff ? new TypeError("terminated", { cause: error }) : error);
      }
    },
  });
}

/** Finding out why takes several times as long as the answer itself, and most tests look at the status alone. */
function explainWhenRead(response: Response, why: () => string): void {
  const { headers } = response;
  let isTold = false;
  const told = (): Headers => {
    if (!isTold) headers.set(WHY_HEADER, why());
    isTold = true;
    return headers;
  };
  const clone = (): Response => {
    told();
    return Response.prototype.clone.call(response);
  };
  Object.defineProperties(response, { headers: { get: told }, clone: { value: clone } });
}
