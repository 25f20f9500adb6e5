import { describe, expect, it } from "vitest";
import { type CreateRunOptions, Rejection } from "../../../src/index.ts";
import { expectNothingChanged } from "../expectations.ts";
import { get, one, send } from "./driver.ts";
import { fine, hard, mandatoryFailure, outcome, policySet, type RunsWorld, runsWorld, soft } from "./runs-world.ts";

const passedSet = policySet([outcome("passed", "mandatory")]);
const overridableSet = policySet([mandatoryFailure], { overridable: true });

/** The run as an owner sees it. */
async function shown({ sim, tokens }: RunsWorld, check: string) {
  const { body } = await get(sim, `/api/v2/policy-checks/${check}?include=run`, tokens.owner);
  return body.included?.[0]?.attributes;
}

function refusal(work: () => unknown): Rejection {
  try {
    work();
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

// decisions-policy-checks.md, 8.
describe("a run step by step", () => {
  it.each<[what: string, options: Partial<CreateRunOptions>, statuses: readonly string[]]>([
    ["without policies waits after its plan", {}, ["plan_queued", "planning", "planned"]],
    [
      "without policies and with auto-apply is applied",
      { autoApply: true },
      ["plan_queued", "planning", "apply_queued", "applying", "applied"],
    ],
    [
      "plan-only without policies is finished with its plan",
      { planOnly: true },
      ["plan_queued", "planning", "planned_and_finished"],
    ],
    ["whose plan fails is errored", { planFails: true, autoApply: true }, ["plan_queued", "planning", "errored"]],
    [
      "whose apply fails is errored",
      { applyFails: true, autoApply: true },
      ["plan_queued", "planning", "apply_queued", "applying", "errored"],
    ],
    [
      "with checks that pass waits when they are done",
      { policyChecks: [{ policies: [fine] }] },
      ["plan_queued", "planning", "planned", "policy_checking", "policy_checked"],
    ],
    [
      "with two checks takes a step for each",
      { policyChecks: [{ policies: [fine] }, { scope: "workspace", policies: [] }], autoApply: true },
      [
        "plan_queued",
        "planning",
        "planned",
        "policy_checking",
        "policy_checking",
        "apply_queued",
        "applying",
        "applied",
      ],
    ],
    [
      "with a soft failure waits for its override",
      { policyChecks: [{ policies: [soft] }] },
      ["plan_queued", "planning", "planned", "policy_checking", "policy_override"],
    ],
    [
      "with a soft failure and nothing to apply is final",
      { policyChecks: [{ policies: [soft] }], hasChanges: false },
      ["plan_queued", "planning", "planned", "policy_checking", "policy_soft_failed"],
    ],
    [
      "with a hard failure is errored",
      { policyChecks: [{ policies: [hard] }, { scope: "workspace", policies: [] }] },
      ["plan_queued", "planning", "planned", "policy_checking", "errored"],
    ],
    [
      "whose engine breaks is errored",
      { policyChecks: [{ policies: [], engineError: true }] },
      ["plan_queued", "planning", "planned", "policy_checking", "errored"],
    ],
    [
      "without changes that may be applied all the same is confirmed by itself",
      { policyChecks: [{ policies: [fine] }], hasChanges: false, allowEmptyApply: true },
      ["plan_queued", "planning", "planned", "policy_checking", "apply_queued", "applying", "applied"],
    ],
    [
      "with both kinds of policies asks kind-b first",
      { policyEvaluation: { policySets: [passedSet] }, policyChecks: [{ policies: [fine] }], planOnly: true },
      [
        "plan_queued",
        "planning",
        "planned",
        "post_plan_running",
        "post_plan_completed",
        "policy_checking",
        "planned_and_finished",
      ],
    ],
    [
      "whose stage awaits an override waits",
      { policyEvaluation: { policySets: [overridableSet, passedSet] } },
      ["plan_queued", "planning", "planned", "post_plan_running", "post_plan_awaiting_decision"],
    ],
    [
      "whose stage fails is errored",
      { policyEvaluation: { policySets: [overridableSet, policySet([mandatoryFailure])] } },
      ["plan_queued", "planning", "planned", "post_plan_running", "errored"],
    ],
    [
      "whose evaluation is errored is errored",
      { policyEvaluation: { policySets: [policySet([], { error: "boom" })] } },
      ["plan_queued", "planning", "planned", "post_plan_running", "errored"],
    ],
  ])("%s", async (_, options, statuses) => {
    const { sim, run } = runsWorld();
    const handle = sim.runs.run(run({ timing: "manual", ...options }).id);
    expect(handle.status).toBe("pending");
    expect(statuses.map(() => handle.step())).toEqual(statuses);
    await expectNothingChanged(sim, () => {
      expect(refusal(() => handle.step())).toMatchObject({ code: "transition_not_allowed", status: 409 });
    });
    // At once it comes to the same end.
    expect(sim.runs.run(run(options).id).status).toBe(statuses.at(-1));
  });

  it("shows each of its resources on the way", async () => {
    const world = runsWorld();
    const { sim, tokens } = world;
    const { id, check, taskStageIds, policyEvaluationIds } = world.softFailed({
      timing: "manual",
      policyEvaluation: { policySets: [overridableSet] },
    });
    const seen = async () => ({
      check: one(await get(sim, `/api/v2/policy-checks/${check}`, tokens.reader)).attributes.status,
      stage: one(await get(sim, `/api/v2/task-stages/${taskStageIds[0]}`, tokens.reader)).attributes.status,
      evaluation: one(await get(sim, `/api/v2/policy-evaluations/${policyEvaluationIds[0]}`, tokens.reader)).attributes
        .status,
    });
    const run = sim.runs.run(id);
    for (const _ of ["plan_queued", "planning", "planned"]) run.step();
    expect(await seen()).toEqual({ check: "pending", stage: "pending", evaluation: "pending" });
    expect(run.step()).toBe("post_plan_running");
    expect(await seen()).toEqual({ check: "pending", stage: "running", evaluation: "queued" });
    expect(run.step()).toBe("post_plan_awaiting_decision");
    expect(await seen()).toEqual({ check: "pending", stage: "awaiting_override", evaluation: "failed" });
    const override = `/api/v2/task-stages/${taskStageIds[0]}/actions/override`;
    expect((await send(sim, "POST", override, { token: tokens.overrider })).status).toBe(200);
    expect(await seen()).toEqual({ check: "pending", stage: "passed", evaluation: "overridden" });
    expect(run.status).toBe("post_plan_completed");
    expect(run.step()).toBe("policy_checking");
    expect(await seen()).toMatchObject({ check: "queued" });
    expect(run.step()).toBe("policy_override");
    const overrideCheck = `/api/v2/policy-checks/${check}/actions/override`;
    expect((await send(sim, "POST", overrideCheck, { token: tokens.overrider })).status).toBe(200);
    expect(run.status).toBe("policy_checked");
    expect(run.confirm()).toBe("apply_queued");
    expect([run.step(), run.step()]).toEqual(["applying", "applied"]);
  });

  it("is not for a run that moves by itself", () => {
    const { sim, run } = runsWorld();
    for (const timing of ["immediate", { planMs: 5 }] as const) {
      const { id } = run({ timing });
      expect(refusal(() => sim.runs.run(id).step())).toMatchObject({ code: "run_moves_by_itself", status: 409 });
    }
  });
});

describe("a discard", () => {
  it("cancels a stage that awaits its override, leaves its evaluation failed and checks unreachable", async () => {
    const { sim, tokens, evaluated } = runsWorld();
    const { id, stage, evaluation, policyCheckIds } = evaluated([overridableSet], {
      policyChecks: [{ policies: [soft] }],
    });
    sim.clock.advance("1m");
    expect(sim.runs.run(id).discard()).toBe("discarded");
    const stageShown = one(await get(sim, `/api/v2/task-stages/${stage}`, tokens.owner)).attributes;
    expect(stageShown).toMatchObject({ status: "canceled", actions: { "is-overridable": false } });
    expect(stageShown["status-timestamps"]["canceled-at"]).toBe("2026-01-01T00:01:00+00:00");
    expect(stageShown["updated-at"]).toBe("2026-01-01T00:01:00.000Z");
    expect(one(await get(sim, `/api/v2/policy-evaluations/${evaluation}`, tokens.owner)).attributes.status).toBe(
      "failed",
    );
    expect(one(await get(sim, `/api/v2/policy-checks/${policyCheckIds[0]}`, tokens.owner)).attributes.status).toBe(
      "unreachable",
    );
    const override = await send(sim, "POST", `/api/v2/task-stages/${stage}/actions/override`, { token: tokens.owner });
    expect(override.status).toBe(409);
  });
});

describe("a cancel", () => {
  it("cancels what is queued and leaves what is done, with force noting that too", async () => {
    const world = runsWorld();
    const { sim, tokens } = world;
    const { id, policyCheckIds } = world.run({
      timing: { checkMs: "10m" },
      policyChecks: [{ policies: [fine] }, { scope: "workspace", policies: [fine] }],
    });
    sim.clock.advance("12m");
    expect(sim.runs.run(id).cancel({ force: true })).toBe("canceled");
    const statuses = await Promise.all(
      policyCheckIds.map(
        async (check) => one(await get(sim, `/api/v2/policy-checks/${check}`, tokens.owner)).attributes,
      ),
    );
    expect(statuses.map(({ status }) => status)).toEqual(["passed", "canceled"]);
    expect(statuses[1]).toMatchObject({
      result: null,
      "status-timestamps": { "canceled-at": "2026-01-01T00:12:00+00:00" },
    });
    expect(await shown(world, policyCheckIds[0] as string)).toMatchObject({
      status: "canceled",
      "canceled-at": "2026-01-01T00:12:00.000Z",
      "status-timestamps": {
        "canceled-at": "2026-01-01T00:12:00+00:00",
        "force-canceled-at": "2026-01-01T00:12:00+00:00",
      },
    });
    expect(sim.clock.pending()).toEqual([]);
    expect(sim.clock.advance("1h")).toEqual([]);
  });

  it("without force leaves no force-canceled-at", async () => {
    const world = runsWorld();
    const { id, check } = world.softFailed({ timing: "manual" });
    world.sim.runs.run(id).cancel();
    expect(Object.keys((await shown(world, check))["status-timestamps"])).toEqual(["canceled-at"]);
  });
});

describe("a run that spends time", () => {
  it("waits in each phase, and only as long as the phase takes", async () => {
    const world = runsWorld();
    const { sim, run } = world;
    const { id, policyCheckIds, policyEvaluationIds } = run({
      autoApply: true,
      policyEvaluation: { policySets: [passedSet] },
      policyChecks: [{ policies: [fine] }, { scope: "workspace", policies: [fine], durationMs: 7_000 }],
      timing: { queueMs: "1s", planMs: 2_000, evaluationMs: "3s", checkMs: "4s", applyMs: "5s" },
    });
    const handle = sim.runs.run(id);
    const passing: string[] = [];
    const fired: object[] = [];
    for (;;) {
      passing.push(`${sim.clock.now() - Date.UTC(2026, 0, 1)} ${handle.status}`);
      const next = sim.clock.next();
      if (next.length === 0) break;
      fired.push(...next);
    }
    expect(passing).toEqual([
      "0 plan_queued",
      "1000 planning",
      "3000 post_plan_running",
      "6000 policy_checking",
      "10000 policy_checking",
      "17000 apply_queued",
      "22000 applied",
    ]);
    expect(fired).toEqual(Array(6).fill(expect.objectContaining({ command: "timer.runPhase", owner: { run: id } })));
    const { attributes } = one(await get(sim, `/api/v2/policy-checks/${policyCheckIds[0]}`, world.tokens.reader));
    expect(attributes.result["duration-ms"]).toBe(4_000);
    const second = one(await get(sim, `/api/v2/policy-checks/${policyCheckIds[1]}`, world.tokens.reader)).attributes;
    expect(second.result["duration-ms"]).toBe(7_000);
    const evaluation = one(await get(sim, `/api/v2/policy-evaluations/${policyEvaluationIds[0]}`, world.tokens.reader));
    expect(evaluation.attributes["status-timestamps"]).toEqual({
      "queued-at": "2026-01-01T00:00:03+00:00",
      "running-at": "2026-01-01T00:00:03+00:00",
      "passed-at": "2026-01-01T00:00:06+00:00",
    });
    expect(await shown(world, policyCheckIds[0] as string)).toMatchObject({
      status: "applied",
      "status-timestamps": {
        "plan-queued-at": "2026-01-01T00:00:00+00:00",
        "planning-at": "2026-01-01T00:00:01+00:00",
        "planned-at": "2026-01-01T00:00:03+00:00",
        "post-plan-running-at": "2026-01-01T00:00:03+00:00",
        "post-plan-completed-at": "2026-01-01T00:00:06+00:00",
        "policy-checked-at": "2026-01-01T00:00:17+00:00",
        "confirmed-at": "2026-01-01T00:00:17+00:00",
        "apply-queued-at": "2026-01-01T00:00:17+00:00",
        "applying-at": "2026-01-01T00:00:22+00:00",
        "applied-at": "2026-01-01T00:00:22+00:00",
      },
    });
  });

  it("shows its deadline, and a fork keeps it", () => {
    const { sim, run } = runsWorld();
    const { id } = run({ timing: { planMs: "10m" }, autoApply: true });
    expect(sim.clock.pending()).toEqual([
      { dueAtMs: Date.UTC(2026, 0, 1, 0, 10), command: "timer.runPhase", owner: { run: id } },
    ]);
    const fork = sim.fork();
    fork.clock.advance("10m");
    expect([fork.runs.run(id).status, sim.runs.run(id).status]).toEqual(["applied", "planning"]);
  });

  it("has an evaluation that runs while time passes, and a duration of its own replaces the phase's", async () => {
    const { sim, tokens, evaluated } = runsWorld();
    const { id, evaluation } = evaluated([], {
      policyEvaluation: { policySets: [passedSet], durationMs: "30s" },
      timing: { evaluationMs: "5s" },
    });
    const status = async () =>
      one(await get(sim, `/api/v2/policy-evaluations/${evaluation}`, tokens.reader)).attributes.status;
    sim.clock.advance("29s");
    expect([await status(), sim.runs.run(id).status]).toEqual(["running", "post_plan_running"]);
    sim.clock.advance("1s");
    expect([await status(), sim.runs.run(id).status]).toEqual(["passed", "post_plan_completed"]);
  });
});

describe("what a run starts with", () => {
  it("comes from its workspace unless the run says otherwise", () => {
    const { sim } = runsWorld();
    const { id: workspace } = sim.runs.createWorkspace({ organization: "acme", name: "auto", autoApply: true });
    expect(sim.runs.run(sim.runs.createRun({ workspace }).id).status).toBe("applied");
    expect(sim.runs.run(sim.runs.createRun({ workspace, autoApply: false }).id).status).toBe("planned");
    expect(sim.runs.run(sim.runs.createRun({ workspace, hasChanges: false }).id).status).toBe("planned_and_finished");
    const empty = sim.runs.createWorkspace({ organization: "acme", name: "empty", allowEmptyApply: true });
    expect(sim.runs.run(sim.runs.createRun({ workspace: empty.id, hasChanges: false }).id).status).toBe("applied");
  });
});
