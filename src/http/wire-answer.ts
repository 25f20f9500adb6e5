import { noteServed, type Served } from "./served.ts";

/** An answer with all that the wire shows of it, and what stands behind it. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly served: Served;
}

/** The answer for whoever asked by `fetch`. */
export function responseOf({ status, headers, body, served }: WireAnswer): Response {
  const response = new Response(body, { status, headers: { ...headers } });
  noteServed(response, served);
  return response;
}
