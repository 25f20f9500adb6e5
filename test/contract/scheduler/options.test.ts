import { describe, expect, it } from "vitest";
import { createSimulator, format, rehearse, replay } from "../../../src/index.ts";
import { lastRequest } from "../../support/journal.ts";
import { regionsWorld } from "./regions-world.ts";

// control-surface.md, "Simulator" and "Scheduler".

describe("the options of the scheduler", () => {
  it("are, by default, one region, and nothing of it stands in the state or the log", () => {
    const sim = createSimulator();
    const region = sim.scheduler.region("global");
    expect(region).toMatchObject({ name: "global", url: "https://scheduler-global.test", authoritative: true });
    expect(region.as().policies.list()).toEqual([]);
    expect(sim.state.scheduler).toBeUndefined();
    expect(sim.state.network).toBeUndefined();
    expect(sim.log.toNdjson()).not.toContain("scheduler");
    const spelledOut = createSimulator({
      scheduler: { regions: ["global"], aclEnabled: true, replicationLag: "100ms", maxBlockingWait: 300_000 },
    });
    expect(spelledOut.stateHash()).toBe(sim.stateHash());
  });

  it("make the part appear with its first fact", () => {
    const sim = createSimulator();
    sim.scheduler.region("global").as().acl.bootstrap();
    expect(sim.state.scheduler?.authoritative).toBe("global");
    expect(sim.clock.pending()).toEqual([]);
  });

  it("survive the log, also the URLs that a function gave", async () => {
    const sim = createSimulator({
      seed: 3,
      scheduler: {
        regions: ["eu", "us"],
        replicationLag: "2s",
        maxBlockingWait: "10m",
        blockingJitter: true,
        url: (region) => `https://${region}.scheduler.example:8443/`,
      },
    });
    const eu = sim.scheduler.region("eu");
    expect(eu.url).toBe("https://eu.scheduler.example:8443");
    expect(sim.scheduler.addRegion("asia").url).toBe("https://asia.scheduler.example:8443");
    eu.as().acl.bootstrap();
    const text = sim.log.toNdjson();
    const again = replay(text);
    expect(again.stateHash()).toBe(sim.stateHash());
    expect(again.scheduler.region("asia").url).toBe("https://asia.scheduler.example:8443");
    expect(again.clock.pending()).toEqual(sim.clock.pending());
    expect(again.clock.advance("2s").map(({ owner }) => owner)).toEqual(
      sim.clock.advance("2s").map(({ owner }) => owner),
    );
    expect(await rehearse(text)).toEqual({ ok: true });
  });

  // amendments.md, N12.
  it("let an unknown secret find no token of its own, as older releases have it", async () => {
    const { get, sim, root } = regionsWorld({ quirks: ["self-unknown-is-404"] });
    const unknown = await get("/v1/acl/token/self", "nobody");
    expect(unknown).toMatchObject({ status: 404, text: "ACL token not found", index: 2 });
    expect((await get("/v1/acl/tokens", "nobody")).status).toBe(403);
    expect((await get("/v1/acl/token/self")).status).toBe(403);
    expect((await get("/v1/acl/token/self", root)).status).toBe(200);
    const again = replay(sim.log.toNdjson());
    expect(() => again.scheduler.region("eu").as("nobody").tokens.self()).toThrow(
      expect.objectContaining({ status: 404 }),
    );
    expect((await regionsWorld().get("/v1/acl/token/self", "nobody")).status).toBe(403);
  });

  it.each<[object, string]>([
    [{ quirks: ["other"] }, "a quirk is one of"],
    [{ regions: [] }, "there is at least one region"],
    [{ regions: ["eu", "eu"] }, "each region has a name of its own"],
    [{ regions: ["Not_a_label"] }, "a region's name is a DNS label"],
    [{ regions: "eu" }, "scheduler.regions"],
    [{ replicationLag: "5" }, '"5" is no duration'],
    [{ replicationLag: -1 }, "negative"],
    [{ maxBlockingWait: "long" }, '"long" is no duration'],
    [{ aclEnabled: "yes" }, "aclEnabled is true or false"],
    [{ url: "https://x.test" }, "url is a function"],
    [{ url: () => "nonsense" }, "which is no URL"],
    [{ url: () => "https://x.test/eu" }, "has to be an origin: https://x.test"],
    [{ regions: ["a", "b"], url: () => "https://x.test" }, "have the same URL"],
    [{ url: () => "https://runs.test" }, "runs.url and the region global have the same URL"],
    [{ region: "eu" }, "no such option"],
  ])("%j are refused", (scheduler, text) => {
    expect(() => createSimulator({ scheduler })).toThrow(TypeError);
    expect(() => createSimulator({ scheduler })).toThrow(text);
  });
});

