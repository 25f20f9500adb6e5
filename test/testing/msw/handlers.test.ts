import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { simHandlers } from "../../../src/testing/msw/index.ts";
import { LoginWorld } from "../../support/oidc.ts";
import { everyOrigin, interceptedWorld } from "../intercepted.ts";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

function world() {
  const made = interceptedWorld();
  server.use(...simHandlers(made.sim));
  return made;
}

describe("with the handlers of a simulator, fetch", () => {
  test("writes, reads, lists and deletes", async () => {
    const { kv, url, headers } = world();
    expect((await fetch(kv, { method: "POST", headers, body: '{"v":"ä"}' })).status).toBe(204);
    const read = await fetch(kv, { headers });
    expect([read.url, read.headers.get("X-Hindcast-Position")]).toEqual([kv, "1"]);
    expect(await read.json()).toMatchObject({ data: { v: "ä" } });
    const list = await fetch(`${url}/v1/kv/app`, { method: "LIST", headers });
    expect(await list.json()).toMatchObject({ data: { keys: ["db"] } });
    const head = await fetch(kv, { method: "HEAD", headers });
    expect([head.status, await head.text()]).toEqual([405, ""]);
    expect((await fetch(kv, { method: "DELETE", headers })).status).toBe(204);
    expect((await fetch(kv, { headers })).status).toBe(404);
  });

  test("sends bodies of every kind, bytes that are no text too", async () => {
    const { sim, kv, headers } = world();
    const stream = () => new Blob(['{"v":7}']).stream();
    const bodies: [BodyInit, number][] = [
      [new TextEncoder().encode('{"v":7}'), 204],
      [new Blob(['{"v":7}']), 204],
      [stream(), 204],
      [new URLSearchParams({ v: "7" }), 204],
      [new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), 400],
    ];
    for (const [body, status] of bodies) {
      const sent = await fetch(kv, { method: "POST", headers, body, duplex: "half" } as RequestInit);
      const reference = await sim.fetch(kv, {
        method: "POST",
        headers,
        body: body instanceof ReadableStream ? stream() : body,
        duplex: "half",
      } as RequestInit);
      expect([sent.status, await sent.text()]).toEqual([status, await reference.text()]);
    }
  });

  test("reaches every service at its own origin, and every cluster that comes later", async () => {
    const { sim } = world();
    for (const [url, status] of everyOrigin(sim)) expect([url, (await fetch(url)).status]).toEqual([url, status]);
  });

  test("follows redirects among our origins, or leaves them to whoever wants them", async () => {
    const { sim, url, oidc, annsToken } = new LoginWorld();
    server.use(...simHandlers(sim));
    const home = `${url}/v1/sys/health`;
    oidc.clients.write({ name: "app", redirect_uris: [home], assignments: ["allow_all"] });
    const { client_id } = oidc.clients.read({ name: "app" }).data;
    const asked = { client_id, redirect_uri: home, response_type: "code", scope: "openid", state: "s", nonce: "n" };
    const page = `${oidc.configuration({ name: "default" }).authorization_endpoint}?${new URLSearchParams(asked)}`;
    const headers = { "X-Secrets-Token": annsToken };
    const manual = await fetch(page, { headers, redirect: "manual" });
    expect([manual.status, (manual.headers.get("location") ?? "").startsWith(`${home}?code=`)]).toEqual([302, true]);
    const followed = await fetch(page, { headers });
    expect([followed.status, (await followed.json()) as object]).toEqual([
      200,
      expect.objectContaining({ sealed: false }),
    ]);
    await expect(fetch(page, { headers, redirect: "error" })).rejects.toThrow(TypeError);
  });

  test("gives up when it is told to", async () => {
    const { sim } = world();
    const { url, as } = sim.scheduler.region("eu");
    const headers = { "X-Scheduler-Token": as().acl.bootstrap().SecretID };
    const abort = new AbortController();
    const reader = fetch(`${url}/v1/acl/policies?index=99`, { headers, signal: abort.signal });
    await expect.poll(() => sim.clock.waiting()).toHaveLength(1);
    abort.abort();
    await expect(reader).rejects.toMatchObject({ name: "AbortError" });
    await expect.poll(() => sim.clock.waiting()).toEqual([]);
  });

  test("waits for virtual time, and is answered when it comes", async () => {
    const { sim } = world();
    const { url, as } = sim.scheduler.region("eu");
    const headers = { "X-Scheduler-Token": as().acl.bootstrap().SecretID };
    const reader = fetch(`${url}/v1/acl/policies?index=99&wait=10s`, { headers });
    await expect.poll(() => sim.clock.waiting()).toHaveLength(1);
    sim.clock.advance("10s");
    expect((await reader).status).toBe(200);
  });

  test("fails as without a network where a cluster is stopped, until it is started", async () => {
    const { sim, east, url } = world();
    sim.network.stop(east);
    await expect(fetch(`${url}/v1/sys/health`)).rejects.toThrow(TypeError);
    sim.network.start(east);
    expect((await fetch(`${url}/v1/sys/health`)).status).toBe(200);
  });
});

describe("all other origins", () => {
  test("are left to other handlers, whichever come first", async () => {
    const { url } = world();
    const other = http.get("https://example.test/x", () => HttpResponse.json("other"));
    server.use(other);
    expect(await (await fetch("https://example.test/x")).json()).toBe("other");
    expect((await fetch(`${url}/v1/sys/health`)).status).toBe(200);
    server.resetHandlers();
    server.use(other);
    world();
    expect(await (await fetch("https://example.test/x")).json()).toBe("other");
  });

  test("are unhandled requests, which msw reports as it was told to", async () => {
    world();
    const unhandled: string[] = [];
    const note = ({ request }: { readonly request: Request }): number => unhandled.push(request.url);
    server.events.on("request:unhandled", note);
    await expect(fetch("https://example.test/nowhere")).rejects.toThrow("Cannot bypass a request");
    server.events.removeListener("request:unhandled", note);
    expect(unhandled).toEqual(["https://example.test/nowhere"]);
  });

  test("are all that are left when the handlers are reset", async () => {
    const { url } = world();
    expect((await fetch(`${url}/v1/sys/health`)).status).toBe(200);
    server.resetHandlers();
    await expect(fetch(`${url}/v1/sys/health`)).rejects.toThrow("Cannot bypass a request");
  });
});

describe("two simulators of the same origins", () => {
  test("in one server: the last that was given to it answers", async () => {
    const [first, last] = [world(), world()];
    await fetch(`${last.url}/v1/sys/health`);
    expect([first.sim.journal.length, last.sim.journal.length]).toEqual([0, 1]);
  });

  test("in boundaries never meet, however their requests are mixed", async () => {
    const lived = server.boundary(async (value: number) => {
      const { sim, kv, headers } = world();
      await fetch(kv, { method: "POST", headers, body: JSON.stringify({ value }) });
      await new Promise((resolve) => setTimeout(resolve, 10 - value));
      const read = (await (await fetch(kv, { headers })).json()) as { data: unknown };
      return [read.data, sim.position, sim.journal.length];
    });
    const lives = await Promise.all(Array.from({ length: 10 }, (_, value) => lived(value)));
    expect(lives).toEqual(Array.from({ length: 10 }, (_, value) => [{ value }, 1, 2]));
  });
});

test("handlers of what is no simulator are refused", () => {
  expect(() => simHandlers({} as never)).toThrow(TypeError);
});
