import type { Host } from "../../kernel/host.ts";
import { copyPlain, type Plain, setOwn } from "../../kernel/plain.ts";
import { parseContractDuration } from "../../languages/duration.ts";
import { renamed, renamedIdentifier } from "../../languages/vocabulary/rename.ts";
import type { Speech } from "../../languages/vocabulary/shape.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import type { ServiceWords } from "../../languages/vocabulary/words.ts";
import type { HeadersRead } from "../http-headers.ts";
import { decoded, type ParametersRead, type UrlRead } from "../http-url.ts";
import { isAuthorizationPage, redirecting } from "./authorization-page.ts";
import { bytesOfBase64 } from "./bytes.ts";
import type { SecretsCaller, SecretsOperation, Verb } from "./declare.ts";
import { type Answered, isFailing, prepared, type Request, respond } from "./door.ts";
import { booleanOf } from "./fields.ts";
import { type ClusterName, type NamespacePath, withoutOuterSlashes, withoutTrailingSlashes } from "./place.ts";
import { nearestRoutes, resolve } from "./routes.ts";
import { clusterOf, type SecretsWorld } from "./state.ts";
import { heard, heardBasic, heardFields, heardPage } from "./words/heard.ts";
import { PAGES, type PathContext, renamedPath } from "./words/path.ts";

/** An HTTP request whose body has been read. */
export interface HttpAsked {
  readonly method: string;
  readonly url: UrlRead;
  readonly headers: HeadersRead;
  readonly body: Uint8Array;
  /** The node at whose address it came, where that is not the cluster's own. */
  readonly node?: number | undefined;
}

/** Body sizes that are refused begin after this one: 32 MiB (decisions-secrets-core.md, A.2). */
const MAX_BODY_BYTES = 33_554_432;

/** How deep a body may nest. Our choice: far beyond any field, and far from what would exhaust the stack. */
const MAX_BODY_DEPTH = 200;

/** What is wrong with a request line, a header or a body, before anything is looked up (A.3, step 1). */
interface Malformed {
  readonly status: number;
  readonly errors: readonly string[];
}

type Input = { readonly [name: string]: Plain };

/** An answer for the wire, which may come from before any handler, and what was found out on the way to it. */
export interface HttpAnswered {
  readonly answered: Answered | Unheard;
  readonly operation?: string | undefined;
  readonly caller?: SecretsCaller;
  /** What was asked for, below its namespace. */
  readonly path?: string;
  /** Known routes like the one asked for, when none fitted. */
  readonly nearest?: readonly string[] | undefined;
}

/** The answer to what is malformed. */
export interface Unheard extends Malformed {
  readonly ok: false;
  readonly refusal?: undefined;
  readonly commit?: undefined;
  readonly headers?: undefined;
  readonly raw?: undefined;
}

