import { describe, expect, it } from "vitest";
import { createSimulator, type SimulatorOptions } from "../../src/index.ts";
import { HASHICORP } from "../../src/languages/vocabulary/hashicorp.ts";

// real-clients.md, H10: the neutral service asked with the real header names.

type Given = Readonly<Record<string, string>>;

function world(options?: SimulatorOptions) {
  const sim = createSimulator(options);
  const { rootToken, url } = sim.secrets.cluster("main");
  const region = sim.scheduler.region("global");
  const { SecretID } = region.as().acl.bootstrap();
  const asked = async (at: string, headers: Given, init: RequestInit = {}) => {
    const response = await sim.fetch(at, { ...init, headers });
    return { status: response.status, why: response.headers.get("X-Hindcast-Why"), body: await response.text() };
  };
  return {
    sim,
    rootToken,
    management: SecretID,
    secrets: (path: string, headers: Given, init?: RequestInit) => asked(`${url}/v1/${path}`, headers, init),
    scheduler: (path: string, headers: Given) => asked(`${region.url}/v1/${path}`, headers),
    runs: (path: string, headers: Given) => asked(`${sim.runs.url}/api/v2/${path}`, headers),
  };
}

const UNHEARD = "not looked at";

describe("a neutral service that is asked with headers of the real one says so with what it refuses", () => {
  it("the secrets service, of a token", async () => {
    const { secrets, sim, rootToken } = world();
    const { status, why } = await secrets("kv/a", { "X-Vault-Token": rootToken });
    expect([status, why]).toEqual([
      403,
      'no token was given; the header X-Vault-Token was not looked at: this world speaks neutral words (X-Secrets-Token), unless its vocabulary is "hashicorp"',
    ]);
    // What stands behind the refusal is told without what its request should have been.
    const again = await sim.fetch(`${sim.secrets.cluster("main").url}/v1/kv/a`, {
      headers: { "X-Vault-Token": "s.x" },
    });
    expect(sim.why(again)?.text).toBe("no token was given");
  });

  it("the secrets service, of paths that only the real one has, and of several headers", async () => {
    const { secrets, rootToken } = world();
    const headers = { "X-Secrets-Token": rootToken, "X-Vault-Namespace": "team", "X-Vault-Request": "true" };
    const { status, why } = await secrets("kubernetes/config", headers);
    expect(status).toBe(404);
    expect(why).toContain(
      "the headers X-Vault-Namespace, X-Vault-Request were not looked at: this world speaks neutral words (X-Secrets-Namespace, X-Secrets-Request)",
    );
  });

  it("the secrets service, of requests that it cannot read or place in history", async () => {
    const { secrets } = world();
    const headers = { "X-Vault-Token": "hvs.x" };
    const broken = await secrets("kv/a", headers, { method: "POST", body: "{" });
    const unplaced = await secrets("kv/a", { ...headers, "X-Hindcast-At": "nowhere" });
    expect([broken.status, unplaced.status]).toEqual([400, 400]);
    for (const { why } of [broken, unplaced]) expect(why).toContain("X-Vault-Token was not looked at");
  });

  it("the scheduler, of refusals and of paths that nobody knows, whose bodies stay as they are", async () => {
    const { scheduler, management } = world();
    for (const path of ["acl/tokens", "acl/token/self", "jobs"]) {
      const plain = await scheduler(path, {});
      const { why, ...others } = await scheduler(path, { "X-Nomad-Token": management });
      expect([path, others, plain.why?.includes(UNHEARD)]).toEqual([
        path,
        { status: plain.status, body: plain.body },
        false,
      ]);
      expect(others.status).toBeGreaterThanOrEqual(400);
      expect([path, why]).toEqual([
        path,
        expect.stringMatching(/X-Nomad-Token was not looked at: .*\(X-Scheduler-Token\)/),
      ]);
    }
  });

  it("however long the reason is", async () => {
    const { secrets, sim } = world();
    const main = sim.secrets.cluster("main");
    const policies = Array.from({ length: 100 }, (_, index) => `a-policy-with-a-long-name-${index}`);
    const { token } = main.createToken({ policies });
    const headers = { "X-Secrets-Token": token, "X-Vault-Request": "true" };
    const { why } = await secrets("kv/a", headers);
    expect(why).toHaveLength(1_000);
    expect(why).toMatch(/\.\.\.; the header X-Vault-Request was not looked at: .* "hashicorp"$/);
  });

  it("by the headers that were sent, whatever became of the object that held them", async () => {
    const { sim } = world();
    const headers = new Headers({ "X-Vault-Token": "hvs.x" });
    const request = new Request(`${sim.secrets.cluster("main").url}/v1/kv/a`, { headers });
    const response = await sim.fetch(request);
    request.headers.delete("X-Vault-Token");
    expect(response.headers.get("X-Hindcast-Why")).toContain(UNHEARD);
  });
});

describe("nothing is said", () => {
  it("of what was looked at under its neutral name, and of headers that are empty", async () => {
    const { secrets } = world();
    const both = await secrets("kv/a", { "X-Secrets-Token": "scs.x", "X-Vault-Token": "hvs.x" });
    const empty = await secrets("kv/a", { "X-Vault-Token": "" });
    for (const { status, why } of [both, empty]) expect([status, why?.includes(UNHEARD)]).toEqual([403, false]);
  });

  it("of headers of another service", async () => {
    const { secrets, scheduler, runs } = world();
    const headers = { "X-Vault-Token": "hvs.x", "X-Nomad-Token": "x" };
    expect((await secrets("kv/a", headers)).why).not.toContain("X-Nomad");
    expect((await scheduler("acl/tokens", headers)).why).not.toContain("X-Vault");
    const { status, why } = await runs("runs/run-1", headers);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(why).not.toContain(UNHEARD);
  });

  it("with an answer that is no refusal", async () => {
    const { secrets, rootToken } = world();
    const answered = await secrets("sys/mounts", { "X-Secrets-Token": rootToken, "X-Vault-Request": "true" });
    expect([answered.status, answered.why]).toEqual([200, null]);
  });

  it("where options say so", async () => {
    const { secrets } = world({ history: { explainOverHttp: false } });
    expect(await secrets("kv/a", { "X-Vault-Token": "hvs.x" })).toMatchObject({ status: 403, why: null });
  });

  it("by a service that has words; those beside it that have none speak up", async () => {
    const { secrets, scheduler } = world({ vocabulary: { secrets: HASHICORP.secrets ?? {} } });
    expect((await secrets("kv/a", { "X-Vault-Token": "hvs.x" })).why).not.toContain(UNHEARD);
    expect((await secrets("kv/a", { "X-Secrets-Token": "scs.x" })).why).not.toContain(UNHEARD);
    expect((await scheduler("acl/tokens", { "X-Nomad-Token": "x" })).why).toContain(UNHEARD);
  });
});
