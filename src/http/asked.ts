import type { HttpCome } from "../services/kit/http.ts";

/** A request of a client, which may be redirected. */
export interface Asked extends HttpCome {
  readonly url: URL;
  readonly headers: Headers;
  readonly redirect: RequestRedirect;
}

export const NO_BODY = new Uint8Array(0);

/**
 * A request of a simple form: a URL, and at most headers, a method, and a body that is there as a whole or a signal. Most requests
 * of a test are such, and making a `Request` of one (with an abort signal of its own) takes longer than deciding its answer; and a
 * `Request` gives its body later, so that a clock that is moved at once would be ahead of it.
 *
 * @returns undefined for any other request, and for one that `Request` refuses: it knows all that `fetch` takes
 */
export function plainlyAsked(input: unknown, init: RequestInit | undefined): Asked | undefined {
  const text = input instanceof URL ? input.href : input;
  if (typeof text !== "string" || !URL.canParse(text) || !isPlain(init)) return undefined;
  const { method = "GET", headers: given, body: content = null, signal } = init ?? {};
  const url = new URL(text);
  const body = bytesOf(content);
  if (body === undefined || !(content === null ? BODILESS : BODIED).has(method)) return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  if (signal !== undefined && signal !== null && !(signal instanceof AbortSignal && content === null)) return undefined;
  const headers = new Headers(given);
  // Source: the Fetch standard, "body with type".
  if (typeof content === "string" && !headers.has("content-type")) headers.set("content-type", TEXT);
  return { method, url, headers, body, redirect: "follow", ...(signal instanceof AbortSignal ? { signal } : {}) };
}

const TEXT = "text/plain;charset=UTF-8";

/** The bytes of a body that is there as a whole; undefined for all others. */
function bytesOf(content: unknown): Uint8Array | undefined {
  if (content === null) return NO_BODY;
  if (typeof content === "string") return new TextEncoder().encode(content);
  return content instanceof Uint8Array ? new Uint8Array(content) : undefined;
}

function isPlain(init: RequestInit | undefined): boolean {
  if (init === undefined) return true;
  // With what it inherits: `fetch` reads that, too.
  for (const name in init) if (!SIMPLE.has(name)) return false;
  return typeof init === "object";
}

const SIMPLE: ReadonlySet<string> = new Set(["method", "headers", "body", "signal"]);

/** In the spelling that `Request` leaves as it is. */
const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD", "LIST", "DELETE", "POST", "PUT"]);
const BODIED: ReadonlySet<string> = new Set(["POST", "PUT", "DELETE"]);

/** Any request: a promise only where a body has to be waited for. */
export function fullyAsked(input: string | URL | Request, init: RequestInit | undefined): Asked | Promise<Asked> {
  const given = init?.signal;
  const own = init !== undefined && given instanceof AbortSignal ? withoutSignal(init) : init;
  const request = input instanceof Request && init === undefined ? input : new Request(input, own);
  const signal = given instanceof AbortSignal ? given : request.signal;
  return request.body === null ? askedOf(request, signal, NO_BODY) : withBody(request, signal);
}

/** A `Request` listens to the signal that it is given until it is collected, and many that share one draw a warning (amendments.md, A3). */
function withoutSignal(init: RequestInit): RequestInit {
  return new Proxy(init, { get: (of, name): unknown => (name === "signal" ? null : Reflect.get(of, name)) });
}

async function withBody(request: Request, signal: AbortSignal): Promise<Asked> {
  signal.throwIfAborted();
  return askedOf(request, signal, new Uint8Array(await request.arrayBuffer()));
}

function askedOf({ method, url, headers, redirect }: Request, signal: AbortSignal, body: Uint8Array): Asked {
  return { method, url: new URL(url), headers, redirect, signal, body };
}
