import { describe, expect, it } from "vitest";
import { createSimulator, Rejection, rehearse, replay } from "../../../src/index.ts";
import { withCommits } from "../../history/support/log-text.ts";
import { regionsWorld } from "./regions-world.ts";

// decisions-scheduler-acl.md, section 6, "Replication".

function world(options: Parameters<typeof regionsWorld>[0] = {}) {
  const made = regionsWorld(options);
  const { sim, root } = made;
  const names = (region = "us"): string[] =>
    sim.scheduler
      .region(region)
      .as(root)
      .policies.list()
      .map(({ Name }) => Name);
  const policyIn = (region: string, policy_name: string) =>
    sim.scheduler.region(region).as(root).policies.read({ policy_name });
  return { ...made, names, policyIn, us: sim.scheduler.region("us"), eu: sim.scheduler.region("eu") };
}

describe("what is written in the authoritative region", () => {
  it("arrives 100 ms after its commit, each write for itself", () => {
    const { sim, policy, names } = world();
    policy("one");
    sim.clock.advance(99);
    expect(names()).toEqual([]);
    sim.clock.advance(1);
    expect(names()).toEqual(["one"]);
    expect(sim.clock.pending()).toEqual([]);
  });

  it("arrives by its own lag, however close another write is", () => {
    const { sim, policy, names } = world();
    sim.clock.advance("1s");
    policy("one");
    sim.clock.advance(50);
    policy("two");
    sim.clock.advance(50);
    expect(names()).toEqual(["one"]);
    sim.clock.advance(49);
    expect(names()).toEqual(["one"]);
    sim.clock.advance(1);
    expect(names()).toEqual(["one", "two"]);
  });

  it("arrives in at most ten rounds in any second, and the eleventh brings what has come together", () => {
    const { sim, policy, us, root } = world();
    sim.clock.advance("5s");
    const from = sim.position;
    for (let write = 0; write < 50; write++) {
      policy(`p-${write}`);
      sim.clock.advance(10);
    }
    sim.settle();
    const rounds = sim.log
      .commits()
      .slice(from)
      .filter(({ command }) => command.name === "timer.replicatePolicies")
      .map(({ atMs }) => atMs);
    expect(rounds).toHaveLength(11);
    rounds.forEach((atMs, place) => {
      expect(atMs - (rounds[place - 10] ?? 0)).toBeGreaterThanOrEqual(1_000);
    });
    expect(us.as(root).policies.list()).toHaveLength(50);
    expect(
      new Set(
        us
          .as(root)
          .policies.list()
          .map(({ ModifyIndex }) => ModifyIndex),
      ).size,
    ).toBe(11);
  });

  it("arrives by a lag of its own link, also one way, and at once without any", () => {
    const { sim, eu, us, policy, names } = world();
    sim.network.setLag(eu, us, "5s");
    policy("one");
    sim.clock.advance(4_999);
    expect(names()).toEqual([]);
    sim.clock.advance(1);
    expect(names()).toEqual(["one"]);
    sim.network.setLag(us, eu, "1h", { oneWay: true });
    sim.network.setLag(eu, us, 0, { oneWay: true });
    policy("two");
    policy("three");
    expect(names()).toEqual(["one", "three", "two"]);
  });

  it("arrives by an option's lag", () => {
    const { sim, policy, names } = world({ replicationLag: "2s" });
    policy("one");
    sim.clock.advance("1999ms");
    expect(names()).toEqual([]);
    sim.clock.advance("1ms");
    expect(names()).toEqual(["one"]);
  });

  it("has the index of the region: one for the deletes of a round, one for all that was written", () => {
    const { sim, eu, root, policy, policyIn, us } = world();
    policy("old-1");
    policy("old-2");
    policy("kept");
    sim.settle();
    const { CreateIndex } = policyIn("us", "kept");
    eu.as(root).policies.delete({ policy_name: "old-1" });
    eu.as(root).policies.delete({ policy_name: "old-2" });
    policy("kept", 'agent { policy = "read" }');
    policy("new");
    sim.settle();
    expect(us.as(root).policies.list()).toEqual([
      { Name: "kept", Description: "", CreateIndex, ModifyIndex: CreateIndex + 2 },
      { Name: "new", Description: "", CreateIndex: CreateIndex + 2, ModifyIndex: CreateIndex + 2 },
    ]);
  });

  it("of a token: what it is stays, the indexes are the region's", () => {
    const { sim, us, eu, root } = world();
    sim.clock.advance("1h");
    const made = eu.as(root).tokens.create({ Name: "n", Type: "client", Policies: ["b", "a", "b"], Global: true });
    sim.clock.advance("1h");
    const copy = us.as(root).tokens.read({ accessor_id: made.AccessorID });
    expect(copy).toEqual({ ...made, CreateIndex: 3, ModifyIndex: 3 });
  });

  it("never brings local tokens, and arms nothing for them", async () => {
    const { sim, us, root, client } = world();
    const { secret, accessor: accessor_id } = client(["a"]);
    expect(sim.clock.pending()).toEqual([]);
    sim.clock.advance("1h");
    expect(() => us.as(secret).tokens.self()).toThrow("ACL token not found");
    expect(() => us.as(root).tokens.read({ accessor_id })).toThrow("ACL token not found");
    expect(us.as(root).tokens.list()).toHaveLength(1);
  });

  it("comes in two loops: a token may be there before its policy", () => {
    const { sim, eu, us, root, policy, client } = world();
    const { secret } = client(["q"], { Global: true });
    sim.clock.advance(50);
    policy("q", 'agent { policy = "read" }');
    sim.clock.advance(50);
    expect(us.as(secret).policies.list()).toEqual([]);
    expect(us.as(secret).capabilities("agent")).toEqual([]);
    sim.settle();
    expect(us.as(secret).capabilities("agent")).toEqual(["read"]);
    expect(eu.as(root).tokens.list()).toHaveLength(2);
  });

  it("that is the same content again is no round at all", () => {
    const { sim, policy } = world();
    policy("same");
    sim.settle();
    policy("same");
    expect(sim.clock.pending()).toEqual([]);
  });
});