/** The answer of a cluster to an HTTP request; a promise where something has to be made of the request first. */
export function answerHttp(
  host: Host<SecretsWorld>,
  cluster: ClusterName,
  sent: HttpAsked,
): HttpAnswered | Promise<HttpAnswered> {
  const words = wordsOf(host.state)?.secrets;
  const asked = words === undefined ? sent : heard(words, sent);
  const read = readRequest(asked, words);
  if ("status" in read && host.takesCommands && isFailing(host.state, { cluster })) {
    const unread = { verb: "GET", path: asked.url.pathname, named: undefined, input: {} } as const;
    return { answered: respond(host, { ...unread, caller: { cluster }, via: "http" }), caller: { cluster } };
  }
  if ("status" in read) {
    host.serve();
    return { answered: { ok: false, ...read } };
  }
  const located = locate(host.state, cluster, asked.headers, read.path);
  const spoken = read.verb === "LIST" ? withoutTrailingSlashes(located.path) : located.path;
  const caller = callerOf(cluster, located.namespace, tokenOf(asked.headers, words));
  const context = { world: host.state, at: caller };
  const path = words === undefined ? spoken : renamedPath(words, context, spoken, "neutral");
  const { named, wrongVerb, openPath = false, captures, mount } = resolve(host.state, caller, read.verb, path);
  if (read.page && !isAuthorizationPage(named, wrongVerb, path)) {
    host.serve();
    return { answered: { ok: false, status: 404, errors: [] } };
  }
  if (mount !== undefined) caller.mount = mount;
  if (asked.node !== undefined && named?.operation.access.ofNode) caller.node = asked.node;
  const access = named?.operation.access;
  if (access?.takesBasic) {
    const basic = basicOf(asked.headers);
    if (basic !== undefined) caller.basic = words === undefined ? basic : heardBasic(words, basic);
  }
  if (access?.tellsHeader && asked.headers.get("x-secrets-token")) caller.tokenHeader = true;
  const given = access?.takesBasic ? (read.joined ?? read.fields) : read.fields;
  const fields = words === undefined ? given : heardFields(words, named, given, context);
  const { input, replaced } = named === undefined ? NO_INPUT : inputOf(named.operation, fields, captures);
  if (read.wrapTtlSeconds > 0 && access?.open === undefined && access?.neverWrapped === undefined) {
    caller.wrapTtlSeconds = read.wrapTtlSeconds;
    if (replaced.length > 0) caller.replaced = replaced;
  }
  const request = { verb: read.verb, path, named, wrongVerb, openPath, input, replaced, caller, via: "http" } as const;
  const ready = prepared(host, request);
  const speech = words === undefined ? undefined : ({ words, to: "own", context } as const);
  const page = read.page ? { fields, speech } : undefined;
  return ready instanceof Promise ? ready.then((made) => answerTo(host, page, made)) : answerTo(host, page, ready);
}

/** What the authorization page was asked with, and what it says is put into. */
interface PageAsked {
  readonly fields: Input;
  readonly speech: Speech<PathContext> | undefined;
}

function answerTo(host: Host<SecretsWorld>, page: PageAsked | undefined, request: Request): HttpAnswered {
  const { named, wrongVerb, path, caller } = request;
  const answer = respond(host, request);
  const answered = page === undefined ? answer : redirecting(answer, page.fields, page.speech);
  const nearest = answered.ok || named !== undefined || wrongVerb ? undefined : nearestRoutes(path);
  return { answered, operation: named?.name, caller, path, nearest };
}

const NO_FIELDS: Input = Object.freeze({});
const NO_INPUT: { readonly input: Input; readonly replaced: readonly string[] } = { input: NO_FIELDS, replaced: [] };

/** A caller in the making: what is not there is left out, so that the log has no member for it. */
type Asker = Writable<
  Pick<
    SecretsCaller,
    "cluster" | "namespace" | "token" | "mount" | "node" | "wrapTtlSeconds" | "replaced" | "basic" | "tokenHeader"
  >
>;
type Writable<T> = { -readonly [N in keyof T]: T[N] };

function callerOf(cluster: ClusterName, namespace: NamespacePath | undefined, token: string | undefined): Asker {
  const caller: Asker = { cluster };
  if (namespace !== undefined) caller.namespace = namespace;
  if (token !== undefined) caller.token = token;
  return caller;
}

// --- step 1: line, headers, body ------------------------------------------------------------------------------------

interface ReadRequest {
  readonly verb: Verb | "PATCH";
  readonly path: string;
  readonly fields: Input;
  /** The fields of a form, those that are repeated joined by commas. */
  readonly joined?: Input;
  /** 0 = not to be wrapped. */
  readonly wrapTtlSeconds: number;
  /** It is the authorization page that is asked. */
  readonly page?: boolean;
}

function readRequest(asked: HttpAsked, words: ServiceWords | undefined): ReadRequest | Malformed {
  const given = decoded(asked.url.pathname);
  if (given === undefined) return { status: 400, errors: ["the path is not properly encoded"] };
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
    return "status" in fields ? fields : { verb, path: below, ...fields, wrapTtlSeconds };
  }
  if (url.search === "") return { verb, path: below, fields: NO_FIELDS, wrapTtlSeconds };
  const listName = words === undefined ? "list" : renamed(words.fields, "list", "own");
  const { [listName]: list, ...fields } = formFields(url.searchParams) as { readonly [name: string]: string };
  if (verb !== "GET" || list === undefined) return { verb, path: below, fields, wrapTtlSeconds };
  const listing = booleanOf(list);
  if (listing === undefined) return { status: 400, errors: [] };
  return { verb: listing ? "LIST" : "GET", path: below, fields, wrapTtlSeconds };
}

