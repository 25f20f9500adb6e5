import { describe, expect, it } from "vitest";
import { createSimulator, type Listing, type SimulatorOptions, type TokenStub } from "../../../src/index.ts";
import { reach, urlAsTold } from "../transports.ts";
import { doors, send } from "./driver.ts";
import { progress, regionsWorld, UNKNOWN_UUID } from "./regions-world.ts";

// decisions-scheduler-acl.md, section 7.

const START = Date.UTC(2026, 0, 1);

/** A world with one policy, its reader's index, and a blocked list. */
function blockedWorld(options: SimulatorOptions["scheduler"] = {}) {
  const world = regionsWorld(options);
  world.policy("one");
  return world;
}

describe("how long a reader waits", () => {
  const untilOf = async (query: string, options: SimulatorOptions["scheduler"] = {}): Promise<number> => {
    const { get, sim, root } = blockedWorld(options);
    const before = sim.clock.now();
    const reader = get(`/v1/acl/policies?index=3${query}`, root);
    const [waiting] = sim.clock.waiting();
    sim.clock.next();
    sim.clock.advanceTo(new Date(waiting?.untilMs ?? 0));
    expect((await reader).status).toBe(200);
    return (waiting?.untilMs ?? 0) - before;
  };

  it.each([
    ["", 300_000],
    ["&wait=0", 300_000],
    ["&wait=-5s", 300_000],
    ["&wait=10s", 10_000],
    ["&wait=250ms", 250],
    ["&wait=1h", 300_000],
    ["&wait=1us", 1],
  ])("index=3%s: %i ms", async (query, ms) => {
    expect(await untilOf(query)).toBe(ms);
  });

  it("is capped by a setting", async () => {
    expect(await untilOf("&wait=1h", { maxBlockingWait: "10m" })).toBe(600_000);
    expect(await untilOf("", { maxBlockingWait: "10m" })).toBe(300_000);
    expect(await untilOf("", { maxBlockingWait: "1m" })).toBe(60_000);
  });

  it("has an extra in [0, wait/16) when asked for, from the seed", async () => {
    const extras = [];
    for (let seed = 0; seed < 20; seed++) {
      const sim = createSimulator({ seed, scheduler: { blockingJitter: true } });
      const { SecretID } = sim.scheduler.region("global").as().acl.bootstrap();
      const asked = () => {
        const abort = new AbortController();
        const reader = send(sim, "global", "GET", "/v1/acl/policies?index=1&wait=16s", {
          token: SecretID,
          signal: abort.signal,
        });
        const [waiting] = sim.clock.waiting();
        abort.abort();
        return reader.catch(() => (waiting?.untilMs ?? 0) - START);
      };
      extras.push(Number(await asked()) - 16_000);
    }
    expect(Math.min(...extras)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...extras)).toBeLessThan(1_000);
    expect(new Set(extras).size).toBeGreaterThan(10);
  });
});

describe("a reader whose time is up", () => {
  it("gets what its last look saw, and the index of that look", async () => {
    const { get, send, sim, root } = blockedWorld();
    const reader = get("/v1/acl/policies?index=3&wait=10s", root);
    await send("eu", "DELETE", "/v1/acl/policy/none", { token: root });
    sim.clock.advance("9999ms");
    expect(await progress(reader)).toBe("waits");
    sim.clock.advance("1m");
    expect(await reader).toMatchObject({ status: 200, index: 3, json: [{ Name: "one" }] });
    expect((await get("/v1/acl/policies", root)).index).toBe(4);
  });

  it("gets it as of its own instant, not of the end of the step that the clock made", async () => {
    const { us, sim, get, root, policy } = blockedWorld();
    sim.settle();
    const { index } = await get("/v1/acl/policies", root, "us");
    sim.network.setLag(sim.scheduler.region("eu"), us, "20s");
    policy("two");
    const reader = get(`/v1/acl/policies?index=${index}&wait=10s`, root, "us");
    sim.clock.advance("1m");
    const received = await reader;
    expect(received.json).toHaveLength(1);
    expect(Number(received.headers.get("X-Hindcast-Position"))).toBe(sim.position - 1);
    expect((await get("/v1/acl/policies", root, "us")).json).toHaveLength(2);
  });

  it("gets what a round brings at its very instant, when the round was on its way before it came", async () => {
    const { sim, get, root, policy } = blockedWorld();
    sim.settle();
    const { index } = await get("/v1/acl/policies", root, "us");
    policy("two");
    const reader = get(`/v1/acl/policies?index=${index}&wait=100ms`, root, "us");
    sim.clock.advance("100ms");
    expect((await reader).json).toHaveLength(2);
  });

  it("has given up when a round arrives at its very instant that was not on its way when it came", async () => {
    const { sim, get, root, policy } = blockedWorld();
    sim.settle();
    const { index } = await get("/v1/acl/policies", root, "us");
    const reader = get(`/v1/acl/policies?index=${index}&wait=100ms`, root, "us");
    policy("two");
    sim.clock.advance("100ms");
    expect((await reader).json).toHaveLength(1);
    expect((await get("/v1/acl/policies", root, "us")).json).toHaveLength(2);
  });

  it("gets a 404 with its headers where it waited for a creation", async () => {
    const { get, sim, root } = blockedWorld();
    const reader = get("/v1/acl/policy/none?index=3&wait=1s", root);
    sim.clock.advance("1s");
    expect(await reader).toMatchObject({ status: 404, index: 3 });
  });
});

