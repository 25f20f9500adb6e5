import { describe, expect, it } from "vitest";
import { progress, regionsWorld } from "./regions-world.ts";

// decisions-scheduler-acl.md, section 6, "Leader and consistency modes".

const body = JSON.stringify({ Name: "p", Rules: "" });

function leaderless(region: "eu" | "us" = "eu") {
  const world = regionsWorld();
  world.policy("one");
  world.sim.settle();
  world.sim.scheduler.region(region).setLeader(false);
  const headersOf = (headers: Headers) =>
    ["KnownLeader", "LastContact"].map((name) => headers.get(`X-Scheduler-${name}`));
  return { ...world, headersOf };
}

describe("with a leader", () => {
  it.each(["", "?stale", "?stale=false", "?consistent"])("a read%s is answered by it", async (query) => {
    const { get, root, rootAccessor } = regionsWorld();
    for (const path of ["policies", "policy/none", "tokens", `token/${rootAccessor}`, "token/self"]) {
      const { headers } = await get(`/v1/acl/${path}${query}`, root);
      expect(headers.get("X-Scheduler-KnownLeader")).toBe("true");
      expect(headers.get("X-Scheduler-LastContact")).toBe("0");
    }
  });
});

describe("without a leader", () => {
  it("a write and a default read are held for five seconds, then 500", async () => {
    const { send, get, sim, root } = leaderless();
    const requests = [
      send("eu", "POST", "/v1/acl/policy/p", { token: root, body }),
      get("/v1/acl/policies", root),
      get("/v1/acl/policies?index=9", root),
      send("us", "DELETE", "/v1/acl/policy/p", { token: root }),
      send("us", "POST", "/v1/acl/bootstrap"),
    ];
    const now = sim.clock.now();
    expect(sim.clock.waiting().map(({ untilMs }) => untilMs)).toEqual(requests.map(() => now + 5_000));
    const { position } = sim;
    sim.clock.advance("4999ms");
    expect(await Promise.all(requests.map(progress))).toEqual(requests.map(() => "waits"));
    sim.clock.advance("1ms");
    for (const received of await Promise.all(requests)) {
      expect(received).toMatchObject({ status: 500, text: "No cluster leader", index: undefined });
    }
    expect(sim.position).toBe(position);
  });

  it("what is held goes on when there is one again, in the order in which it came", async () => {
    const { send, get, sim, eu, root } = leaderless();
    const first = send("us", "POST", "/v1/acl/policy/p", { token: root, body });
    const second = get("/v1/acl/policy/p", root);
    sim.clock.advance("4s");
    eu.setLeader(true);
    // At the instant of the election, however far the clock goes before anybody waits for the answers.
    sim.clock.advance("1h");
    expect(await first).toMatchObject({ status: 200, index: 4 });
    expect(await second).toMatchObject({ status: 200, index: 4, json: { Name: "p", ModifyIndex: 4 } });
    const commit = sim.log
      .commits()
      .find(({ command }) => command.name === "scheduler.policies.write" && command.via === "http");
    expect(commit?.atMs).toBe(Date.UTC(2026, 0, 1, 0, 0, 4, 200));
  });

  it("what is held is checked when it goes on: also the route", async () => {
    const { send, sim, eu, us, root } = leaderless();
    const unauthorized = send("eu", "POST", "/v1/acl/policy/p", { token: "bogus", body });
    const parted = send("us", "POST", "/v1/acl/policy/p", { token: root, body });
    sim.network.cut(eu, us);
    eu.setLeader(true);
    expect(await unauthorized).toMatchObject({ status: 403 });
    expect(await parted).toMatchObject({ status: 500, text: "No path to region: eu" });
  });

  // amendments.md, N13.
  it("what is held is asked again when another region becomes authoritative", async () => {
    const { send, sim, us, root } = leaderless();
    const write = send("us", "POST", "/v1/acl/policy/p", { token: root, body });
    expect(await progress(write)).toBe("waits");
    sim.scheduler.setAuthoritative(us);
    expect(await write).toMatchObject({ status: 200 });
    expect(sim.state.scheduler?.regions["us"]?.policies.has("p")).toBe(true);
    expect(sim.clock.waiting()).toEqual([]);
  });

  it("a read that was held may then block for a change", async () => {
    const { get, eu, root, policy } = leaderless();
    const reader = get("/v1/acl/policies?index=3", root);
    eu.setLeader(true);
    expect(await progress(reader)).toBe("waits");
    policy("two");
    expect(await reader).toMatchObject({ status: 200, index: 4 });
  });

  it("faults of path, method, query, body and route are answered at once", async () => {
    const { send, get, sim, eu, us, root } = leaderless();
    expect((await get("/v1/nothing", root)).status).toBe(404);
    expect((await send("eu", "POST", "/v1/acl/policies", { token: root })).status).toBe(405);
    expect((await get("/v1/acl/policies?index=x", root)).status).toBe(400);
    expect((await send("eu", "POST", "/v1/acl/policy/p", { body: "{" })).status).toBe(400);
    expect((await send("eu", "POST", "/v1/acl/policy/q", { body })).status).toBe(400);
    expect((await get("/v1/acl/policies?region=mars", root)).status).toBe(500);
    sim.network.cut(eu, us);
    expect((await send("us", "POST", "/v1/acl/policy/p", { body })).text).toContain("No path to region");
  });

  it("the leader of the region that executes counts", async () => {
    const { send, get, sim, root } = leaderless("us");
    expect((await send("us", "POST", "/v1/acl/policy/p", { token: root, body })).status).toBe(200);
    expect((await get("/v1/acl/policies?region=eu", root, "us")).status).toBe(200);
    expect(await progress(get("/v1/acl/policies?region=us", root))).toBe("waits");
    expect(await progress(send("us", "POST", "/v1/acl/token", { token: root, body: '{"Type":"management"}' }))).toBe(
      "waits",
    );
    const global = '{"Type":"management","Global":true}';
    expect((await send("us", "POST", "/v1/acl/token", { token: root, body: global })).status).toBe(200);
    expect(sim.clock.waiting()).toHaveLength(2);
  });

  it("a delete of a global token needs both leaders, one after the other", async () => {
    const { send, sim, us, eu, root, manager } = regionsWorld();
    const { accessor } = manager({ Global: true });
    sim.settle();
    us.setLeader(false);
    eu.setLeader(false);
    const deletion = send("us", "DELETE", `/v1/acl/token/${accessor}`, { token: root });
    us.setLeader(true);
    expect(await progress(deletion)).toBe("waits");
    eu.setLeader(true);
    expect(await deletion).toMatchObject({ status: 200 });
  });

  it("a stale read is answered at once, with the time since there was a leader, token check included", async () => {
    const { get, sim, root, rootAccessor, headersOf } = leaderless();
    sim.clock.advance("1500ms");
    for (const path of ["policies", "policy/none", "tokens", `token/${rootAccessor}`, "token/self"]) {
      const { headers } = await get(`/v1/acl/${path}?stale`, root);
      expect(headersOf(headers)).toEqual(["false", "1500"]);
    }
    expect((await get("/v1/acl/policies?stale=true", "bogus")).status).toBe(403);
    const reader = get("/v1/acl/policies?stale&index=3&wait=2s", root);
    sim.clock.advance("2s");
    expect(headersOf((await reader).headers)).toEqual(["false", "3500"]);
  });

  it("a typed call does not wait, and the promise of a blocking one rejects", async () => {
    const { eu, root } = leaderless();
    const refused = { code: "no_cluster_leader", status: 500 };
    const door = eu.as(root);
    expect(() => door.policies.list()).toThrow(expect.objectContaining(refused));
    expect(() => door.policies.write({ Name: "p", Rules: "" })).toThrow(expect.objectContaining(refused));
    await expect(door.policies.list({}, { index: 9 })).rejects.toMatchObject(refused);
    expect(door.policies.list({}, { stale: true })).toHaveLength(1);
    expect(eu.as(root).capabilities("agent")).toEqual(["read", "write"]);
  });

  it("a default read of the past is 500 at once", async () => {
    const { send, sim, eu, root } = leaderless();
    sim.mark("leaderless");
    eu.setLeader(true);
    const headers = { "X-Hindcast-At": "leaderless" };
    expect((await send("eu", "GET", "/v1/acl/policies", { token: root, headers })).status).toBe(500);
    expect((await send("eu", "GET", "/v1/acl/policies?stale&index=9", { token: root, headers })).status).toBe(200);
  });

  it("what is held is given up by its signal, stays with the parent of a fork, and ends with the simulator", async () => {
    const { send, sim, root } = leaderless();
    const abort = new AbortController();
    const aborted = send("eu", "POST", "/v1/acl/policy/p", { token: root, body, signal: abort.signal });
    const held = send("eu", "POST", "/v1/acl/policy/p", { token: root, body });
    await progress(held);
    abort.abort();
    await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
    const fork = sim.fork();
    fork.scheduler.region("eu").setLeader(true);
    expect(fork.position).toBe(sim.position + 1);
    expect(await progress(held)).toBe("waits");
    sim.dispose();
    await expect(held).rejects.toThrow("disposed of");
  });
});

