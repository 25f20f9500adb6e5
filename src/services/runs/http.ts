import type { LogPosition } from "../../kernel/brand.ts";
import type { Command } from "../../kernel/commit.ts";
import type { Host } from "../../kernel/host.ts";
import type { Refusal } from "../../kernel/outcome.ts";
import { heardHeaders, spokenHeaders } from "../../languages/vocabulary/rename.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import type { ServiceWords } from "../../languages/vocabulary/words.ts";
import { unroutedOf } from "../kit/door.ts";
import type { HeadersRead, HttpAsked, WireAnswer } from "../kit/http.ts";
import { heardWith } from "../kit/http-words.ts";
import { isFailing } from "../kit/request-failures.ts";
import { nearestRoutes } from "../kit/router.ts";
import { type Behind, behind, unreadable } from "../kit/why.ts";
import type { FieldsRead, RunsCaller, RunsField } from "./declare.ts";
import { type Answered, commandOf, type Request, respond } from "./door.ts";
import { outputAskedIn, outputBehind } from "./policy-checks/output.ts";
import { type Allowance, countRequest } from "./rate-limit.ts";
import { type NamedOperation, runsRegistry } from "./registry.ts";
import { badRequest, type ErrorForm, type ErrorObject, runsForms } from "./responses.ts";
import { resolve, segmentsOf } from "./routes.ts";
import {
  heardToken,
  renamedDocument,
  renamedLink,
  renamedPair,
  renamedSegments,
  spokenDocument,
  spokenErrors,
} from "./words/wire.ts";
import { type RunsWorld, runServiceOf } from "./world.ts";

/** What goes on the wire: a status, headers, and JSON, text or nothing. */
interface Content {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: { readonly json: unknown } | { readonly text: string } | undefined;
}

/** What was found out on the way to an answer. */
interface Known {
  readonly commit?: LogPosition | undefined;
  readonly operation?: string | undefined;
  readonly caller?: RunsCaller | null;
  readonly refused?: Behind | undefined;
  readonly nearest?: readonly string[];
}

/** Requests and responses, errors too; without a charset (decisions-policy-checks.md, 1.1). */
const MEDIA_TYPE = "application/vnd.api+json";

/** The answer of the service to an HTTP request. */
export function answerHttp(host: Host<RunsWorld>, sent: HttpAsked): WireAnswer {
  const words = wordsOf(host.state)?.runs;
  const asked = words === undefined ? sent : heardWith(words, sent, (pair) => renamedPair(words, pair, "neutral"));
  const given = segmentsOf(asked.url.pathname);
  const segments = words === undefined || given === undefined ? given : renamedSegments(words, given, "neutral");
  const output = segments === undefined || asked.method !== "GET" ? undefined : outputAskedIn(segments);
  const { failsWith } = asked;
  if (output !== undefined && failsWith === undefined && !isFailing(host, runServiceOf(host.state))) {
    host.serve();
    const text = outputBehind(host.state, host.nowMs, output);
    if (text !== undefined) return wireAnswer(host, sent, textContent(text), {});
    const refused = behind(host, unheard(sent, null), NO_OUTPUT, undefined);
    return wireAnswer(host, sent, errorContent(runsForms.form(NO_OUTPUT), words), { refused });
  }
  const routed = segments === undefined ? undefined : resolve(asked.method, segments);
  const caller = callerOf(asked.headers, words);
  const request: Request = {
    named: routed?.named,
    captures: routed?.captures ?? {},
    query: routed === undefined ? [] : [...asked.url.searchParams],
    ...(routed === undefined || asked.method !== "POST" ? NO_BODY : readBody(asked, routed.named, words)),
    caller,
    via: "http",
    isForOutput: output !== undefined,
    failsWith,
  };
  const answer = respond(host, request);
  const known: Known = {
    commit: answer.commit,
    operation: routed?.named.name,
    caller,
    refused: answer.ok ? undefined : refusedBehind(host, sent, request, answer),
    ...(routed === undefined ? { nearest: nearestRoutes(runsRegistry.byName.values(), segments ?? []) } : {}),
  };
  return wireAnswer(host, sent, contentOf(answer, words), known);
}

/** The operation that a request asks for. */
export function operationOf(world: RunsWorld, { method, url }: HttpAsked): string | undefined {
  const words = wordsOf(world)?.runs;
  const given = segmentsOf(url.pathname);
  const segments = words === undefined || given === undefined ? given : renamedSegments(words, given, "neutral");
  return segments === undefined ? undefined : resolve(method, segments)?.named.name;
}

/** The answer to a request that cannot be placed in history. */
export function unplaced(host: Host<RunsWorld>, sent: HttpAsked, message: string): WireAnswer {
  host.serve();
  const words = wordsOf(host.state)?.runs;
  const caller = callerOf(words === undefined ? sent.headers : heardHeaders(words, sent.headers), words);
  const allowance = countRequest(host, caller);
  const form =
    allowance?.exceeded === true
      ? runsForms.form({ code: "too_many_requests", data: { limit: allowance.limit } })
      : badRequest(`X-Hindcast-At: ${message}`);
  const refused = behind(host, unheard(sent, caller), unreadable([message]), undefined);
  const content = errorContent(form, words, undefined, allowanceHeaders(allowance));
  return wireAnswer(host, sent, content, { caller, refused });
}

