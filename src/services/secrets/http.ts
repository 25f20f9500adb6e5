import type { Command } from "../../kernel/commit.ts";
import type { Host } from "../../kernel/host.ts";
import { HASHICORP } from "../../languages/vocabulary/hashicorp.ts";
import { renamed, renamedIdentifier } from "../../languages/vocabulary/rename.ts";
import type { Speech } from "../../languages/vocabulary/shape.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import type { ServiceWords } from "../../languages/vocabulary/words.ts";
import { unroutedOf } from "../kit/door.ts";
import type { HeadersRead, HttpAsked, WireAnswer } from "../kit/http.ts";
import { nearestRoutes } from "../kit/router.ts";
import { type Behind, behind, unreadable } from "../kit/why.ts";
import { isAuthorizationPage, redirecting } from "./authorization-page.ts";
import { bytesOfBase64 } from "./bytes.ts";
import type { SecretsCaller, SecretsOperation } from "./declare.ts";
import { commandOf, isFailingAt, prepared, type Request, respond } from "./door.ts";
import { finishedSoon } from "./finish.ts";
import type { HttpAnswered } from "./http-answered.ts";
import { withKeptData } from "./kv2/fields.ts";
import { type ClusterName, type NamespacePath, withoutOuterSlashes, withoutTrailingSlashes } from "./place.ts";
import { type Input, NO_FIELDS, type ReadRequest, readRequest } from "./read-request.ts";
import { secretsRegistry } from "./registry.ts";
import { resolve } from "./routes.ts";
import { heard, heardBasic, heardFields } from "./words/heard.ts";
import { type PathContext, renamedPath } from "./words/path.ts";
import { speechOf, spokenBody, spokenHeadersOf } from "./words/spoken.ts";
import { clusterOf, type SecretsWorld } from "./world.ts";
import { wrappingIdIn } from "./wrapping/jwt.ts";

/** Whom a request asks: a cluster, or the node at whose address it came. */
export interface SecretsPlace {
  readonly cluster: ClusterName;
  readonly node?: number;
}

/**
 * The answer of a cluster to an HTTP request; a promise where something has to be made of the request first, or signed for the answer.
 */
export function answerHttp(
  host: Host<SecretsWorld>,
  place: SecretsPlace,
  asked: HttpAsked,
): WireAnswer | Promise<WireAnswer> {
  const answer = answered(host, place, asked);
  return answer instanceof Promise ? answer.then((made) => onWire(host, asked, made)) : onWire(host, asked, answer);
}

/** The answer to a request that cannot be placed in history. */
export function unplaced(
  host: Host<SecretsWorld>,
  asked: HttpAsked,
  message: string,
): WireAnswer | Promise<WireAnswer> {
  host.serve();
  const errors = [`X-Hindcast-At: ${message}`];
  return onWire(host, asked, { answered: { ok: false, status: 400, errors } });
}