describe.each(doors())("what wakes a reader, through %s:", (_, open) => {
  const world = () => {
    const made = blockedWorld();
    return { ...made, door: open(made.sim, "eu") };
  };

  it("of a list with a prefix: changes of what has it", async () => {
    const { door, root, policy } = world();
    policy("team-a");
    const reader = door.call("policies.list", root, { prefix: "team-" }, { index: 4 });
    policy("other");
    policy("team");
    expect(await progress(reader)).toBe("waits");
    policy("team-a");
    expect((await reader).body).toMatchObject([{ Name: "team-a", ModifyIndex: 7 }]);
  });

  // amendments.md, N1.
  it("of a list with nothing in it: any write of the table, but no delete of nothing", async () => {
    const { door, root, policy, get } = world();
    const reader = door.call("policies.list", root, { prefix: "team-" }, { index: 3 });
    await door.call("policies.delete", root, { policy_name: "none" });
    expect(await progress(reader)).toBe("waits");
    policy("other");
    expect((await reader).body).toEqual([]);
    expect(await get("/v1/acl/policies?prefix=team-&index=4", root)).toMatchObject({ index: 5, json: [] });
  });

  // amendments.md, N1.
  it("of what is missing: any write of the table, also where it was there when the wait began", async () => {
    const { door, root, policy } = world();
    const reader = door.call("policies.read", root, { policy_name: "none" }, { index: 3 });
    policy("other");
    expect(await reader).toMatchObject({ status: 404 });
    const late = door.call("policies.read", root, { policy_name: "one" }, { index: 5 });
    await door.call("policies.delete", root, { policy_name: "one" });
    expect(await progress(late)).toBe("waits");
    policy("other");
    expect(await late).toMatchObject({ status: 404 });
  });

  it("of a list of tokens with a prefix: tokens that have it, whatever its spelling", async () => {
    const { door, root, rootAccessor, manager } = world();
    const prefix = rootAccessor.replaceAll("-", "").slice(0, 18).toUpperCase();
    const reader = door.call("tokens.list", root, { prefix }, { index: 2 });
    const argument = { accessor_id: rootAccessor, AccessorID: rootAccessor, Type: "management", Name: "renamed" };
    expect(manager().accessor).not.toContain(rootAccessor.slice(0, 4));
    expect(await progress(reader)).toBe("waits");
    await door.call("tokens.update", root, argument);
    expect((await reader).body).toMatchObject([{ Name: "renamed" }]);
  });

  it("of one policy: its change, though the table is newer already; a rewrite with the same content is one", async () => {
    const { door, root, policy } = world();
    policy("two");
    const reader = door.call("policies.read", root, { policy_name: "one" }, { index: 3 });
    policy("two");
    expect(await progress(reader)).toBe("waits");
    policy("one");
    expect((await reader).body).toMatchObject({ Name: "one", CreateIndex: 3, ModifyIndex: 6 });
  });

  it("of one policy: its end, with 404", async () => {
    const { door, root } = world();
    const reader = door.call("policies.read", root, { policy_name: "one" }, { index: 3 });
    await door.call("policies.delete", root, { policy_name: "one" });
    expect((await reader).status).toBe(404);
  });

  it("of one token: its end, with 404 for a manager and 403 for its own reader", async () => {
    const { door, root, client } = world();
    const { secret, accessor: accessor_id } = client(["one"]);
    const readers = [
      door.call("tokens.read", root, { accessor_id }, { index: 4 }),
      door.call("tokens.read", secret, { accessor_id }, { index: 4 }),
      door.call("tokens.self", secret, {}, { index: 4 }),
    ];
    expect(await Promise.all(readers.map(progress))).toEqual(["waits", "waits", "waits"]);
    await door.call("tokens.delete", root, { accessor_id });
    expect((await Promise.all(readers)).map(({ status }) => status)).toEqual([404, 403, 403]);
  });

  it("of self: its change", async () => {
    const { door, root, rootAccessor } = world();
    const reader = door.call("tokens.self", root, {}, { index: 2 });
    const argument = { accessor_id: rootAccessor, AccessorID: rootAccessor, Type: "management", Name: "renamed" };
    await door.call("tokens.update", root, argument);
    expect((await reader).body).toMatchObject({ Name: "renamed" });
  });

  it("a creation wakes whoever waits for it, with a token that has the name", async () => {
    const { door, policy, client } = world();
    const reader = door.call("policies.read", client(["wanted"]).secret, { policy_name: "wanted" }, { index: 3 });
    policy("wanted");
    expect(await reader).toMatchObject({ status: 200 });
  });

  it("errors are answered at once", async () => {
    const { door, client } = world();
    const { secret } = client(["one"]);
    const options = { index: 99 };
    expect((await door.call("tokens.read", secret, { accessor_id: UNKNOWN_UUID }, options)).status).toBe(403);
    expect((await door.call("tokens.list", secret, {}, options)).status).toBe(403);
    expect((await door.call("tokens.read", secret, { accessor_id: "x" }, options)).status).toBe(500);
    expect((await door.call("policies.list", "bogus", {}, options)).status).toBe(403);
    expect((await door.call("policies.list", undefined, { region: "mars" }, options)).status).toBe(500);
  });

  it("who asks is resolved once: a token deleted meanwhile still gets its answer", async () => {
    const { door, root, policy, client } = world();
    const { secret, accessor: accessor_id } = client(["one"]);
    const reader = door.call("policies.list", secret, {}, { index: 3 });
    await door.call("tokens.delete", root, { accessor_id });
    policy("one");
    expect(await reader).toMatchObject({ status: 200, body: [{ Name: "one" }] });
  });

  it("a token that gets other policies meanwhile reads with those that it had", async () => {
    const { door, root, policy, client } = world();
    const { secret, accessor: accessor_id } = client(["one"]);
    const reader = door.call("policies.list", secret, {}, { index: 3 });
    await door.call("tokens.update", root, { accessor_id, AccessorID: accessor_id, Type: "client", Policies: ["two"] });
    policy("two");
    expect((await reader).body).toMatchObject([{ Name: "one" }]);
  });

  it("a replicated round wakes the readers of its region", async () => {
    const { door, sim, root, policy } = world();
    const reader = door.call("policies.list", root, {}, { index: 1 }, "us");
    expect(await progress(reader)).toBe("waits");
    sim.settle();
    expect((await reader).body).toMatchObject([{ Name: "one" }]);
    const next = door.call("policies.read", root, { policy_name: "two" }, { index: 99 }, "us");
    policy("two");
    sim.settle();
    expect(await progress(next)).toBe("waits");
  });

  it("in another region, through this one, the other's index counts", async () => {
    const { door, sim, root, policy } = world();
    sim.settle();
    const reader = door.call("policies.list", root, { region: "us" }, { index: 3 });
    policy("two");
    expect(await progress(reader)).toBe("waits");
    sim.settle();
    expect((await reader).body).toHaveLength(2);
  });
});

