import { type Batches, ratioOf } from "../harness/ratio.ts";
import { atMost, type Effort, type Family, row, shared } from "../harness/row.ts";
import { LendingWorld } from "./lending-world.ts";

type Handler = (input: string | Request, init?: RequestInit) => Promise<Response>;

/** The same request to the simulator and to a handler that only parses it and writes the same answer. */
interface Pair {
  readonly simulated: Handler;
  readonly bare: Handler;
  readonly url: string;
  readonly init: RequestInit;
}

const pair = shared(async (): Promise<Pair> => {
  const world = new LendingWorld({ accounts: 10, accountsPerSet: 10 });
  const url = world.urlOf(0);
  const init = { headers: { "X-Secrets-Token": world.token } };
  const answered = await world.sim.fetch(url, init);
  if (answered.status !== 200) throw new Error(`${url} answered ${answered.status}`);
  const bare = bareHandler(url, world.token, await answered.json(), Object.fromEntries(answered.headers));
  return { simulated: world.sim.fetch, bare, url, init };
});

function bareHandler(url: string, token: string, body: unknown, headers: Record<string, string>): Handler {
  const { pathname } = new URL(url);
  return async (input, init) => {
    const request = input instanceof Request ? input : new Request(input, init);
    const asked = new URL(request.url);
    if (request.method !== "GET" || asked.pathname !== pathname) return new Response(null, { status: 404 });
    if (request.headers.get("x-secrets-token") !== token) return new Response(null, { status: 403 });
    return new Response(JSON.stringify(body), { status: 200, headers: { ...headers } });
  };
}

/** A GET of a library set with a token whose policies are checked. */
export const http: Family = {
  name: "http",
  rows: [
    row({
      id: "fetch-ratio",
      process: "http",
      unit: "times",
      goal: atMost(1.25),
      prepare: async (effort) => {
        const { simulated, bare, url, init } = await pair(effort);
        return () =>
          ratioOf(
            batchesFor(effort),
            () => simulated(url, init),
            () => bare(url, init),
          );
      },
      note: "a GET of a library set, policies checked, against a bare handler of the same request and answer",
    }),
    row({
      id: "fetch-ratio@body-read",
      process: "http",
      unit: "times",
      prepare: async (effort) => {
        const { simulated, bare, url, init } = await pair(effort);
        return () =>
          ratioOf(
            batchesFor(effort),
            async () => (await simulated(url, init)).json(),
            async () => (await bare(url, init)).json(),
          );
      },
      note: "the same when the caller reads the answer's JSON",
    }),
    row({
      id: "fetch-ratio@request",
      process: "http",
      unit: "times",
      prepare: async (effort) => {
        const { simulated, bare, url, init } = await pair(effort);
        return () =>
          ratioOf(
            batchesFor(effort),
            () => simulated(new Request(url, init)),
            () => bare(new Request(url, init)),
          );
      },
      note: "the same when both get a Request that the caller made, which leaves only the answer to differ",
    }),
  ],
};

const batchesFor = (effort: Effort): Batches => ({ batches: effort.count(500), turns: 20 });