describe("what happened", () => {
  it("is explained: the chart, the facts, the route", async () => {
    const { sim, send, root, get } = regionsWorld();
    expect(sim.explain(1)).toMatchObject({
      operation: "scheduler.acl.bootstrap",
      route: "POST /v1/acl/bootstrap",
      moves: [{ machine: "acl-bootstrap", from: "not_bootstrapped", to: "bootstrapped" }],
    });
    expect(format(sim.explain(1))).toContain("fact      AclBootstrapped");
    const response = await sim.fetch(`${sim.scheduler.region("eu").url}/v1/acl/policies`, {
      headers: { "X-Scheduler-Token": root },
    });
    expect(sim.explain(response)).toMatchObject({ operation: "scheduler.policies.list", answer: [] });
    await send("eu", "DELETE", "/v1/acl/policy/p", { token: root });
    expect(sim.explain(sim.position).events).toMatchObject([{ type: "AclPolicyDeleted" }]);
    expect((await get("/v1/acl/policies", "bogus")).status).toBe(403);
    expect(lastRequest(sim)).toMatchObject({ response: { status: 403 }, refusal: { code: "token_unknown" } });
  });

  it("can be rewritten", async () => {
    const { sim, policy, eu, root } = regionsWorld();
    policy("p", 'agent { policy = "read" }');
    const { position } = sim;
    const { SecretID } = eu.as(root).tokens.create({ Type: "client", Policies: ["p"] });
    sim.settle();
    const { fork } = await sim.rewrite([{ replace: position, input: { policy_name: "p", Name: "p", Rules: "" } }]);
    expect(fork.scheduler.region("eu").as(SecretID).capabilities("agent")).toEqual([]);
    expect(eu.as(SecretID).capabilities("agent")).toEqual(["read"]);
    const refused = await sim.rewrite([{ replace: position, input: { policy_name: 5, Name: "p", Rules: "" } }]);
    expect(refused.fork.scheduler.region("us").as(root).policies.list()).toEqual([]);
  });

  it("is listed by operations, with the evidence of each", () => {
    const { sim } = regionsWorld();
    const rows = sim.operations().filter(({ service }) => service === "scheduler");
    expect(rows.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      "DELETE /v1/acl/policy/:policy_name",
      "DELETE /v1/acl/role/:role_id",
      "DELETE /v1/acl/token/:accessor_id",
      "GET /v1/acl/auth-method/:method_name",
      "GET /v1/acl/auth-methods",
      "GET /v1/acl/binding-rule/:rule_id",
      "GET /v1/acl/binding-rules",
      "GET /v1/acl/policies",
      "GET /v1/acl/policy/:policy_name",
      "GET /v1/acl/policy/self",
      "GET /v1/acl/role/:role_id",
      "GET /v1/acl/role/name/:role_name",
      "GET /v1/acl/roles",
      "GET /v1/acl/token/:accessor_id",
      "GET /v1/acl/token/self",
      "GET /v1/acl/tokens",
      "GET /v1/agent/health",
      "GET /v1/agent/self",
      "GET /v1/namespace/:namespace_name",
      "GET /v1/namespaces",
      "GET /v1/regions",
      "GET /v1/status/leader",
      "GET /v1/status/peers",
      "POST /v1/acl/bootstrap",
      "POST /v1/acl/login",
      "POST /v1/acl/policy/:policy_name",
      "POST /v1/acl/role",
      "POST /v1/acl/role/:role_id",
      "POST /v1/acl/token",
      "POST /v1/acl/token/:accessor_id",
      "POST /v1/acl/token/onetime",
      "POST /v1/acl/token/onetime/exchange",
    ]);
  });
});