describe("a typed list", () => {
  it("tells the index that a blocking one needs", async () => {
    const { eu, root, policy } = blockedWorld();
    const list = eu.as(root).policies.list();
    const newer = eu.as(root).policies.list({}, { index: list.index });
    expect(await progress(newer)).toBe("waits");
    policy("two");
    expect((await newer).map(({ Name }) => Name)).toEqual(["one", "two"]);
    expect((await newer).index).toBe(list.index + 1);
    expect(JSON.stringify([list, Object.keys(list)])).toBe(JSON.stringify([[...list], ["0"]]));
  });

  it("tells where its next page begins", () => {
    const { eu, root, manager } = blockedWorld();
    for (let n = 0; n < 3; n++) manager();
    const accessors: string[] = [];
    let next: string | undefined = "";
    while (next !== undefined) {
      const page: Listing<TokenStub> = eu.as(root).tokens.list({ per_page: 3, next_token: next });
      accessors.push(...page.map(({ AccessorID }) => AccessorID));
      next = page.nextToken;
    }
    expect(accessors).toEqual(
      eu
        .as(root)
        .tokens.list({ per_page: 9 })
        .map(({ AccessorID }) => AccessorID),
    );
  });
});

describe("a waiting reader", () => {
  it("is listed with its request and until when, and gone when it is answered", async () => {
    const { get, sim, eu, root, policy } = blockedWorld();
    const reader = get("/v1/acl/policies?index=3&wait=1m", root);
    const typed = eu.as(root).policies.list({}, { index: 3, wait: "30s" });
    const now = sim.clock.now();
    expect(sim.clock.waiting()).toEqual([
      { request: "scheduler.policies.list", untilMs: now + 30_000 },
      { request: `GET ${urlAsTold(sim, `${eu.url}/v1/acl/policies?index=3&wait=1m`)}`, untilMs: now + 60_000 },
    ]);
    policy("two");
    expect(sim.clock.waiting()).toEqual([]);
    await Promise.all([reader, typed]);
  });

  it("is a deadline for next", async () => {
    const { get, sim, root } = blockedWorld();
    sim.settle();
    const now = sim.clock.now();
    const reader = get("/v1/acl/policies?index=3&wait=7s", root);
    expect(sim.clock.next()).toEqual([]);
    expect(sim.clock.now()).toBe(now + 7_000);
    expect((await reader).status).toBe(200);
  });

  it("is given up by its signal, as fetch does it", async () => {
    const { sim, eu, root, policy } = blockedWorld();
    const abort = new AbortController();
    const url = `${eu.url}/v1/acl/policies?index=3`;
    const reader = reach(sim)(url, { headers: { "X-Scheduler-Token": root }, signal: abort.signal });
    const typed = eu.as(root).policies.list({}, { index: 3, signal: abort.signal });
    abort.abort();
    await expect(reader).rejects.toMatchObject({ name: "AbortError" });
    await expect(typed).rejects.toMatchObject({ name: "AbortError" });
    expect(sim.clock.waiting()).toEqual([]);
    policy("two");
  });

  it("is rejected when the simulator is disposed of, by an error that names it", async () => {
    const { get, sim, eu, root } = blockedWorld();
    const url = urlAsTold(sim, `${eu.url}/v1/acl/policies?index=3`);
    const reader = get("/v1/acl/policies?index=3", root);
    sim.dispose();
    await expect(reader).rejects.toThrow(`disposed of while GET ${url} still waited`);
  });

  it("stays with the parent of a fork", async () => {
    const { get, sim, root, policy } = blockedWorld();
    const reader = get("/v1/acl/policies?index=3", root);
    const fork = sim.fork();
    expect(fork.clock.waiting()).toEqual([]);
    fork.scheduler.region("eu").as(root).policies.write({ Name: "other", Rules: "" });
    expect(await progress(reader)).toBe("waits");
    policy("two");
    expect((await reader).json.map(({ Name }: { Name: string }) => Name)).toEqual(["one", "two"]);
  });

  it("goes on with the rest of its time when it was woken for nothing new", async () => {
    const { get, sim, root, policy } = blockedWorld();
    const reader = get("/v1/acl/policies?index=50&wait=10s", root);
    sim.clock.advance("6s");
    policy("two");
    expect(await progress(reader)).toBe("waits");
    sim.clock.advance("4s");
    expect(await reader).toMatchObject({ index: 4, json: [{ Name: "one" }, { Name: "two" }] });
  });

  it("gets its turns while the clock runs: a watcher sees every change at its instant", async () => {
    const { sim, us, root, policy } = blockedWorld();
    const seen: [number, number][] = [];
    const abort = new AbortController();
    const watch = async () => {
      let index = "1";
      for (;;) {
        const response = await reach(sim)(`${us.url}/v1/acl/policies?index=${index}&wait=1m`, {
          headers: { "X-Scheduler-Token": root },
          signal: abort.signal,
        });
        index = response.headers.get("X-Scheduler-Index") ?? "";
        seen.push([sim.clock.now() - START, ((await response.json()) as unknown[]).length]);
      }
    };
    const watching = watch().catch(() => undefined);
    const from = sim.clock.now() - START;
    await sim.clock.run("10s", { quietTurns: 3 });
    policy("two");
    await sim.clock.run("2m", { quietTurns: 3 });
    abort.abort();
    await watching;
    expect(seen.slice(0, 3)).toEqual([
      [from + 100, 1],
      [from + 10_100, 2],
      [from + 70_100, 2],
    ]);
  });
});

// amendments.md, N9.
it("nobody learns anything through a line that is cut", async () => {
  const { sim, us, get, root, policy } = blockedWorld();
  sim.settle();
  const away = get("/v1/acl/policies?index=3&region=eu", root, "us");
  const here = get("/v1/acl/policies?index=3", root);
  expect(await progress(away)).toBe("waits");
  sim.network.cut(sim.scheduler.region("eu"), us);
  expect(await away).toMatchObject({ status: 500, text: "No path to region: eu" });
  expect(await progress(here)).toBe("waits");
  policy("two");
  expect(await here).toMatchObject({ status: 200, index: 4 });
});
