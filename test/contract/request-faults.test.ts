import { describe, expect, it } from "vitest";
import { createSimulator, rehearse, replay, type Simulator } from "../../src/index.ts";

const world = (): Simulator => createSimulator({ secrets: { clusters: ["east"] } });
const codeOf = (error: unknown): unknown => ((error as Error).cause as { code?: string } | undefined)?.code;
const failure = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => "no failure", codeOf);

function writing(sim: Simulator, program = "author") {
  const east = sim.secrets.cluster("east");
  const headers = { "X-Secrets-Token": east.rootToken };
  return (path: string) =>
    sim.program(program).fetch(`${east.url}/v1/kv/${path}`, { method: "POST", headers, body: '{"a":"b"}' });
}

const written = (sim: Simulator, path: string): boolean => {
  try {
    const east = sim.secrets.cluster("east");
    return east.as(east.rootToken).kv.read({ path }) !== undefined;
  } catch {
    return false;
  }
};

describe("faults of requests", () => {
  it("lose a request before it is decided, and an answer after", async () => {
    const sim = world();
    const write = writing(sim, "shop");
    sim.faults.requests({ program: "shop", path: "/v1/kv/a", effect: { kind: "lose-request" } });
    sim.faults.requests({ program: sim.program("shop"), path: "/v1/kv/b", effect: { kind: "lose-answer" } });
    expect(await failure(write("a"))).toBe("ECONNRESET");
    expect(await failure(write("b"))).toBe("ECONNRESET");
    expect([written(sim, "a"), written(sim, "b")]).toEqual([false, true]);
  });

  it("count what fits them, and a replay and a fork go on counting", async () => {
    const sim = world();
    const fault = sim.faults.requests({ method: "POST", nth: [2, 4], effect: { kind: "lose-request" } });
    const write = writing(sim);
    expect((await write("a")).status).toBe(204);
    expect(await failure(write("b"))).toBe("ECONNRESET");
    expect((await write("c")).status).toBe(204);
    expect(fault.hits).toBe(1);
    for (const other of [sim.fork(), replay(sim.log.toNdjson())]) {
      expect(await failure(writing(other)("d"))).toBe("ECONNRESET");
      expect((await writing(other)("e")).status).toBe(204);
    }
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
    fault.remove();
    expect((await write("d")).status).toBe(204);
  });

  it("answer with a status in the place of the service, in its own form or in another one", async () => {
    const sim = world();
    sim.faults.requests({ service: sim.secrets.cluster("east"), times: 1, effect: { kind: "status", status: 503 } });
    const headers = { "Retry-After": "3" };
    sim.faults.requests({
      service: "secrets",
      times: 1,
      effect: { kind: "status", status: 429, headers, body: { slow: true } },
    });
    const write = writing(sim);
    const first = await write("a");
    expect([first.status, await first.json()]).toEqual([503, { errors: [expect.any(String)] }]);
    const second = await write("a");
    expect([second.status, second.headers.get("retry-after"), await second.json()]).toEqual([429, "3", { slow: true }]);
    expect(written(sim, "a")).toBe(false);
  });

  it("delay a request: it is decided at its instant, and its promise settles there", async () => {
    const sim = world();
    sim.faults.requests({ effect: { kind: "delay", by: "5s" }, times: 1 });
    const answer = writing(sim)("a");
    await Promise.resolve();
    sim.clock.advance("4999ms");
    expect(written(sim, "a")).toBe(false);
    sim.clock.advance("1ms");
    expect(written(sim, "a")).toBe(true);
    expect((await answer).status).toBe(204);
  });

  it("let a request hang until it is given up", async () => {
    const sim = world();
    sim.faults.requests({ effect: { kind: "hang" } });
    const giver = new AbortController();
    const east = sim.secrets.cluster("east");
    const answer = sim.fetch(`${east.url}/v1/sys/health`, { signal: giver.signal });
    await sim.clock.run("1d");
    expect(sim.clock.waiting()).toHaveLength(1);
    giver.abort(new Error("enough"));
    await expect(answer).rejects.toThrow("enough");
    expect(sim.clock.waiting()).toEqual([]);
  });

  it("break an answer off, and slow it down", async () => {
    const sim = world();
    const { url } = sim.secrets.cluster("east");
    const health = () => sim.fetch(`${url}/v1/sys/health`);
    const whole = await (await health()).text();
    const truncated = sim.faults.requests({ effect: { kind: "truncate", bytes: 10 } });
    const broken = await health();
    expect(broken.status).toBe(200);
    await expect(broken.text()).rejects.toThrow("terminated");
    truncated.remove();
    const reset = sim.faults.requests({ effect: { kind: "reset", after: 5 } });
    expect(await failure((await health()).text())).toBe("ECONNRESET");
    reset.remove();
    sim.faults.requests({ effect: { kind: "slow", bytesPerSecond: 100 } });
    const slow = await health();
    const began = sim.clock.now();
    let ended = 0;
    const text = slow.text().finally(() => {
      ended = sim.clock.now();
    });
    await sim.clock.run("1m");
    expect((await text).length).toBe(whole.length);
    expect(ended - began).toBe(Math.ceil((whole.length / 100) * 1000));
  });

  it("refuse a typed call that cannot wait, and leave nothing of it", () => {
    const sim = world();
    sim.faults.requests({ effect: { kind: "delay", by: "1s" }, times: 1 });
    const before = sim.position;
    const east = sim.secrets.cluster("east");
    expect(() => east.as(east.rootToken).kv.read({ path: "a" })).toThrow(/fetch/);
    expect(sim.position).toBe(before);
  });

  it("are what typed calls meet, too", () => {
    const sim = world();
    const east = sim.secrets.cluster("east");
    const operation = "secrets.kv.write";
    sim.faults.requests({ operation, nth: 1, effect: { kind: "lose-answer" } });
    sim.faults.requests({ operation, nth: 2, effect: { kind: "status", status: 502 } });
    const write = (path: string) => sim.program("shop").as(east, east.rootToken).kv.write({ path, a: "b" });
    expect(() => write("a")).toThrow("fetch failed");
    expect(() => write("b")).toThrow(expect.objectContaining({ code: "request_failed", status: 502 }));
    expect([written(sim, "a"), written(sim, "b")]).toEqual([true, false]);
  });

  it("can be scheduled", async () => {
    const sim = world();
    sim.faults.schedule("1m", { type: "faults.requests", args: [{ effect: { kind: "lose-request" } }] });
    const write = writing(sim);
    expect((await write("a")).status).toBe(204);
    sim.clock.advance("1m");
    expect(await failure(write("a"))).toBe("ECONNRESET");
  });

  it.each([
    [{ effect: { kind: "explode" } }, /effect/],
    [{ effect: { kind: "truncate" } }, /effect.bytes/],
    [{ effect: { kind: "status", status: 99 } }, /effect.status/],
    [{ nth: 0, effect: { kind: "hang" } }, /nth/],
    [{ path: "v1", effect: { kind: "hang" } }, /path/],
    [{ service: "mail", effect: { kind: "hang" } }, /service/],
    [{ operation: "secrets.kv.sing", effect: { kind: "hang" } }, /operation/],
    [{ from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z", effect: { kind: "hang" } }, /to/],
    [{ color: "red", effect: { kind: "hang" } }, /color/],
    [undefined, /rule/],
  ])("refuse a rule that is none: %j", (rule, message) => {
    expect(() => world().faults.requests(rule as never)).toThrow(TypeError);
    expect(() => world().faults.requests(rule as never)).toThrow(message);
  });
});

describe("the line of a program", () => {
  it("can be cut and healed, and nobody else's is", async () => {
    const sim = world();
    const shop = sim.program("shop");
    const east = sim.secrets.cluster("east");
    sim.network.cut(shop, east);
    expect(await failure(shop.fetch(`${east.url}/v1/sys/health`))).toBe("EHOSTUNREACH");
    expect(() => shop.as(east).health.read()).toThrow("fetch failed");
    expect((await sim.fetch(`${east.url}/v1/sys/health`)).status).toBe(200);
    expect((await shop.fetch(`${sim.runs.url}/api/v2/ping`)).status).toBeLessThan(500);
    sim.network.heal();
    expect((await shop.fetch(`${east.url}/v1/sys/health`)).status).toBe(200);
    sim.network.cut(shop, sim.runs);
    expect(await failure(shop.fetch(`${sim.runs.url}/api/v2/ping`))).toBe("EHOSTUNREACH");
    expect(() => sim.network.cut(sim.program("author"), east)).toThrow(/author/);
    expect(() => sim.network.cut(shop, sim.program("bank"))).toThrow(TypeError);
  });

  it("has a lag each way: decided on arrival, answered when the answer arrives", async () => {
    const sim = world();
    const shop = sim.program("shop");
    const east = sim.secrets.cluster("east");
    sim.network.setLag(shop, east, "2s", { oneWay: true });
    sim.network.setLag(east, shop, "3s", { oneWay: true });
    let answered = 0;
    void writing(
      sim,
      "shop",
    )("a").then(() => {
      answered = sim.clock.now();
    });
    const began = sim.clock.now();
    await sim.clock.run("1999ms");
    expect(written(sim, "a")).toBe(false);
    await sim.clock.run("1ms");
    expect(written(sim, "a")).toBe(true);
    await sim.clock.run("10s");
    expect(answered - began).toBe(5_000);
    expect(() => shop.as(east).health.read()).toThrow(/fetch/);
  });

  it("lets a request in flight meet what happens on its way", async () => {
    const sim = world();
    const shop = sim.program("shop");
    const east = sim.secrets.cluster("east");
    sim.network.setLag(shop, east, "2s");
    sim.faults.schedule("1s", { type: "network.stop", args: [east] });
    const stopped = failure(writing(sim, "shop")("a"));
    await sim.clock.run("5s");
    expect(await stopped).toBe("ECONNREFUSED");
    sim.network.start(east);
    sim.faults.schedule("1s", { type: "network.cut", args: [shop, east] });
    const lost = failure(writing(sim, "shop")("b"));
    await sim.clock.run("5s");
    expect([await lost, written(sim, "b")]).toEqual(["ECONNRESET", false]);
    sim.network.heal();
    sim.faults.schedule("3s", { type: "network.cut", args: [shop, east] });
    const unanswered = failure(writing(sim, "shop")("c"));
    await sim.clock.run("5s");
    expect([await unanswered, written(sim, "c")]).toEqual(["ECONNRESET", true]);
  });
});

describe("the journal", () => {
  const faults = (sim: Simulator): unknown[] =>
    sim.journal.flatMap((entry) => (entry.kind === "request" ? [entry.fault] : []));

  it.each([
    { kind: "lose-request" },
    { kind: "lose-answer" },
    { kind: "reset" },
    { kind: "reset", after: 3 },
    { kind: "status", status: 503 },
    { kind: "truncate", bytes: 3 },
    { kind: "slow", bytesPerSecond: 100 },
    { kind: "delay", by: "1s" },
  ] as const)("names what a rule did to a request: %j", async (effect) => {
    const sim = world();
    sim.faults.requests({ effect });
    const asked = failure(writing(sim)("a"));
    await sim.clock.run("2s");
    await asked;
    expect(faults(sim)).toEqual([effect.kind]);
    expect(faults(replay(sim.log.toNdjson({ journal: true })))).toEqual([effect.kind]);
  });

  it("names what a request hangs by, before it is given up and after", async () => {
    const sim = world();
    sim.faults.requests({ effect: { kind: "hang" } });
    const aborter = new AbortController();
    const asked = sim.fetch(`${sim.secrets.cluster("east").url}/v1/sys/health`, { signal: aborter.signal });
    expect(faults(sim)).toEqual(["hang"]);
    aborter.abort();
    await expect(asked).rejects.toThrow("aborted");
    expect(faults(sim)).toEqual(["hang"]);
  });

  it("names the line that is cut as a request sets out, on its way there and back, and in the middle of an answer", async () => {
    const sim = world();
    const shop = sim.program("shop");
    const east = sim.secrets.cluster("east");
    const cut = (at: string): void => sim.faults.schedule(at, { type: "network.cut", args: [shop, east] });
    const health = async (): Promise<unknown> => (await shop.fetch(`${east.url}/v1/sys/health`)).text();
    sim.network.cut(shop, east);
    await failure(health());
    sim.network.heal();
    sim.faults.requests({ effect: { kind: "slow", bytesPerSecond: 10 } });
    cut("5s");
    const slow = failure(health());
    await sim.clock.run("10s");
    expect(await slow).toBe("ECONNRESET");
    sim.network.setLag(shop, east, "2s");
    for (const at of ["1s", "3s"]) {
      sim.network.heal();
      cut(at);
      const lost = failure(health());
      await sim.clock.run("5s");
      await lost;
    }
    expect(faults(sim)).toEqual(Array(4).fill("cut: shop, east"));
  });

  it("names what happens to typed calls, of every service", async () => {
    const sim = createSimulator({ secrets: { clusters: ["east"] }, scheduler: { regions: ["eu"] } });
    const shop = sim.program("shop");
    const places = [sim.secrets.cluster("east"), sim.scheduler.region("eu"), sim.runs];
    const calls = [
      () => shop.as(sim.secrets.cluster("east")).health.read(),
      () => shop.as(sim.scheduler.region("eu")).status.leader(),
      () => shop.as(sim.runs).ping.read({}),
    ];
    const effects = [{ kind: "lose-answer" }, { kind: "reset" }, { kind: "status", status: 503 }] as const;
    for (const effect of effects) {
      const rule = sim.faults.requests({ effect });
      for (const call of calls) expect(call).toThrow();
      rule.remove();
    }
    for (const place of places) sim.network.cut(shop, place);
    for (const call of calls) expect(call).toThrow("fetch failed");
    expect(faults(sim)).toEqual([
      ...effects.flatMap(({ kind }) => [kind, kind, kind]),
      "cut: shop, east",
      "cut: shop, eu",
      "cut: shop, runs",
    ]);
  });

  it("names what happens to a typed call that waits", async () => {
    const sim = world();
    const region = sim.scheduler.region("global");
    const { policies } = region.as(region.as().acl.bootstrap().SecretID);
    const list = (signal?: AbortSignal) => policies.list({}, { index: 100, wait: "1s", ...(signal && { signal }) });
    const aborter = new AbortController();
    const given = list(aborter.signal);
    aborter.abort();
    await expect(given).rejects.toThrow("aborted");
    sim.faults.requests({ effect: { kind: "lose-answer" } });
    const lost = failure(list());
    await sim.clock.run("2s");
    expect(await lost).toBe("ECONNRESET");
    expect(faults(sim).slice(-2)).toEqual(["aborted", "lose-answer"]);
  });
});
