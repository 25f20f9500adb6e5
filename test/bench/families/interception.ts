import { Agent, createServer, type IncomingMessage, request as nodeRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { Dispatcher, request } from "undici";
import { httpAgent } from "../../../src/node/index.ts";
import { simHandlers } from "../../../src/testing/msw/index.ts";
import { simDispatcher } from "../../../src/testing/undici/index.ts";
import { ratioOf } from "../harness/ratio.ts";
import { type Effort, type Family, type Row, row, shared } from "../harness/row.ts";
import { LendingWorld } from "./lending-world.ts";

type Ask = () => Promise<unknown>;

/** The same request, answered by a simulator and by a library that gives a constant. */
interface Pair {
  readonly simulated: Ask;
  readonly constant: Ask;
}

interface Asked {
  readonly world: LendingWorld;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly answered: Readonly<Record<string, string>>;
}

const asked = shared(async (): Promise<Asked> => {
  const world = new LendingWorld({ accounts: 10, accountsPerSet: 10 });
  const url = world.urlOf(0);
  const headers = { "X-Secrets-Token": world.token };
  const response = await world.sim.fetch(url, { headers });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  return { world, url, headers, text: await response.text(), answered: Object.fromEntries(response.headers) };
});

/** Two servers of which one intercepts at a time, as a process has one. */
async function throughMsw(effort: Effort): Promise<Pair> {
  const { world, url, headers, text, answered } = await asked(effort);
  const body: unknown = JSON.parse(text);
  const server = setupServer();
  server.listen({ onUnhandledRequest: "error" });
  const ours = simHandlers(world.sim);
  const constant = [http.all("*", () => HttpResponse.json(body as object, { headers: answered }))];
  const by = (handlers: typeof constant): Ask => {
    return () => {
      server.resetHandlers(...handlers);
      return fetch(url, { headers }).then((response) => response.text());
    };
  };
  return { simulated: by(ours), constant: by(constant) };
}

/** Answers everything alike. */
class Constant extends Dispatcher {
  readonly #raw: Buffer[];
  readonly #body: Buffer;

  constructor(headers: Readonly<Record<string, string>>, text: string) {
    super();
    this.#raw = Object.entries(headers)
      .flat()
      .map((part) => Buffer.from(part));
    this.#body = Buffer.from(text);
  }

  override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    handler.onConnect?.(() => undefined);
    queueMicrotask(() => {
      handler.onHeaders?.(200, this.#raw, () => undefined, "OK");
      handler.onData?.(this.#body);
      handler.onComplete?.([]);
    });
    return true;
  }
}

async function throughUndici(effort: Effort): Promise<Pair> {
  const { world, url, headers, text, answered } = await asked(effort);
  const by = (dispatcher: Dispatcher): Ask => {
    return async () => (await request(url, { dispatcher, headers })).body.text();
  };
  return { simulated: by(simDispatcher(world.sim)), constant: by(new Constant(answered, text)) };
}

/** Against a server of Node's on the loopback: what a client of `http.request` would have instead. */
async function throughAgent(effort: Effort): Promise<Pair> {
  const { world, url, headers, text, answered } = await asked(effort);
  const server = createServer((_, response) => {
    response.writeHead(200, answered);
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  const target = new URL(url.replace("https:", "http:"));
  const by = (at: URL, agent: Agent): Ask => {
    return () =>
      new Promise((resolve, reject) => {
        nodeRequest(at, { headers, agent }, (answer: IncomingMessage) => {
          answer.resume();
          answer.on("end", resolve);
        })
          .on("error", reject)
          .end();
      });
  };
  return {
    simulated: by(target, httpAgent(world.sim)),
    // Neither of them keeps a connection.
    constant: by(new URL(`http://127.0.0.1:${port}${target.pathname}`), new Agent({ keepAlive: false })),
  };
}

const against = (id: string, note: string, pairOf: (effort: Effort) => Promise<Pair>): Row =>
  row({
    id,
    unit: "times",
    prepare: async (effort) => {
      const { simulated, constant } = await pairOf(effort);
      return () => ratioOf({ batches: effort.count(200), turns: 10 }, simulated, constant);
    },
    note,
  });

/** A GET of a library set, policies checked, on each way that a library intercepts. */
export const interception: Family = {
  name: "interception",
  rows: [
    against("msw-ratio", "fetch intercepted by msw: our handlers against one that answers the same bytes", throughMsw),
    against("undici-ratio", "undici's request: our dispatcher against one that answers the same bytes", throughUndici),
    against("agent-ratio", "http.request: our agent against a bare Node server on the loopback", throughAgent),
  ],
};
