import { copyPlain, type Plain } from "../../kernel/plain.ts";
import { parseContractDuration } from "../../languages/duration.ts";
import { measuredJson } from "../../languages/json-measure.ts";
import { setOwn } from "../../languages/objects.ts";
import { renamed } from "../../languages/vocabulary/rename.ts";
import type { ServiceWords } from "../../languages/vocabulary/words.ts";
import { decoded, type HeadersRead, type HttpAsked, type ParametersRead } from "../kit/http.ts";
import type { Verb } from "./declare.ts";
import { booleanOf } from "./fields.ts";
import { heardPage } from "./words/heard.ts";
import { PAGES } from "./words/path.ts";

// The line, the headers and the body of a request, before anything is looked up: decisions-secrets-core.md, A.3, step 1.

/** A request as it was understood. */
export interface ReadRequest {
  readonly verb: Verb;
  readonly path: string;
  readonly fields: Input;
  /** The body as it was written, where `fields` do not hold all of it. */
  readonly text?: string;
  /** 0 = not to be wrapped. */
  readonly wrapTtlSeconds: number;
  /** It is the authorization page that is asked. */
  readonly page?: boolean;
}

/** What is wrong with a request line, a header or a body, before anything is looked up (A.3, step 1). */
export interface Malformed {
  readonly status: number;
  readonly errors: readonly string[];
  /** Where it goes, when it is the body that is wrong. */
  readonly to?: Pick<ReadRequest, "verb" | "path">;
  readonly headers?: { readonly [name: string]: string } | undefined;
}

/** The fields of a request. */
export type Input = { readonly [name: string]: Plain };

/** Body sizes that are refused begin after this one: 32 MiB (decisions-secrets-core.md, A.2). */
const MAX_BODY_BYTES = 33_554_432;

/** How deep a body may nest (amendments.md, S30). */
const MAX_BODY_DEPTH = 10_000;

/** How deep fields nest: what is below stands in a body that is kept as text, for a copy of it would exhaust the stack. */
const MAX_FIELD_DEPTH = 1_000;

export const NO_FIELDS: Input = Object.freeze({});

/** What a request asks for, or why it is none. */
export function readRequest(asked: HttpAsked, words: ServiceWords | undefined): ReadRequest | Malformed {
  const given = decoded(asked.url.pathname);
  if (given === undefined) return { status: 400, errors: ["the path is not properly encoded"] };
  if (CONTROL.test(given)) return { status: 400, errors: ["the path has control characters"] };
  if (RELATIVE.test(given)) return { status: 400, errors: ["the path has . or .. as a segment"] };
  const path = words === undefined ? given : heardPage(words, given);
  // As the recorded server answers (test/fidelity, http-023): what is below has a handler, and this has not.
  if (path === "/v1/sys") return { status: 307, errors: [], headers: { Location: "/v1/sys/" } };
  if (path.startsWith("/v1/")) return readBelow(asked, path.slice("/v1/".length), words);
  if (!path.startsWith(PAGES)) return { status: 404, errors: [] };
  // It stands in for the browser, whose verb is GET; a query is all that it looks at.
  const read = readBelow({ ...asked, body: NO_BODY }, path.slice(PAGES.length), words);
  if ("status" in read) return read;
  if (asked.method !== "GET" && read.path.endsWith("/authorize")) {
    return { status: 405, errors: ["the authorization page is read with GET"] };
  }
  const fields = formFields(asked.url.searchParams);
  return { ...read, verb: "GET", fields, wrapTtlSeconds: 0, page: true };
}

const NO_BODY = new Uint8Array(0);

// No path of anything (amendments.md, S39).
const CONTROL = /\p{Cc}/u;
const RELATIVE = /(^|\/)\.\.?(\/|$)/;

