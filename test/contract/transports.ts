import http, { type Agent, type RequestOptions } from "node:http";
import https from "node:https";
import { type SetupServer, setupServer } from "msw/node";
import { type Dispatcher, fetch as fetchOfUndici, type RequestInit as InitOfUndici } from "undici";
import type { Simulator } from "../../src/index.ts";
import { httpAgent, type Listener, listen } from "../../src/node/index.ts";
import { simHandlers } from "../../src/testing/msw/index.ts";
import { simDispatcher } from "../../src/testing/undici/index.ts";
import { inOtherWords, urlInOtherWords } from "./words-on-the-way.ts";

// Ways on which the requests of the contract suite reach a simulator. Files of the suite go by `sim.fetch`, and once more by each of the others
// as through/through.ts says. Words are another way for two of the services: the suite of secrets has a door of its own for them
// (other-words.ts).

/** What all of them are to a test. */
export type Send = (url: string | URL, init?: RequestInit) => Promise<Response>;

export type TransportName =
  | "sim.fetch"
  | "sim.fetch in other words"
  | "a socket"
  | "http.request and the agent"
  | "msw"
  | "undici"
  | "fetch and the dispatcher";

export const transports: { readonly [T in TransportName]: (sim: Simulator) => Send } = {
  "sim.fetch": (sim) => sim.fetch,
  "sim.fetch in other words": inOtherWords,
  "a socket": bySocket,
  "http.request and the agent": byAgent,
  msw: byMsw,
  undici: byUndici,
  "fetch and the dispatcher": byDispatcher,
};

let transport: TransportName = "sim.fetch";

/** The way at hand. */
export function currentTransport(): TransportName {
  return transport;
}

/** From here on requests go this way. */
export function travelBy(way: TransportName): void {
  transport = way;
}

/** Reaches a simulator on the way at hand. */
export function reach(sim: Simulator): Send {
  return transports[transport](sim);
}

/** What a request asks for as the simulator is told of it on the way at hand. */
export function urlAsTold(sim: Simulator, url: string): string {
  return transport === "sim.fetch in other words" ? urlInOtherWords(sim, url) : url;
}

/** A request that is on its way when the call returns has been decided by then; all others take turns of the event loop. */
export function decidesAtOnce(): boolean {
  return transport === "sim.fetch" || transport === "sim.fetch in other words";
}

/** Node's client writes methods in capitals, and its server answers one that it does not know by itself. */
export function knowsEveryMethod(): boolean {
  return transport !== "a socket" && transport !== "http.request and the agent";
}

/** What a client is told of a cluster that is stopped. A socket has been accepted by then, and msw knows nothing of codes. */
export function refusal(): object {
  if (transport === "msw") return { message: "Failed to fetch" };
  return { message: "fetch failed", cause: { code: transport === "a socket" ? "ECONNRESET" : "ECONNREFUSED" } };
}

// --- a socket -------------------------------------------------------------------------------------------------------

const listeners = new Map<Simulator, Promise<Listener>>();

/** One for all: each that ever had a boundary slows down every promise that its process makes from then on. */
let server: SetupServer | undefined;
let isListening = false;

/** Takes down what requests went by so far. A worker keeps its modules from file to file, so each file has to do it. */
export async function closeTransports(): Promise<void> {
  server?.close();
  isListening = false;
  const open = [...listeners.values()];
  listeners.clear();
  for (const listener of open) await (await listener).close();
}

/** The listener's one port, services called by their hosts. */
function bySocket(sim: Simulator): Send {
  return async (url, init) => {
    let listener = listeners.get(sim);
    if (listener === undefined) {
      listener = listen(sim, { limits: { closeMs: 1, headBytes: 64 * 1024 * 1024 } });
      listeners.set(sim, listener);
    }
    const { port } = await listener;
    return requested(url, init, (target) => ({
      protocol: "http:",
      hostname: "127.0.0.1",
      port,
      headers: { Host: target.host },
    }));
  };
}

// --- libraries that intercept ---------------------------------------------------------------------------------------