describe("when the leader goes while a read is blocked", () => {
  it.each(["", "&stale"])("it waits on%s, and its answer says so", async (mode) => {
    const { get, sim, eu, root, policy } = regionsWorld();
    policy("one");
    const reader = get(`/v1/acl/policies?index=3&wait=10s${mode}`, root);
    const missing = get(`/v1/acl/policy/none?index=3&wait=10s${mode}`, root);
    sim.clock.advance("4s");
    eu.setLeader(false);
    expect(await progress(reader)).toBe("waits");
    sim.clock.advance("6s");
    for (const [received, status] of [
      [await reader, 200],
      [await missing, 404],
    ] as const) {
      expect(received).toMatchObject({ status, index: 3 });
      expect(received.headers.get("X-Scheduler-KnownLeader")).toBe("false");
      expect(received.headers.get("X-Scheduler-LastContact")).toBe("6000");
    }
  });
});

describe("setLeader", () => {
  it("commits only a change, and takes true and false", () => {
    const { sim, eu } = regionsWorld();
    const { position } = sim;
    eu.setLeader(true);
    expect(sim.position).toBe(position);
    eu.setLeader(false);
    eu.setLeader(false);
    expect(sim.position).toBe(position + 1);
    expect(() => eu.setLeader("no" as never)).toThrow('up is "no"');
  });
});
