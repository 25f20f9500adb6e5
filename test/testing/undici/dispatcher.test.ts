import { Readable, Writable } from "node:stream";
import { pipeline as pipe } from "node:stream/promises";
import {
  Agent,
  type Dispatcher,
  errors,
  FormData as FormDataOfUndici,
  fetch as fetchOfUndici,
  getGlobalDispatcher,
  interceptors,
  pipeline,
  request,
  setGlobalDispatcher,
  stream,
} from "undici";
import { afterEach, describe, expect, test } from "vitest";
import type { Simulator } from "../../../src/index.ts";
import { type SimDispatcherOptions, simDispatcher } from "../../../src/testing/undici/index.ts";
import { requestsOf } from "../../support/journal.ts";
import { LoginWorld } from "../../support/oidc.ts";
import { everyOrigin, interceptedWorld } from "../intercepted.ts";

function world(options: SimDispatcherOptions = {}) {
  const made = interceptedWorld();
  return { ...made, dispatcher: simDispatcher(made.sim, options) };
}

const written = (sim: Simulator): unknown => {
  const east = sim.secrets.cluster("east");
  return east.as(east.rootToken).kv.read({ path: "app/db" }).data;
};

/** The `fetch` that is built into Node takes a dispatcher, too; the types of a browser's do not tell. */
const withDispatcher = (dispatcher: Dispatcher, init: RequestInit = {}): RequestInit =>
  ({ ...init, dispatcher }) as RequestInit;