/** Everybody's `fetch`. Within a boundary no other simulator of the same URLs is met. */
function byMsw(sim: Simulator): Send {
  server ??= setupServer();
  if (!isListening) server.listen({ onUnhandledRequest: "bypass" });
  isListening = true;
  const { boundary, use } = server;
  return boundary((url, init) => {
    use(...simHandlers(sim));
    return fetch(url, init);
  });
}

const dispatchers = new WeakMap<Simulator, Dispatcher>();

function dispatcherOf(sim: Simulator): Dispatcher {
  let dispatcher = dispatchers.get(sim);
  if (dispatcher === undefined) {
    dispatcher = simDispatcher(sim);
    dispatchers.set(sim, dispatcher);
  }
  return dispatcher;
}

/** The `fetch` of the package. */
function byUndici(sim: Simulator): Send {
  return async (url, init) => {
    const sent = { ...(init as InitOfUndici), dispatcher: dispatcherOf(sim) };
    return (await fetchOfUndici(url, sent)) as unknown as Response;
  };
}

/** The `fetch` of Node, whose undici is another one. */
function byDispatcher(sim: Simulator): Send {
  return (url, init) => fetch(url, { ...init, dispatcher: dispatcherOf(sim) } as RequestInit);
}

// --- http.request ---------------------------------------------------------------------------------------------------

const agents = new WeakMap<Simulator, Agent>();

function byAgent(sim: Simulator): Send {
  return (url, init) => {
    let agent = agents.get(sim);
    if (agent === undefined) {
      agent = httpAgent(sim);
      agents.set(sim, agent);
    }
    return requested(url, init, () => ({ agent }));
  };
}

/** A `fetch` that is made of `http.request`, as far as the suite needs one: redirects are followed, bodies are there as a whole. */
async function requested(
  url: string | URL,
  init: RequestInit | undefined,
  routed: (target: URL) => RequestOptions,
): Promise<Response> {
  let request = new Request(url, init);
  // A HEAD or a GET has none.
  let body = new Uint8Array(await request.clone().arrayBuffer());
  for (let redirects = 0; redirects < 20; redirects++) {
    const target = new URL(request.url);
    const response = await exchanged(request, body, { ...routed(target) });
    const location = response.headers.get("location");
    const isRedirect = [301, 302, 303, 307, 308].includes(response.status);
    if (request.redirect !== "follow" || !isRedirect || location === null) return response;
    const keeps = response.status === 307 || response.status === 308;
    if (!keeps) body = new Uint8Array(0);
    request = new Request(new URL(location, target), {
      method: keeps ? request.method : "GET",
      headers: request.headers,
      signal: request.signal,
    });
  }
  throw new TypeError("fetch failed");
}

function exchanged(request: Request, body: Uint8Array, routed: RequestOptions): Promise<Response> {
  const target = new URL(request.url);
  const client = (routed.protocol ?? target.protocol) === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const sent = client.request(
      target,
      {
        ...routed,
        method: request.method,
        headers: {
          ...Object.fromEntries(request.headers),
          ...(body.length > 0 ? { "Content-Length": body.length } : {}),
          ...(routed.headers as Readonly<Record<string, string>>),
        },
        signal: request.signal,
      },
      (received) => {
        const pieces: Buffer[] = [];
        received.on("data", (piece: Buffer) => pieces.push(piece));
        received.on("error", reject);
        received.on("end", () => {
          const { statusCode: status = 0, rawHeaders } = received;
          const headers = new Headers();
          for (let index = 0; index < rawHeaders.length; index += 2) {
            headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
          }
          const empty = status === 204 || status === 304 || request.method === "HEAD";
          resolve(new Response(empty ? null : Buffer.concat(pieces), { status, headers }));
        });
      },
    );
    sent.on("error", (error) => {
      reject(request.signal.aborted ? request.signal.reason : new TypeError("fetch failed", { cause: error }));
    });
    sent.end(body.length > 0 ? body : undefined);
  });
}
