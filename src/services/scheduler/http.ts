import type { Host } from "../../kernel/host.ts";
import { spokenHeaders } from "../../languages/vocabulary/rename.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import type { ServiceWords } from "../../languages/vocabulary/words.ts";
import {
  decoded,
  type HeadersRead,
  type HttpAsked,
  type ParametersRead,
  requestText,
  type UrlRead,
  type WireAnswer,
} from "../kit/http.ts";
import { heardWith } from "../kit/http-words.ts";
import type { SchedulerCaller } from "./declare.ts";
import { type Answered, behindAnswer, type Request, respond, type WhoAsks } from "./door.ts";
import type { RegionName } from "./ids.ts";
import type { NamedOperation } from "./registry.ts";
import { schedulerForms } from "./responses.ts";
import { lost, moved, type Routed, resolve } from "./routes.ts";
import { heardFields, heardToken, renamedPair, renamedPath, spokenBody, spokenMessage } from "./words/wire.ts";
import type { SchedulerWorld } from "./world.ts";

/** The answer of a region to an HTTP request; a promise when it has to be waited for. */
export function answerHttp(
  host: Host<SchedulerWorld>,
  region: RegionName,
  sent: HttpAsked,
): WireAnswer | Promise<WireAnswer> {
  const words = wordsOf(host.state)?.scheduler;
  const asked = words === undefined ? sent : heardWith(words, sent, (pair) => renamedPair(words, pair, "neutral"));
  const routed = routedBy(asked, words);
  const caller = callerOf(region, asked.headers, words);
  const request: Request = {
    text: requestText(asked),
    named: routed.named,
    captures: routed.named === undefined ? {} : routed.captures,
    ...(routed.named === undefined ? { unrouted: routed.unrouted } : {}),
    body: readBody(routed.named, asked.body, words),
    query: firstValues(asked.url.searchParams),
    caller,
    via: "http",
    signal: asked.signal,
    failsWith: asked.failsWith,
  };
  const pretty = request.query.get("pretty");
  const onWire = (answered: Answered): WireAnswer => {
    const content = contentOf(answered, pretty !== undefined && pretty !== "0", words);
    return wireAnswer(host, sent, answered, content, request, routed);
  };
  const answered = respond(host, request);
  return answered instanceof Promise ? answered.then(onWire) : onWire(answered);
}

/** The operation that a request asks for. */
export function operationOf(world: SchedulerWorld, asked: HttpAsked): string | undefined {
  return routedBy(asked, wordsOf(world)?.scheduler).named?.name;
}

/** The answer to a request that could not be placed in history. */
export function unplaced(host: Host<SchedulerWorld>, region: RegionName, asked: HttpAsked, reason: string): WireAnswer {
  host.serve();
  const refusal = { code: "past_refused", data: { reason } };
  const { status, message } = schedulerForms.form(refusal);
  const { position, nowMs: atMs } = host;
  const answered: Answered = { ok: false, status, message, refusal, position, atMs };
  const content = contentOf(answered, false, wordsOf(host.state)?.scheduler);
  return wireAnswer(host, asked, answered, content, { named: undefined, caller: { region }, via: "http" });
}

function wireAnswer(
  host: Host<SchedulerWorld>,
  { method }: HttpAsked,
  answered: Answered,
  { headers, text, shown }: Content,
  request: WhoAsks,
  routed?: Routed,
): WireAnswer {
  const { status, position, atMs, commit } = answered;
  const { origin } = host;
  const { named, caller } = request;
  const refused = answered.ok ? undefined : behindAnswer(host, request, answered);
  const committed = commit !== undefined;
  return {
    status,
    headers: { ...headers, "X-Hindcast-Position": `${position}` },
    body: text === "" || method === "HEAD" ? null : new TextEncoder().encode(text),
    served: {
      origin,
      position,
      atMs,
      committed,
      operation: named?.name,
      caller,
      answer: shown,
      refused,
      nearest: routed?.named === undefined ? routed?.nearest : undefined,
    },
  };
}

// --- reading --------------------------------------------------------------------------------------------------------

function routedBy({ method, url }: HttpAsked, words: ServiceWords | undefined): Routed {
  const clean = cleanOf(url);
  if (clean !== undefined) return moved(clean);
  const path = pathIn(url, words);
  return path === undefined ? lost(url.pathname) : resolve(method, path);
}

/**
 * The path in neutral words; undefined when an escape in it is none. Bytes that are no UTF-8 make a name that nothing has
 * (amendments.md, N10).
 */
