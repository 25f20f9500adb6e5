import type { HttpAsked } from "../services/secrets/http.ts";

/** A request as far as its answer depends on it. */
export interface Asked extends HttpAsked {
  readonly redirect: RequestRedirect;
  readonly signal?: AbortSignal;
}

export const NO_BODY = new Uint8Array(0);

/**
 * A request of the simplest form: a URL, and at most headers and a method that has no body. Most requests of a test are such,
 * and making a `Request` of one (with an abort signal of its own) takes longer than deciding its answer.
 *
 * @returns undefined for any other request, and for one that `Request` refuses: it knows all that `fetch` takes
 */
export function plainlyAsked(input: unknown, init: RequestInit | undefined): Asked | undefined {
  const text = input instanceof URL ? input.href : input;
  if (typeof text !== "string" || !URL.canParse(text) || !isPlain(init)) return undefined;
  const { method = "GET", headers } = init ?? {};
  const url = new URL(text);
  if (!BODILESS.has(method) || url.username !== "" || url.password !== "") return undefined;
  return { method, url, headers: new Headers(headers), body: NO_BODY, redirect: "follow" };
}

function isPlain(init: RequestInit | undefined): boolean {
  if (init === undefined) return true;
  // With what it inherits: `fetch` reads that, too.
  for (const name in init) if (name !== "method" && name !== "headers") return false;
  return typeof init === "object";
}

/** In the spelling that `Request` leaves as it is. */
const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD", "LIST", "DELETE"]);

/** Any request: a promise only where a body has to be waited for. */
export function fullyAsked(input: string | URL | Request, init: RequestInit | undefined): Asked | Promise<Asked> {
  const request = input instanceof Request && init === undefined ? input : new Request(input, init);
  return request.body === null ? askedOf(request, NO_BODY) : withBody(request);
}

async function withBody(request: Request): Promise<Asked> {
  request.signal.throwIfAborted();
  return askedOf(request, new Uint8Array(await request.arrayBuffer()));
}

function askedOf({ method, url, headers, redirect, signal }: Request, body: Uint8Array): Asked {
  return { method, url: new URL(url), headers, redirect, signal, body };
}
