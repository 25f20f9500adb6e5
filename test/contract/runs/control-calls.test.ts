import { describe, expect, it } from "vitest";
import { createSimulator, Rejection, type Simulator } from "../../../src/index.ts";
import { expectNothingChanged } from "../expectations.ts";
import { runsWorld } from "./runs-world.ts";

// control-surface.md: "A wrong argument throws a TypeError, or a Rejection where the world's state forbids it; both say what
// was wrong with which value, and nothing is half done."

/** The calls as somebody without types makes them. */
// biome-ignore lint/suspicious/noExplicitAny: what is tested here is what types refuse
type Untyped = any;

type Wrong = readonly [call: string, make: (runs: Untyped, sim: Untyped) => unknown, ...pieces: string[]];

const policies = [{ name: "tags", level: "soft-mandatory", result: false }];
const run = { workspace: "ws-prod" };
const check = (more: object) => ({ ...run, policyChecks: [{ policies, ...more }] });
const evaluation = (more: object) => ({ ...run, policyEvaluation: { policySets: [], ...more } });
const set = (more: object) => evaluation({ policySets: [{ name: "a", outcomes: [], ...more }] });
const inner = (more: object) => set({ outcomes: [{ policy_name: "p", query: "q", status: "passed", ...more }] });

describe("control calls of the run service refuse", () => {
  const rows: readonly Wrong[] = [
    ["createOrganization without options", (runs) => runs.createOrganization(), "createOrganization", "undefined"],
    ["an empty name", (runs) => runs.createOrganization({ name: "" }), "name", '""'],
    [
      "an option that is none",
      (runs) => runs.createOrganization({ name: "x", policy: true }),
      "policy",
      "no such option",
    ],
    [
      "a flag that is a text",
      (runs) => runs.createOrganization({ name: "x", policyEnforcement: "no" }),
      "policyEnforcement",
      '"no"',
    ],
    [
      "createWorkspace without an organization",
      (runs) => runs.createWorkspace({ name: "x" }),
      "organization",
      "missing",
    ],
    [
      "an autoApply that is a number",
      (runs) => runs.createWorkspace({ organization: "acme", name: "x", autoApply: 1 }),
      "autoApply",
      "1",
    ],
    ["a token of no kind", (runs) => runs.createToken({ organization: "acme" }), "kind", "missing"],
    [
      "a token of an unknown kind",
      (runs) => runs.createToken({ kind: "robot", organization: "acme" }),
      "kind",
      '"robot"',
    ],
    [
      "a user of a team's token",
      (runs) => runs.createToken({ kind: "team", organization: "acme", user: "ann" }),
      "user",
    ],
    [
      "a team of a user's token",
      (runs) => runs.createToken({ kind: "user", organization: "acme", team: "ops" }),
      "team",
    ],
    [
      "an instant that is none",
      (runs) => runs.createToken({ kind: "user", organization: "acme", expiresAt: "soon" }),
      "expiresAt",
      '"soon"',
    ],
    [
      "a Date that is none",
      (runs) => runs.createToken({ kind: "user", organization: "acme", expiresAt: new Date(Number.NaN) }),
      "expiresAt",
    ],
    [
      "an instant before the epoch",
      (runs) => runs.createToken({ kind: "user", organization: "acme", expiresAt: -5 }),
      "expiresAt",
      "-5",
    ],
    [
      "an unknown grant",
      (runs) => runs.createToken({ kind: "user", organization: "acme", grants: { root: true } }),
      "grants.root",
      "no such option",
    ],
    [
      "grants that are an array",
      (runs) => runs.createToken({ kind: "user", organization: "acme", grants: [] }),
      "grants is []",
    ],
    ["a timing that is an array", (runs) => runs.createRun({ ...run, timing: [] }), "timing is []"],
    ["cancel with an array", (runs) => runs.run("run-1").cancel([]), "the options are an array"],
    ["a run with the id .", (runs) => runs.createRun({ ...run, id: "." }), 'id is "."'],
    ["a workspace with the id ..", (runs) => runs.createWorkspace({ organization: "acme", name: "x", id: ".." }), "id"],
    ["a check with the id .", (runs) => runs.createRun(check({ id: "." })), "policyChecks.0.id"],
    ["a stage with the id ..", (runs) => runs.createRun(evaluation({ taskStageId: ".." })), "taskStageId"],
    ["an evaluation with the id .", (runs) => runs.createRun(evaluation({ id: "." })), "policyEvaluation.id"],
    [
      "an unknown workspace grant",
      (runs) =>
        runs.createToken({ kind: "user", organization: "acme", grants: { workspaces: { "ws-prod": ["run"] } } }),
      "ws-prod",
      '"run"',
    ],
    [
      "workspace grants that are a text",
      (runs) => runs.createToken({ kind: "user", organization: "acme", grants: { workspaces: { "ws-prod": "read" } } }),
      "ws-prod",
      '"read"',
    ],
    ["revokeToken without an id", (runs) => runs.revokeToken(), "id", "missing"],
    ["createRun without a workspace", (runs) => runs.createRun({}), "workspace", "missing"],
    ["planRuns without a workspace", (runs) => runs.planRuns({}), "workspace", "missing"],
    ["planRuns with what requests say", (runs) => runs.planRuns({ ...run, message: "x" }), "message", "no such option"],
    [
      "planRuns with an id",
      (runs) => runs.planRuns({ ...run, policyChecks: [{ id: "polchk-1", policies: [] }] }),
      "planRuns",
      "ids are for one run",
    ],
    ["an option of createRun that is none", (runs) => runs.createRun({ ...run, plan: 1 }), "plan", "no such option"],
    ["a planOnly that is null", (runs) => runs.createRun({ ...run, planOnly: null }), "planOnly", "null"],
    [
      "policyChecks that are an object",
      (runs) => runs.createRun({ ...run, policyChecks: {} }),
      "policyChecks",
      "an object",
    ],
    ["a check without policies", (runs) => runs.createRun({ ...run, policyChecks: [{}] }), "policyChecks.0.policies"],
    ["an unknown scope", (runs) => runs.createRun(check({ scope: "project" })), "policyChecks.0.scope", '"project"'],
    [
      "two checks of one scope",
      (runs) => runs.createRun({ ...run, policyChecks: [{ policies }, { policies }] }),
      "policyChecks",
      "scope",
    ],
    [
      "an unknown level",
      (runs) => runs.createRun(check({ policies: [{ name: "a", level: "mandatory", result: true }] })),
      "level",
      '"mandatory"',
    ],
    [
      "an unknown result",
      (runs) => runs.createRun(check({ policies: [{ name: "a", level: "advisory", result: "no" }] })),
      "result",
      '"no"',
    ],
    ["a duration without a unit", (runs) => runs.createRun(check({ durationMs: "12" })), "durationMs", '"12"'],
    ["a negative duration", (runs) => runs.createRun(check({ durationMs: -1 })), "durationMs", "-1"],
    ["an engine that is a list", (runs) => runs.createRun(check({ engine: [] })), "engine"],
    ["an evaluation without sets", (runs) => runs.createRun({ ...run, policyEvaluation: {} }), "policySets"],
    ["a set without a name", (runs) => runs.createRun(set({ name: undefined })), "name", "missing"],
    ["an outcome with an unknown status", (runs) => runs.createRun(inner({ status: "ok" })), "status", '"ok"'],
    [
      "an outcome with an unknown level",
      (runs) => runs.createRun(inner({ enforcement_level: "hard" })),
      "enforcement_level",
      '"hard"',
    ],
    ["an unknown timing", (runs) => runs.createRun({ ...run, timing: "slow" }), "timing", '"slow"'],
    [
      "a phase that is no duration",
      (runs) => runs.createRun({ ...run, timing: { planMs: "long" } }),
      "timing.planMs",
      '"long"',
    ],
    ["a timing that is null", (runs) => runs.createRun({ ...run, timing: null }), "timing", "null"],
    ["an unknown phase", (runs) => runs.createRun({ ...run, timing: { waitMs: 1 } }), "timing"],
    ["a function", (runs) => runs.createRun({ ...run, message: () => "x" }), "message"],
    ["run without an id", (runs) => runs.run(), "undefined"],
    ["a token that is a number", (runs) => runs.as(5), "5"],
    ["an option of cancel that is none", (runs) => runs.run("run-1").cancel({ forced: true }), "forced"],
    ["a force that is a text", (runs) => runs.run("run-1").cancel({ force: "yes" }), "force", '"yes"'],
    [
      "failNextRequests without a count",
      (_, sim) => sim.faults.failNextRequests({ service: "runs" }),
      "count",
      "missing",
    ],
    ["a count of 0", (_, sim) => sim.faults.failNextRequests({ service: "runs", count: 0 }), "count", "0"],
    [
      "a status that is none of an error",
      (_, sim) => sim.faults.failNextRequests({ service: "runs", count: 1, status: 200 }),
      "status",
      "200",
    ],
    [
      "an unknown service",
      (_, sim) => sim.faults.failNextRequests({ service: "mail", count: 1 }),
      "mail",
      "or the handle of a cluster",
    ],
    ["a typed call without a capture", (runs) => runs.as("x").policyChecks.read({}), "runs.policyChecks.read", "id"],
    ["a typed call without an argument", (runs) => runs.as("x").policyChecks.read(), "argument"],
    ["a field that is none", (runs) => runs.as("x").policyChecks.read({ id: "a", comment: "b" }), "comment"],
    [
      "a comment that is a number",
      (runs) => runs.as("x").policyChecks.override({ id: "a", comment: 5 }),
      "comment",
      "5",
    ],
    [
      "an option that the operation lacks",
      (runs) => runs.as("x").policyChecks.read({ id: "a" }, { filter: [] }),
      "filter",
      "include",
    ],
    [
      "an include that is a number",
      (runs) => runs.as("x").policyChecks.read({ id: "a" }, { include: 5 }),
      "include",
      "5",
    ],
    ["a page that is a number", (runs) => runs.as("x").policyChecks.list({ run_id: "a" }, { page: 2 }), "page", "2"],
    [
      "a filter that is a text",
      (runs) => runs.as("x").policySetOutcomes.list({ policy_evaluation_id: "a" }, { filter: "failed" }),
      "filter",
      '"failed"',
    ],
  ];
  it.each(rows.map(([call, make, ...pieces]) => [call, make, pieces] as const))("%s", async (_, make, pieces) => {
    const { sim } = runsWorld();
    sim.runs.createRun({ ...run, id: "run-1", timing: "manual" });
    await expectNothingChanged(sim, () => {
      expect(() => make(sim.runs, sim)).toThrow(TypeError);
      for (const piece of pieces) expect(() => make(sim.runs, sim)).toThrow(piece);
    });
  });

  const forbidden: readonly (readonly [
    call: string,
    code: string,
    status: number,
    make: (sim: Simulator) => unknown,
  ])[] = [
    [
      "a second organization of a name",
      "organization_exists",
      409,
      (sim) => sim.runs.createOrganization({ name: "acme" }),
    ],
    [
      "a workspace of no organization",
      "organization_not_found",
      404,
      (sim) => sim.runs.createWorkspace({ organization: "no", name: "x" }),
    ],
    [
      "a second workspace of a name",
      "workspace_exists",
      409,
      (sim) => sim.runs.createWorkspace({ organization: "acme", name: "prod" }),
    ],
    [
      "a second workspace of an id",
      "id_taken",
      409,
      (sim) => sim.runs.createWorkspace({ organization: "acme", name: "x", id: "ws-prod" }),
    ],
    [
      "a token of no organization",
      "organization_not_found",
      404,
      (sim) => sim.runs.createToken({ kind: "user", organization: "no" }),
    ],
    [
      "a grant on no workspace",
      "workspace_not_found",
      404,
      (sim) =>
        sim.runs.createToken({ kind: "user", organization: "acme", grants: { workspaces: { "ws-no": ["read"] } } }),
    ],
    ["revoking no token", "token_not_found", 404, (sim) => sim.runs.revokeToken("at-no")],
    ["a plan of no workspace", "workspace_not_found", 404, (sim) => sim.runs.planRuns({ workspace: "ws-no" })],
    ["a run of no workspace", "workspace_not_found", 404, (sim) => sim.runs.createRun({ workspace: "ws-no" })],
    ["a second run of an id", "id_taken", 409, (sim) => sim.runs.createRun({ workspace: "ws-prod", id: "run-1" })],
    [
      "a second check of an id",
      "id_taken",
      409,
      (sim) => sim.runs.createRun({ workspace: "ws-prod", policyChecks: [{ id: "polchk-1", policies: [] }] }),
    ],
    [
      "two outcomes of one id in one call",
      "id_taken",
      409,
      (sim) =>
        sim.runs.createRun({
          workspace: "ws-prod",
          policyEvaluation: {
            policySets: [
              { id: "psout-1", name: "a", outcomes: [] },
              { id: "psout-1", name: "b", outcomes: [] },
            ],
          },
        }),
    ],
    ["looking for no run", "run_not_found", 404, (sim) => sim.runs.run("run-no")],
    ["confirming what waits for nobody", "transition_not_allowed", 409, (sim) => sim.runs.run("run-1").confirm()],
  ];
  it.each(forbidden)("%s: %s", async (_, code, status, make) => {
    const { sim } = runsWorld();
    sim.runs.createRun({
      workspace: "ws-prod",
      id: "run-1",
      timing: "manual",
      policyChecks: [{ id: "polchk-1", policies: [] }],
    });
    await expectNothingChanged(sim, () => {
      const refused = ((): unknown => {
        try {
          return make(sim);
        } catch (error) {
          return error;
        }
      })();
      expect(refused).toBeInstanceOf(Rejection);
      expect(refused).toMatchObject({ code, status });
    });
  });

  it.each([
    [{ url: "runs" }, "runs.url"],
    [{ url: 5 }, "runs.url"],
    [{ url: "https://runs.example/base" }, "has to be an origin: https://runs.example"],
    [{ url: "https://runs.example?a=b" }, "has to be an origin: https://runs.example"],
    [[], "runs is []"],
    [{ rateLimitPerSecond: 0 }, "rateLimitPerSecond"],
    [{ rateLimitPerSecond: "30" }, "rateLimitPerSecond"],
    [{ rateLimit: 30 }, "rateLimit"],
    [{ url: "https://secrets-main.test" }, "https://secrets-main.test"],
  ])("createSimulator with runs %j", (runs, piece) => {
    expect(() => createSimulator({ runs } as never)).toThrow(TypeError);
    expect(() => createSimulator({ runs } as never)).toThrow(piece);
  });
});