function answered(
  host: Host<SecretsWorld>,
  { cluster, node }: SecretsPlace,
  sent: HttpAsked,
): HttpAnswered | Promise<HttpAnswered> {
  const words = wordsOf(host.state)?.secrets;
  const asked = words === undefined ? sent : heard(words, sent);
  const heardAs = readRequest(asked, words);
  const broken = "status" in heardAs ? heardAs.to : undefined;
  const to = broken === undefined ? undefined : routed(host.state, cluster, asked.headers, broken, words);
  const file = to?.named?.operation.access.readsFile?.(host.state, asked.body);
  const read = broken === undefined || file === undefined ? heardAs : { ...broken, fields: file, wrapTtlSeconds: 0 };
  if ("status" in read) {
    const headers = to?.named?.operation.access.headers;
    const { failsWith } = asked;
    if (failsWith === undefined && !isFailingAt(host, { cluster })) {
      host.serve();
      return { answered: { ok: false, ...read, headers: read.headers ?? headers } };
    }
    const unread = { verb: "GET", path: asked.url.pathname, named: undefined, input: {} } as const;
    const request = { ...unread, caller: { cluster }, via: "http", failsWith } as const;
    const failed = respond(host, request);
    return { answered: { ...failed, headers }, caller: { cluster }, command: commandOf(request) };
  }
  const { caller, context, path, ...route } = routed(host.state, cluster, asked.headers, read, words);
  const { named, wrongVerb, openPath = false, captures, mount } = route;
  const { failsWith } = asked;
  if (failsWith === undefined && read.page && !isAuthorizationPage(named, wrongVerb, path)) {
    host.serve();
    return { answered: { ok: false, status: 404, errors: [] } };
  }
  if (mount !== undefined) caller.mount = mount;
  const address = asked.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim();
  if (address) caller.address = address;
  if (node !== undefined && named?.operation.access.ofNode) caller.node = node;
  const access = named?.operation.access;
  if (access?.opensWrapping && caller.token !== undefined) {
    caller.token = wrappingIdIn({ state: host.state, nowMs: host.nowMs, caller }, caller.token);
  }
  if (access?.takesBasic) {
    const basic = basicOf(asked.headers);
    if (basic !== undefined) caller.basic = words === undefined ? basic : heardBasic(words, basic);
  }
  if (access?.tellsHeader && asked.headers.get("x-secrets-token")) caller.tokenHeader = true;
  const fields = words === undefined ? read.fields : heardFields(words, named, read.fields, context);
  const { input, replaced } = named === undefined ? NO_INPUT : inputOf(named.operation, fields, read.text, captures);
  const wraps = access?.neverWrapped === undefined && access?.open !== true;
  if (read.wrapTtlSeconds > 0 && wraps) {
    caller.wrapTtlSeconds = read.wrapTtlSeconds;
    // Any other word is as none (amendments.md, S35).
    if (asked.headers.get("x-secrets-wrap-format") === "jwt") caller.wrapFormat = "jwt";
    if (replaced.length > 0) caller.replaced = replaced;
  }
  const { verb } = read;
  const via = "http";
  const request = { verb, path, named, wrongVerb, openPath, input, replaced, caller, via, failsWith } as const;
  const ready = prepared(host, request);
  const speech = words === undefined ? undefined : ({ words, to: "own", context } as const);
  const page = read.page ? { fields, speech } : undefined;
  return ready instanceof Promise ? ready.then((made) => answerTo(host, page, made)) : answerTo(host, page, ready);
}

/** The operation that a request asks for. */
export function operationOf(world: SecretsWorld, cluster: ClusterName, sent: HttpAsked): string | undefined {
  const words = wordsOf(world)?.secrets;
  const asked = words === undefined ? sent : heard(words, sent);
  const read = readRequest(asked, words);
  const to = "status" in read ? read.to : read;
  return to === undefined ? undefined : routed(world, cluster, asked.headers, to, words).named?.name;
}

/** Who asks, for what path in the service's own words, and what answers there. */
function routed(
  world: SecretsWorld,
  cluster: ClusterName,
  headers: HeadersRead,
  { verb, path: given }: Pick<ReadRequest, "verb" | "path">,
  words: ServiceWords | undefined,
) {
  const located = locate(world, cluster, headers, given);
  const spoken = verb === "LIST" ? withoutTrailingSlashes(located.path) : located.path;
  const caller = callerOf(cluster, located.namespace, tokenOf(headers, words));
  const context = { world, at: caller };
  const path = words === undefined ? spoken : renamedPath(words, context, spoken, "neutral");
  return { caller, context, path, ...resolve(world, caller, verb, path) };
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
  const command = answer.ok ? undefined : commandOf(request);
  const nearest =
    answered.ok || named !== undefined || wrongVerb
      ? undefined
      : nearestRoutes(secretsRegistry.byName.values(), `/v1/${path}`.split("/"));
  return { answered, operation: named?.name, caller, command, path, nearest };
}

/** A health query may ask for a status that has no body. */
const NULL_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function onWire(host: Host<SecretsWorld>, asked: HttpAsked, answer: HttpAnswered): WireAnswer | Promise<WireAnswer> {
  const { answered, operation, caller = null, nearest } = answer;
  const { status, commit } = answered;
  const position = commit ?? host.position;
  const { origin, nowMs: atMs } = host;
  const refused = answered.ok ? undefined : refusedBehind(host, asked, answer, answered);
  const committed = commit !== undefined;
  const words = wordsOf(host.state)?.secrets;
  const speech = words === undefined ? undefined : speechOf(words, host.state, answer);
  const made = (content: unknown): WireAnswer => {
    // An answer without a body has a content type all the same (decisions-oidc.md, 1 "Headers").
    const headers = {
      "Cache-Control": "no-store",
      "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
      "X-Hindcast-Position": `${position}`,
      "Content-Type": "application/json",
      ...answered.headers,
    };
    const isBodiless = content === undefined || asked.method === "HEAD" || NULL_BODY.has(status);
    return {
      status,
      headers: words === undefined ? headers : spokenHeadersOf(words, headers),
      body: isBodiless
        ? null
        : (fileOf(answered) ??
          bodyText(
            words === undefined ? content : spokenBody(words, speech, answer, content),
            answered.ok && answered.isTextual === true,
            words,
          )),
      served: { origin, position, atMs, committed, operation, caller, answer: content, refused, nearest },
    };
  };
  if (!answered.ok) return made(answered.raw ?? { errors: [...answered.errors, ...hintsFor(asked, status, words)] });
  // What was decided is committed by now; what is still to be made is how it looks.
  const content = finishedSoon(answered, words, speech);
  return content instanceof Promise ? content.then(made) : made(content);
}

