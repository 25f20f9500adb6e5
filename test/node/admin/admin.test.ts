import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openApiDocument } from "../../../src/http/openapi/document.ts";
import { createSimulator, replay, type Simulator } from "../../../src/index.ts";
import { type AdminOptions, keepLog, type Listener, type ListenOptions, listen } from "../../../src/node/index.ts";
import { Wire } from "../listener/wire.ts";

let sim: Simulator;
let server: Listener;
const others: Listener[] = [];

beforeEach(async () => {
  sim = createSimulator({ secrets: { clusters: ["east", "west"] }, scheduler: { regions: ["eu", "us"] } });
  server = await listen(sim, { admin: true });
});

afterEach(async () => {
  await Promise.all([server, ...others.splice(0)].map((listener) => listener.close()));
});

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, looked into by tests
  readonly body: any;
  readonly headers: Headers;
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  of = server,
): Promise<Answer> {
  const response = await fetch(`${of.url}/hindcast${path}`, {
    method,
    headers: { Authorization: `Bearer ${of.adminSecret}`, ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...(typeof body === "object"
      ? { headers: { Authorization: `Bearer ${of.adminSecret}`, "Content-Type": "application/json", ...headers } }
      : {}),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json";
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
}

const get = (path: string): Promise<Answer> => ask("GET", path);
const post = (path: string, body?: unknown): Promise<Answer> => ask("POST", path, body);

describe("who is let in", () => {
  test.each([
    ["no secret", {}, 401, "secret_wrong"],
    ["a wrong one", { Authorization: "Bearer wrong" }, 401, "secret_wrong"],
    ["the right one in another scheme", { Authorization: "Basic SECRET" }, 401, "secret_wrong"],
    [
      "a page of another origin",
      { Authorization: "Bearer SECRET", Origin: "https://evil.test" },
      403,
      "origin_refused",
    ],
    ["a page without an origin", { Authorization: "Bearer SECRET", Origin: "null" }, 403, "origin_refused"],
    ["a name that was made to lead here", { Authorization: "Bearer SECRET", Host: "evil.test" }, 403, "host_refused"],
    [
      "a name that begins as ours",
      { Authorization: "Bearer SECRET", Host: "localhost.evil.test" },
      403,
      "host_refused",
    ],
    ["an address", { Authorization: "Bearer SECRET", Host: "127.0.0.1:1" }, 200, undefined],
    ["another spelling of the scheme", { Authorization: "bearer   SECRET", Host: "[::1]:1" }, 200, undefined],
    ["this machine by its name", { Authorization: "Bearer SECRET", Host: "localhost:8200" }, 200, undefined],
  ])("%s", async (_, headers, status, code) => {
    const client = await Wire.to(server.port);
    const all = { Host: "127.0.0.1", ...headers };
    const text = Object.entries(all).map(
      ([name, value]) => `${name}: ${value.replace("SECRET", server.adminSecret ?? "")}\r\n`,
    );
    await client.send(`GET /hindcast/clock HTTP/1.1\r\n${text.join("")}\r\n`).answers(1);
    expect(client.statuses).toEqual([status]);
    if (code !== undefined) expect(client.received).toContain(`"code":"${code}"`);
    expect(client.received.toLowerCase()).not.toContain("access-control");
  });

  test("nobody is where it was not asked for, and there is no secret", async () => {
    const plain = await listen(sim);
    others.push(plain);
    expect(plain.adminSecret).toBeUndefined();
    expect((await ask("GET", "/clock", undefined, {}, plain)).status).toBe(404);
  });

  const opening = async (options: ListenOptions & { readonly admin: AdminOptions | true }): Promise<Listener> => {
    const listener = await listen(sim, options);
    others.push(listener);
    return listener;
  };

  test("an address that others reach serves it only when told", async () => {
    const closed = await opening({ host: "0.0.0.0", admin: true });
    expect((await ask("GET", "/clock", undefined, {}, closed)).body.error.code).toBe("not_public");
    expect((await fetch(`${closed.urls.secrets["east"]}/v1/sys/health`)).status).toBe(200);
    const open = await opening({ host: "0.0.0.0", admin: { public: true, secret: "0123456789abcdef" } });
    expect(open.adminSecret).toBe("0123456789abcdef");
    expect((await ask("GET", "/clock", undefined, {}, open)).status).toBe(200);
  });

  test("pages of an origin that is on the list may call, after they have asked", async () => {
    const origin = "https://board.test";
    const listed = await opening({ admin: { origins: [origin] } });
    const asked = await fetch(`${listed.url}/hindcast/clock`, { method: "OPTIONS", headers: { Origin: origin } });
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, origin]);
    expect(asked.headers.get("access-control-allow-headers")).toContain("authorization");
    const other = await fetch(`${listed.url}/hindcast/clock`, {
      method: "OPTIONS",
      headers: { Origin: "https://evil.test" },
    });
    expect([other.status, other.headers.get("access-control-allow-origin")]).toEqual([403, null]);
    const read = await ask("GET", "/clock", undefined, { Origin: origin }, listed);
    expect([read.status, read.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
  });

  test("names that were told may be in the Host header", async () => {
    const named = await opening({ admin: { hosts: ["hindcast.test"] } });
    const client = await Wire.to(named.port);
    await client
      .send(`GET /hindcast/ HTTP/1.1\r\nHost: hindcast.test\r\nAuthorization: Bearer ${named.adminSecret}\r\n\r\n`)
      .answers(1);
    expect(client.statuses).toEqual([200]);
  });
});

describe("the clock", () => {
  test("is read and moved", async () => {
    sim.secrets.cluster("east").createToken({ policies: ["default"], ttl: "1h" });
    expect((await get("/clock")).body).toMatchObject({
      now: "2026-01-01T00:00:00.000Z",
      pending: [{ command: "timer.tokenExpiry", owner: { cluster: "east" } }],
      waiting: [],
    });
    expect((await post("/clock/advance", { duration: "30m" })).body).toMatchObject({
      now: "2026-01-01T00:30:00.000Z",
      fired: [],
    });
    expect((await post("/clock/next")).body.fired).toMatchObject([{ command: "timer.tokenExpiry" }]);
    expect((await post("/clock/advanceTo", { instant: "2026-01-02T00:00:00Z" })).body.nowMs).toBe(sim.clock.now());
    expect((await post("/clock/run", { duration: 1000 })).body.now).toBe("2026-01-02T00:00:01.000Z");
    expect((await post("/settle")).status).toBe(200);
  });

  test("follows the real one, and stands still again", async () => {
    expect((await post("/clock/follow", { factor: 100_000 })).status).toBe(200);
    await expect.poll(() => sim.clock.now()).toBeGreaterThan(Date.UTC(2026, 0, 1, 0, 1));
    const stopped = (await post("/clock/stop")).body.nowMs;
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(sim.clock.now()).toBe(stopped);
  });
});

describe("history", () => {
  beforeEach(async () => {
    const east = sim.secrets.cluster("east");
    for (const key of ["a", "b"]) east.as(east.rootToken).kv.write({ path: key, value: key });
    await post("/marks", { name: "written" });
    east.as(east.rootToken).kv.delete({ path: "a" });
  });

  test("is read", async () => {
    expect((await get("/log/commits?from=2&to=2")).body).toMatchObject([
      { position: 2, command: { name: "secrets.kv.write" } },
    ]);
    expect((await get("/log/events?from=3")).body).toMatchObject([{ type: "KvDeleted" }]);
    expect((await get("/journal")).status).toBe(200);
    expect((await get("/diff?from=written")).body).toEqual(sim.diff("written", 3));
    expect((await get(`/blame?path=${encodeURIComponent("secrets.east.replicated")}`)).body.position).toBe(3);
    expect((await get("/explain/3")).body).toMatchObject({ position: 3, operation: "secrets.kv.delete" });
    expect((await get("/explain/3?as=text")).body).toContain("secrets.kv.delete");
    expect((await get("/state-hash?at=written")).body).toEqual({ position: 2, stateHash: sim.at(2).stateHash() });
    expect((await get("/operations")).body).toHaveLength(sim.operations().length);
    const log = await get("/log");
    expect(log.headers.get("content-type")).toBe("application/x-ndjson");
    expect(replay(log.body).stateHash()).toBe(sim.stateHash());
  });

  test("is gone back in: what came after is forgotten", async () => {
    const answer = await post("/reset", { to: "written" });
    expect([answer.body.position, answer.headers.get("x-hindcast-position")]).toEqual([2, "2"]);
    const { rootToken } = sim.secrets.cluster("east");
    const read = await fetch(`${server.urls.secrets["east"]}/v1/kv/a`, { headers: { "X-Secrets-Token": rootToken } });
    expect(read.status).toBe(200);
    expect(server.sim).not.toBe(sim);
    expect(sim.position).toBe(3);
    expect((await post("/reset")).body.position).toBe(0);
    expect(
      (await fetch(`${server.urls.secrets["east"]}/v1/kv/a`, { headers: { "X-Secrets-Token": rootToken } })).status,
    ).toBe(404);
    expect((await post("/reset", { to: 99 })).body.error.code).toBe("unknown_place");
  });

  test("is gone back in: whoever waited for a change is told to ask again", async () => {
    const { SecretID } = sim.scheduler.region("eu").as().acl.bootstrap();
    const waiting = fetch(`${server.urls.scheduler["eu"]}/v1/acl/policies?index=100&wait=5m`, {
      headers: { "X-Scheduler-Token": SecretID },
    });
    await expect.poll(() => sim.clock.waiting().length).toBe(1);
    expect((await post("/reset", { to: sim.position })).status).toBe(200);
    const answer = await waiting;
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain("reset");
    expect(sim.clock.waiting()).toEqual([]);
  });

  test("is decided again, and served when that is wanted", async () => {
    const edits = [{ drop: 3 }];
    expect((await post("/rewrite", { edits })).body).toMatchObject({ position: 2, served: false });
    expect(server.sim.position).toBe(3);
    expect((await post("/rewrite", { edits, serve: true })).body.served).toBe(true);
    expect(server.sim.position).toBe(2);
  });

  test("a living log holds what was gone back to", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hindcast-admin-"));
    const file = join(folder, "run.ndjson");
    const log = await keepLog(sim, file);
    const logged = await listen(sim, { admin: true, log });
    others.push(logged);
    const stored = (): Simulator => replay(readFileSync(file, "utf8"));
    await ask("POST", "/clock/advance", { duration: "1h" }, {}, logged);
    expect(stored().clock.now()).toBe(sim.clock.now());
    await ask("POST", "/reset", { to: 1 }, {}, logged);
    expect(stored().position).toBe(1);
    await ask("POST", "/control/secrets/cluster/east/seal", undefined, {}, logged);
    expect(stored().stateHash()).toBe(logged.sim.stateHash());
    await log.close();
    expect((await ask("POST", "/settle", undefined, {}, logged)).body.error.code).toBe("closed");
    rmSync(folder, { recursive: true });
  });
});

describe("scenarios", () => {
  test("are listed, told, and served", async () => {
    expect((await get("/scenarios")).body).toContainEqual({ name: "library-loan", title: "A forgotten check-in" });
    const told = await post("/scenarios/library-loan", { seed: 11 });
    expect(told.body).toMatchObject({ ok: true, served: false, steps: [{ ok: true }, {}, {}, {}, {}] });
    expect(server.sim).toBe(sim);
    const served = await post("/scenarios/library-loan", { serve: true });
    const { east } = server.urls.secrets;
    const read = await fetch(`${east}/v1/ldap/library?list=true`, {
      headers: { "X-Secrets-Token": served.body.cast.operator },
    });
    expect(read.status).toBe(200);
    expect((await post("/scenarios/nothing")).status).toBe(404);
  });
});

/** Handles as the admin path takes them. */
const cluster = (name: string): object => ({ $handle: { cluster: name } });
const region = (name: string): object => ({ $handle: { region: name } });

describe("the control surface", () => {
  test("data is data, whatever its members are called", async () => {
    expect((await post("/control/orchestrator/addNamespace", ["apps", { labels: { region: "eu" } }])).status).toBe(200);
    expect((await post("/control/orchestrator/setNamespaceLabels", ["apps", { cluster: "east" }])).status).toBe(200);
    expect(sim.orchestrator.objects().find(({ name }) => name === "apps")?.labels).toMatchObject({ cluster: "east" });
    const { token } = (
      await post("/control/secrets/cluster/east/createToken", {
        policies: ["default"],
        meta: { region: "nowhere" },
      })
    ).body;
    expect(sim.secrets.cluster("east").as(token).tokens.lookupSelf().data.meta).toEqual({ region: "nowhere" });
    expect((await post("/control/directory/addEntry", ["cn=a,dc=b", { region: "eu" }])).status).toBe(200);
    expect(sim.directory.entry("cn=a,dc=b")?.attributes).toEqual({ region: ["eu"] });
    for (const wrong of [{ $handle: "east" }, { ...cluster("east"), more: 1 }, { $handle: { cluster: 1 } }]) {
      expect((await post("/control/network/stop", wrong)).body.error.message).toContain(
        '{ "$handle": { "cluster": name } }',
      );
    }
    const { paths } = (await get("/openapi/admin.json")).body as { readonly paths: object };
    expect(JSON.stringify(paths)).toContain(JSON.stringify('{ "$handle": { "cluster": name } }').slice(1, -1));
  });

  test("is called by its own names, and all of it stands in the log", async () => {
    const { token } = (await post("/control/secrets/cluster/east/createToken", { policies: ["default"] })).body;
    expect(sim.secrets.cluster("east").as(token).tokens.lookupSelf().data.policies).toEqual(["default"]);
    expect((await get("/control/secrets/cluster/east")).body).toMatchObject({
      name: "east",
      url: "https://secrets-east.test",
      rootToken: sim.secrets.cluster("east").rootToken,
    });
    expect((await post("/control/directory/addEntry", ["cn=a,dc=b", { cn: "a" }])).body).toBeNull();
    expect((await post("/control/directory/entry", ["cn=a,dc=b"])).body).toMatchObject({ attributes: { cn: ["a"] } });
    expect((await post("/control/network/cut", [region("eu"), region("us")])).status).toBe(200);
    expect((await post("/control/network/stop", cluster("west"))).status).toBe(200);
    expect((await post("/control/faults/failNextRequests", { service: region("eu"), count: 1 })).status).toBe(200);
    expect((await post("/control/runs/createOrganization", { name: "acme" })).status).toBe(200);
    const workspace = (await post("/control/runs/createWorkspace", { organization: "acme", name: "x" })).body.id;
    const run = (await post("/control/runs/createRun", { workspace, timing: "manual" })).body.id;
    expect((await post(`/control/runs/run/${run}/step`)).body).toBe(sim.runs.run(run).status);
    expect((await get(`/control/runs/run/${run}`)).body.status).toBe(sim.runs.run(run).status);
    expect((await post("/control/scheduler/region/us/setLeader", [false])).status).toBe(200);
    expect(sim.log.commits().every(({ command }) => command.via === "control")).toBe(true);
  });

  test("has the stores, the orchestrator, the network and what a failover loses", async () => {
    const east = cluster("east");
    const west = cluster("west");
    const call = async (path: string, ...args: readonly unknown[]): Promise<unknown> => {
      const { status, body } = await post(`/control/${path}`, args);
      expect([path, status, status === 200 ? undefined : body]).toEqual([path, 200, undefined]);
      return body;
    };
    await call("orchestrator/addNamespace", "apps", { labels: { team: "ops" } });
    await call("orchestrator/setNamespaceLabels", "apps", { team: "web" });
    expect(await call("orchestrator/addServiceAccount", "apps", "deployer")).toBeNull();
    await call("orchestrator/addRole", "apps", "reader", [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]);
    await call("orchestrator/addClusterRole", "all", [{ apiGroups: [""], resources: ["pods"], verbs: ["*"] }]);
    expect(await call("orchestrator/objects", { kind: "Role" })).toMatchObject([{ namespace: "apps", name: "reader" }]);
    expect(await call("orchestrator/objects")).toEqual(JSON.parse(JSON.stringify(sim.orchestrator.objects())));
    expect(await call("orchestrator/publicKeys")).toEqual(JSON.parse(JSON.stringify(sim.orchestrator.publicKeys())));
    expect(await call("orchestrator/reviewToken", "a.b.c")).toMatchObject({ authenticated: false });
    await call("orchestrator/failNext", { count: 1, verb: "create" });
    await call("orchestrator/setMinTokenTtl", "10m");
    await call("orchestrator/setMaxTokenTtl", "24h");
    await call("orchestrator/setAvailable", false);
    await call("orchestrator/removeNamespace", "apps");

    expect(await call("stores/list", "")).toEqual([]);
    await call("stores/setAvailable", "cloud1-bucket", false);
    await call("stores/setFreeBytes", "file:///snapshots", 1_000_000);
    await call("stores/setFreeBytes", "file:///snapshots");
    await call("stores/setSnapshotBytes", 1_000);
    await call("stores/setSnapshotDuration", "5s");

    await call("network/cut", east, west);
    await call("network/heal", east, west);
    await call("network/setLag", east, west, "2s", { oneWay: true });
    await call("network/pointAddress", "https://elsewhere.test:8201", west);
    await call("network/stop", west);
    await call("network/start", west);
    await call("network/heal");
    await call("faults/corruptStorage", east, { page: 1 });
    await call("faults/schedule", "1h", { type: "network.cut", args: [east, west] });
    expect((await get("/clock")).body.pending).toHaveLength(sim.clock.pending().length);
    expect(sim.clock.pending().length).toBeGreaterThan(0);
    const { rootToken } = sim.secrets.cluster("east");
    sim.secrets.cluster("east").as(rootToken).kv.write({ path: "app/a", value: "a" });
    const lost = sim.lossReport(sim.secrets.cluster("east"), sim.secrets.cluster("west"));
    expect(lost.length).toBeGreaterThan(0);
    expect(await call("lossReport", east, west)).toEqual(JSON.parse(JSON.stringify(lost)));
    expect((await post("/control/secrets/addCluster", ["south", { nodes: 3 }])).body).toMatchObject({ name: "south" });
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
  });

  test("whatever is there stands in the document, and whatever stands there is there", async () => {
    const run = (await post("/control/runs/createOrganization", { name: "acme" })).status;
    expect(run).toBe(200);
    const { paths } = (await get("/openapi/admin.json")).body as { readonly paths: object };
    const documented = Object.keys(paths).filter((path) => path.startsWith("/control/"));
    for (const part of ["directory", "orchestrator", "stores", "network", "faults"] as const) {
      const called = Object.keys(sim[part]).filter((name) => name !== "server");
      for (const name of called) expect(documented).toContain(`/control/${part}/${name}`);
      expect(called.length).toBeGreaterThan(2);
    }
    expect(documented).toContain("/control/lossReport");
    const hash = sim.stateHash();
    for (const path of documented.filter((one) => !one.includes("{run}"))) {
      const [cluster, region, server_] = ["east", "eu", encodeURIComponent("ldap://a.test")];
      const filled = path.replace("{cluster}", cluster).replace("{region}", region).replace("{server}", server_);
      // Read where it can only be called: that it is there is told, and nothing is done.
      expect([filled, (await get(filled)).status]).toEqual([filled, 405]);
    }
    expect(sim.stateHash()).toBe(hash);
  });

  test.each([
    ["POST", "/control/lossReport", [cluster("east"), cluster("east")], 400, "bad_argument"],
    ["POST", "/control/lossReport/more", [], 404, "not_found"],
    ["POST", "/control/stores/setSnapshotBytes", [-1], 400, "bad_argument"],
    ["POST", "/control/orchestrator/addServiceAccount", ["nowhere", "x"], undefined, undefined],
    ["POST", "/control/faults/schedule", ["1h", { type: "faults.schedule", args: [] }], 400, "bad_argument"],
    ["GET", "/control/nothing/there", undefined, 404, "not_found"],
    ["POST", "/control/secrets/constructor", {}, 404, "not_found"],
    ["POST", "/control/secrets/cluster/east/__proto__", {}, 404, "not_found"],
    ["POST", "/control/secrets/cluster/east/as", ["x"], 404, "not_found"],
    ["POST", "/control/secrets/cluster/north/seal", undefined, 400, "bad_argument"],
    ["POST", "/control/secrets/cluster/east/createToken", { policies: 1 }, 400, "bad_argument"],
    ["GET", "/control/secrets/cluster/east/seal", undefined, 405, "method_not_allowed"],
    ["POST", "/control/secrets/cluster/east", {}, 405, "method_not_allowed"],
    ["POST", "/control/runs/revokeToken", ["x"], 404, undefined],
    ["POST", "/control/network/cut", [region("eu"), region("mars")], 400, "bad_argument"],
    ["GET", "/clock/advance", undefined, 405, "method_not_allowed"],
    ["POST", "/clock/advance", { duration: "soon" }, 400, "bad_argument"],
    ["POST", "/clock/advance", {}, 400, "bad_argument"],
    ["POST", "/clock/advance", { duration: "1h", by: 2 }, 400, "bad_argument"],
    ["POST", "/clock/advance", [], 400, "bad_argument"],
    ["POST", "/clock/follow", { factor: 0 }, 400, "bad_argument"],
    ["POST", "/marks", { name: "12" }, 400, "bad_argument"],
    ["GET", "/diff", undefined, 400, "bad_argument"],
    ["GET", "/diff?from=0&to=0&by=1", undefined, 400, "bad_argument"],
    ["GET", "/log/commits?from=x", undefined, 400, "bad_argument"],
    ["GET", "/explain/9", undefined, 400, "unknown_place"],
    ["GET", "/%zz", undefined, 400, "bad_argument"],
    ["GET", "/openapi/nothing.json", undefined, 404, "not_found"],
    ["GET", "/elsewhere", undefined, 404, "not_found"],
  ])("%s %s %j is refused and changes nothing", async (method, path, body, status, code) => {
    const hash = sim.stateHash();
    const answer = await ask(method, path, body);
    expect([answer.status, answer.body.error.code]).toEqual([status ?? expect.any(Number), code ?? expect.any(String)]);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.error.message).toEqual(expect.any(String));
    expect(sim.stateHash()).toBe(hash);
    expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
  });

  test("a body that is no JSON, or that a page could send unasked, is refused", async () => {
    const text = await ask("POST", "/clock/advance", '{"duration":"1h"}', { "Content-Type": "text/plain" });
    expect(text.body.error.message).toContain("application/json");
    const broken = await ask("POST", "/clock/advance", "{", { "Content-Type": "application/json" });
    expect(broken.body.error.message).toContain("no JSON");
    const evil = await ask(
      "POST",
      "/control/faults/failNextRequests",
      '{"__proto__":{"polluted":1},"service":"runs","count":1}',
      {
        "Content-Type": "application/json",
      },
    );
    expect(evil.status).toBe(400);
    expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("OpenAPI documents", () => {
  test.each(["admin", "runs", "scheduler", "secrets"])("%s.json is a valid document of version 3.1", async (name) => {
    const { status, body } = await get(`/openapi/${name}.json`);
    expect(status).toBe(200);
    expect(body.openapi).toBe("3.1.0");
    const { valid, errors } = await new Validator().validate(structuredClone(body));
    expect([errors ?? [], valid]).toEqual([[], true]);
  });

  test("every operation of a service stands in its document, with its evidence", async () => {
    const found = new Map<string, string>();
    for (const service of ["runs", "scheduler", "secrets"]) {
      const { body } = await get(`/openapi/${service}.json`);
      for (const item of Object.values(body.paths as Record<string, Record<string, Record<string, string>>>)) {
        for (const operation of Object.values(item))
          found.set(operation["operationId"] ?? "", operation["x-hindcast-evidence"] ?? "");
      }
    }
    const told = [...found].map(([name, evidence]) => `${name} ${evidence}`);
    expect(told.sort()).toEqual(
      sim
        .operations()
        .map(({ name, evidence }) => `${name} ${evidence}`)
        .sort(),
    );
  });

  test("engines whose paths have one shape stand where they are mounted from the start, and no two paths are alike", async () => {
    for (const service of ["runs", "scheduler", "secrets", "admin"]) {
      const { body } = await get(`/openapi/${service}.json`);
      const shapes = Object.keys(body.paths).map((path) => path.replace(/\{\w+\}/g, "{}"));
      expect(shapes).toEqual([...new Set(shapes)]);
    }
    const { paths } = (await get("/openapi/secrets.json")).body;
    expect(paths["/v1/ldap/config"].post).toMatchObject({
      operationId: "secrets.ldapConfig.write",
      description: expect.stringContaining("other mounts of it work alike"),
    });
    expect(paths["/v1/orchestrator/config"].post.operationId).toBe("secrets.orchestrator.config.write");
    expect(paths["/v1/kv/{path}"].get.operationId).toBe("secrets.kv.read");
    expect(paths["/v1/ldap/library/{prefix}/"].get.description).toContain("lists from the top");
  });

  test("what the wire does is declared: statuses, errors of their own forms, headers, and who shows what", async () => {
    const { paths, components } = (await get("/openapi/secrets.json")).body;
    const provider = "/v1/identity/oidc/provider/{name}";
    const refused = (path: string, method: string) =>
      paths[path][method].responses["4XX"].content["application/json"].schema;
    expect(Object.keys(paths["/v1/sys/mounts"].get.responses)).toEqual(["200", "202", "204", "4XX", "5XX"]);
    expect(refused("/v1/sys/health", "get")).toEqual({ type: "object" });
    expect(refused(`${provider}/token`, "post").anyOf[0].required).toEqual(["error"]);
    expect(paths[`${provider}/userinfo`].get.security).toEqual([{ accessToken: [] }]);
    expect(components.securitySchemes.accessToken).toEqual({ type: "http", scheme: "bearer" });
    const headersOf = (item: { readonly parameters: readonly { readonly in: string; readonly name: string }[] }) =>
      item.parameters.filter((one) => one.in === "header").map(({ name }) => name);
    expect(headersOf(paths["/v1/sys/mounts"].get)).toEqual([
      "X-Secrets-Namespace",
      "X-Secrets-Wrap-TTL",
      "X-Secrets-Wrap-Format",
      "X-Hindcast-At",
    ]);
    expect(headersOf(paths["/v1/sys/mounts/{path}"].post)).toEqual([
      "X-Secrets-Namespace",
      "X-Secrets-Wrap-TTL",
      "X-Secrets-Wrap-Format",
    ]);
    const runs = (await get("/openapi/runs.json")).body.paths as Record<
      string,
      Record<string, { readonly responses: object; readonly parameters?: readonly object[] }>
    >;
    const operations = Object.values(runs).flatMap((item) => Object.values(item));
    for (const { responses } of operations)
      expect(Object.keys(responses)).toEqual(["200", "201", "202", "204", "3XX", "4XX", "5XX"]);
    const filters = operations
      .flatMap(({ parameters = [] }) => parameters)
      .filter((one) => "name" in one && one.name === "filter");
    expect(filters).not.toEqual([]);
    for (const filter of filters) expect(filter).toMatchObject({ style: "deepObject", explode: true });
  });

  test("operations of which one would hide the other make no document", () => {
    const head = { title: "t", version: "1", description: "", url: "http://x.test", security: {} };
    const operation = {
      name: "x.y.z",
      method: "get",
      path: "/a/{b}",
      summary: "",
      parameters: [],
      answers: {},
    } as const;
    expect(() => openApiDocument(head, [operation, { ...operation, name: "x.y.w", path: "/a/{c}" }])).toThrow(
      "x.y.w has the method and the path of another operation: get /a/{b}",
    );
  });

  test("what a document says of a path is so: parameters for all captures, LIST by GET", async () => {
    const { body } = await get("/openapi/secrets.json");
    for (const [path, item] of Object.entries(
      body.paths as Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>,
    )) {
      const captures = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters = [] } of Object.values(item)) {
        expect([path, parameters.filter((one) => one.in === "path").map(({ name }) => name)]).toEqual([path, captures]);
      }
    }
    const list = Object.keys(body.paths).find((path) => body.paths[path].get?.operationId === "secrets.kv.list");
    expect(list).toBe("/v1/kv/{prefix}/");
    const { rootToken } = sim.secrets.cluster("east");
    await fetch(`${server.urls.secrets["east"]}/v1/kv/app/x`, {
      method: "POST",
      headers: { "X-Secrets-Token": rootToken },
      body: '{"a":1}',
    });
    const url = body.servers[0].url + (list ?? "").replace("{prefix}", "app");
    const read = await fetch(`${url}?list=true`, { headers: { "X-Secrets-Token": rootToken } });
    expect(await read.json()).toMatchObject({ data: { keys: ["x"] } });
  });

  test("every route and every call stands in the admin document", async () => {
    const { body } = await get("/openapi/admin.json");
    for (const path of [
      "/clock/advance",
      "/control/directory/addEntry",
      "/control/secrets/cluster/{cluster}/createToken",
      "/control/runs/run/{run}/step",
    ]) {
      expect([path, Object.keys(body.paths).includes(path)]).toEqual([path, true]);
    }
  });
});

describe("the inspector", () => {
  let shown: Listener;

  beforeEach(async () => {
    shown = await listen(sim, { inspect: true });
    others.push(shown);
  });

  const written = (path: string): Promise<Response> =>
    fetch(`${shown.urls.secrets["east"]}/v1/kv/${path}`, {
      method: "POST",
      headers: { "X-Secrets-Token": sim.secrets.cluster("east").rootToken, "X-Hindcast-Program": "shop" },
      body: '{"a":1}',
    });

  /** What is told of the log, as it comes. */
  const following = (): Promise<Wire> =>
    Wire.to(shown.port).then((wire) =>
      wire.send(
        `GET /hindcast/inspect/log HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${shown.adminSecret}\r\n\r\n`,
      ),
    );

  /** The lines of a chunked body, without what frames them. */
  const linesOf = ({ received }: Wire): string =>
    received
      .slice(received.indexOf("\r\n\r\n") + 4)
      .split("\r\n")
      .filter((_, index) => index % 2 === 1)
      .join("");

  test("is where it was asked for, with the secret behind #", async () => {
    expect(shown.inspectUrl).toBe(`${shown.url}/hindcast/inspect#secret=${shown.adminSecret}`);
    expect(server.inspectUrl).toBeUndefined();
    expect((await get("/inspect")).status).toBe(404);
    expect((await get("/inspect/log")).status).toBe(404);
    const { body } = await ask("GET", "/openapi/admin.json", undefined, {}, shown);
    expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(["/inspect", "/inspect/log"]));
    expect((await new Validator().validate(body)).valid).toBe(true);
  });

  test("nobody sees the log without the secret, from another page, or by another name", async () => {
    const url = `${shown.url}/hindcast/inspect/log`;
    expect((await fetch(url)).status).toBe(401);
    const secret = { Authorization: `Bearer ${shown.adminSecret}` };
    expect((await fetch(url, { headers: { ...secret, Origin: "https://evil.test" } })).status).toBe(403);
    const wire = await Wire.to(shown.port);
    await wire.send("GET /hindcast/inspect HTTP/1.1\r\nHost: evil.test\r\n\r\n").answers(1);
    expect(wire.statuses).toEqual([403]);
  });

  test("tells the log as it goes on, which can be replayed with its journal", async () => {
    await written("before");
    const wire = await (await following()).until(({ received }) => received.includes("kv/before"));
    await written("after");
    await wire.until(({ received }) => received.includes("/v1/kv/after"));
    sim.mark("later");
    sim.clock.advance("1h");
    await wire.until(({ received }) => received.includes('"later"') && received.includes("01:00:00"));
    const again = replay(linesOf(wire));
    expect(again.stateHash()).toBe(sim.stateHash());
    expect(again.clock.now()).toBe(sim.clock.now());
    expect(again.journal).toEqual(sim.journal);
  });

  test("ends with its simulator, and with the listener", async () => {
    const first = await (await following()).until(({ received }) => received.includes('"seed"'));
    await shown.reset(createSimulator({ seed: 8, secrets: { clusters: ["east"] } }));
    await first.until(({ received }) => received.endsWith("0\r\n\r\n"));
    const second = await (await following()).until(({ received }) => received.includes('"seed":8'));
    await shown.close();
    await second.until(({ received }) => received.endsWith("0\r\n\r\n"));
    expect([first, second].map((wire) => replay(linesOf(wire)).log.commits().length)).toEqual([0, 0]);
  });
});
