import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LogError } from "../../kernel/log-error.ts";
import { Rejection } from "../../kernel/rejection.ts";
import { LanguageError } from "../../languages/language-error.ts";
import { shown } from "../../languages/shown.ts";
import type { Simulator } from "../../simulator/types.ts";
import type { Inbound } from "../listener/exchange.ts";
import type { AdminOptions } from "../listener/options.ts";
import type { ServedWorld } from "../listener/served-world.ts";
import { LivingLogError } from "../living-log/living-log-error.ts";
import { WorldsError } from "../worlds/worlds-error.ts";
import { argumentsIn, findControl, jsonOf } from "./control-calls.ts";
import { type GuardRules, judged } from "./guard.ts";
import { ADMIN_PATH } from "./path.ts";
import type { AdminAnswer, RouteShape } from "./route.ts";
import { INSPECTOR_PATH } from "./routes/inspector.ts";
import type { AdminScope, Scopes } from "./scope.ts";
import { newSecret } from "./secret.ts";

export interface AdminSources {
  readonly scopes: Scopes;
  readonly options: { readonly [N in keyof AdminOptions]: AdminOptions[N] | undefined };
  /** The address that is listened at. */
  readonly address: string;
  readonly onError: (error: unknown) => void;
}

/** What went wrong, for whoever asked. */
interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly data?: object;
  readonly position?: number;
}

/** Control from outside, guarded by secrets: that of the listener opens all, that of a world the world. */
export class Admin {
  readonly secret: string;
  readonly #sources: AdminSources;
  readonly #rules: GuardRules;

  constructor(sources: AdminSources) {
    const { secret, public: isPublic = false, hosts = [], origins = [] } = sources.options;
    this.secret = secret ?? newSecret();
    this.#sources = sources;
    this.#rules = { address: sources.address, isPublic, hosts, origins };
  }

  /** Answers a request to the admin path. */
  answer(inbound: Inbound): void {
    this.#answer(inbound).catch((error: unknown) => {
      this.#sources.onError(error);
      inbound.response.destroy();
    });
  }

  async #answer(inbound: Inbound): Promise<void> {
    const { response } = inbound;
    const found = this.#sources.scopes(pathOf(inbound));
    const secrets = [this.secret, ...(found.scope?.secret === undefined ? [] : [found.scope.secret])];
    const verdict = judged(inbound.request, this.#rules, isOpen(found, inbound) ? undefined : secrets);
    if (verdict.kind === "refused") {
      if (verdict.status === 401) response.setHeader("WWW-Authenticate", 'Bearer realm="hindcast"');
      sendFailure(inbound, verdict);
      return;
    }
    if (verdict.origin !== undefined) allowOrigin(response, verdict.origin);
    if (verdict.kind === "preflight") {
      response.writeHead(204).end();
      return;
    }
    try {
      if (found.scope === undefined) {
        sendFailure(inbound, missing(found.missing));
        return;
      }
      const { world } = found.scope;
      const answered = await this.#answered(inbound, found.scope, found.path);
      await world?.log?.flushed({ instant: true });
      if (world !== undefined && !("page" in answered) && !("nothing" in answered)) {
        response.setHeader("X-Hindcast-Position", `${world.sim.position}`);
      }
      await send(inbound, answered);
    } catch (error) {
      if (response.headersSent) throw error;
      sendFailure(inbound, this.#failureOf(error));
    }
  }

  async #answered(inbound: Inbound, scope: AdminScope, path: string): Promise<AdminAnswer | Failure> {
    const { world } = scope;
    if (world?.log?.failure !== undefined) await world.log.flushed();
    world?.comeUp();
    const { searchParams, pathname } = new URL(`http://hindcast${inbound.target}`);
    const segments = path.slice(1).split("/").map(decoded);
    const method = inbound.method === "HEAD" ? "GET" : inbound.method;
    if (world !== undefined && segments[0] === "control") {
      return controlled(world.sim, inbound, method, segments.slice(1));
    }
    const found = scope.routes.flatMap((route) => {
      const captures = capturesIn(route, segments);
      return captures === undefined ? [] : [{ route, captures }];
    });
    const fitting = found.find(({ route }) => route.method === method);
    if (fitting === undefined) {
      if (found.length === 0) {
        return missing(`there is nothing at ${pathname}: see ${ADMIN_PATH}/openapi/admin.json`);
      }
      const methods = found.map(({ route }) => route.method).join(", ");
      return { status: 405, code: "method_not_allowed", message: `${pathname} takes ${methods}` };
    }
    const { route, captures } = fitting;
    const query = Object.fromEntries(searchParams);
    refuseUnknown("the query", query, Object.keys(route.query ?? {}), []);
    const body = method === "GET" || method === "DELETE" ? {} : membersIn(bodyOf(inbound));
    refuseUnknown("the body", body, Object.keys(route.body ?? {}), route.required ?? []);
    return scope.answer(route, { captures, query, body, gone: goneFor(world, inbound) });
  }

  #failureOf(error: unknown): Failure {
    if (error instanceof Rejection) {
      const { code, status, data, message, position } = error;
      return {
        status: Math.max(status, 400),
        code,
        message,
        data,
        ...(position === undefined ? {} : { position }),
      };
    }
    if (error instanceof LivingLogError) return { status: 503, code: error.fault, message: error.message };
    if (error instanceof WorldsError) return { status: error.status, code: error.code, message: error.message };
    if (
      error instanceof LogError ||
      error instanceof LanguageError ||
      error instanceof RangeError ||
      error instanceof TypeError
    ) {
      return { status: 400, code: "bad_argument", message: error.message };
    }
    this.#sources.onError(error);
    return { status: 500, code: "internal_error", message: error instanceof Error ? error.message : String(error) };
  }
}

