import { EventEmitter } from "node:events";
import { Agent, createServer, type Server } from "node:http";
import type { AddressInfo, LookupFunction, Socket } from "node:net";
import axios from "axios";
import { setupServer } from "msw/node";
import nodeVault from "node-vault";
import { type Dispatcher, Agent as UndiciAgent, fetch as undiciFetch } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { httpAgent, listen } from "../../../src/node/index.ts";
import type { RequestEffectGiven } from "../../../src/surroundings/faults/handle.ts";
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
  hang: () => undefined,
  delay: () => undefined,
  slow: (socket) => begin(socket, () => undefined),
  // A listener has accepted the connection: it breaks, where clients of all other doors find no route.
  cut: (socket) => socket.resetAndDestroy(),
} satisfies { readonly [name: string]: (socket: Socket) => void };

type Name = keyof typeof BROKEN;

/** A listener does not know either when its client has read the head. */
const AT_ONCE: typeof BROKEN = {
  ...BROKEN,
  "reset after 10 bytes": (socket) => begin(socket, () => setImmediate(() => socket.resetAndDestroy())),
};

const EFFECTS: { readonly [N in Exclude<Name, "cut">]: RequestEffectGiven } = {
  "lose-request": { kind: "lose-request" },
  "lose-answer": { kind: "lose-answer" },
  reset: { kind: "reset" },
  "reset after 10 bytes": { kind: "reset", after: 10 },
  "truncate to 10 bytes": { kind: "truncate", bytes: 10 },
  hang: { kind: "hang" },
  delay: { kind: "delay", by: "30s" },
  slow: { kind: "slow", bytesPerSecond: 10 },
};

/**
 * Nothing more comes of these while the clock stands: clients give up by themselves. The head of a slow answer needs time to come first: axios
 * has another error for a time that runs out before.
 */
const TIMEOUTS_MS: { readonly [N in Name]?: number } = { hang: 50, delay: 50, slow: 250 };

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

const tried = (client: Client, url: string): Promise<unknown> => client(url).then(() => "an answer", seen);

/** A host to which no route leads. No machine has an address of which that is sure, so the look-up says so. */
const UNROUTED = "http://unrouted.test/";
const lookup: LookupFunction = (_, __, done) =>
  done(Object.assign(new Error("no route"), { code: "EHOSTUNREACH" }), "");

/** How the real thing is asked: by its own connections, of which is told when they have brought something. */
class HeardAgent extends Agent {
  constructor() {
    super({ lookup });
  }

  override createConnection(...given: Parameters<Agent["createConnection"]>): ReturnType<Agent["createConnection"]> {
    const socket = super.createConnection(...given);
    socket?.once("data", () => setImmediate(() => heads.emit("come")));
    return socket;
  }
}

const REAL = { httpAgent: new HeardAgent() };
const REAL_DISPATCHER = new UndiciAgent({ connect: { lookup } });

