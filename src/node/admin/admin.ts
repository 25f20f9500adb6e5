import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LogError } from "../../kernel/log-error.ts";
import { Rejection } from "../../kernel/rejection.ts";
import { LanguageError } from "../../languages/language-error.ts";
import { shown } from "../../languages/shown.ts";
import type { Inbound } from "../listener/exchange.ts";
import type { Listener } from "../listener/listener.ts";
import type { AdminOptions } from "../listener/options.ts";
import type { LivingLog } from "../living-log/living-log.ts";
import { LivingLogError } from "../living-log/living-log-error.ts";
import { argumentsIn, findControl, jsonOf } from "./control-calls.ts";
import { type GuardRules, judged } from "./guard.ts";
import { INSPECTOR_PATH, inspectorRoutes } from "./inspector-routes.ts";
import type { AdminAnswer, AdminRoute } from "./route.ts";
import { adminRoutes } from "./routes.ts";

const BASE = "/hindcast";
const SECRET_BYTES = 24;

/** Whether a request target is one of the admin path. */
export function isAdminPath(url: string | undefined): boolean {
  return url?.startsWith(BASE) === true && /^\/hindcast(?=[/?]|$)/.test(url);
}

export interface AdminSources {
  readonly listener: Listener;
  readonly options: { readonly [N in keyof AdminOptions]: AdminOptions[N] | undefined };
  /** The address that is listened at. */
  readonly address: string;
  /** Whether there is the inspector. */
  readonly inspect: boolean;
  readonly log: LivingLog | undefined;
  readonly before: () => void;
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

/** Control of a simulator from outside, guarded by a secret. */
export class Admin {
  readonly secret: string;
  readonly #sources: AdminSources;
  readonly #rules: GuardRules;
  readonly #routes: readonly AdminRoute[];
  readonly #waiting = new Set<AbortController>();

  constructor(sources: AdminSources) {
    const { secret, public: isPublic = false, hosts = [], origins = [] } = sources.options;
    this.secret = secret ?? randomBytes(SECRET_BYTES).toString("base64url");
    this.#sources = sources;
    this.#routes = sources.inspect ? [...adminRoutes, ...inspectorRoutes] : adminRoutes;
    this.#rules = { secret: this.secret, address: sources.address, isPublic, hosts, origins };
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
    const verdict = judged(inbound.request, this.#rules, !this.#isPage(inbound));
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
      const answered = await this.#answered(inbound);
      await this.#sources.log?.flushed({ instant: true });
      const { sim } = this.#sources.listener;
      if (!("page" in answered)) response.setHeader("X-Hindcast-Position", `${sim.position}`);
      await send(inbound, answered);
    } catch (error) {
      if (response.headersSent) throw error;
      sendFailure(inbound, this.#failureOf(error));
    }
  }

  /** Ends the answers that go on as long as the simulator does. */
  endWaiting(): void {
    for (const waiting of this.#waiting) waiting.abort();
  }

  #goneFor({ response }: Inbound): AbortSignal {
    const gone = new AbortController();
    this.#waiting.add(gone);
    response.once("close", () => {
      this.#waiting.delete(gone);
      gone.abort();
    });
    return gone.signal;
  }

  /** Browsers ask for a page without a secret. It holds nothing of the simulator: what it shows, it asks for with the secret. */
  #isPage({ method, request }: Inbound): boolean {
    return this.#sources.inspect && method === "GET" && request.url === BASE + INSPECTOR_PATH;
  }

  async #answered(inbound: Inbound): Promise<AdminAnswer | Failure> {
    const { log, before, listener } = this.#sources;
    if (log?.failure !== undefined) await log.flushed();
    before();
    const url = new URL(`http://hindcast${inbound.request.url}`);
    const path = url.pathname.slice(BASE.length) || "/";
    const segments = path.slice(1).split("/").map(decoded);
    const method = inbound.method === "HEAD" ? "GET" : inbound.method;
    if (segments[0] === "control") return this.#controlled(inbound, method, segments.slice(1));
    const found = this.#routes.flatMap((route) => {
      const captures = capturesIn(route, segments);
      return captures === undefined ? [] : [{ route, captures }];
    });
    const fitting = found.find(({ route }) => route.method === method);
    if (fitting === undefined) {
      const [other] = found;
      if (other === undefined) return missing(`there is nothing at ${url.pathname}: see ${BASE}/openapi/admin.json`);
      return { status: 405, code: "method_not_allowed", message: `${url.pathname} takes ${other.route.method}` };
    }
    const { route, captures } = fitting;
    const query = Object.fromEntries(url.searchParams);
    refuseUnknown("the query", query, Object.keys(route.query ?? {}), []);
    const body = route.method === "GET" ? {} : membersIn(bodyOf(inbound));
    refuseUnknown("the body", body, Object.keys(route.body ?? {}), route.required ?? []);
    const { sim } = listener;
    return route.answer({ listener, sim, captures, query, body, routes: this.#routes, gone: this.#goneFor(inbound) });
  }

  async #controlled(inbound: Inbound, method: string, path: readonly string[]): Promise<AdminAnswer | Failure> {
    const { sim } = this.#sources.listener;
    const found = findControl(sim, path);
    if (found === undefined) return missing(`the control surface has no ${path.join("/")}`);
    if ("shown" in found) {
      if (method !== "GET")
        return { status: 405, code: "method_not_allowed", message: `${found.name} is read with GET` };
      return { json: found.shown };
    }
    if (method !== "POST")
      return { status: 405, code: "method_not_allowed", message: `${found.name} is called with POST` };
    return { json: await found.call(...argumentsIn(sim, bodyOf(inbound))) };
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

// --- reading ---------------------------------------------------------------------------------------------------------

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new TypeError("the path is not properly encoded");
  }
}

function capturesIn(
  { path }: AdminRoute,
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
  response.setHeader("Access-Control-Allow-Methods", "GET, POST");
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
