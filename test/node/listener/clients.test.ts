import http, { type Agent } from "node:http";
import https from "node:https";
import axios, { type AxiosInstance } from "axios";
import nodeVault from "node-vault";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { httpAgent, type Listener, listen } from "../../../src/node/index.ts";

const sim = createSimulator({ secrets: { clusters: ["east"] } });
const east = sim.secrets.cluster("east");
const headers = { "X-Secrets-Token": east.rootToken };
let server: Listener;
let agent: Agent;

beforeAll(async () => {
  server = await listen(sim, { secrets: 0 });
  agent = httpAgent(sim);
  east.as(east.rootToken).kv.write({ path: "app/a", value: "a" });
});

afterAll(async () => {
  agent.destroy();
  await server.close();
});

/** One suite, two ways: real sockets, and none at all. */
const WAYS = {
  "over the listener": () => ({ url: server.urls.secrets["east"] ?? "", options: {} }),
  "by the agent, without a port": () => ({
    url: east.url,
    options: { httpAgent: agent, httpsAgent: agent, proxy: false as const },
  }),
};

describe.each(Object.entries(WAYS))("axios %s", (_, way) => {
  const client = (): AxiosInstance => {
    const { url, options } = way();
    return axios.create({ baseURL: url, headers, validateStatus: () => true, ...options });
  };

  test("is answered, whatever the method", async () => {
    const statuses = [];
    for (const method of ["POST", "PUT", "GET", "LIST", "HEAD", "DELETE", "OPTIONS", "PATCH"]) {
      const data = method === "POST" || method === "PUT" ? { value: "b" } : undefined;
      const { status } = await client().request({
        method,
        url: method === "LIST" ? "/v1/kv/app" : "/v1/kv/app/b",
        data,
      });
      statuses.push([method, status]);
    }
    expect(statuses).toEqual([
      ["POST", 204],
      ["PUT", 204],
      ["GET", 200],
      ["LIST", 200],
      ["HEAD", 405],
      ["DELETE", 204],
      ["OPTIONS", 405],
      ["PATCH", 415],
    ]);
  });

  test("reads what it has written, large bodies too, many at a time", async () => {
    const value = "x".repeat(300_000);
    await Promise.all(Array.from({ length: 20 }, (__, key) => client().post(`/v1/kv/many/${key}`, { value, key })));
    const { data } = await client().request<{ data: { keys: string[] } }>({ method: "LIST", url: "/v1/kv/many" });
    expect(data.data.keys).toHaveLength(20);
    expect((await client().get<{ data: object }>("/v1/kv/many/7")).data.data).toEqual({ value, key: 7 });
  });
});

describe.each(Object.entries(WAYS))("node-vault %s", (_, way) => {
  test("writes, reads, lists and deletes", async () => {
    const { url, options } = way();
    // It sends the header of the service that it was written for; this one takes the token as a bearer's, too.
    const rpDefaults = { headers: { Authorization: `Bearer ${east.rootToken}` }, ...options };
    const vault = nodeVault({
      endpoint: url,
      token: east.rootToken,
      ...({ rpDefaults, requestOptions: rpDefaults } as object),
    });
    await vault.write("kv/nv/one", { value: "1" }, rpDefaults);
    expect((await vault.read("kv/nv/one", rpDefaults)).data).toEqual({ value: "1" });
    expect((await vault.list("kv/nv", rpDefaults)).data.keys).toEqual(["one"]);
    await vault.delete("kv/nv/one", rpDefaults);
    await expect(vault.read("kv/nv/one", rpDefaults)).rejects.toMatchObject({ response: { statusCode: 404 } });
  });
});

describe("the agent", () => {
  const status = (url: string, options: http.RequestOptions = {}): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const client = url.startsWith("https:") ? https : http;
      client
        .request(url, { agent, headers, ...options }, (response) => {
          response.resume();
          response.on("end", () => resolve(response.statusCode));
        })
        .on("error", reject)
        .end();
    });

  test("serves both of Node's clients, and every service by its own URL", async () => {
    expect(await status(`${east.url}/v1/kv/app/a`)).toBe(200);
    expect(await status(`${east.url.replace("https:", "http:")}/v1/kv/app/a`)).toBe(200);
    expect(await status(`${sim.scheduler.region("global").url}/v1/acl/bootstrap`)).toBe(405);
    expect(await status(`${sim.runs.url}/api/v2/policy-checks/x`)).toBe(401);
  });

  test("finds nobody else, and says who is there", async () => {
    await expect(status("https://example.test/")).rejects.toMatchObject({
      code: "ENOTFOUND",
      message: expect.stringContaining("https://secrets-east.test"),
    });
  });

  test.each([
    ["ends its request", (request: http.ClientRequest) => request.destroy()],
    ["has a time-out", (request: http.ClientRequest) => request.setTimeout(1, () => request.destroy())],
  ])("notices that a caller who waits %s", async (_, leave) => {
    const own = createSimulator();
    const region = own.scheduler.region("global");
    const { SecretID } = region.as().acl.bootstrap();
    const waiting = https.request(`${region.url}/v1/acl/policies?index=100&wait=5m`, {
      agent: httpAgent(own),
      headers: { "X-Scheduler-Token": SecretID },
    });
    const gone = new Promise((resolve) => waiting.once("close", resolve));
    waiting.on("error", () => undefined).end();
    await expect.poll(() => own.clock.waiting().length).toBe(1);
    leave(waiting);
    await gone;
    await expect.poll(() => own.clock.waiting().length).toBe(0);
  });

  test("answers a method that nobody knows with 405, as a socket does", async () => {
    expect(await status(`${east.url}/v1/sys/health`, { method: "GET-" })).toBe(405);
  });

  test("is refused by a cluster that is stopped", async () => {
    sim.network.stop(east);
    try {
      const code = await status(`${east.url}/v1/sys/health`).catch(
        ({ code: refused }: NodeJS.ErrnoException) => refused,
      );
      // A connection that was kept is cut; a new one is refused.
      expect(["ECONNREFUSED", "ECONNRESET"]).toContain(code);
    } finally {
      sim.network.start(east);
    }
  });
});