/** For how long the answer is to be kept under a token; 0 for not at all, undefined for what is no duration. */
function wrapTtlOf(headers: HeadersRead): number | undefined {
  const given = headers.get("x-secrets-wrap-ttl");
  if (given === null) return 0;
  const duration = parseContractDuration(given);
  return duration.ok ? duration.seconds : undefined;
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
function bodyFields(
  headers: HeadersRead,
  body: Uint8Array,
): { readonly fields: Input; readonly joined?: Input } | Malformed {
  if (body.length === 0) return { fields: {} };
  const text = new TextDecoder().decode(body);
  const start = text.trimStart();
  if (start === "") return { fields: {} };
  if (
    mediaTypeOf(headers) === "application/x-www-form-urlencoded" &&
    !start.startsWith("{") &&
    !start.startsWith("[")
  ) {
    const pairs = new URLSearchParams(text);
    return { fields: formFields(pairs), joined: joinedFields(pairs) };
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

/** As `formFields`, but of a field that is repeated all values, with commas between them. */
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

// --- steps 3 and 8: where it goes -----------------------------------------------------------------------------------

/** The namespace of a request: that of the header, and those that its path begins with. */
function locate(
  world: SecretsWorld,
  cluster: ClusterName,
  headers: HeadersRead,
  path: string,
): { readonly namespace: NamespacePath | undefined; readonly path: string } {
  const header = withoutOuterSlashes(headers.get("x-secrets-namespace") ?? "");
  let namespace = header === "" || header === "root" ? "" : `${header}/`;
  let rest = path;
  const { namespaces } = clusterOf(world, cluster).replicated;
  for (let slash = rest.indexOf("/"); slash >= 0 && namespaces.size > 0; slash = rest.indexOf("/")) {
    if (!namespaces.has(namespace + rest.slice(0, slash + 1))) break;
    namespace += rest.slice(0, slash + 1);
    rest = rest.slice(slash + 1);
  }
  return { namespace: namespace === "" ? undefined : (namespace as NamespacePath), path: rest };
}

function tokenOf(headers: HeadersRead, words: ServiceWords | undefined): string | undefined {
  // The scheme word is exactly this one (decisions-oidc.md, 1 "Token header").
  const token = headers.get("x-secrets-token") || /^Bearer +(.+)$/.exec(headers.get("authorization") ?? "")?.[1];
  return token === undefined || words === undefined ? token : renamedIdentifier(words, token, "neutral");
}

/** What a header of the scheme Basic holds; undefined without one that can be read. */
function basicOf(headers: HeadersRead): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (encoded === undefined) return undefined;
  try {
    const decoded = new TextDecoder().decode(bytesOfBase64(encoded));
    return decoded.includes(":") ? decoded : undefined;
  } catch {
    return undefined;
  }
}

/** The input of an operation: fields and captures in one object, or, where the fields are the caller's own, beside each other. */
function inputOf(
  { takesBody }: SecretsOperation,
  fields: Input,
  captures: { readonly [name: string]: string },
): { readonly input: Input; readonly replaced: readonly string[] } {
  return takesBody
    ? { input: Object.freeze({ ...captures, data: fields }), replaced: [] }
    : withCaptures(fields, captures);
}

function withCaptures(
  fields: Input,
  captures: { readonly [name: string]: string },
): { readonly input: Input; readonly replaced: readonly string[] } {
  if (fields === NO_FIELDS) return { input: Object.freeze(captures), replaced: [] };
  const replaced = Object.keys(captures).filter((name) => Object.hasOwn(fields, name));
  return { input: Object.freeze({ ...fields, ...captures }), replaced: replaced.sort() };
}