describe("a client of undici", () => {
  test("writes, reads, lists and deletes by request", async () => {
    const { dispatcher, headers, kv, url } = world();
    const ask = async (method: string, at: string, body?: string) => {
      const {
        statusCode,
        statusText,
        headers: sent,
        body: answer,
      } = await request(at, {
        dispatcher,
        headers,
        method,
        ...(body === undefined ? {} : { body }),
      });
      const text = await answer.text();
      return { statusCode, statusText, type: sent["content-type"], data: text === "" ? "" : JSON.parse(text).data };
    };
    const type = "application/json";
    expect(await ask("POST", kv, '{"v":1}')).toMatchObject({ statusCode: 204, statusText: "No Content", data: "" });
    expect(await ask("GET", kv)).toEqual({ statusCode: 200, statusText: "OK", type, data: { v: 1 } });
    expect(await ask("LIST", `${url}/v1/kv/app`)).toMatchObject({ statusCode: 200, data: { keys: ["db"] } });
    expect(await ask("HEAD", kv)).toMatchObject({ statusCode: 405, data: "" });
    expect(await ask("DELETE", kv)).toMatchObject({ statusCode: 204 });
    expect(await ask("GET", kv)).toMatchObject({ statusCode: 404, statusText: "Not Found", type });
  });

  test("reaches every service at its own origin, and every cluster that comes later", async () => {
    const { sim, dispatcher } = world();
    for (const [url, status] of everyOrigin(sim)) {
      const { statusCode, body } = await request(url, { dispatcher });
      await body.dump();
      expect([url, statusCode]).toEqual([url, status]);
    }
  });

  test("streams an answer into something that is slow", async () => {
    const { dispatcher, headers, kv, sim } = world();
    const value = "x".repeat(300_000);
    sim.secrets.cluster("east").as(sim.secrets.cluster("east").rootToken).kv.write({ path: "app/db", value });
    let got = "";
    let most = 0;
    const slow = new Writable({
      highWaterMark: 1024,
      write: (chunk: Buffer, _encoding, done) => {
        most = Math.max(most, chunk.length);
        got += chunk.toString();
        setImmediate(done);
      },
    });
    await stream(kv, { dispatcher, headers, method: "GET" }, () => slow);
    expect((JSON.parse(got) as { data: { value: string } }).data.value).toBe(value);
    expect(most).toBeLessThanOrEqual(64 * 1024);
  });

  test("sends and receives through a pipeline", async () => {
    const { dispatcher, headers, kv, sim } = world();
    const statuses: number[] = [];
    await pipe(
      Readable.from(['{"v":', "7}"]),
      pipeline(kv, { dispatcher, headers, method: "POST" }, ({ statusCode, body }) => {
        statuses.push(statusCode);
        return body;
      }),
      new Writable({ write: (_chunk, _encoding, done) => done() }),
    );
    expect(statuses).toEqual([204]);
    expect(written(sim)).toEqual({ v: 7 });
  });

  test.each([
    ["a string", () => '{"v":7}'],
    ["a Buffer", () => Buffer.from('{"v":7}')],
    ["a part of other bytes", () => new Uint8Array(Buffer.from('xx{"v":7}xx')).subarray(2, 9)],
    ["a stream", () => Readable.from(["{", '"v":7}'])],
    ["a stream of bytes", () => Readable.from([Buffer.from('{"v"'), Buffer.from(":7}")])],
    [
      "an async generator",
      async function* () {
        yield '{"v":';
        await new Promise((resolve) => setImmediate(resolve));
        yield "7}";
      },
    ],
    ["pieces", () => [Buffer.from('{"v"'), Buffer.from(":7}")]],
    ["a blob", () => new Blob(['{"v":7}'])],
    ["an ArrayBuffer", () => new TextEncoder().encode('{"v":7}').buffer],
  ])("sends %s", async (_, body) => {
    const { dispatcher, headers, kv, sim } = world();
    const given = body() as string;
    const { statusCode } = await request(kv, { dispatcher, headers, method: "POST", body: given });
    expect(statusCode).toBe(204);
    expect(written(sim)).toEqual({ v: 7 });
  });

  test.each([
    ["of undici", FormDataOfUndici],
    ["of Node", FormData],
  ])("sends a form %s, whose type tells its boundary", async (_, Form) => {
    const { sim, dispatcher, headers, kv } = world();
    const form = new Form() as FormData;
    form.append("v", "7");
    form.append("file", new Blob(["{}"], { type: "application/json" }), "a.json");
    const { statusCode, body } = await request(kv, { dispatcher, headers, method: "POST", body: form as never });
    // Neither JSON nor a form that the service reads: as through any other door.
    const reference = await sim.fetch(kv, { method: "POST", headers, body: form });
    expect({ statusCode, text: await body.text() }).toEqual({
      statusCode: reference.status,
      text: await reference.text(),
    });
    expect(statusCode).toBe(400);
  });

  test.each<[what: string, headers: (token: string) => unknown]>([
    ["an object", (token) => ({ "x-secrets-token": token, "x-other": ["1", "2"], "x-none": undefined })],
    ["names and values in turn", (token) => ["X-Secrets-Token", token, "X-Other", "1"]],
    ["pairs", (token) => new Map([["X-Secrets-Token", token]])],
    ["Headers", (token) => new Headers({ "X-Secrets-Token": token })],
  ])("sends headers as %s", async (_, headers) => {
    const { dispatcher, east, url } = world();
    const { statusCode, body } = await request(`${url}/v1/auth/token/lookup-self`, {
      dispatcher,
      headers: headers(east.rootToken) as Record<string, string>,
    });
    await body.dump();
    expect(statusCode).toBe(200);
  });

  test("sends a query", async () => {
    const { dispatcher, headers, kv, url } = world();
    await request(kv, { dispatcher, headers, method: "POST", body: '{"v":1}' });
    const { body } = await request(`${url}/v1/kv/app`, { dispatcher, headers, query: { list: true } });
    expect(await body.json()).toMatchObject({ data: { keys: ["db"] } });
    await expect(request(`${url}/v1/kv/app?a=1`, { dispatcher, headers, query: { list: true } })).rejects.toThrow(
      "Query params cannot be passed",
    );
  });
});