describe("control calls of the run service", () => {
  it("take ids as they are given, and draw absent ones from the seed", () => {
    const ids = (seed: number): unknown => {
      const { sim, run: create } = runsWorld({ seed });
      return [
        create({ policyEvaluation: { policySets: [{ name: "a", outcomes: [] }] }, policyChecks: [{ policies: [] }] }),
        sim.runs.createWorkspace({ organization: "acme", name: "new" }),
        sim.runs.createToken({ kind: "team", organization: "acme" }),
      ];
    };
    expect(ids(1)).toEqual(ids(1));
    expect(ids(1)).not.toEqual(ids(2));
    const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}-[1-9A-HJ-NP-Za-km-z]{16}$`));
    expect(ids(3)).toEqual([
      { id: id("run"), policyCheckIds: [id("polchk")], taskStageIds: [id("ts")], policyEvaluationIds: [id("poleval")] },
      { id: id("ws") },
      { id: id("at"), token: expect.stringMatching(/^[\w.]+$/) },
    ]);
    const { run: create } = runsWorld();
    expect(
      create({
        id: "my run",
        policyChecks: [{ id: "1", policies: [] }],
        policyEvaluation: { id: "2", taskStageId: "3", policySets: [] },
      }),
    ).toEqual({ id: "my run", policyCheckIds: ["1"], taskStageIds: ["3"], policyEvaluationIds: ["2"] });
  });

  it("keep nothing of the caller's", () => {
    const { sim } = runsWorld();
    const engine = { version: [1] };
    const options = { workspace: "ws-prod", policyChecks: [{ policies: [], engine }] };
    const { policyCheckIds } = sim.runs.createRun(options);
    engine.version.push(2);
    expect(sim.state.runs?.policyChecks.get(policyCheckIds[0] as string)?.engine).toEqual({ version: [1] });
    expect(Object.isFrozen(engine)).toBe(false);
  });

  it("revoke a token once", () => {
    const { sim } = runsWorld();
    const { id } = sim.runs.createToken({ kind: "organization", organization: "acme" });
    sim.runs.revokeToken(id);
    const { position } = sim;
    sim.runs.revokeToken(id);
    expect(sim.position).toBe(position);
  });

  it("leave no part in the state of a simulator that never used the service", () => {
    expect(createSimulator().state).not.toHaveProperty("runs");
    const sim = createSimulator({ runs: { url: "https://runs.example", rateLimitPerSecond: 30 } });
    expect(sim.runs.url).toBe("https://runs.example");
    expect(sim.state.runs?.rateLimitPerSecond).toBe(30);
  });
});
