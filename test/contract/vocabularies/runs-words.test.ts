import { describe, expect, it } from "vitest";
import { createSimulator, type Vocabulary } from "../../../src/index.ts";
import { outcome, policySet, runsWorld, soft } from "../runs/runs-world.ts";

// What a vocabulary renames where requests to the run service and its answers have it, and what stays because a caller chose it.

const RUNS = {
  headers: { "X-RateLimit-Limit": "X-Quota" },
  segments: { override: "overrule", organizations: "firms" },
  fields: { errors: "faults", detail: "particulars", source: "origin", parameter: "argument", run: "execution" },
  values: { "enforcement_level=mandatory": "obligatory" },
  prefixes: { "run-": "job-", "ws-": "room-", "polchk-": "rule-", "poleval-": "audit-" },
} satisfies Vocabulary["runs"];

function world() {
  const sim = createSimulator({ seed: 7, vocabulary: { runs: RUNS } });
  // They begin as ids of runs and of workspaces do.
  sim.runs.createOrganization({ name: "run-acme" });
  const { id: workspace } = sim.runs.createWorkspace({ organization: "run-acme", name: "ws-prod" });
  const { token } = sim.runs.createToken({
    kind: "user",
    organization: "run-acme",
    user: "otto",
    grants: { owner: true },
  });
  const { id: run, ...made } = sim.runs.createRun({
    workspace,
    policyChecks: [{ policies: [{ name: "tags", level: "soft-mandatory", result: false }] }],
  });
  const ask = async (path: string, method = "GET") => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/vnd.api+json" };
    const response = await sim.fetch(sim.runs.url + path, { method, headers });
    return { status: response.status, body: await response.json() };
  };
  return { ask, run: run.replace("run-", "job-"), check: made.policyCheckIds[0]?.replace("polchk-", "rule-") };
}

describe("the run service in other words", () => {
  it("finds what is asked for by the ids that it has shown", async () => {
    const { ask, run, check } = world();
    const { status, body } = await ask(`/api/v2/runs/${run}/policy-checks?include=execution.workspace`);
    expect(status).toBe(200);
    expect(body.data[0]).toMatchObject({ id: check, links: { output: `/api/v2/policy-checks/${check}/output` } });
    expect(body.data[0].relationships.execution.data.id).toBe(run);
    expect((await ask(`/api/v2/policy-checks/${check}/actions/overrule`, "POST")).status).toBe(200);
  });

  it("an id that needs escapes in a path has them in links, and is found by them", async () => {
    const prefixes = { "polchk-": "rule/", "run-": "{job}" };
    const { sim, run, tokens } = runsWorld({ vocabulary: { runs: { prefixes } } });
    const { policyCheckIds } = run({ policyChecks: [{ policies: [soft] }] });
    const id = policyCheckIds[0]?.replace("polchk-", "rule/") ?? "";
    const headers = { Authorization: `Bearer ${tokens.owner}` };
    const url = `/api/v2/policy-checks/${encodeURIComponent(id)}`;
    const { data } = await (await sim.fetch(sim.runs.url + url, { headers })).json();
    expect(data).toMatchObject({ id, links: { output: `${url}/output` } });
    const { id: asked } = data.relationships.run.data;
    expect(asked).toMatch(/^\{job\}/);
    expect((await sim.fetch(`${sim.runs.url}/api/v2/runs/${asked}/policy-checks`, { headers })).status).toBe(200);
  });

  it("keeps the names of organizations and workspaces, whatever they begin with", async () => {
    const { ask, run } = world();
    const { body } = await ask(`/api/v2/runs/${run}/policy-checks?include=execution.workspace`);
    const [, workspace] = body.included;
    expect(workspace.id).toMatch(/^room-/);
    expect(workspace.attributes.name).toBe("ws-prod");
    expect(workspace.relationships.organization.data).toEqual({ id: "run-acme", type: "organizations" });
    expect(workspace.links.self).toBe("/api/v2/firms/run-acme/workspaces/ws-prod");
  });

  it("an error has the words that were asked in, around it and inside", async () => {
    const { ask, check } = world();
    const included = await ask(`/api/v2/policy-checks/${check}?include=execution.execution`);
    expect(included.body).toEqual({
      faults: [
        {
          status: "400",
          title: "bad request",
          particulars: 'the include parameter names "execution.execution", which cannot be included',
          origin: { argument: "include" },
        },
      ],
    });
    await ask(`/api/v2/policy-checks/${check}/actions/overrule`, "POST");
    const { status, body } = await ask(`/api/v2/policy-checks/${check}/actions/overrule`, "POST");
    expect(status).toBe(409);
    expect(body.faults[0].particulars).toContain(`${check} is overridden`);
  });

  it.each(["enforcementLevel", "enforcement_level"])("filter[n][%s] takes a value of that field", async (spelling) => {
    const { sim, tokens, evaluated } = runsWorld({ vocabulary: { runs: RUNS } });
    const { evaluation } = evaluated([
      policySet([outcome("failed", "mandatory")]),
      policySet([outcome("failed", "advisory")]),
    ]);
    const path = `/api/v2/policy-evaluations/${evaluation.replace("poleval-", "audit-")}/policy-set-outcomes`;
    const ask = (level: string) =>
      sim.fetch(`${sim.runs.url}${path}?filter[0][status]=failed&filter[0][${spelling}]=${level}`, {
        headers: { Authorization: `Bearer ${tokens.owner}` },
      });
    const found = await (await ask("obligatory")).json();
    expect(found.data).toHaveLength(1);
    expect(found.data[0].attributes.outcomes).toMatchObject([{ enforcement_level: "obligatory" }]);
    expect((await ask("mandatory")).status).toBe(400);
  });

  it("whoever cannot be placed in the past is told of the rate limit as everybody is", async () => {
    const { sim, tokens } = runsWorld({ runs: { rateLimitPerSecond: 5 }, vocabulary: { runs: RUNS } });
    const { headers, status } = await sim.fetch(`${sim.runs.url}/api/v2/runs/job-none`, {
      headers: { Authorization: `Bearer ${tokens.owner}`, "X-Hindcast-At": "never" },
    });
    expect(status).toBe(400);
    expect(headers.get("X-Quota")).toBe("5");
    expect(headers.get("X-RateLimit-Limit")).toBeNull();
  });
});