describe.each<[who: string, ask: typeof fetch]>([
  ["undici", fetchOfUndici as unknown as typeof fetch],
  ["Node", (url, init) => fetch(url, init)],
])("the fetch of %s", (_, ask) => {
  test("writes, reads and lists", async () => {
    const { dispatcher, headers, kv, url } = world();
    const sent = await ask(kv, withDispatcher(dispatcher, { method: "POST", headers, body: '{"v":"ä"}' }));
    expect([sent.status, sent.statusText]).toEqual([204, "No Content"]);
    const read = await ask(kv, withDispatcher(dispatcher, { headers }));
    expect(read.url).toBe(kv);
    expect(read.headers.get("X-Hindcast-Position")).toBe("1");
    expect(await read.json()).toMatchObject({ data: { v: "ä" } });
    const list = await ask(`${url}/v1/kv/app`, withDispatcher(dispatcher, { method: "LIST", headers }));
    expect(await list.json()).toMatchObject({ data: { keys: ["db"] } });
  });

  test("follows redirects among our origins, or leaves them to whoever wants them", async () => {
    const { sim, url, oidc, annsToken } = new LoginWorld();
    const home = `${url}/v1/sys/health`;
    oidc.clients.write({ name: "app", redirect_uris: [home], assignments: ["allow_all"] });
    const { client_id } = oidc.clients.read({ name: "app" }).data;
    const query = new URLSearchParams({
      client_id,
      redirect_uri: home,
      response_type: "code",
      scope: "openid",
      state: "s",
      nonce: "n",
    });
    const page = `${oidc.configuration({ name: "default" }).authorization_endpoint}?${query}`;
    const dispatcher = simDispatcher(sim);
    const headers = { "X-Secrets-Token": annsToken };
    const manual = await ask(page, withDispatcher(dispatcher, { headers, redirect: "manual" }));
    const location = manual.headers.get("location") ?? "";
    expect([manual.status, location.startsWith(`${home}?code=`)]).toEqual([302, true]);
    const followed = await ask(page, withDispatcher(dispatcher, { headers }));
    expect([followed.status, followed.redirected, followed.url.startsWith(home)]).toEqual([200, true, true]);
  });

  test("gives up when it is told to", async () => {
    const { sim, dispatcher } = world();
    const { url, as } = sim.scheduler.region("eu");
    const { SecretID } = as().acl.bootstrap();
    const abort = new AbortController();
    const reader = ask(
      `${url}/v1/acl/policies?index=99`,
      withDispatcher(dispatcher, { headers: { "X-Scheduler-Token": SecretID }, signal: abort.signal }),
    );
    await expect.poll(() => sim.clock.waiting()).toHaveLength(1);
    abort.abort(new Error("enough"));
    await expect(reader).rejects.toThrow("enough");
    expect(sim.clock.waiting()).toEqual([]);
  });

  test("waits for virtual time, and is answered when it comes", async () => {
    const { sim, dispatcher } = world();
    const { url, as } = sim.scheduler.region("eu");
    const { SecretID } = as().acl.bootstrap();
    const reader = ask(
      `${url}/v1/acl/policies?index=99&wait=10s`,
      withDispatcher(dispatcher, { headers: { "X-Scheduler-Token": SecretID } }),
    );
    await expect.poll(() => sim.clock.waiting()).toHaveLength(1);
    sim.clock.advance("10s");
    expect((await reader).status).toBe(200);
  });

  test("is refused by a cluster that is stopped, as by a port that nobody listens on", async () => {
    const { sim, east, dispatcher, kv } = world();
    sim.network.stop(east);
    const refused: unknown = await ask(kv, withDispatcher(dispatcher)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TypeError);
    expect(refused).toMatchObject({ message: "fetch failed", cause: { code: "ECONNREFUSED" } });
  });

  test("finds nobody else, and is told who is there", async () => {
    const { dispatcher } = world();
    const lost: unknown = await ask("https://example.test/", withDispatcher(dispatcher)).catch(
      (error: unknown) => error,
    );
    expect(lost).toMatchObject({
      message: "fetch failed",
      cause: {
        code: "ENOTFOUND",
        hostname: "example.test",
        message: expect.stringContaining("https://secrets-east.test"),
      },
    });
  });
});