describe("a link that is cut", () => {
  it("is tried again 30 s after the cut, and every 30 s: the first retry brings all", () => {
    const { sim, eu, us, policy, names } = world();
    const cutAt = sim.clock.now();
    sim.network.cut(eu, us);
    policy("one");
    sim.clock.advance("40s");
    expect(sim.clock.pending()).toEqual([]);
    sim.network.heal(us, eu);
    policy("two");
    expect(sim.clock.pending()).toMatchObject([{ dueAtMs: cutAt + 60_000, owner: { region: "us" } }]);
    sim.clock.advance("19s");
    policy("three");
    sim.clock.advance("999ms");
    policy("four");
    expect(names()).toEqual([]);
    sim.clock.advance("1ms");
    expect(names()).toEqual(["four", "one", "three", "two"]);
    policy("five");
    sim.clock.advance(100);
    expect(names()).toContain("five");
  });

  it("loses what was on its way, which the retry brings", () => {
    const { sim, eu, us, policy, names } = world();
    policy("one");
    sim.clock.advance(50);
    sim.network.cut(eu, us);
    sim.network.heal();
    sim.clock.advance("29999ms");
    expect(names()).toEqual([]);
    sim.clock.advance("1ms");
    expect(names()).toEqual(["one"]);
  });

  it("that heals at the very instant of a retry is in time for it", () => {
    const { sim, eu, us, policy, names } = world();
    sim.network.cut(eu, us);
    policy("one");
    sim.clock.advance("30s");
    sim.network.heal();
    expect(names()).toEqual(["one"]);
  });

  it("that is cut again before the retry keeps its schedule", () => {
    const { sim, eu, us, policy, names } = world();
    sim.network.cut(eu, us);
    policy("one");
    sim.clock.advance("10s");
    sim.network.heal();
    sim.clock.advance("10s");
    sim.network.cut(eu, us);
    sim.clock.advance("15s");
    sim.network.heal();
    sim.clock.advance("24999ms");
    expect(names()).toEqual([]);
    sim.clock.advance("1ms");
    expect(names()).toEqual(["one"]);
  });

  it("that missed nothing arms nothing, and what is written before the retry comes with it", () => {
    const { sim, eu, us, policy, names } = world();
    sim.network.cut(eu, us);
    sim.clock.advance("10s");
    sim.network.heal();
    expect(sim.clock.pending()).toEqual([]);
    sim.clock.advance("10s");
    policy("one");
    sim.clock.advance("9999ms");
    expect(names()).toEqual([]);
    sim.clock.advance("1ms");
    expect(names()).toEqual(["one"]);
  });

  it("leaves links of others alone", () => {
    const { sim, us, policy, names } = world({ regions: ["eu", "us", "asia"] });
    sim.network.cut(us, sim.scheduler.region("asia"));
    policy("one");
    sim.settle();
    expect([names("us"), names("asia")]).toEqual([["one"], ["one"]]);
  });
});