function fileOf(answered: HttpAnswered["answered"]): Uint8Array<ArrayBuffer> | undefined {
  return answered.ok ? answered.file : undefined;
}

/**
 * Our choice: who sends the token as the real service's clients do, to whom nobody listens, is told so (README.md of the service). Besides
 * `X-Hindcast-Why`, which says so of every such header and refusal: clients show their users the errors, and no header that they do not know.
 */
function hintsFor({ headers }: HttpAsked, status: number, words: ServiceWords | undefined): readonly string[] {
  const name = HASHICORP.secrets?.headers?.["X-Secrets-Token"] ?? "";
  if (status !== 403 || words !== undefined || !headers.get(name.toLowerCase())) return [];
  if (headers.get("x-secrets-token")) return [];
  return [`the header ${name} was not looked at: tokens come in X-Secrets-Token, unless the vocabulary is "hashicorp"`];
}

/** What stands behind a refusal; a redirect is none. */
function refusedBehind(
  host: Host<SecretsWorld>,
  { method, url }: HttpAsked,
  { caller, command }: HttpAnswered,
  { status, errors, refusal, commit }: Extract<HttpAnswered["answered"], { readonly ok: false }>,
): Behind | undefined {
  if (refusal === undefined && status < 400) return undefined;
  const input = { verb: method, path: url.pathname };
  const unheard: Command = { name: unroutedOf(secretsRegistry.service), input, caller: caller ?? null, via: "http" };
  return behind(host, command ?? unheard, refusal ?? unreadable(errors), commit);
}

/** The text of a body, whose `data` may be text already. */
function bodyText(body: unknown, isTextual: boolean, words: ServiceWords | undefined): string {
  if (!isTextual) return JSON.stringify(body);
  const dataName = words === undefined ? "data" : renamed(words.fields, "data", "own");
  const members = Object.entries(body as object).map(
    ([name, member]) => `${JSON.stringify(name)}:${name === dataName ? member : JSON.stringify(member)}`,
  );
  return `{${members.join(",")}}`;
}

const NO_INPUT: { readonly input: Input; readonly replaced: readonly string[] } = { input: NO_FIELDS, replaced: [] };

/** A caller in the making: what is not there is left out, so that the log has no member for it. */
type Asker = Writable<
  Pick<
    SecretsCaller,
    | "cluster"
    | "namespace"
    | "token"
    | "mount"
    | "address"
    | "node"
    | "wrapTtlSeconds"
    | "wrapFormat"
    | "replaced"
    | "basic"
    | "tokenHeader"
  >
>;
type Writable<T> = { -readonly [N in keyof T]: T[N] };

function callerOf(cluster: ClusterName, namespace: NamespacePath | undefined, token: string | undefined): Asker {
  const caller: Asker = { cluster };
  if (namespace !== undefined) caller.namespace = namespace;
  if (token !== undefined) caller.token = token;
  return caller;
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
  { takesBody, keepsData }: SecretsOperation,
  fields: Input,
  text: string | undefined,
  captures: { readonly [name: string]: string },
): { readonly input: Input; readonly replaced: readonly string[] } {
  return takesBody
    ? { input: Object.freeze({ ...captures, data: text ?? fields }), replaced: [] }
    : withCaptures(keepsData ? withKeptData(fields, text) : fields, captures);
}

function withCaptures(
  fields: Input,
  captures: { readonly [name: string]: string },
): { readonly input: Input; readonly replaced: readonly string[] } {
  if (fields === NO_FIELDS) return { input: Object.freeze(captures), replaced: [] };
  const replaced = Object.keys(captures).filter((name) => Object.hasOwn(fields, name));
  return { input: Object.freeze({ ...fields, ...captures }), replaced: replaced.sort() };
}

/** What is sent where the service could not be asked. */
export function failureForm(_status: number, message: string): { readonly type: string; readonly body: string } {
  return { type: "application/json", body: JSON.stringify({ errors: [message] }) };
}
