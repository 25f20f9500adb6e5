import type { LogPosition } from "../../kernel/brand.ts";
import type { Host } from "../../kernel/host.ts";
import type { Refusal } from "../../kernel/outcome.ts";
import { heardHeaders, renamed, spokenHeaders } from "../../languages/vocabulary/rename.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import type { ServiceWords } from "../../languages/vocabulary/words.ts";
import type { HeadersRead } from "../http-headers.ts";
import type { UrlRead } from "../http-url.ts";
import { heardWith } from "../http-words.ts";
import type { RunsCaller } from "./declare.ts";
import { type Answered, type Request, respond } from "./door.ts";
import { outputAskedIn, outputBehind } from "./policy-checks/output.ts";
import { type Allowance, countRequest } from "./rate-limit.ts";
import { badRequest, type ErrorObject, errorForm } from "./responses.ts";
import { nearestRoutes, resolve, segmentsOf } from "./routes.ts";
import { heardToken, renamedLink, renamedPair, renamedSegments, spokenDocument, spokenErrors } from "./words/wire.ts";
import { type RunsWorld, runServiceOf } from "./world.ts";

/** An HTTP request whose body has been read. */
export interface HttpAsked {
  readonly method: string;
  readonly url: UrlRead;
  readonly headers: HeadersRead;
  readonly body: Uint8Array;
}

/** An answer for the wire. */
export interface HttpAnswered {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** JSON, text, or nothing. */
  readonly body: { readonly json: unknown } | { readonly text: string } | undefined;
  readonly commit?: LogPosition | undefined;
  readonly operation?: string | undefined;
  readonly caller?: RunsCaller;
  /** The code of the refusal, when it was one. */
  readonly rejection?: string | undefined;
  readonly nearest?: readonly string[];
}

/** Requests and responses, errors too; without a charset (decisions-policy-checks.md, 1.1). */
const MEDIA_TYPE = "application/vnd.api+json";

/** The answer of the service to an HTTP request. */
export function answerHttp(host: Host<RunsWorld>, sent: HttpAsked): HttpAnswered {
  const words = wordsOf(host.state)?.runs;
  const asked = words === undefined ? sent : heardWith(words, sent, (pair) => renamedPair(words, pair, "neutral"));
  const given = segmentsOf(asked.url.pathname);
  const segments = words === undefined || given === undefined ? given : renamedSegments(words, given, "neutral");
  const output = segments === undefined || asked.method !== "GET" ? undefined : outputAskedIn(segments);
  if (output !== undefined && !(host.takesCommands && runServiceOf(host.state).requestFailures.length > 0)) {
    host.serve();
    return outputAnswer(outputBehind(host.state, host.nowMs, output), words);
  }
  const routed = segments === undefined ? undefined : resolve(asked.method, segments);
  const caller = callerOf(asked.headers, words);
  const answer = respond(host, {
    named: routed?.named,
    captures: routed?.captures ?? {},
    query: routed === undefined ? [] : [...asked.url.searchParams],
    ...(routed === undefined || asked.method !== "POST" ? {} : readBody(asked, words)),
    caller,
    via: "http",
  });
  const known = { ...onWire(answer, words), operation: routed?.named.name, caller };
  return routed === undefined ? { ...known, nearest: nearestRoutes(segments ?? []) } : known;
}

/** The answer to a request that cannot be placed in history. */
export function unplaced(host: Host<RunsWorld>, { headers }: HttpAsked, message: string): HttpAnswered {
  host.serve();
  const words = wordsOf(host.state)?.runs;
  const caller = callerOf(words === undefined ? headers : heardHeaders(words, headers), words);
  const allowance = countRequest(host, caller);
  const form =
    allowance?.exceeded === true
      ? errorForm("too_many_requests", { limit: allowance.limit })
      : badRequest(`X-Hindcast-At: ${message}`);
  return { ...errorAnswer(form, words, allowanceHeaders(allowance)), caller };
}

// --- reading --------------------------------------------------------------------------------------------------------

/** The token of `Authorization: Bearer <token>`: any case of the word, exactly one space; another scheme is no token. */
function callerOf(headers: HeadersRead, words: ServiceWords | undefined): RunsCaller {
  const [, token] = /^bearer ([^\s]+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  return token === undefined ? {} : { token: words === undefined ? token : heardToken(words, token) };
}

function readBody(
  { headers, body }: HttpAsked,
  words: ServiceWords | undefined,
): Pick<Request, "comment" | "malformed"> {
  const mediaType = (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (mediaType !== MEDIA_TYPE) return { malformed: "content_type_invalid" };
  if (body.length === 0) return {};
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return { comment: commentIn(JSON.parse(text), words) };
  } catch {
    return { malformed: "body_invalid" };
  }
}

/** The comment of a body; all other JSON is ignored. */
function commentIn(body: unknown, words: ServiceWords | undefined): string | undefined {
  const name = words === undefined ? "comment" : renamed(words.fields, "comment", "own");
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, name)) return undefined;
  const { [name]: comment } = body as { readonly [name: string]: unknown };
  return typeof comment === "string" ? comment : undefined;
}

// --- writing --------------------------------------------------------------------------------------------------------

function onWire(answer: Answered, words: ServiceWords | undefined): HttpAnswered {
  const headers = allowanceHeaders(answer.allowance);
  const { status, commit } = answer;
  if (!answer.ok) {
    const { errors, refusal } = answer;
    const form = errorAnswer({ status, errors, refusal }, words, headers);
    return { ...form, commit, rejection: refusal.code };
  }
  const { body, location } = answer.reply;
  if (location !== undefined) {
    const to = words === undefined ? location : renamedLink(words, location, "own");
    return { status, headers: spokenIn(words, { ...headers, Location: to }), body: undefined, commit };
  }
  if (body === undefined) return { status, headers: spokenIn(words, headers), body: undefined, commit };
  return {
    status,
    headers: spokenIn(words, { ...headers, "Content-Type": MEDIA_TYPE }),
    body: { json: words === undefined ? body : spokenDocument(words, body) },
    commit,
  };
}

function errorAnswer(
  {
    status,
    errors,
    refusal,
  }: { readonly status: number; readonly errors: readonly ErrorObject[]; readonly refusal?: Refusal },
  words: ServiceWords | undefined,
  headers: { readonly [name: string]: string } = {},
): HttpAnswered {
  const document = words === undefined ? { errors } : spokenErrors(words, errors, refusal);
  return { status, headers: spokenIn(words, { ...headers, "Content-Type": MEDIA_TYPE }), body: { json: document } };
}

function spokenIn(
  words: ServiceWords | undefined,
  headers: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  return words === undefined ? headers : spokenHeaders(words, headers);
}

function outputAnswer(text: string | undefined, words: ServiceWords | undefined): HttpAnswered {
  if (text === undefined) return { ...errorAnswer(errorForm("not_found", {}), words), rejection: "not_found" };
  return { status: 200, headers: { "Content-Type": "application/octet-stream" }, body: { text } };
}

function allowanceHeaders(allowance: Allowance | undefined): Record<string, string> {
  if (allowance === undefined) return {};
  const { limit, remaining, resetSeconds, exceeded } = allowance;
  return {
    "X-RateLimit-Limit": `${limit}`,
    "X-RateLimit-Remaining": `${remaining}`,
    "X-RateLimit-Reset": `${resetSeconds}`,
    ...(exceeded ? { "Retry-After": `${Math.max(1, Math.ceil(resetSeconds))}` } : {}),
  };
}