describe("a region without a leader", () => {
  it("gets no round, and makes up for it at once when it has one", () => {
    const { sim, us, policy, names, root } = world();
    us.setLeader(false);
    policy("one");
    expect(sim.clock.pending()).toEqual([]);
    sim.clock.advance("10s");
    expect(us.as(root).policies.list({}, { stale: true })).toEqual([]);
    us.setLeader(true);
    expect(names()).toEqual(["one"]);
  });

  it("is no failure for those that copy from it", () => {
    const { sim, eu, policy, names } = world();
    policy("one");
    eu.setLeader(false);
    sim.clock.advance(100);
    expect(names()).toEqual(["one"]);
  });
});

describe("settle", () => {
  it("moves the clock until nothing is in flight, and no further", () => {
    const { sim, policy, names } = world({ regions: ["eu", "us", "asia"] });
    sim.network.setLag(sim.scheduler.region("eu"), sim.scheduler.region("asia"), "3s");
    const now = sim.clock.now();
    policy("one");
    sim.settle();
    expect(sim.clock.now()).toBe(now + 3_000);
    expect([names("us"), names("asia")]).toEqual([["one"], ["one"]]);
    sim.settle();
    expect(sim.clock.now()).toBe(now + 3_000);
  });

  it("waits for a retry that can succeed, and not for what a cut or a missing leader holds back", () => {
    const { sim, eu, us, policy, names } = world();
    const now = sim.clock.now();
    sim.network.cut(eu, us);
    policy("one");
    sim.settle();
    expect(sim.clock.now()).toBe(now);
    sim.network.heal();
    us.setLeader(false);
    sim.settle();
    expect(sim.clock.now()).toBe(now);
    us.setLeader(true);
    sim.settle();
    expect(names()).toEqual(["one"]);
  });
});

describe("another authoritative region", () => {
  it("takes the writes, can be bootstrapped once itself, and all others compare with it", () => {
    const { sim, eu, us, root, policy, names, client } = world();
    policy("shared");
    sim.settle();
    sim.network.cut(eu, us);
    policy("lost");
    const lost = client(["a"], { Global: true });
    const local = client(["a"]);
    sim.scheduler.setAuthoritative(us);
    expect([eu.authoritative, us.authoritative]).toEqual([false, true]);
    expect(() => eu.as(root).policies.write({ Name: "p", Rules: "" })).toThrow("No path to region: us");
    us.as(root).policies.write({ Name: "found", Rules: "" });
    sim.network.heal();
    sim.settle();
    expect(names("eu")).toEqual(["found", "shared"]);
    expect(() => eu.as(lost.secret).tokens.self()).toThrow(Rejection);
    expect(eu.as(local.secret).tokens.self().Global).toBe(false);
    const second = eu.as().acl.bootstrap();
    expect(us.as(second.SecretID).tokens.self().Name).toBe("Bootstrap Token");
    expect(() => us.as().acl.bootstrap()).toThrow("already done");
    eu.as(root).policies.write({ Name: "through", Rules: "" });
    expect(names("us")).toContain("through");
    expect(names("eu")).not.toContain("through");
  });

  it("compares after the lag, and back again", () => {
    const { sim, eu, us, policy, names } = world();
    policy("one");
    sim.scheduler.setAuthoritative(us);
    sim.clock.advance(99);
    expect(names("eu")).toEqual(["one"]);
    sim.clock.advance(1);
    expect(names("eu")).toEqual([]);
    sim.scheduler.setAuthoritative(eu);
    policy("two");
    sim.settle();
    expect(names("us")).toEqual(["two"]);
  });

  it("that knows nothing at all yet is copied by nobody before it is bootstrapped", () => {
    const { sim, eu, root, policy, names } = world();
    policy("one");
    const fresh = sim.scheduler.addRegion("fresh");
    sim.network.cut(eu, fresh);
    sim.scheduler.setAuthoritative(fresh);
    sim.network.heal();
    sim.settle();
    expect(names("eu")).toEqual(["one"]);
    fresh.as().acl.bootstrap();
    sim.settle();
    expect(() => eu.as(root).tokens.self()).toThrow("ACL token not found");
  });
});

describe("a region that is added", () => {
  it("copies everything from the authoritative one", () => {
    const { sim, root, policy, client } = world();
    policy("one");
    client(["one"], { Global: true });
    sim.settle();
    const asia = sim.scheduler.addRegion("asia");
    expect(asia).toMatchObject({ name: "asia", url: "https://scheduler-asia.test", authoritative: false });
    sim.settle();
    expect(asia.as(root).policies.list()).toHaveLength(1);
    expect(asia.as(root).tokens.list()).toHaveLength(2);
  });

  it("has a name and a URL of its own", () => {
    const { sim } = world();
    expect(() => sim.scheduler.addRegion("eu")).toThrow(expect.objectContaining({ code: "region_exists" }));
    expect(() => sim.scheduler.addRegion("Not a label")).toThrow(TypeError);
    expect(sim.scheduler.addRegion("constructor").as().policies.list()).toEqual([]);
    const other = createSimulator({ scheduler: { url: () => "https://one.test" } });
    expect(() => other.scheduler.addRegion("two")).toThrow("is taken");
  });
});

