import { BrokenOff } from "../services/kit/connection.ts";
import type { WireAnswer } from "../services/kit/http.ts";
import { noteServed } from "./served.ts";

/** A wire answer as the `Response` that `fetch` gives. */
export function responseOf({ status, headers, body, served, pieces }: WireAnswer): Response {
  const response = new Response(pieces === undefined ? body : streamOf(pieces), { status, headers: { ...headers } });
  noteServed(response, served);
  return response;
}

/** A body that comes in pieces, and breaks off as it does for `fetch`. */
function streamOf(pieces: AsyncIterable<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator: AsyncIterator<Uint8Array<ArrayBuffer>, undefined> = pieces[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (stream) => {
      try {
        const { done, value } = await iterator.next();
        if (done === true) stream.close();
        else stream.enqueue(value);
      } catch (error) {
        stream.error(error instanceof BrokenOff ? new TypeError("terminated", { cause: error }) : error);
      }
    },
  });
}