function pathIn({ pathname }: UrlRead, words: ServiceWords | undefined): string | undefined {
  const path = decoded(pathname.replace(/(?:%[\da-f]{2})+/gi, inUtf8));
  return path === undefined || words === undefined ? path : renamedPath(words, path, "neutral");
}

/** Escaped bytes, as the text that they are read as. */
function inUtf8(escapes: string): string {
  const bytes = Uint8Array.from(escapes.slice(1).split("%"), (hex) => Number.parseInt(hex, 16));
  return encodeURIComponent(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
}

/** Where a path with doubled slashes leads, escaped ones among them; undefined for one without (amendments.md, N6). */
function cleanOf({ pathname, search }: UrlRead): string | undefined {
  const clean = pathname.replace(DOUBLED, "/");
  return clean === pathname ? undefined : clean + search;
}

const DOUBLED = /(?:\/|%2f){2,}/gi;

/**
 * The secret of `X-Scheduler-Token`, or of `Authorization: Bearer <secret>` where that is missing (section 2). Of several words behind
 * Bearer, and of a header that is given twice, the first counts (amendments.md, N8).
 */
function callerOf(region: RegionName, headers: HeadersRead, words: ServiceWords | undefined): SchedulerCaller {
  const [own = ""] = (headers.get("X-Scheduler-Token") ?? "").trim().split(/\s*,/, 1);
  const [, bearer = ""] = /^bearer\s+([^\s,]+)/i.exec((headers.get("Authorization") ?? "").trim()) ?? [];
  const given = own === "" ? bearer : own;
  const token = words === undefined ? given : heardToken(words, given);
  return token === "" ? { region } : { region, token };
}

/** Of parameters that come twice the first counts, as in the real service. */
function firstValues(params: ParametersRead): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of params) if (!values.has(name)) values.set(name, value);
  return values;
}

function readBody(
  named: NamedOperation | undefined,
  bytes: Uint8Array,
  words: ServiceWords | undefined,
): Request["body"] {
  const expected = named?.operation.body ?? "none";
  if (expected === "none") return NO_FIELDS;
  if (bytes.length === 0) {
    return expected === "optional" ? NO_FIELDS : { ok: false, refusal: { code: "body_missing", data: {} } };
  }
  let value: unknown;
  try {
    // A byte order mark stays, and is no JSON.
    value = JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  } catch {
    // What an engine says of it differs from one to the next, and answers do not.
    return malformed("it is no JSON");
  }
  if (value === null) return NO_FIELDS;
  if (typeof value !== "object" || Array.isArray(value)) return malformed("it is no object");
  return { ok: true, fields: words === undefined ? value : heardFields(words, value) };
}

const NO_FIELDS: Request["body"] = Object.freeze({ ok: true, fields: Object.freeze({}) });

function malformed(reason: string): Request["body"] {
  return { ok: false, refusal: { code: "body_malformed", data: { reason } } };
}

// --- writing --------------------------------------------------------------------------------------------------------

/** What goes on the wire, and what it shows, for whoever wants it explained. */
interface Content {
  readonly headers: { readonly [name: string]: string };
  readonly text: string;
  readonly shown: unknown;
}

function contentOf(answered: Answered, pretty: boolean, words: ServiceWords | undefined): Content {
  const neutral = metaHeaders(answered);
  const headers = words === undefined ? neutral : spokenHeaders(words, neutral);
  if (!answered.ok) {
    const message = words === undefined ? answered.message : spokenMessage(words, answered);
    // A path that nobody knows has an empty error, and one that is written otherwise.
    if (message === "") return { headers, text: "", shown: undefined };
    return { headers: { ...headers, "Content-Type": "text/plain; charset=utf-8" }, text: message, shown: message };
  }
  const { body } = answered;
  if (body === undefined) return { headers, text: "", shown: undefined };
  const spoken = words === undefined ? body : spokenBody(words, body);
  const text = pretty ? `${JSON.stringify(spoken, null, 4)}\n` : JSON.stringify(spoken);
  return { headers: { ...headers, "Content-Type": "application/json" }, text, shown: body };
}

function metaHeaders({ meta, location }: Answered): Record<string, string> {
  if (location !== undefined) return { Location: location };
  if (meta === undefined) return {};
  const { index, nextToken, leader } = meta;
  return {
    "X-Scheduler-Index": `${index}`,
    ...(leader === undefined
      ? {}
      : { "X-Scheduler-KnownLeader": `${leader.known}`, "X-Scheduler-LastContact": `${leader.lastContactMs}` }),
    ...(nextToken === undefined ? {} : { "X-Scheduler-NextToken": nextToken }),
  };
}
