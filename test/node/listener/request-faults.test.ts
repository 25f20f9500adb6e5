import { EventEmitter } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
  type Server,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import axios from "axios";
import { setupServer } from "msw/node";
import { fetch as undiciFetch } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { httpAgent, listen } from "../../../src/node/index.ts";
import { simHandlers } from "../../../src/testing/msw/index.ts";
import { simDispatcher } from "../../../src/testing/undici/index.ts";

// What a client sees of a fault is what it sees of a real socket with that fault.

const BODY = JSON.stringify({ filler: "x".repeat(200) });

/** Clients tell when the head of an answer has come: a connection that is reset sooner may lose it. */
const heads = new EventEmitter();

/** Servers that do to their sockets what each effect does. */
const BROKEN = {
  "lose-request": (socket) => socket.resetAndDestroy(),
  "lose-answer": (socket) => socket.resetAndDestroy(),
  reset: (socket) => socket.resetAndDestroy(),
  "reset after 10 bytes": (socket) => begin(socket, () => heads.once("come", () => socket.resetAndDestroy())),
  "truncate to 10 bytes": (socket) => begin(socket, () => socket.end()),
} satisfies { readonly [name: string]: (socket: Socket) => void };

/** A listener does not know either when its client has read the head. */
const AT_ONCE: typeof BROKEN = {
  ...BROKEN,
  "reset after 10 bytes": (socket) => begin(socket, () => setImmediate(() => socket.resetAndDestroy())),
};

const RULES = {
  "lose-request": { kind: "lose-request" },
  "lose-answer": { kind: "lose-answer" },
  reset: { kind: "reset" },
  "reset after 10 bytes": { kind: "reset", after: 10 },
  "truncate to 10 bytes": { kind: "truncate", bytes: 10 },
} as const;

function begin(socket: Socket, then: () => void): void {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`;
  socket.write(head + BODY.slice(0, 10), then);
}

interface Seen {
  readonly name: string;
  readonly code: unknown;
  readonly cause: unknown;
}

const seen = (error: unknown): Seen => {
  const { name, code, cause } = error as Error & { code?: unknown; cause?: { code?: unknown } };
  return { name, code, cause: cause?.code };
};

type Client = (url: string) => Promise<unknown>;

const byFetch: Client = async (url) => {
  const response = await fetch(url);
  heads.emit("come");
  return response.text();
};
const transport = {
  request: (options: RequestOptions, answered: (response: IncomingMessage) => void) =>
    httpRequest(options, (response) => {
      answered(response);
      heads.emit("come");
    }),
};
const byAxios =
  (options: object): Client =>
  (url) =>
    axios.get(url, { proxy: false, ...options });

const tried = (client: Client, url: string): Promise<unknown> => client(url).then(() => "an answer", seen);

describe.each(Object.keys(BROKEN) as (keyof typeof BROKEN)[])("%s", (name) => {
  const servers: Server[] = [];
  let real: string;
  let realAtOnce: string;

  const begun = async (effects: typeof BROKEN): Promise<string> => {
    const server = createServer((request) => effects[name](request.socket));
    servers.push(server);
    await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };

  beforeAll(async () => {
    real = await begun(BROKEN);
    realAtOnce = await begun(AT_ONCE);
  });

  afterAll(() => {
    for (const server of servers) server.close();
  });

  const broken = (): { sim: Simulator; url: string } => {
    const sim = createSimulator({ secrets: { clusters: ["main"] } });
    sim.faults.requests({ program: "shop", effect: RULES[name] });
    return { sim, url: `${sim.secrets.cluster("main").url}/v1/sys/health` };
  };

  it("is the same through sim.fetch", async () => {
    const { sim, url } = broken();
    const client: Client = async (at) => (await sim.program("shop").fetch(at)).text();
    expect(await tried(client, url)).toEqual(await tried(byFetch, real));
  });

  it("is the same through a dispatcher", async () => {
    const { sim, url } = broken();
    const dispatcher = simDispatcher(sim.program("shop"));
    const byUndici =
      (options: object): Client =>
      async (at) => {
        const response = await undiciFetch(at, options);
        heads.emit("come");
        return response.text();
      };
    expect(await tried(byUndici({ dispatcher }), url)).toEqual(await tried(byUndici({}), real));
  });

  it("is the same through a listener, for the program that a header names, and nobody else", async () => {
    const { sim } = broken();
    const server = await listen(sim, { port: 0 });
    try {
      const headers = { "X-Hindcast-Program": "shop" };
      const url = `${server.urls.secrets["main"]}/v1/sys/health`;
      const client: Client = async (at) => (await fetch(at, { headers })).text();
      expect(await tried(client, url)).toEqual(await tried(byFetch, realAtOnce));
      expect(await tried(byAxios({ headers }), url)).toEqual(await tried(byAxios({}), realAtOnce));
      expect(await tried(byFetch, url)).toBe("an answer");
      const bad = await fetch(url, { headers: { "X-Hindcast-Program": "no name" } });
      expect(bad.status).toBe(400);
    } finally {
      await server.close();
    }
  });

  // Known difference: with Node 24 what stands for a socket ends a begun answer as aborted, and axios says so.
  const differs = name === "reset after 10 bytes" && Number(process.versions.node.split(".")[0]) >= 24;
  it.skipIf(differs)("is the same through an agent", async () => {
    const { sim, url } = broken();
    const agent = httpAgent(sim.program("shop"));
    expect(await tried(byAxios({ httpAgent: agent, httpsAgent: agent }), url)).toEqual(
      await tried(byAxios({ transport, maxRedirects: 0 }), real),
    );
  });

  it("is a network error through msw, which has one kind, or a body that breaks off", async () => {
    const { sim, url } = broken();
    const server = setupServer(...simHandlers(sim.program("shop")));
    server.listen();
    try {
      expect(await tried(byFetch, url)).toMatchObject({ name: "TypeError" });
    } finally {
      server.close();
    }
  });
});
