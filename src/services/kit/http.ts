import type { EpochMs, LogPosition } from "../../kernel/brand.ts";
import type { Caller } from "../../kernel/commit.ts";
import type { Fault } from "../../surroundings/faults/line.ts";
import type { Behind } from "./why.ts";

/** An HTTP request whose body has been read, as far as its answer depends on it. */
export interface HttpAsked {
  readonly method: string;
  readonly url: UrlRead;
  readonly headers: HeadersRead;
  readonly body: Uint8Array;
  /** Gives up a request that waits. */
  readonly signal?: AbortSignal;
  /** The status with which it fails whatever it asks for: a fault answers in the place of the service. */
  readonly failsWith?: number | undefined;
}

/** Headers of a request, as far as services read them: `Headers`, or what stands for them. */
export type HeadersRead = Pick<Headers, "get">;

/** Headers of a request as they came. */
export type HeadersCome = HeadersRead & Iterable<readonly [name: string, value: string]>;

/** A request as it came. */
export interface HttpCome extends HttpAsked {
  readonly headers: HeadersCome;
}

/** The URL of a request, as far as services read it: a `URL`, or what stands for it. */
export interface UrlRead extends Readonly<Pick<URL, "href" | "origin" | "pathname" | "search">> {
  readonly searchParams: ParametersRead;
}

/** The parameters of a query, which are only looked at. */
export type ParametersRead = Iterable<readonly [string, string]> &
  Pick<URLSearchParams, "get" | "getAll" | "has" | "keys">;

/** An answer with all that the wire shows of it, and what stands behind it. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly served: Served;
  /** The body as it comes where a fault acts on it: in pieces, and broken off with a `BrokenOff`. It is never there beside a null body. */
  readonly pieces?: AsyncIterable<Uint8Array<ArrayBuffer>>;
  /** What acted on it on its way. */
  readonly fault?: Fault;
  /** What the header `X-Hindcast-Why` says of a refusal: it is looked for when somebody reads the headers. */
  readonly why?: () => string;
}

export const WHY_HEADER = "X-Hindcast-Why";

/** All headers of an answer, for whoever sends them at once. */
export function headersSent({ headers, why }: WireAnswer): { readonly [name: string]: string } {
  return why === undefined ? headers : { ...headers, [WHY_HEADER]: why() };
}

/** What stands behind an answer, for whoever wants it explained. */
export interface Served {
  /** The line of time that answered. */
  readonly origin: object;
  readonly position: LogPosition;
  readonly atMs: EpochMs;
  /** Whether the request made the commit at this position. */
  readonly committed: boolean;
  /** The operation that answered; absent when no route fitted. */
  readonly operation: string | undefined;
  readonly caller: Caller;
  readonly answer: unknown;
  /** What stands behind its refusal, when it was refused. */
  readonly refused?: Behind | undefined;
  /** Known routes like the one asked for, when none fitted. */
  readonly nearest?: readonly string[] | undefined;
}

/** What people call a request. */
export function requestText({ method, url }: Pick<HttpAsked, "method" | "url">): string {
  return `${method} ${url.href}`;
}

/** A path, or a segment of one, without its escapes, which is where words are looked up; undefined where one of them is none. */
export function decoded(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
