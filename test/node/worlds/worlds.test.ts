import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createSimulator, replay } from "../../../src/index.ts";
import {
  listen,
  openWorlds,
  type Worlds,
  WorldsError,
  type WorldsListener,
  type WorldsOptions,
} from "../../../src/node/index.ts";
import { Wire } from "../listener/wire.ts";
import { type Answer, ask as askAt, put, read, type Told } from "./client.ts";

let worlds: Worlds;
let server: WorldsListener;

async function begin(options: WorldsOptions = {}): Promise<void> {
  worlds = await openWorlds(options);
  server = await listen(worlds, { port: 0 });
}

async function end(): Promise<void> {
  await server.close();
  await worlds.close();
}

beforeEach(() => begin());
afterEach(end);

/** As whoever started the server. */
const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  askAt({ url: `${server.url}/hindcast`, secret: server.adminSecret }, method, path, body);

/** With the secret of a world, below its path. */
const within = (world: Told, method: string, path: string, body?: unknown): Promise<Answer> =>
  askAt(world.admin, method, path, body);

async function made(body: object = {}): Promise<Told> {
  const answer = await ask("POST", "/worlds", body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as Told;
}

describe("a world is made", () => {
  test("from options, which are laid over those of all worlds", async () => {
    await end();
    await begin({ options: { seed: 7, secrets: { clusters: ["east"], nodes: 1, version: "1.14.0" } } });
    const world = await made({ options: { secrets: { clusters: ["north", "south"] } } });
    expect(Object.keys(world.urls.secrets)).toEqual(["north", "south"]);
    const same = createSimulator({ seed: 7, secrets: { clusters: ["north", "south"], version: "1.14.0" } });
    expect(world.rootTokens["north"]).toBe(same.secrets.cluster("north").rootToken);
    expect(world.keyShares["south"]).toEqual(same.secrets.cluster("south").keyShares);
    expect((await (await fetch(`${world.urls.secrets["north"]}/v1/sys/health`)).json()) as object).toMatchObject({
      version: "1.14.0",
    });
  });

  test("from a log, at a place in it", async () => {
    const sim = createSimulator();
    sim.mark("empty");
    sim.secrets.cluster("main").as(sim.secrets.cluster("main").rootToken).kv.write({ path: "a", value: 1 });
    const log = sim.log.toNdjson();
    expect(await read(await made({ log }), "a")).toBe(1);
    expect(await read(await made({ log, at: "empty" }), "a")).toBe(404);
  });

  test("as a fork: at the present, a position, an instant or a mark", async () => {
    const base = await made({ name: "base" });
    await put(base, "a", 1);
    const { body: mark } = await within(base, "POST", "/mark", { name: "one" });
    await within(base, "PUT", "/clock", { advance: "1h" });
    await put(base, "a", 2);
    expect(await read(await made({ fork: base.id }), "a")).toBe(2);
    for (const at of ["one", mark.position, `${mark.position}`, "2026-01-01T00:30:00Z"]) {
      const fork = await made({ fork: base.id, at });
      expect([at, await read(fork, "a")]).toEqual([at, 1]);
      await put(fork, "a", "other");
    }
    const own = await within(base, "POST", "/fork", { at: "one", name: "by its own secret" });
    expect(own).toMatchObject({ status: 201, body: { name: "by its own secret" } });
    expect(await read(base, "a")).toBe(2);
    const { body: list } = await ask("GET", "/worlds");
    expect(list).toHaveLength(7);
    expect(list[0]).toEqual({
      id: base.id,
      name: "base",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      position: expect.any(Number),
      now: "2026-01-01T01:00:00.000Z",
      nowMs: Date.UTC(2026, 0, 1, 1),
    });
  });

  test.each([
    [{ option: {} }, 400, "the body has option"],
    [{ options: { secrets: { clusters: [] } } }, 400, "createSimulator: secrets.clusters"],
    [{ options: "many" }, 400, "worlds.create: options must be an object"],
    [{ options: JSON.parse('{"__proto__":{"seed":2}}') }, 400, "__proto__"],
    [{ log: "nothing" }, 400, "line 1"],
    [{ log: 5 }, 400, "log must be a string"],
    [{ fork: "nobody" }, 404, "there is no world nobody"],
    [{ at: 3 }, 400, "at belongs to a log or a fork"],
    [{ options: {}, log: "" }, 400, "one origin; got options, log"],
    [{ name: "" }, 400, "name must be a string of 1 to 200 characters"],
    [{ ports: { secrets: { nobody: 0 } } }, 400, "nobody is named nobody"],
    [{ ports: "all" }, 400, "worlds.create: ports"],
  ])("not from %j", async (body, status, says) => {
    expect(await ask("POST", "/worlds", body)).toMatchObject({
      status,
      body: { error: { message: expect.stringContaining(says) as string } },
    });
    expect(worlds.size).toBe(0);
    expect(({} as { seed?: number }).seed).toBeUndefined();
  });

  test("not from a place that its origin has not", async () => {
    const base = await made();
    expect(await ask("POST", "/worlds", { fork: base.id, at: "nowhere" })).toMatchObject({
      status: 400,
      body: { error: { code: "unknown_place" } },
    });
    expect(worlds.size).toBe(1);
  });

  test("with ports of its own, which end with it", async () => {
    const world = await made({ options: { secrets: { clusters: ["east", "west"] } }, ports: true });
    const urls = [world.urls.runs, ...Object.values(world.urls.secrets), ...Object.values(world.urls.scheduler)];
    expect(new Set(urls.map((url) => new URL(url).port)).size).toBe(4);
    expect(urls.map((url) => new URL(url).pathname)).toEqual(["/", "/", "/", "/"]);
    expect(await put(world, "a", 1, "west")).toBe(204);
    expect(await read(world, "a", "west")).toBe(1);
    expect(await ask("DELETE", `/worlds/${world.id}`)).toMatchObject({ status: 204 });
    await expect(fetch(`${world.urls.runs}/api/v2/ping`)).rejects.toThrow("fetch failed");
    const some = await made({ ports: { secrets: 0 } });
    expect(new URL(some.urls.secrets["main"] ?? "").pathname).toBe("/");
    expect(new URL(some.urls.runs).pathname).toBe(`/worlds/${some.id}/runs`);
  });
});

describe("a world answers", () => {
  test("below its path and at its name, and sends clients on to where it answers", async () => {
    const world = await made();
    const call = async (path: string, body: object): Promise<Answer["body"]> =>
      (await within(world, "POST", `/control/runs/${path}`, body)).body;
    await call("createOrganization", { name: "acme" });
    const { id: workspace } = await call("createWorkspace", { organization: "acme", name: "production" });
    const { token } = await call("createToken", {
      kind: "user",
      organization: "acme",
      user: "ann",
      grants: { owner: true },
    });
    const { policyCheckIds } = await call("createRun", {
      workspace,
      policyChecks: [{ policies: [{ name: "window", level: "advisory", result: true }] }],
    });
    const output = `/api/v2/policy-checks/${policyCheckIds[0]}/output`;
    const named = `${world.id}.runs.localhost:${server.port}`;
    for (const [path, host, outside] of [
      [`/worlds/${world.id}/runs${output}`, `127.0.0.1:${server.port}`, world.urls.runs],
      [output, named, `http://${named}`],
    ] as const) {
      const client = await Wire.to(server.port);
      const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      await client.send(head).answers(1);
      expect(client.statuses).toEqual([307]);
      expect(/\r\nLocation: (\S+)/.exec(client.received)?.[1]).toMatch(new RegExp(`^${outside}/`));
    }
  });

  test("with its own URLs: the issuer of OIDC, and the journal", async () => {
    const base = await made();
    const fork = await made({ fork: base.id });
    for (const world of [base, fork]) {
      const url = world.urls.secrets["main"] ?? "";
      const response = await fetch(`${url}/v1/identity/oidc/provider/default/.well-known/openid-configuration`, {
        headers: { "X-Hindcast-Program": "shop", "X-Hindcast-Test": "suite.py::test_login" },
      });
      expect((await response.json()) as object).toMatchObject({ issuer: `${url}/v1/identity/oidc/provider/default` });
      const { body: journal } = await within(world, "GET", "/journal");
      expect(journal.at(-1)).toMatchObject({
        program: "shop",
        test: "suite.py::test_login",
        request: { url: `${url}/v1/identity/oidc/provider/default/.well-known/openid-configuration` },
      });
      expect(replay((await within(world, "GET", "/log?journal=true")).body as string).journal.at(-1)).toMatchObject({
        test: "suite.py::test_login",
      });
    }
  });

  test("64 clients in 64 worlds at once, each with its own answers", async () => {
    const base = await made();
    await put(base, "who", "base");
    const all = await Promise.all(Array.from({ length: 64 }, (_, n) => made({ fork: base.id, name: `${n}` })));
    const answers = await Promise.all(
      all.map(async (world, n) => {
        const seen: unknown[] = [await read(world, "who")];
        for (let step = 0; step < 5; step++) {
          await put(world, "who", `${n}:${step}`);
          seen.push(await read(world, "who"));
        }
        return seen;
      }),
    );
    for (const [n, seen] of answers.entries()) {
      expect(seen).toEqual(["base", ...Array.from({ length: 5 }, (_, step) => `${n}:${step}`)]);
    }
    expect(await read(base, "who")).toBe("base");
  });

  test("nothing where no world is called, or one that is not there", async () => {
    const none = await fetch(`${server.url}/secrets/main/v1/sys/health`);
    expect([none.status, await none.text()]).toEqual([404, expect.stringContaining("/worlds/<id>/")]);
    const gone = await fetch(`${server.url}/worlds/abc/secrets/main/v1/sys/health`);
    expect([gone.status, (await gone.json()) as object]).toEqual([
      404,
      { errors: [expect.stringContaining("there is no world abc")] },
    ]);
  });
});

describe("secrets of the admin path", () => {
  test("that of the server opens all, that of a world its own only", async () => {
    const [one, other] = [await made(), await made()];
    expect(await within(one, "GET", "/")).toMatchObject({ status: 200, body: { id: one.id, urls: one.urls } });
    expect(await ask("GET", `/worlds/${one.id}`)).toMatchObject({ status: 200, body: { admin: one.admin } });
    for (const path of ["", "/journal", "/control/secrets/cluster/main", "/log"]) {
      const stolen = { url: other.admin.url, secret: one.admin.secret };
      expect([path, await askAt(stolen, "GET", path)]).toEqual([
        path,
        { status: 401, body: expect.anything() as object },
      ]);
    }
    for (const [method, path] of [
      ["GET", "/worlds"],
      ["POST", "/worlds"],
      ["GET", "/worlds/unknown"],
      ["GET", "/"],
    ] as const) {
      const answer = await askAt({ url: `${server.url}/hindcast`, secret: one.admin.secret }, method, path);
      expect([path, answer.status]).toEqual([path, 401]);
    }
    expect(await ask("GET", "/worlds/unknown")).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  });
});

test("each world is shown in a browser, with its own secret", async () => {
  await server.close();
  await worlds.close();
  worlds = await openWorlds();
  server = await listen(worlds, { port: 0, inspect: true });
  const [one, other] = [await made(), await made()];
  const [page = "", secret = ""] = (one as unknown as { inspectUrl: string }).inspectUrl.split("#secret=");
  expect([page, decodeURIComponent(secret)]).toEqual([`${one.admin.url}/inspect`, one.admin.secret]);
  const log = async (token: string): Promise<[number, string]> => {
    const gone = new AbortController();
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${page}/log`, { headers, signal: gone.signal });
    const { value } = (await response.body?.getReader().read()) ?? {};
    gone.abort();
    return [response.status, new TextDecoder().decode(value)];
  };
  expect(await log(one.admin.secret)).toEqual([200, expect.stringContaining('"hindcast"')]);
  expect((await log(other.admin.secret))[0]).toBe(401);
});

describe("a world ends", () => {
  test("when it is deleted: who waits in it is told so, and so is who asks it later", async () => {
    const world = await made();
    const url = `${world.urls.scheduler["global"]}/v1/acl/policies`;
    const boot = await fetch(`${world.urls.scheduler["global"]}/v1/acl/bootstrap`, { method: "POST" });
    const { SecretID: token = "" } = (await boot.json()) as { SecretID?: string };
    const index = (await fetch(url, { headers: { "X-Scheduler-Token": token } })).headers.get("X-Scheduler-Index");
    const waiting = fetch(`${url}?index=${index}&wait=60s`, { headers: { "X-Scheduler-Token": token } });
    await vi.waitFor(async () => {
      expect((await within(world, "GET", "/clock")).body.waiting).toHaveLength(1);
    });
    expect(await ask("DELETE", `/worlds/${world.id}`)).toMatchObject({ status: 204 });
    const told = await waiting;
    expect([told.status, await told.text()]).toEqual([503, expect.stringContaining("the world was deleted")]);
    expect((await fetch(url)).status).toBe(404);
    expect(await ask("DELETE", `/worlds/${world.id}`)).toMatchObject({ status: 404 });
    expect(await ask("GET", "/worlds")).toMatchObject({ body: [] });
  });

  test("when nobody asks it for too long, but not while somebody waits in it", async () => {
    await end();
    await begin({ idle: 150 });
    const [kept, forgotten] = [await made(), await made()];
    const boot = await fetch(`${kept.urls.scheduler["global"]}/v1/acl/bootstrap`, { method: "POST" });
    const { SecretID: token = "" } = (await boot.json()) as { SecretID?: string };
    const gone = new AbortController();
    const waiting = fetch(`${kept.urls.scheduler["global"]}/v1/acl/policies?index=1000&wait=60s`, {
      headers: { "X-Scheduler-Token": token },
      signal: gone.signal,
    });
    await vi.waitFor(() => expect(worlds.get(forgotten.id)).toBeUndefined(), { timeout: 20_000, interval: 20 });
    expect(worlds.get(kept.id)?.id).toBe(kept.id);
    gone.abort();
    await expect(waiting).rejects.toThrow();
    await vi.waitFor(() => expect(worlds.size).toBe(0), { timeout: 20_000, interval: 20 });
  });
});

describe("there is room", () => {
  test("for so many worlds", async () => {
    await end();
    await begin({ maxWorlds: 2 });
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask("POST", "/worlds", {})));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 507, 507]);
    expect(answers.find(({ status }) => status === 507)?.body.error).toEqual({
      code: "too_many_worlds",
      message: "there are 2 worlds, and no more may be: delete some",
    });
    await ask("DELETE", `/worlds/${worlds.list()[0]?.id}`);
    await made();
  });

  test("for so many bytes", async () => {
    await end();
    await begin({ maxBytes: 1 });
    await expect(worlds.create()).rejects.toThrow(WorldsError);
    expect(await ask("POST", "/worlds", {})).toMatchObject({
      status: 507,
      body: {
        error: {
          code: "too_many_bytes",
          message: expect.stringMatching(/this process holds \d+ bytes with 0/) as string,
        },
      },
    });
  });
});

describe("control of a world over HTTP", () => {
  test.each([
    [{ advance: "90s" }, "00:01:30"],
    [{ advanceTo: "2026-01-01T02:00:00Z" }, "02:00:00"],
    [{ run: "1h" }, "01:00:00"],
    [{ next: true }, "00:00:00"],
    [{ stop: true }, "00:00:00"],
  ])("moves time by %j", async (body, clock) => {
    const answer = await within(await made(), "PUT", "/clock", body);
    expect(answer).toMatchObject({ status: 200, body: { now: `2026-01-01T${clock}.000Z` } });
  });

  test("lets time follow the real one until it is stopped", async () => {
    const world = await made();
    expect(await within(world, "PUT", "/clock", { follow: 3600 })).toMatchObject({ status: 200 });
    await vi.waitFor(async () => {
      expect((await within(world, "GET", "/clock")).body.nowMs).toBeGreaterThan(Date.UTC(2026, 0, 1, 0, 0, 10));
    });
    await within(world, "PUT", "/clock", { stop: true });
    const { body: stopped } = await within(world, "GET", "/clock");
    expect((await within(world, "GET", "/clock")).body).toMatchObject({ nowMs: stopped.nowMs });
  });

  test.each([
    [{}],
    [{ advance: "1s", stop: true }],
    [{ stop: 1 }],
    [{ follow: 0 }],
    [{ advance: "soon" }],
    [{ wait: "1s" }],
  ])("refuses to move time by %j", async (body) => {
    const world = await made();
    expect(await within(world, "PUT", "/clock", body)).toMatchObject({
      status: 400,
      body: { error: { code: "bad_argument" } },
    });
    expect((await within(world, "GET", "/clock")).body.now).toBe("2026-01-01T00:00:00.000Z");
  });

  test("makes rules for requests, shows and removes them", async () => {
    const world = await made();
    const rule = { program: "shop", effect: { kind: "status", status: 503 } };
    const { body: fault } = await within(world, "POST", "/control/faults/requests", rule);
    const asShop = (): Promise<Response> =>
      fetch(`${world.urls.secrets["main"]}/v1/sys/health`, { headers: { "X-Hindcast-Program": "shop" } });
    expect((await asShop()).status).toBe(503);
    expect((await within(world, "GET", "/request-faults")).body).toEqual([{ id: fault.id, hits: 1, rule }]);
    expect((await within(world, "GET", "/programs")).body).toEqual([{ name: "author" }, { name: "shop" }]);
    expect(await within(world, "DELETE", `/request-faults/${fault.id}`)).toMatchObject({ status: 204 });
    expect((await asShop()).status).toBe(200);
    expect(await within(world, "DELETE", `/request-faults/${fault.id}`)).toMatchObject({ status: 404 });
  });

  test("tells why a request was refused, and takes notes of who believes what", async () => {
    const world = await made();
    expect(await within(world, "POST", "/notes", { data: { leader: "main" }, program: "shop" })).toMatchObject({
      status: 204,
    });
    const refused = await fetch(`${world.urls.secrets["main"]}/v1/kv/a`, {
      headers: { "X-Secrets-Token": "scs.none" },
    });
    expect(refused.status).toBe(403);
    const { body: journal } = await within(world, "GET", "/journal");
    expect(journal[0]).toMatchObject({ kind: "note", program: "shop", data: { leader: "main" } });
    const { body: why } = await within(world, "GET", `/why/${journal.at(-1).n}`);
    expect(why).toMatchObject({ text: expect.stringContaining("token"), facts: expect.any(Array) as object });
    expect(await within(world, "GET", "/why/99")).toMatchObject({ status: 404 });
    expect(await within(world, "POST", "/notes", {})).toMatchObject({ status: 400 });
  });

  test("shows its past, decides it again, goes back in it, and is a page", async () => {
    const world = await made();
    await put(world, "a", 1);
    await within(world, "POST", "/mark", { name: "one" });
    await put(world, "a", 2);
    const path = 'secrets.main.replicated.mounts["kv/"].entries["a"]';
    const query = `path=${encodeURIComponent(path)}`;
    expect((await within(world, "GET", `/history?${query}`)).body).toMatchObject({
      born: null,
      writes: [{ value: { value: 1 } }, { value: { value: 2 } }],
    });
    expect((await within(world, "GET", `/state?${query}&at=one`)).body).toEqual({ value: 1 });
    expect((await within(world, "GET", "/marks")).body).toMatchObject([{ name: "one" }]);
    expect((await within(world, "GET", "/rehearse")).body).toEqual({ ok: true });
    expect(await within(world, "POST", "/reset", { to: "one" })).toMatchObject({ status: 200 });
    expect(await read(world, "a")).toBe(1);
    expect((await within(world, "GET", "/state?path=secrets.nobody")).status).toBe(404);
  });

  test("reports what a failover lost", async () => {
    const world = await made({ options: { secrets: { clusters: ["east", "west"] } } });
    await put(world, "a", 1, "east");
    const { status, body } = await within(world, "POST", "/control/lossReport", [
      { $handle: { cluster: "east" } },
      { $handle: { cluster: "west" } },
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject([{ command: "secrets.kv.write", because: { reason: "apart" } }]);
  });
});

describe("a folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hindcast-worlds-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("keeps worlds with their secrets, names, ports and URLs; what was deleted is not there again", async () => {
    await end();
    await begin({ directory: folder });
    const { port, adminSecret } = server;
    const [one, two] = [await made({ name: "one" }), await made({ ports: { secrets: 0 } })];
    const gone = await made({ fork: one.id });
    await put(one, "a", 1);
    await put(two, "a", 2);
    await within(one, "POST", "/mark", { name: "here" });
    await ask("DELETE", `/worlds/${gone.id}`);
    await end();
    // Of a world that nobody was told of.
    writeFileSync(join(folder, "begun.world.ndjson"), "");
    worlds = await openWorlds({ directory: folder });
    server = await listen(worlds, { port, admin: { secret: adminSecret } });
    expect(
      worlds
        .list()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([one.id, two.id].toSorted());
    expect([await read(one, "a"), await read(two, "a")]).toEqual([1, 2]);
    expect(await within(one, "GET", "/")).toMatchObject({
      body: { id: one.id, name: "one", urls: one.urls, admin: one.admin },
    });
    expect((await within(two, "GET", "/")).body).toMatchObject({ urls: two.urls, admin: two.admin });
    expect((await within(one, "GET", "/marks")).body).toMatchObject([{ name: "here" }]);
    expect(readdirSync(folder).filter((name) => name.startsWith("begun") || name.startsWith(gone.id))).toEqual([]);
  });

  test("that holds a damaged log says which", async () => {
    await end();
    await begin({ directory: folder });
    const world = await made();
    await end();
    writeFileSync(join(folder, `${world.id}.world.ndjson`), "no log\nat all\n");
    await expect(openWorlds({ directory: folder })).rejects.toThrow("line 1");
    rmSync(join(folder, `${world.id}.world.ndjson`));
    await begin({ directory: folder });
  });
});

test("one listener serves worlds at a time, and options are checked at the start", async () => {
  await expect(listen(worlds, { port: 0 })).rejects.toThrow("somebody listens for these worlds already");
  await expect(openWorlds({ idle: "soon" })).rejects.toThrow(TypeError);
  await expect(openWorlds({ maxWorlds: 0 })).rejects.toThrow("openWorlds: maxWorlds");
  await expect(openWorlds({ options: { seed: {} as number } })).rejects.toThrow("createSimulator: seed");
  await expect(listen(worlds, { secrets: 0 } as object)).rejects.toThrow("listen: secrets");
});
