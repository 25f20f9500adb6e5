import { X509Certificate } from "node:crypto";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { type Listener, type ListenOptions, listen } from "../../../src/node/index.ts";
import { Wire } from "./wire.ts";

let sim: Simulator;
const opened: Listener[] = [];

beforeEach(() => {
  sim = createSimulator({ secrets: { clusters: ["east", "west"] }, scheduler: { regions: ["eu", "us"] } });
  const east = sim.secrets.cluster("east");
  for (const name of ["a", "b"]) east.as(east.rootToken).kv.write({ path: `app/${name}`, value: name });
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((listener) => listener.close()));
});

async function opening(options: ListenOptions = {}): Promise<Listener> {
  const listener = await listen(sim, options);
  opened.push(listener);
  return listener;
}

const token = (): { readonly "X-Secrets-Token": string } => ({
  "X-Secrets-Token": sim.secrets.cluster("east").rootToken,
});

/** The text of a request. */
function wire(line: string, headers: Record<string, string> = {}, body = ""): string {
  const all = { Host: "a", ...token(), ...headers };
  const heads = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${heads.join("")}\r\n${body}`;
}

describe("who answers", () => {
  test("one port for all tells services apart by the beginning of the path", async () => {
    const { urls, url } = await opening();
    expect(urls).toEqual({
      runs: `${url}/runs`,
      scheduler: { eu: `${url}/scheduler/eu`, us: `${url}/scheduler/us` },
      secrets: { east: `${url}/secrets/east`, west: `${url}/secrets/west` },
    });
    const read = await fetch(`${urls.secrets["east"]}/v1/kv/app/a`, { headers: token() });
    expect(await read.json()).toMatchObject({ data: { value: "a" } });
    // The token of one cluster is none of another.
    expect((await fetch(`${urls.secrets["west"]}/v1/kv/app/a`, { headers: token() })).status).toBe(403);
    const { url: us } = sim.scheduler.region("us");
    const inside = await sim.fetch(`${us}/v1/acl/tokens`);
    expect((await fetch(`${urls.scheduler["us"]}/v1/acl/tokens`)).status).toBe(inside.status);
    expect((await fetch(`${urls.runs}/api/v2/policy-checks/polchk-1`)).status).toBe(401);
  });

  test.each(["secrets-east.test", "SECRETS-EAST.test:8200", "secrets-east.localhost"])(
    "one port for all tells services apart by the Host header %s",
    async (host) => {
      const { port } = await opening();
      const client = await Wire.to(port);
      await client.send(wire("GET /v1/kv/app/a", { Host: host })).answers(1);
      expect(client.received).toContain('"data":{"value":"a"}');
    },
  );

  test("whoever has it for a proxy is led by the whole URL", async () => {
    const { port } = await opening();
    const client = await Wire.to(port);
    await client.send(wire("GET http://secrets-east.test/v1/kv/app/a?x=1")).answers(1);
    expect(client.received).toContain('"data":{"value":"a"}');
  });

  test("a request that names nobody is told who is there", async () => {
    const { url } = await opening();
    for (const path of [
      "/",
      "/v1/sys/health",
      "/secrets",
      "/secrets/north/v1/x",
      "/secrets/east/7/v1/x",
      "//evil.test/x",
    ]) {
      const answer = await fetch(url + path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.text()).toContain("/secrets/east/v1/...");
    }
  });

  test("each instance has a port of its own where that is wanted", async () => {
    const { urls } = await opening({ runs: 0, scheduler: { us: 0 }, secrets: 0 });
    expect(Object.keys(urls.secrets)).toEqual(["east", "west"]);
    expect(Object.keys(urls.scheduler)).toEqual(["us"]);
    const ports = [urls.runs, urls.scheduler["us"], ...Object.values(urls.secrets)].map(
      (url) => new URL(url ?? "").port,
    );
    expect(new Set(ports).size).toBe(4);
    expect(await (await fetch(`${urls.secrets["east"]}/v1/kv/app/b`, { headers: token() })).json()).toMatchObject({
      data: { value: "b" },
    });
  });

  test("a redirect leads to where its service answers outside, however the client came", async () => {
    sim.runs.createOrganization({ name: "acme" });
    const { id: workspace } = sim.runs.createWorkspace({ organization: "acme", name: "production" });
    const user = { kind: "user", organization: "acme", user: "ann", grants: { owner: true } } as const;
    const { token: bearer } = sim.runs.createToken(user);
    const { policyCheckIds } = sim.runs.createRun({
      workspace,
      policyChecks: [{ policies: [{ name: "window", level: "advisory", result: true }] }],
    });
    const output = `/api/v2/policy-checks/${policyCheckIds[0]}/output`;
    const headers = { Authorization: `Bearer ${bearer}` };
    const shared = await opening();
    const own = await opening({ runs: 0 });
    const label = `http://runs.localhost:${shared.port}`;
    for (const [base, host, outside] of [
      [shared.urls.runs, undefined, shared.urls.runs],
      [own.urls.runs, undefined, own.urls.runs],
      [shared.url, `runs.localhost:${shared.port}`, label],
      [shared.url, "runs.test", "https://runs.test"],
    ] as const) {
      const client = await Wire.to(Number(new URL(base ?? "").port));
      const path = new URL(base ?? "").pathname.replace(/\/$/, "") + output;
      const all = { Host: host ?? new URL(base ?? "").host, ...headers };
      await client.send(wire(`GET ${path}`, all)).answers(1);
      expect(client.statuses).toEqual([307]);
      const [, location = ""] = /\r\nLocation: (\S+)/.exec(client.received) ?? [];
      expect(location.startsWith(outside ?? "nowhere")).toBe(true);
      if (host === undefined) expect((await fetch(location)).status).toBe(200);
    }
  });

  test.each([
    [{ port: -1 }, "port"],
    [{ port: 70_000 }, "port"],
    [{ secrets: { north: 0 } }, "north"],
    [{ secrets: "8200" }, "secrets"],
    [{ prt: 1 }, "prt"],
    [{ host: "" }, "host"],
    [{ tls: { key: "x" } }, "tls"],
    [{ admin: { secret: "short" } }, "admin"],
    [{ limits: { bodyBytes: 0 } }, "limits.bodyBytes"],
    [{ log: {} }, "log"],
  ])("refuses the options %j", async (options, named) => {
    await expect(listen(sim, options as ListenOptions)).rejects.toThrow(new RegExp(named));
  });

  test("refuses what is no simulator, and one that was disposed of", async () => {
    await expect(listen({} as Simulator)).rejects.toThrow(TypeError);
    sim.dispose();
    await expect(listen(sim)).rejects.toThrow("disposed");
  });

  test("a port that is taken is an error of the start, and leaves no other port open", async () => {
    const { port } = await opening();
    await expect(listen(sim, { runs: 0, port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});

describe("what clients send", () => {
  test.each(["GET", "HEAD", "LIST", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "LINK", "PROPFIND"])(
    "%s is answered as inside",
    async (method) => {
      const { secrets } = (await opening()).urls;
      const path = method === "LIST" ? "/v1/kv/app" : "/v1/kv/app/a";
      const headers = { ...token(), "Content-Type": "application/json" };
      const body = ["POST", "PUT", "PATCH"].includes(method) ? '{"value":"c"}' : undefined;
      const init = { method, headers, ...(body === undefined ? {} : { body }) };
      const inside = await sim.fork().fetch(`${sim.secrets.cluster("east").url}${path}`, init);
      const outside = await fetch(secrets["east"] + path, init);
      expect(outside.status).toBe(inside.status);
      for (const name of ["content-type", "cache-control", "x-hindcast-position"]) {
        expect([name, outside.headers.get(name)]).toEqual([name, inside.headers.get(name)]);
      }
      expect(withoutId(await outside.text())).toBe(withoutId(await inside.text()));
    },
  );

  test("requests in a row on one connection are answered in their order, whatever their methods", async () => {
    const { port } = await opening({ secrets: 0 });
    const client = await Wire.to(port);
    const post = wire(
      "POST /v1/kv/app/c",
      { "Transfer-Encoding": "chunked" },
      '2\r\n{"\r\nE\r\nvalue":"LIST"}\r\n0\r\n\r\n',
    );
    const all =
      wire("LIST /v1/kv/app") + post + wire("GET /v1/kv/app/c") + wire("LIST /v1/kv/app") + wire("LINK /v1/kv/app");
    await client.send(all).answers(5);
    expect(client.statuses).toEqual([200, 204, 200, 200, 405]);
    expect(client.received).toContain('{"keys":["a","b"]}');
    expect(client.received).toContain('{"value":"LIST"}');
    expect(client.received).toContain('{"keys":["a","b","c"]}');
  });

  test("an offer to go on with another protocol is not taken, and what comes behind it is answered", async () => {
    const { port } = await opening({ secrets: 0 });
    const client = await Wire.to(port);
    const offer = {
      Connection: "Upgrade, HTTP2-Settings",
      Upgrade: "h2c",
      "HTTP2-Settings": "AAMAAABkAAQCAAAAAAIAAAAA",
    };
    // As Java's client does: it asks once more on the connection.
    await client.send(wire("GET /v1/kv/app/a", offer)).answers(1);
    await client.send(wire("LIST /v1/kv/app")).answers(2);
    const body = wire("POST /v1/kv/app/c", { ...offer, "Content-Length": "17" }, '{"value":"LIST "}');
    await client.send(wire("LIST /v1/kv/app", offer) + body + wire("LIST /v1/kv/app")).answers(5);
    expect(client.statuses).toEqual([200, 200, 200, 204, 200]);
    expect(client.received).toContain('{"keys":["a","b","c"]}');
  });

  test("a request may come byte by byte", async () => {
    const { port } = await opening({ secrets: 0 });
    const client = await Wire.to(port);
    await client.trickle(
      wire("LIST /v1/kv/app") + wire("POST /v1/kv/x", { "Content-Length": "17" }, '{"value":"LIST "}'),
    );
    await client.answers(2);
    expect(client.statuses).toEqual([200, 204]);
  });

  test("who expects 100-continue is told to go on, and any other expectation is not met", async () => {
    const { port } = await opening({ secrets: 0 });
    const client = await Wire.to(port);
    const head = wire("POST /v1/kv/x", { "Content-Length": "13", Expect: "100-continue" });
    await client.send(head).answers(1);
    expect(client.statuses).toEqual([100]);
    await client.send('{"value":"x"}').answers(2);
    expect(client.statuses).toEqual([100, 204]);
    await client.send(wire("GET /v1/kv/x", { Expect: "a miracle" })).answers(3);
    expect(client.statuses[2]).toBe(417);
  });

  test("a large body is taken, and one beyond the limit is refused", async () => {
    const { urls } = await opening({ limits: { bodyBytes: 3_000_000 } });
    const write = (size: number): Promise<Response> =>
      fetch(`${urls.secrets["east"]}/v1/kv/large`, {
        method: "POST",
        headers: { ...token(), "Content-Type": "application/json" },
        body: JSON.stringify({ value: "x".repeat(size) }),
      });
    expect((await write(2_000_000)).status).toBe(204);
    const read = await fetch(`${urls.secrets["east"]}/v1/kv/large`, { headers: token() });
    expect(((await read.json()) as { data: { value: string } }).data.value).toHaveLength(2_000_000);
    expect((await write(3_000_000)).status).toBe(413);
  });

  test("a chunked body beyond the limit is refused before it ends", async () => {
    const { port } = await opening({ secrets: 0, limits: { bodyBytes: 100 } });
    const client = await Wire.to(port);
    await client
      .send(wire("POST /v1/kv/x", { "Transfer-Encoding": "chunked" }, `ff\r\n${"x".repeat(255)}\r\n`))
      .answers(1);
    expect(client.statuses).toEqual([413]);
  });

  test("headers reach the service, and a header that comes twice as one", async () => {
    const { urls } = await opening();
    const headers = { ...token(), "X-Secrets-Wrap-TTL": "60" };
    const answer = await fetch(`${urls.secrets["east"]}/v1/kv/app/a`, { headers });
    expect(await answer.json()).toMatchObject({ wrap_info: { ttl: 60 } });
    const bearer = { Authorization: `Bearer ${sim.secrets.cluster("east").rootToken}` };
    expect((await fetch(`${urls.secrets["east"]}/v1/kv/app/a`, { headers: bearer })).status).toBe(200);
    const past = { ...token(), "X-Hindcast-At": "1" };
    expect((await fetch(`${urls.secrets["east"]}/v1/kv/app/b`, { headers: past })).status).toBe(404);
    expect(
      (await fetch(`${urls.secrets["east"]}/v1/kv/app/b`, { headers: { ...past, "X-Hindcast-At": "99" } })).status,
    ).toBe(400);
  });

  test("the header Date shows the virtual clock", async () => {
    const { urls } = await opening();
    sim.clock.advance("90m");
    const { headers } = await fetch(`${urls.secrets["east"]}/v1/sys/health`);
    expect(headers.get("date")).toBe("Thu, 01 Jan 2026 01:30:00 GMT");
  });

  test("who waits for a change is answered when it comes, and forgotten when it goes away", async () => {
    const { scheduler } = (await opening()).urls;
    const { SecretID } = sim.scheduler.region("eu").as().acl.bootstrap();
    const gone = new AbortController();
    const ask = (signal?: AbortSignal): Promise<Response> =>
      fetch(`${scheduler["eu"]}/v1/acl/policies?index=100&wait=5m`, {
        headers: { "X-Scheduler-Token": SecretID },
        ...(signal === undefined ? {} : { signal }),
      });
    const left = ask(gone.signal);
    const waiting = ask();
    await expect.poll(() => sim.clock.waiting().length).toBe(2);
    gone.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(() => sim.clock.waiting().length).toBe(1);
    sim.clock.advance("6m");
    expect((await waiting).status).toBe(200);
  });
});

describe("what goes wrong", () => {
  test.each([
    ["garbage", "\u0000\u0001\u0002 garbage\r\n\r\n", 400],
    ["a method that is none", "FR OB / HTTP/1.1\r\nHost: a\r\n\r\n", 400],
    ["headers beyond the limit", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
    ["two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", 400],
    ["a tunnel", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 405],
    ["no host", "GET /v1/sys/health HTTP/1.1\r\n\r\n", 400],
  ])("%s is refused, the connection closed, and the server goes on", async (_, text, status) => {
    const { port, urls } = await opening({ secrets: 0 });
    const client = await Wire.to(port);
    await (await client.send(text).answers(1)).closed();
    expect(client.statuses).toEqual([status]);
    expect((await fetch(`${urls.secrets["east"]}/v1/sys/health`)).status).toBe(200);
  });

  test.each([
    ["no host", () => "GET /v1/sys/health HTTP/1.1\r\n\r\n", 400],
    ["a body that is too large", () => wire("POST /v1/kv/x", { "Content-Length": "200" }, "x".repeat(200)), 413],
    ["the wish to be the last", () => wire("GET /v1/sys/health", { Connection: "close" }), 200],
  ])("what was sent behind a request with %s is not carried out", async (_, text, status) => {
    const { port } = await opening({ secrets: 0, limits: { bodyBytes: 100 } });
    const { position } = sim;
    const client = await Wire.to(port);
    const write = wire("POST /v1/kv/x", { "Content-Length": "13" }, '{"value":"x"}');
    await (await client.send(text() + write + write).answers(1)).closed();
    expect(client.statuses).toEqual([status]);
    expect(sim.position).toBe(position);
  });

  test("a target that is no path is refused", async () => {
    const { port } = await opening({ secrets: 0 });
    const client = await Wire.to(port);
    await client.send(wire("OPTIONS *")).answers(1);
    expect(client.statuses).toEqual([400]);
  });

  test("who sends half a request and no more is cut off in time, and so is who sends nothing", async () => {
    const { port } = await opening({ secrets: 0, limits: { headMs: 100, requestMs: 200 } });
    const half = await Wire.to(port);
    half.send("GET /v1/sys/health HT");
    const silent = await Wire.to(port);
    const body = await Wire.to(port);
    body.send(wire("POST /v1/kv/x", { "Content-Length": "100" }, "{"));
    for (const client of [half, silent, body]) await client.closed();
    expect(half.statuses).toEqual([408]);
    expect(body.statuses).toEqual([408]);
  });

  test("who goes away in the middle leaves nothing behind", async () => {
    const { port, urls } = await opening({ secrets: 0 });
    const position = sim.position;
    for (const text of ["POST /v1/kv/x HTTP/1.1\r\nHo", wire("POST /v1/kv/x", { "Content-Length": "100" }, "{")]) {
      const client = await Wire.to(port);
      client.send(text);
      await new Promise((resolve) => setTimeout(resolve, 10));
      client.socket.resetAndDestroy();
    }
    expect((await fetch(`${urls.secrets["east"]}/v1/sys/health`)).status).toBe(200);
    expect(sim.position).toBe(position);
  });

  test("a cluster that is stopped cuts connections, and comes back", async () => {
    const { urls } = await opening();
    const east = sim.secrets.cluster("east");
    sim.network.stop(east);
    await expect(fetch(`${urls.secrets["east"]}/v1/sys/health`)).rejects.toThrow("fetch failed");
    expect((await fetch(`${urls.secrets["west"]}/v1/sys/health`)).status).toBe(200);
    sim.network.start(east);
    expect((await fetch(`${urls.secrets["east"]}/v1/sys/health`)).status).toBe(200);
  });

  test("what nobody thought of is answered with 500 in the service's form, and told", async () => {
    const told: unknown[] = [];
    const { urls } = await opening({ onError: (error) => told.push(error) });
    sim.dispose();
    const secrets = urls === undefined ? "" : "/secrets/east/v1/sys/health";
    const answer = await fetch(opened[0]?.port === undefined ? "" : `http://127.0.0.1:${opened[0].port}${secrets}`);
    expect(answer.status).toBe(500);
    expect(told).toHaveLength(1);
  });
});

describe("connections", () => {
  test("are kept, and closed when the listener is", async () => {
    const listener = await opening({ secrets: 0, limits: { closeMs: 200 } });
    const [idle, busy] = [await Wire.to(listener.port), await Wire.to(listener.port)];
    await idle.send(wire("GET /v1/sys/health")).answers(1);
    await idle.send(wire("GET /v1/sys/health")).answers(2);
    busy.send("GET /v1/sys/health HTTP/1.1\r\n");
    await listener.close();
    await idle.closed();
    await busy.closed();
    await expect(fetch(`${listener.url}/v1/sys/health`)).rejects.toThrow("fetch failed");
    // A second time there is nothing left to do.
    await listener.close();
  });

  test("300 that are idle are held and let go", { tags: "full" }, async () => {
    const listener = await opening({ secrets: 0 });
    const clients = await Promise.all(Array.from({ length: 300 }, () => Wire.to(listener.port)));
    expect((await fetch(`${listener.urls.secrets["east"]}/v1/sys/health`)).status).toBe(200);
    await listener.close();
    for (const client of clients) await client.closed();
  });
});

describe("the clock", () => {
  test("follows the real one at a factor, and stands still again", async () => {
    const listener = await opening();
    const { token: short } = sim.secrets.cluster("east").createToken({ policies: ["default"], ttl: "1h" });
    listener.followClock({ factor: 36_000 });
    await expect.poll(() => sim.clock.pending().length).toBe(0);
    expect(() => sim.secrets.cluster("east").as(short).tokens.lookupSelf()).toThrow();
    listener.stopClock();
    const stopped = sim.clock.now();
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(sim.clock.now()).toBe(stopped);
  });

  test("is never behind for whoever asks", async () => {
    const listener = await opening();
    listener.followClock({ factor: 1_000_000 });
    const dates = [];
    for (let asked = 0; asked < 3; asked++) {
      const { headers } = await fetch(`${listener.urls.secrets["east"]}/v1/sys/health`);
      dates.push(Date.parse(headers.get("date") ?? ""));
    }
    expect(dates).toEqual([...new Set(dates)].sort((left, right) => left - right));
  });

  test.each([0, -1, Number.NaN, "60", 1e9])("refuses the factor %s", async (factor) => {
    const listener = await opening();
    expect(() => listener.followClock({ factor: factor as number })).toThrow("factor");
  });
});

describe("TLS", () => {
  test("a certificate is made for the names and addresses that clients call", async () => {
    const listener = await opening({ tls: true, secrets: 0 });
    const certificate = new X509Certificate(listener.certificate ?? "");
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    for (const host of ["localhost", "secrets-east.test", "secrets-east.localhost"]) {
      expect(certificate.checkHost(host)).toBeDefined();
    }
    for (const address of ["127.0.0.1", "::1"]) expect(certificate.checkIP(address)).toBe(address);
    expect(certificate.checkHost("evil.test")).toBeUndefined();
    expect(Date.parse(certificate.validFrom)).toBeLessThan(Date.now());
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now());
  });

  test("clients that trust it are answered, LIST too, and others are not", async () => {
    const listener = await opening({ tls: true, secrets: 0 });
    const asked = (ca: string | undefined): Promise<string> =>
      new Promise((resolve, reject) => {
        const agent = new SecureAgent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) });
        const url = `${listener.urls.secrets["east"]}/v1/kv/app?list=true`;
        secureRequest(url, { agent, headers: token() }, (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (piece: string) => {
            text += piece;
          });
          response.on("end", () => {
            agent.destroy();
            resolve(text);
          });
        })
          .on("error", reject)
          .end();
      });
    expect(await asked(listener.certificate)).toContain('{"keys":["a","b"]}');
    await expect(asked(undefined)).rejects.toThrow("self-signed");
    const own = await opening({ tls: { key: "no key", cert: "no certificate" } }).catch((error: unknown) => error);
    expect(own).toBeInstanceOf(Error);
  });
});

function withoutId(text: string): string {
  return text.replace(/"request_id":"[^"]*"/, "");
}