function refusedBehind(
  host: Host<RunsWorld>,
  sent: HttpAsked,
  request: Request,
  { refusal, commit }: Extract<Answered, { readonly ok: false }>,
): Behind {
  const command = request.named === undefined ? unheard(sent, request.caller) : commandOf(request);
  return behind(host, command, refusal, commit);
}

/** A request that no operation answers. */
function unheard({ method, url }: HttpAsked, caller: RunsCaller | null): Command {
  return { name: unroutedOf(runsRegistry.service), input: { verb: method, path: url.pathname }, caller, via: "http" };
}

function wireAnswer(
  host: Host<RunsWorld>,
  asked: HttpAsked,
  { status, headers, body }: Content,
  { commit, operation, caller = null, refused, nearest }: Known,
): WireAnswer {
  const position = commit ?? host.position;
  const { origin, nowMs: atMs } = host;
  const shown = body === undefined ? undefined : "json" in body ? body.json : body.text;
  return {
    status,
    headers: { ...headers, "X-Hindcast-Position": `${position}` },
    body: asked.method === "HEAD" ? null : textOf(body),
    served: {
      origin,
      position,
      atMs,
      committed: commit !== undefined,
      operation,
      caller,
      answer: shown,
      refused,
      nearest,
    },
  };
}

function textOf(body: Content["body"]): string | null {
  if (body === undefined) return null;
  return "json" in body ? JSON.stringify(body.json) : body.text;
}

// --- reading --------------------------------------------------------------------------------------------------------

/** The token of `Authorization: Bearer <token>`: any case of the word, exactly one space. Another scheme counts as no token. */
function callerOf(headers: HeadersRead, words: ServiceWords | undefined): RunsCaller {
  const [, token] = /^bearer ([^\s]+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  return token === undefined ? {} : { token: words === undefined ? token : heardToken(words, token) };
}

const NO_OUTPUT: Refusal = Object.freeze({ code: "not_found", data: Object.freeze({}) });

const NO_BODY: Pick<Request, "fields"> = Object.freeze({ fields: Object.freeze({}) });

function readBody(
  { headers, body }: HttpAsked,
  named: NamedOperation,
  words: ServiceWords | undefined,
): Pick<Request, "fields" | "malformed"> {
  const mediaType = (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (mediaType !== MEDIA_TYPE) return { ...NO_BODY, malformed: "content_type_invalid" };
  if (body.length === 0) return NO_BODY;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return { fields: fieldsIn(JSON.parse(text), named, words) };
  } catch {
    return { ...NO_BODY, malformed: "body_invalid" };
  }
}

/** What of a body its operation knows; all other JSON is ignored. */
function fieldsIn(body: unknown, { operation }: NamedOperation, words: ServiceWords | undefined): FieldsRead {
  const document = words === undefined ? body : renamedDocument(words, body, "neutral");
  const fields: Record<string, FieldsRead[string]> = {};
  for (const [name, { kind, within }] of Object.entries(operation.fields)) {
    const value = memberAt(document, ...PLACES[within](name));
    if (kind === "text" && typeof value === "string") fields[name] = value;
    if (kind === "flag" && typeof value === "boolean") fields[name] = value;
  }
  return fields;
}

/** Where a field stands in a document of JSON:API. */
const PLACES: { readonly [W in RunsField["within"]]: (name: string) => readonly string[] } = {
  document: (name) => [name],
  attributes: (name) => ["data", "attributes", name],
  relationships: (name) => ["data", "relationships", name, "data", "id"],
};

function memberAt(value: unknown, ...[name, ...names]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return memberAt(Reflect.get(value, name), ...names);
}

// --- writing --------------------------------------------------------------------------------------------------------

function contentOf(answer: Answered, words: ServiceWords | undefined): Content {
  const allowed = allowanceHeaders(answer.allowance);
  if (!answer.ok) return errorContent(answer.form, words, answer.refusal, allowed);
  const { status, reply } = answer;
  const headers = { ...allowed, ...reply.headers };
  const { body, location } = reply;
  if (location !== undefined) {
    const to = words === undefined ? location : renamedLink(words, location, "own");
    return { status, headers: spokenIn(words, { ...headers, Location: to }), body: undefined };
  }
  if (body === undefined) return { status, headers: spokenIn(words, headers), body: undefined };
  return {
    status,
    headers: spokenIn(words, { ...headers, "Content-Type": MEDIA_TYPE }),
    body: { json: words === undefined ? body : spokenDocument(words, body) },
  };
}

function errorContent(
  { status, errors }: ErrorForm,
  words: ServiceWords | undefined,
  refusal?: Refusal,
  headers: { readonly [name: string]: string } = {},
): Content {
  const document = words === undefined ? { errors } : spokenErrors(words, errors, refusal);
  return { status, headers: spokenIn(words, { ...headers, "Content-Type": MEDIA_TYPE }), body: { json: document } };
}

function textContent(text: string): Content {
  return { status: 200, headers: { "Content-Type": "application/octet-stream" }, body: { text } };
}

function spokenIn(
  words: ServiceWords | undefined,
  headers: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  return words === undefined ? headers : spokenHeaders(words, headers);
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

/** What is sent where the service could not be asked. */
export function failureForm(status: number, message: string): { readonly type: string; readonly body: string } {
  const error: ErrorObject = { status: `${status}`, title: "internal error", detail: message };
  return { type: MEDIA_TYPE, body: JSON.stringify({ errors: [error] }) };
}
