import axios, { type AxiosInstance } from "axios";
import { setupServer } from "msw/node";
import nock from "nock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { httpAgent } from "../../src/node/index.ts";
import { simHandlers } from "../../src/testing/msw/index.ts";
import { interceptedWorld } from "./intercepted.ts";

// What the libraries allow for clients that are built on `http.request`. The agent of hindcast/node is the whole service; msw is all but
// LIST, for which there is `list=true`; nock hands bodies on that are no longer what was sent.

// Importing it is enough to have `http.request` patched, in which LIST then hangs.
nock.restore();

/** What becomes of a request within a while. */
const within = (ms: number, asked: Promise<unknown>): Promise<unknown> =>
  Promise.race([
    asked.then(
      () => "answered",
      () => "refused",
    ),
    new Promise((resolve) => setTimeout(resolve, ms, "hangs")),
  ]);

/** Through every method that the library carries: what was written is read, listed and deleted. */
async function expectServed(client: AxiosInstance): Promise<void> {
  expect((await client.post("/v1/kv/app/db", { v: "ä" })).status).toBe(204);
  expect((await client.put("/v1/kv/app/other", "{}x")).status).toBe(400);
  expect((await client.get("/v1/kv/app/db")).data).toMatchObject({ data: { v: "ä" } });
  expect((await client.get("/v1/kv/app?list=true")).data).toMatchObject({ data: { keys: ["db"] } });
  expect((await client.head("/v1/kv/app/db")).status).toBe(405);
  expect((await client.delete("/v1/kv/app/db")).status).toBe(204);
  expect((await client.get("/v1/kv/app/db")).status).toBe(404);
}

/** A client that goes by the agent, and what it asks by any other way. */
function byAgent(): AxiosInstance {
  const { sim, url, headers } = interceptedWorld();
  const agent = httpAgent(sim);
  const ways = { httpAgent: agent, httpsAgent: agent, proxy: false as const };
  return axios.create({ baseURL: url, headers, ...ways, validateStatus: () => true });
}

test("the agent carries everything, LIST too", async () => {
  const client = byAgent();
  await expectServed(client);
  expect((await client.request({ method: "LIST", url: "/v1/kv/app" })).status).toBe(404);
});

describe("msw", () => {
  const server = setupServer();
  beforeAll(() => server.listen({ onUnhandledRequest: "bypass" }));
  afterAll(() => server.close());

  const client = () => {
    const { sim, east, url, headers } = interceptedWorld();
    server.use(...simHandlers(sim));
    return { sim, east, client: axios.create({ baseURL: url, headers, proxy: false, validateStatus: () => true }) };
  };

  test("carries every method that Node's parser knows, and list=true", async () => {
    await expectServed(client().client);
  });

  test("carries large bodies both ways", async () => {
    const { client: ask } = client();
    const value = "x".repeat(300_000);
    await ask.post("/v1/kv/app/db", { value });
    expect((await ask.get("/v1/kv/app/db")).data).toMatchObject({ data: { value } });
  });

  test("is refused by a cluster that is stopped", async () => {
    const { sim, east, client: ask } = client();
    sim.network.stop(east);
    await expect(ask.get("/v1/sys/health")).rejects.toThrow();
  });

  test("lets requests pass that go by the agent of another simulator", async () => {
    await expectServed(byAgent());
  });

  test("leaves LIST without an answer: who has it on this way asks for list=true, or takes the agent", async () => {
    const abort = new AbortController();
    const asked = client().client.request({ method: "LIST", url: "/v1/kv/app", signal: abort.signal });
    expect(await within(300, asked)).toBe("hangs");
    abort.abort();
  });
});

describe("nock", () => {
  beforeAll(() => nock.activate());
  afterAll(() => {
    nock.cleanAll();
    nock.restore();
  });

  test("can hand requests on to sim.fetch, method by method and origin by origin, bodies as far as it kept them", async () => {
    const { sim, url, headers } = interceptedWorld();
    for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE"]) {
      nock(url)
        .persist()
        .intercept(/.*/, method)
        .reply(async function (path, body) {
          const sent = typeof body === "string" ? body : JSON.stringify(body);
          const answer = await sim.fetch(url + path, {
            method,
            headers: this.req.headers,
            ...(sent === "" ? {} : { body: sent }),
          });
          return [answer.status, await answer.text(), Object.fromEntries(answer.headers)];
        });
    }
    await expectServed(axios.create({ baseURL: url, headers, proxy: false, validateStatus: () => true }));
  });
});
