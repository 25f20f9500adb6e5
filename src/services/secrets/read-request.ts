import { copyPlain, type Plain } from "../../kernel/plain.ts";
import { parseContractDuration } from "../../languages/duration.ts";
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
  readonly verb: Verb | "PATCH";
  readonly path: string;
  readonly fields: Input;
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
}

/** The fields of a request. */
export type Input = { readonly [name: string]: Plain };

/** Body sizes that are refused begin after this one: 32 MiB (decisions-secrets-core.md, A.2). */
const MAX_BODY_BYTES = 33_554_432;

/** How deep a body may nest. Our choice: real servers take 10,000 levels (amendments.md, S30), which would exhaust the stack here. */
const MAX_BODY_DEPTH = 1_000;

export const NO_FIELDS: Input = Object.freeze({});

/** What a request asks for, or why it is none. */
export function readRequest(asked: HttpAsked, words: ServiceWords | undefined): ReadRequest | Malformed {
  const given = decoded(asked.url.pathname);
  if (given === undefined) return { status: 400, errors: ["the path is not properly encoded"] };
  if (CONTROL.test(given)) return { status: 400, errors: ["the path has control characters"] };
  if (RELATIVE.test(given)) return { status: 400, errors: ["the path has . or .. as a segment"] };
  const path = words === undefined ? given : heardPage(words, given);
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

function verbOf(method: string): Verb | "PATCH" | undefined {
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
function bodyFields(headers: HeadersRead, body: Uint8Array): { readonly fields: Input } | Malformed {
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
  if (nestsTooDeep(text))
    return { status: 400, errors: [`failed to parse JSON input: nested deeper than ${MAX_BODY_DEPTH} levels`] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { status: 400, errors: ["failed to parse JSON input: invalid JSON"] };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { status: 400, errors: ["failed to parse JSON input: the body is no JSON object"] };
  }
  try {
    return { fields: copyPlain(value, "the body") as Input };
  } catch (error) {
    // A number beyond all measure reads as infinite, which no fact can hold.
    if (error instanceof TypeError) return { status: 400, errors: [`failed to parse JSON input: ${error.message}`] };
    throw error;
  }
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

/** Whether brackets outside strings nest deeper than allowed, told in one pass and without a stack. */
function nestsTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (inString) {
      if (unit === 0x5c) index += 1;
      else if (unit === 0x22) inString = false;
    } else if (unit === 0x22) inString = true;
    else if (unit === 0x7b || unit === 0x5b) {
      depth += 1;
      if (depth > MAX_BODY_DEPTH) return true;
    } else if (unit === 0x7d || unit === 0x5d) depth -= 1;
  }
  return false;
}
