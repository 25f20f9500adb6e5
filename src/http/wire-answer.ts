import type { WireAnswer } from "../services/kit/http.ts";
import { noteServed } from "./served.ts";

/** A wire answer as the `Response` that `fetch` gives. */
export function responseOf({ status, headers, body, served }: WireAnswer): Response {
  const response = new Response(body, { status, headers: { ...headers } });
  noteServed(response, served);
  return response;
}