describe("all other origins", () => {
  /** A dispatcher that answers 418 to everything. */
  class Teapot extends Agent {
    readonly asked: string[] = [];

    override dispatch({ origin, path }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      this.asked.push(`${origin}${path}`);
      handler.onConnect?.(() => undefined);
      handler.onHeaders?.(418, [], () => undefined, "");
      handler.onComplete?.([]);
      return true;
    }
  }

  test("go to the fallback, which stays open when the dispatcher is closed", async () => {
    const fallback = new Teapot();
    const { dispatcher, url } = world({ fallback });
    expect((await request("https://example.test/x", { dispatcher })).statusCode).toBe(418);
    const ours = await request(`${url}/v1/sys/health`, { dispatcher });
    await ours.body.dump();
    expect(ours.statusCode).toBe(200);
    expect(fallback.asked).toEqual(["https://example.test/x"]);
    await dispatcher.close();
    expect(fallback.closed).toBe(false);
    await fallback.close();
  });

  const before = getGlobalDispatcher();
  afterEach(() => setGlobalDispatcher(before));

  test("and so does all of a process whose global dispatcher it is", async () => {
    const { dispatcher, url, sim } = world({ fallback: before });
    setGlobalDispatcher(dispatcher);
    expect((await fetch(`${url}/v1/sys/health`)).status).toBe(200);
    expect((await fetchOfUndici(`${url}/v1/sys/health`)).status).toBe(200);
    expect(sim.journal).toHaveLength(2);
  });
});

describe("errors", () => {
  test("of a stopped cluster are those of a refused connection", async () => {
    const { sim, east, dispatcher, kv } = world();
    sim.network.stop(east);
    await expect(request(kv, { dispatcher })).rejects.toMatchObject({ code: "ECONNREFUSED" });
    sim.network.start(east);
    const { statusCode, body } = await request(kv, { dispatcher });
    await body.dump();
    expect(statusCode).toBe(403);
  });

  test.each<[what: string, options: object, message: string]>([
    ["a method that is a tunnel", { method: "CONNECT" }, "no CONNECT and no upgrade"],
    ["an upgrade", { method: "GET", upgrade: "websocket" }, "no CONNECT and no upgrade"],
    ["a path that is none", { method: "GET", path: "x" }, "path must start with a slash"],
    ["no method", { method: undefined }, "method must be a string"],
    ["no origin", { method: "GET", origin: "nowhere" }, "Invalid URL protocol"],
    ["a header that is none", { method: "GET", headers: { "a b": "1" } }, "a b"],
    ["a header without a value", { method: "GET", headers: ["a"] }, "headers array must be even"],
    ["headers that are none", { method: "GET", headers: "a" }, "headers must be an object or an array"],
    ["a body that is none", { method: "POST", body: 7 }, "body must be a string"],
    ["a piece of a body that is none", { method: "POST", body: [{}] }, "neither a string nor a Uint8Array"],
  ])("tell of %s, and nothing is decided", async (_, options, message) => {
    const { sim, url, dispatcher } = world();
    const told = await new Promise<Error>((resolve) => {
      dispatcher.dispatch(
        { origin: url, path: "/v1/kv/app/db", method: "GET", ...options },
        {
          onConnect: () => undefined,
          onError: resolve,
        },
      );
    });
    expect(told.message).toContain(message);
    expect({ position: sim.position, journal: sim.journal.length }).toEqual({ position: 0, journal: 0 });
  });

  test("of options name the one that is wrong", () => {
    const { sim } = world();
    expect(() => simDispatcher(sim, { fallback: "x" as never })).toThrow(
      /simDispatcher: fallback is "x": it is a dispatcher/,
    );
    expect(() => simDispatcher(sim, { fallbak: 1 } as never)).toThrow("simDispatcher: fallbak: no such option");
    expect(() => simDispatcher({} as never)).toThrow(TypeError);
    expect(() => simDispatcher(sim).dispatch({ path: "/", method: "GET" }, undefined as never)).toThrow(
      errors.InvalidArgumentError,
    );
  });
});

