import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { outcome, policySet, runsWorld, soft } from "../runs/runs-world.ts";

// vocabularies.md, the rows of the scheduler and of the run service.

describe("the scheduler", () => {
  async function cluster() {
    const sim = createSimulator({ seed: 7, vocabulary: "hashicorp" });
    const { url } = sim.scheduler.region("global");
    const ask = (method: string, path: string, token?: string, body?: object) =>
      sim.fetch(url + path, {
        method,
        headers: token === undefined ? {} : { "X-Nomad-Token": token },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const boot = (await (await ask("POST", "/v1/acl/bootstrap")).json()) as { SecretID: string };
    return { sim, ask, root: boot.SecretID };
  }

  it("takes the token in X-Nomad-Token, and not in the contract's header", async () => {
    const { sim, ask, root } = await cluster();
    expect((await ask("GET", "/v1/acl/tokens", root)).status).toBe(200);
    const { url } = sim.scheduler.region("global");
    const neutral = await sim.fetch(`${url}/v1/acl/tokens`, { headers: { "X-Scheduler-Token": root } });
    expect(neutral.status).toBe(403);
  });

  it("tells index, leader and next page in the headers that clients know", async () => {
    const { ask, root } = await cluster();
    for (const Name of ["a", "b"]) await ask("POST", "/v1/acl/token", root, { Name, Type: "management" });
    const { headers } = await ask("GET", "/v1/acl/tokens?per_page=1", root);
    expect(headers.get("X-Nomad-Index")).toBe("4");
    expect(headers.get("X-Nomad-KnownLeader")).toBe("true");
    expect(headers.get("X-Nomad-LastContact")).toBe("0");
    expect(headers.get("X-Nomad-NextToken")).toMatch(/^3\./);
    expect([...headers.keys()].filter((name) => name.startsWith("x-scheduler"))).toEqual([]);
  });

  const rules = 'namespace "default" { capabilities = ["sentinel-override", "kind-a-override", "read-job"] }';

  it("rule text survives byte for byte, and both words grant the same", async () => {
    const { sim, ask, root } = await cluster();
    expect((await ask("POST", "/v1/acl/policy/p", root, { Name: "p", Rules: rules })).status).toBe(200);
    expect(await (await ask("GET", "/v1/acl/policy/p", root)).json()).toMatchObject({ Rules: rules });
    const own = rules.replace('"kind-a-override", ', "");
    await ask("POST", "/v1/acl/policy/q", root, { Name: "q", Rules: own });
    const region = sim.scheduler.region("global");
    for (const name of ["p", "q"]) {
      const { SecretID } = region.as(root).tokens.create({ Type: "client", Policies: [name] });
      expect(region.as(SecretID).capabilities("namespace", "default")).toEqual(["kind-a-override", "read-job"]);
    }
  });

  it("without the vocabulary its word is unknown", () => {
    const sim = createSimulator();
    const region = sim.scheduler.region("global");
    const { SecretID } = region.as().acl.bootstrap();
    const own = 'namespace "default" { capabilities = ["sentinel-override"] }';
    expect(() => region.as(SecretID).policies.write({ policy_name: "p", Name: "p", Rules: own })).toThrow(
      "sentinel-override",
    );
  });

  it("takes own names of fields in any case, and own segments", async () => {
    const vocabulary = { scheduler: { fields: { Name: "Title" }, segments: { self: "mine" } } };
    const sim = createSimulator({ seed: 7, vocabulary });
    const { url } = sim.scheduler.region("global");
    const { SecretID: root } = sim.scheduler.region("global").as().acl.bootstrap();
    const headers = { "X-Scheduler-Token": root };
    const body = JSON.stringify({ tITLE: "ops", Type: "management" });
    const created = await (await sim.fetch(`${url}/v1/acl/token`, { method: "POST", headers, body })).json();
    expect(created).toMatchObject({ Title: "ops" });
    expect((await sim.fetch(`${url}/v1/acl/token/mine`, { headers })).status).toBe(200);
  });

  it("an error lists the capabilities that clients know", async () => {
    const { ask, root } = await cluster();
    const wrong = 'namespace "default" { capabilities = ["fly"] }';
    const text = await (await ask("POST", "/v1/acl/policy/p", root, { Name: "p", Rules: wrong })).text();
    expect(text).toContain("sentinel-override");
    expect(text).not.toContain("kind-a-override");
  });
});

describe("the run service", () => {
  const evaluated = () => {
    const world = runsWorld({ vocabulary: "hashicorp" });
    return { ...world, ...world.evaluated([policySet([outcome("failed", "mandatory"), outcome("passed")])]) };
  };
  const read = async (world: Pick<ReturnType<typeof runsWorld>, "sim" | "tokens">, path: string) => {
    const headers = { Authorization: `Bearer ${world.tokens.owner}` };
    const response = await world.sim.fetch(`${world.sim.runs.url}/api/v2${path}`, { headers });
    return { status: response.status, body: await response.json() };
  };

  it("the kind of an evaluation's policies is opa", async () => {
    const world = evaluated();
    const { body } = await read(world, `/task-stages/${world.stage}/policy-evaluations`);
    expect(body.data[0].attributes["policy-kind"]).toBe("opa");
    expect(JSON.stringify(body)).not.toContain("kind-b");
  });

  it("the result of a check has sentinel and duration, and what the engine shows stays as it is", async () => {
    const world = runsWorld({ vocabulary: "hashicorp" });
    const engine = { "duration-ms": 1, engine: { "kind-a": "kind-b" } };
    const { policyCheckIds } = world.run({ policyChecks: [{ policies: [soft], durationMs: 12, engine }] });
    const { body } = await read(world, `/policy-checks/${policyCheckIds[0]}`);
    const { result } = body.data.attributes;
    expect(result.duration).toBe(12);
    expect(result.sentinel).toEqual(engine);
    expect(Object.keys(result)).not.toContain("engine");
    expect(Object.keys(result)).not.toContain("duration-ms");
    const typed = world.sim.runs.as(world.tokens.owner).policyChecks.read({ id: policyCheckIds[0] as string });
    expect(typed.data.attributes.result?.engine).toEqual(engine);
  });

  it.each(["enforcementLevel", "enforcement_level"])("outcomes are filtered by filter[n][%s]", async (spelling) => {
    const world = evaluated();
    const path = `/policy-evaluations/${world.evaluation}/policy-set-outcomes`;
    const found = await read(world, `${path}?filter[1][status]=failed&filter[1][${spelling}]=mandatory`);
    expect(found.body.data).toHaveLength(1);
    const [first] = found.body.data[0].attributes.outcomes;
    expect(first.enforcement_level).toBe("mandatory");
    expect((await read(world, `${path}?filter[1][status]=failed&filter[1][${spelling}]=advisory`)).body.data).toEqual(
      [],
    );
  });
});