/** The path below the admin path, beginning with a slash. */
function pathOf({ target }: Inbound): string {
  return new URL(`http://hindcast${target}`).pathname.slice(ADMIN_PATH.length) || "/";
}

/** Browsers ask for a page without a secret. It holds nothing of the simulator: what it shows, it asks for with the secret. */
function isOpen({ scope, path }: ReturnType<Scopes>, { method }: Inbound): boolean {
  return scope?.isInspected === true && method === "GET" && path === INSPECTOR_PATH;
}

/** Aborted when nobody waits for the answer any more: the client has gone, or the world has. */
function goneFor(world: ServedWorld | undefined, { response }: Inbound): AbortSignal {
  if (world === undefined) return new AbortController().signal;
  const { gone, ended } = world.goesOn();
  response.once("close", ended);
  return gone;
}

async function controlled(
  sim: Simulator,
  inbound: Inbound,
  method: string,
  path: readonly string[],
): Promise<AdminAnswer | Failure> {
  const found = findControl(sim, path);
  if (found === undefined) return missing(`the control surface has no ${path.join("/")}`);
  if ("shown" in found) {
    if (method !== "GET") return { status: 405, code: "method_not_allowed", message: `${found.name} is read with GET` };
    return { json: found.shown };
  }
  if (method !== "POST") {
    return { status: 405, code: "method_not_allowed", message: `${found.name} is called with POST` };
  }
  return { json: await found.call(...argumentsIn(sim, bodyOf(inbound))) };
}

// --- reading ---------------------------------------------------------------------------------------------------------

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new TypeError("the path is not properly encoded");
  }
}

function capturesIn(
  { path }: RouteShape,
  segments: readonly string[],
): { readonly [name: string]: string } | undefined {
  const known = path.slice(1).split("/");
  if (known.length !== segments.length) return undefined;
  const captures: Record<string, string> = {};
  for (const [index, part] of known.entries()) {
    const segment = segments[index] ?? "";
    if (part.startsWith("{") && segment !== "") captures[part.slice(1, -1)] = segment;
    else if (part !== segment) return undefined;
  }
  return captures;
}

/** The JSON of a body; undefined when there is none. Pages of other origins cannot send this media type unasked. */
function bodyOf({ request, body }: Inbound): unknown {
  if (body.length === 0) return undefined;
  const type = (request.headers["content-type"] ?? "application/json").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new TypeError(`the body is ${shown(type)}, and has to be application/json`);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new TypeError("the body is no JSON");
  }
}

function membersIn(body: unknown): { readonly [name: string]: unknown } {
  if (body === undefined) return {};
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new TypeError(`the body is ${shown(body)}, and has to be an object`);
  }
  return body as { readonly [name: string]: unknown };
}

function refuseUnknown(what: string, given: object, known: readonly string[], required: readonly string[]): void {
  const other = Object.keys(given).find((name) => !known.includes(name));
  if (other !== undefined) {
    throw new TypeError(`${what} has ${other}: there is ${known.length === 0 ? "nothing" : known.join(", ")}`);
  }
  const absent = required.find((name) => !Object.hasOwn(given, name));
  if (absent !== undefined) throw new TypeError(`${what} lacks ${absent}`);
}

function missing(message: string): Failure {
  return { status: 404, code: "not_found", message };
}

// --- sending ---------------------------------------------------------------------------------------------------------

function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE");
  response.setHeader("Access-Control-Allow-Headers", "authorization, content-type");
  response.setHeader("Access-Control-Expose-Headers", "x-hindcast-position");
  response.setHeader("Vary", "Origin");
}

async function send(inbound: Inbound, answered: AdminAnswer | Failure): Promise<void> {
  const { response, method } = inbound;
  if ("status" in answered) {
    sendFailure(inbound, answered);
  } else if ("missing" in answered) {
    sendFailure(inbound, missing(answered.missing));
  } else if ("created" in answered) {
    sendBody(inbound, 201, "application/json", jsonOf(answered.created));
  } else if ("nothing" in answered) {
    response.writeHead(204, { "Cache-Control": "no-store" }).end();
  } else if ("json" in answered) {
    sendBody(inbound, 200, "application/json", jsonOf(answered.json));
  } else if ("text" in answered) {
    sendBody(inbound, 200, "text/plain; charset=utf-8", answered.text);
  } else if ("page" in answered) {
    response.setHeader("Content-Security-Policy", "frame-ancestors 'none'");
    sendBody(inbound, 200, "text/html; charset=utf-8", answered.page);
  } else if (method === "HEAD") {
    response.writeHead(200, { "Content-Type": "application/x-ndjson" }).end();
  } else {
    response.writeHead(200, { "Content-Type": "application/x-ndjson", "Cache-Control": "no-store" });
    // Whoever goes away in the middle is no fault of ours.
    await pipeline(Readable.from(answered.lines), response).catch(() => undefined);
  }
}

function sendFailure(inbound: Inbound, { status, code, message, data, position }: Failure): void {
  sendBody(inbound, status, "application/json", jsonOf({ error: { code, message, data, position } }));
}

function sendBody({ response, method }: Inbound, status: number, type: string, body: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    "Content-Type": type,
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(method === "HEAD" ? undefined : body);
}