/** What a handler is told, in order. */
function listening(more: (told: string) => void = () => undefined) {
  const told: string[] = [];
  const note = (text: string): void => {
    told.push(text);
    more(text);
  };
  return { told, note };
}

describe.each(["undici 7", "before"] as const)("a handler in the words of %s", (words) => {
  /** Asks, holds the answer back after its head and after each piece, and goes on when it is told to. */
  function held(dispatcher: Dispatcher, url: string, path: string, headers: Record<string, string>) {
    const { told, note } = listening();
    let goOn: () => void = () => undefined;
    let abort: (reason: Error) => void = () => undefined;
    const handler: Dispatcher.DispatchHandler =
      words === "undici 7"
        ? {
            onRequestStart: (controller) => {
              abort = (reason) => controller.abort(reason);
              note("start");
            },
            onResponseStart: (controller, status, given, text) => {
              note(`${status} ${text} ${String(given["cache-control"])}`);
              goOn = () => controller.resume();
              controller.pause();
            },
            onResponseData: (controller, piece) => {
              note(`${piece.length}`);
              controller.pause();
            },
            onResponseEnd: () => note("end"),
            onResponseError: (controller, { message }) => note(`${message} ${controller.aborted}`),
          }
        : {
            onConnect: (end) => {
              abort = end;
              note("start");
            },
            onHeaders: (status, raw, resume, text) => {
              const names = raw.map(String);
              note(`${status} ${text} ${names[names.indexOf("Cache-Control") + 1]}`);
              goOn = resume;
              return false;
            },
            onData: (piece) => {
              note(`${piece.length}`);
              return false;
            },
            onComplete: () => note("end"),
            onError: ({ message }) => note(`${message} true`),
          };
    dispatcher.dispatch({ origin: url, path, method: "GET", headers }, handler);
    return { told, goOn: () => goOn(), abort: (reason: Error) => abort(reason) };
  }

  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test("holds an answer back, and gets it in pieces as it goes on", async () => {
    const { dispatcher, east, headers } = world();
    east.as(east.rootToken).kv.write({ path: "app/db", value: "x".repeat(100_000) });
    const { told, goOn } = held(dispatcher, east.url, "/v1/kv/app/db", headers);
    expect(told).toEqual(["start"]);
    await turn();
    expect(told).toEqual(["start", "200 OK no-store"]);
    await turn();
    goOn();
    expect(told.slice(2)).toEqual(["65536"]);
    goOn();
    expect(told).toHaveLength(4);
    expect(Number(told[3])).toBeGreaterThan(30_000);
    goOn();
    expect(told.slice(4)).toEqual(["end"]);
    goOn();
    expect(told).toHaveLength(5);
  });

  test("has enough in the middle", async () => {
    const { dispatcher, east, headers } = world();
    east.as(east.rootToken).kv.write({ path: "app/db", value: "x".repeat(100_000) });
    const { told, goOn, abort } = held(dispatcher, east.url, "/v1/kv/app/db", headers);
    await turn();
    goOn();
    abort(new Error("enough"));
    abort(new Error("again"));
    goOn();
    await turn();
    expect(told.slice(3)).toEqual(["enough true"]);
  });
});