describe("the network", () => {
  it("takes handles, of a fork too, and nothing else", () => {
    const { sim, eu, us } = world();
    const fork = sim.fork();
    sim.network.cut(fork.scheduler.region("eu"), us);
    expect(() => sim.network.cut("eu" as never, us)).toThrow('"eu" is no handle');
    expect(() => sim.network.cut(eu, eu)).toThrow("two ends");
    expect(() => sim.network.cut(eu, fork.scheduler.addRegion("asia"))).toThrow("this simulator has no region asia");
    expect(() => sim.network.heal(eu)).toThrow(TypeError);
    expect(() => sim.network.setLag(eu, us, "5")).toThrow('"5" is no duration');
    expect(() => sim.network.setLag(eu, us, "5s", { oneway: true } as never)).toThrow(
      "oneway is no option: there is oneWay",
    );
    expect(() => sim.scheduler.setAuthoritative("us" as never)).toThrow("no handle of a region");
    expect(() => sim.scheduler.region("mars")).toThrow("no region is named mars; there are eu, us");
  });

  it("commits only changes", () => {
    const { sim, eu, us } = world();
    const { position } = sim;
    sim.network.heal();
    sim.network.heal(eu, us);
    sim.scheduler.setAuthoritative(eu);
    eu.setBootstrapResetIndex(undefined);
    expect(sim.position).toBe(position);
    sim.network.cut(eu, us);
    sim.network.cut(us, eu);
    sim.network.setLag(eu, us, "1s");
    sim.network.setLag(us, eu, 1_000);
    expect(sim.position).toBe(position + 2);
  });

  it("routes a request through another region, or says that there is no path", async () => {
    const { get, sim, eu, us, root, policy } = world();
    policy("one");
    expect((await get("/v1/acl/policies?region=eu", root, "us")).json).toHaveLength(1);
    expect((await get("/v1/acl/policies?region=us", root, "us")).json).toHaveLength(0);
    expect((await get("/v1/acl/policies?region=", root, "us")).json).toHaveLength(0);
    expect(await get("/v1/acl/policies?region=mars", "bogus")).toMatchObject({
      status: 500,
      text: "No path to region: mars",
    });
    sim.network.cut(eu, us);
    expect(await get("/v1/acl/policies?region=eu", root, "us")).toMatchObject({ status: 500 });
    expect(await get("/v1/acl/policies?region=us", root, "us")).toMatchObject({ status: 200 });
  });
});

describe("a round that finds nothing to copy", () => {
  it("leaves no fact, and is made once", async () => {
    const { sim, eu, us, root, policy } = regionsWorld();
    const facts = (): unknown[] =>
      sim.log
        .commits()
        .slice(before)
        .map(({ events }) => events.map(({ type }) => type));
    policy("kept");
    sim.settle();
    const before = sim.position;
    policy("fleeting");
    eu.as(root).policies.delete({ policy_name: "fleeting" });
    sim.clock.advance("1m");
    expect(facts()).toEqual([["AclPolicyWritten"], ["AclPolicyDeleted"], []]);
    // As well after a cut, at the first retry.
    sim.network.cut(eu, us);
    policy("fleeting");
    eu.as(root).policies.delete({ policy_name: "fleeting" });
    sim.network.heal();
    sim.clock.advance("1m");
    expect(facts().slice(3)).toEqual([["LinkCut"], ["AclPolicyWritten"], ["AclPolicyDeleted"], ["NetworkHealed"], []]);
    expect(sim.clock.pending()).toEqual([]);
    policy("later");
    sim.clock.advance("100ms");
    expect(facts().slice(8)).toEqual([["AclPolicyWritten"], ["AclPoliciesReplicated"]]);
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
    expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
  });

  it("is read from a log that still has a fact of it", () => {
    const { sim, policy, eu, root } = regionsWorld();
    policy("fleeting");
    eu.as(root).policies.delete({ policy_name: "fleeting" });
    const writtenAtMs = sim.clock.now();
    sim.clock.advance("1m");
    const { position } = sim;
    const data = { region: "us", source: "eu", through: `${writtenAtMs}`.padStart(15, "0") };
    const older = withCommits(sim.log.toNdjson(), (commits) =>
      commits.map((commit) =>
        commit.position === position ? { ...commit, events: [{ type: "AclPoliciesReplicated", v: 1, data }] } : commit,
      ),
    );
    expect(replay(older).stateHash()).toBe(sim.stateHash());
  });
});