describe.each(Object.keys(BROKEN) as Name[])("%s", (name) => {
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
    real = name === "cut" ? UNROUTED : await begun(BROKEN);
    realAtOnce = await begun(AT_ONCE);
  });

  afterAll(() => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });

  const broken = (): { sim: Simulator; url: string } => {
    const sim = createSimulator({ secrets: { clusters: ["main"] } });
    const main = sim.secrets.cluster("main");
    if (name === "cut") sim.network.cut(sim.program("shop"), main);
    else sim.faults.requests({ program: "shop", effect: EFFECTS[name] });
    return { sim, url: `${main.url}/v1/sys/health` };
  };

  const timeout = TIMEOUTS_MS[name];
  const bounded = timeout === undefined ? {} : { timeout };

  const by =
    (send: (url: string, init: { signal?: AbortSignal }) => Promise<{ text(): Promise<string> }>): Client =>
    async (url) => {
      const response = await send(url, timeout === undefined ? {} : { signal: AbortSignal.timeout(timeout) });
      heads.emit("come");
      return response.text();
    };
  // The one of the moment: msw puts its own in the place of it.
  const byFetch = by((url, init) => fetch(url, init));
  const byUndici = (dispatcher: Dispatcher): Client => by((url, init) => undiciFetch(url, { ...init, dispatcher }));
  const byAxios =
    (options: object): Client =>
    (url) =>
      axios.get(url, { proxy: false, ...bounded, ...options });
  const byVault =
    (options: object): Client =>
    (url) => {
      const all = { proxy: false, ...bounded, ...options };
      const endpoint = url.replace(/\/(v1\/.*)?$/, "");
      const vault = nodeVault({ endpoint, ...({ rpDefaults: all, requestOptions: all } as object) });
      return vault.read("kv/a", all);
    };

  it("is the same through sim.fetch", async () => {
    const { sim, url } = broken();
    expect(await tried(by(sim.program("shop").fetch), url)).toEqual(await tried(byUndici(REAL_DISPATCHER), real));
  });

  it("is the same through a dispatcher", async () => {
    const { sim, url } = broken();
    const ours = byUndici(simDispatcher(sim.program("shop")));
    expect(await tried(ours, url)).toEqual(await tried(byUndici(REAL_DISPATCHER), real));
  });

  it("is the same through a listener, for the program that a header names, and nobody else", async () => {
    const { sim } = broken();
    const server = await listen(sim, { port: 0 });
    try {
      const headers = { "X-Hindcast-Program": "shop" };
      const url = `${server.urls.secrets["main"]}/v1/sys/health`;
      const byNamed = by((at, init) => fetch(at, { ...init, headers }));
      expect(await tried(byNamed, url)).toEqual(await tried(byFetch, realAtOnce));
      for (const client of [byAxios, byVault]) {
        expect(await tried(client({ headers }), url)).toEqual(await tried(client({}), realAtOnce));
      }
      expect((await fetch(url)).status).toBe(200);
      const bad = await fetch(url, { headers: { "X-Hindcast-Program": "no name" } });
      expect(bad.status).toBe(400);
    } finally {
      await server.close();
    }
  });

  it("is the same through an agent", async () => {
    const { sim, url } = broken();
    const agent = httpAgent(sim.program("shop"));
    const ours = { httpAgent: agent, httpsAgent: agent };
    for (const client of [byAxios, byVault]) {
      expect(await tried(client(ours), url)).toEqual(await tried(client(REAL), real));
    }
  });

  it("is a network error through msw, which has one kind, or a body that breaks off, or a wait that the client ends", async () => {
    const { sim, url } = broken();
    const server = setupServer(...simHandlers(sim.program("shop")));
    server.listen({ onUnhandledRequest: "bypass" });
    try {
      const isBroken = timeout === undefined;
      const expected = isBroken ? expect.objectContaining({ name: "TypeError" }) : await tried(byFetch, real);
      expect(await tried(byFetch, url)).toEqual(expected);
    } finally {
      server.close();
    }
  });
});

describe.each(["delay", "slow"] as const)("%s", (name) => {
  type Door = (sim: Simulator, url: string) => Promise<string>;
  const doors: { readonly [name: string]: Door } = {
    "sim.fetch": async (sim, url) => (await sim.fetch(url)).text(),
    "a dispatcher": async (sim, url) => (await undiciFetch(url, { dispatcher: simDispatcher(sim) })).text(),
    "an agent": async (sim, url) =>
      (await axios.get(url, { httpsAgent: httpAgent(sim), proxy: false, responseType: "text" })).data,
    "a listener": async (sim, url) => {
      const server = await listen(sim, { port: 0 });
      try {
        return await (await fetch(url.replace(/^.*(?=\/v1)/, server.urls.secrets["main"] ?? ""))).text();
      } finally {
        await server.close();
      }
    },
    msw: async (sim, url) => {
      const server = setupServer(...simHandlers(sim));
      server.listen();
      return (await fetch(url)).text().finally(() => server.close());
    },
  };

  it.each(Object.entries(doors))("ends through %s when the clock gets there", async (_, door) => {
    const sim = createSimulator({ secrets: { clusters: ["main"] } });
    const url = `${sim.secrets.cluster("main").url}/v1/sys/seal-status`;
    const whole = await (await sim.fetch(url)).text();
    sim.faults.requests({ effect: EFFECTS[name] });
    const answer = door(sim, url);
    await expect.poll(() => sim.clock.waiting().length).toBe(1);
    sim.clock.advance("1h");
    expect(await answer).toBe(whole);
  });
});