describe("a request", () => {
  test("is decided before dispatch returns, where its body is there as a whole", () => {
    const { sim, dispatcher, headers, kv } = world();
    void request(kv, { dispatcher, headers, method: "POST", body: '{"v":1}' });
    void request(kv, { dispatcher, headers, method: "POST", body: '{"v":2}' });
    expect(sim.position).toBe(2);
    expect(written(sim)).toEqual({ v: 2 });
  });

  test("that was given up before it began is never made", async () => {
    const { sim, dispatcher, headers, kv } = world();
    const asked = request(kv, { dispatcher, headers, method: "POST", body: "{}", signal: AbortSignal.abort() });
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
    expect({ position: sim.position, journal: sim.journal.length }).toEqual({ position: 0, journal: 0 });
  });

  test("that is given up while its body is read is never made, and whoever gives the body is told", async () => {
    const { sim, dispatcher, headers, kv } = world();
    const abort = new AbortController();
    let ended = false;
    async function* pieces() {
      try {
        for (;;) {
          yield " ";
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        ended = true;
      }
    }
    const asked = request(kv, {
      dispatcher,
      headers,
      method: "POST",
      body: Readable.from(pieces()),
      signal: abort.signal,
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    abort.abort();
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
    await expect.poll(() => ended).toBe(true);
    expect(sim.journal).toEqual([]);
  });

  test("whose body breaks fails with what broke it", async () => {
    const { sim, dispatcher, headers, kv } = world();
    const broken = Readable.from(
      (async function* () {
        yield "{";
        throw new Error("the disk is gone");
      })(),
    );
    await expect(request(kv, { dispatcher, headers, method: "POST", body: broken })).rejects.toThrow(
      "the disk is gone",
    );
    expect(sim.journal).toEqual([]);
  });

  test("whose handler throws is over", async () => {
    const { dispatcher, url } = world();
    const told = await new Promise<string[]>((resolve) => {
      const all: string[] = [];
      dispatcher.dispatch(
        { origin: url, path: "/v1/sys/health", method: "GET" },
        {
          onRequestStart: () => all.push("start"),
          onResponseStart: () => {
            throw new Error("a mistake");
          },
          onResponseData: () => all.push("data"),
          onResponseEnd: () => all.push("end"),
          onResponseError: (_, { message }) => resolve([...all, message]),
        },
      );
    });
    expect(told).toEqual(["start", "a mistake"]);
  });

  test("goes through interceptors, whose words are those of undici 7", async () => {
    const { sim, dispatcher } = world();
    const retried = dispatcher.compose(interceptors.retry({ maxRetries: 2, minTimeout: 1 }), interceptors.redirect());
    sim.faults.failNextRequests({ service: "runs", count: 1, status: 503 });
    const { statusCode, body } = await request(`${sim.runs.url}/api/v2/policy-checks/x`, { dispatcher: retried });
    await body.dump();
    expect(statusCode).toBe(401);
    expect(requestsOf(sim).map(({ response }) => response?.status)).toEqual([503, 401]);
  });
});

describe("a dispatcher", () => {
  test("that is closed takes no more, and waits for what is under way", async () => {
    const { sim, dispatcher } = world();
    const { url, as } = sim.scheduler.region("eu");
    const { SecretID } = as().acl.bootstrap();
    const reader = request(`${url}/v1/acl/policies?index=99&wait=10s`, {
      dispatcher,
      headers: { "X-Scheduler-Token": SecretID },
    });
    let closed = false;
    const closing = dispatcher.close().then(() => {
      closed = true;
    });
    await expect(request(`${url}/v1/acl/policies`, { dispatcher })).rejects.toThrow(errors.ClientClosedError);
    expect(closed).toBe(false);
    sim.clock.advance("10s");
    const { statusCode, body } = await reader;
    await body.dump();
    expect(statusCode).toBe(200);
    await closing;
  });

  test("that is destroyed gives up what is under way", async () => {
    const { sim, dispatcher } = world();
    const { url, as } = sim.scheduler.region("eu");
    const { SecretID } = as().acl.bootstrap();
    const reader = request(`${url}/v1/acl/policies?index=99`, {
      dispatcher,
      headers: { "X-Scheduler-Token": SecretID },
    });
    const outcome = reader.catch((error: unknown) => error);
    await new Promise<void>((resolve) => dispatcher.destroy(resolve));
    expect(await outcome).toBeInstanceOf(errors.ClientDestroyedError);
    expect(sim.clock.waiting()).toEqual([]);
    await expect(request(url, { dispatcher })).rejects.toThrow(errors.ClientDestroyedError);
    const other = simDispatcher(sim);
    const waiting = request(`${url}/v1/acl/policies?index=99`, {
      dispatcher: other,
      headers: { "X-Scheduler-Token": SecretID },
    });
    const why = waiting.catch((error: unknown) => error);
    await other.destroy(new Error("because"));
    expect(await why).toEqual(new Error("because"));
  });
});