function readBelow(
  { method, url, headers, body }: HttpAsked,
  below: string,
  words: ServiceWords | undefined,
): ReadRequest | Malformed {
  // Health is asked by machines that want no body (A.11); no other path knows HEAD.
  const verb = method === "HEAD" && `/${below}`.endsWith("/sys/health") ? "GET" : verbOf(method);
  if (verb === undefined) return { status: 405, errors: [] };
  if (verb === "PATCH" && mediaTypeOf(headers) !== "application/merge-patch+json") return { status: 415, errors: [] };
  if (body.length > MAX_BODY_BYTES) return { status: 413, errors: ["http: request body too large"] };
  const wrapTtlSeconds = wrapTtlOf(headers);
  if (wrapTtlSeconds === undefined) return { status: 400, errors: ["X-Secrets-Wrap-TTL holds no duration"] };
  if (verb === "POST" || verb === "PATCH") {
    const fields = bodyFields(headers, body);
    return "status" in fields
      ? { ...fields, to: { verb, path: below } }
      : { verb, path: below, ...fields, wrapTtlSeconds };
  }
  if (url.search === "") return { verb, path: below, fields: NO_FIELDS, wrapTtlSeconds };
  const listName = words === undefined ? "list" : renamed(words.fields, "list", "own");
  const fields = formFields(url.searchParams) as { readonly [name: string]: string };
  const { [listName]: list = "", ...others } = fields;
  if (verb !== "GET" || list === "")
    return { verb, path: below, fields: list === "" ? others : fields, wrapTtlSeconds };
  const listing = booleanOf(list);
  if (listing === undefined) return { status: 400, errors: [] };
  return listing
    ? { verb: "LIST", path: below, fields: others, wrapTtlSeconds }
    : { verb: "GET", path: below, fields, wrapTtlSeconds };
}

/** For how long the answer is to be kept under a token; 0 for not at all, undefined for what is no duration. */
function wrapTtlOf(headers: HeadersRead): number | undefined {
  const given = headers.get("x-secrets-wrap-ttl");
  if (given === null) return 0;
  const duration = parseContractDuration(given);
  return duration.ok ? duration.ms / 1000 : undefined;
}

function verbOf(method: string): Verb | undefined {
  switch (method) {
    case "GET":
    case "LIST":
    case "POST":
    case "DELETE":
    case "PATCH":
      return method;
    case "PUT":
      return "POST";
    default:
      return undefined;
  }
}

function mediaTypeOf(headers: HeadersRead): string {
  return (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** The fields of a body: a JSON object whatever its content type; a form only when it says so and looks like one. */
function bodyFields(headers: HeadersRead, body: Uint8Array): Pick<ReadRequest, "fields" | "text"> | Malformed {
  if (body.length === 0) return { fields: {} };
  const text = new TextDecoder().decode(body);
  const start = text.trimStart();
  if (start === "") return { fields: {} };
  if (
    mediaTypeOf(headers) === "application/x-www-form-urlencoded" &&
    !start.startsWith("{") &&
    !start.startsWith("[")
  ) {
    return { fields: joinedFields(new URLSearchParams(text)) };
  }
  return jsonFields(withoutHalves(text));
}

function jsonFields(text: string): Pick<ReadRequest, "fields" | "text"> | Malformed {
  const { depth, isExact } = measuredJson(text);
  if (depth > MAX_BODY_DEPTH)
    return { status: 400, errors: [`failed to parse JSON input: nested deeper than ${MAX_BODY_DEPTH} levels`] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { status: 400, errors: ["failed to parse JSON input: invalid JSON"] };
  }
  // Clients in Go send it where they have nothing to send (README.md beside this file).
  if (value === null) return { fields: {} };
  if (typeof value !== "object" || Array.isArray(value)) {
    return { status: 400, errors: ["failed to parse JSON input: the body is no JSON object"] };
  }
  if (isExact && depth <= MAX_FIELD_DEPTH) return { fields: copyPlain(value, "the body") as Input };
  return { fields: copyPlain(kept(value, MAX_FIELD_DEPTH), "the body") as Input, text };
}

/**
 * What fields hold of a value. No field but those that are kept as text nests so deep, or takes a number beyond all measure, which no
 * fact can hold: it is refused as the word that it becomes.
 */
function kept(value: unknown, levels: number): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => kept(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, kept(member, levels - 1)]));
}

function formFields(pairs: ParametersRead): Input {
  const fields: Record<string, Plain> = {};
  for (const [name, value] of pairs) setOwn(fields, name, value);
  return fields;
}

/** As `formFields`, but of a field that is repeated all values, with commas between them (amendments.md, S40). */
function joinedFields(pairs: URLSearchParams): Input {
  const fields: Record<string, Plain> = {};
  for (const name of new Set(pairs.keys())) setOwn(fields, name, pairs.getAll(name).join(","));
  return fields;
}

/** Escaped halves of surrogate pairs, as the real service reads them: each is a replacement character. */
function withoutHalves(text: string): string {
  return text.includes("\\u") ? text.replace(ESCAPES, (found, half) => (half ? "\\ufffd" : found)) : text;
}

const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|.)/g;
