import { describe, expect, it } from "vitest";
import { reach } from "../transports.ts";
import {
  type Arguments,
  doors,
  get,
  httpDoor,
  many,
  type OperationName,
  type Options,
  one,
  typedDoor,
} from "./driver.ts";
import { advisory, fine, hard, mandatoryFailure, outcome, policySet, runsWorld, soft } from "./runs-world.ts";

describe.each(doors())("the run service through %s", (_, open) => {
  it("lists the checks of a run, the organization's first, and reads them", async () => {
    const { sim, tokens, run, workspace } = runsWorld();
    const { id, policyCheckIds } = run({
      policyChecks: [
        { scope: "workspace", policies: [fine] },
        { scope: "organization", policies: [fine, advisory] },
      ],
    });
    const door = open(sim);
    const listed = await door.call("policyChecks.list", tokens.reader, { run_id: id });
    expect(Object.keys(listed.body ?? {})).toEqual(["data"]);
    expect(many(listed).map((check) => [check.id, check.attributes.scope])).toEqual([
      [policyCheckIds[0], "organization"],
      [policyCheckIds[1], "workspace"],
    ]);
    for (const check of many(listed)) {
      expect(one(await door.call("policyChecks.read", tokens.reader, { id: check.id }))).toEqual(check);
      expect(Object.keys(check)).toEqual(["id", "type", "attributes", "relationships", "links"]);
      expect(Object.keys(check.attributes)).toEqual([
        "result",
        "scope",
        "status",
        "status-timestamps",
        "actions",
        "permissions",
      ]);
    }
    const paged = await door.call("policyChecks.list", tokens.reader, { run_id: id }, { page: { size: 1, number: 2 } });
    expect(many(paged).map((check) => check.id)).toEqual([policyCheckIds[1]]);
    expect(paged.body?.meta?.pagination).toEqual({
      "current-page": 2,
      "page-size": 1,
      "prev-page": 1,
      "next-page": null,
      "total-pages": 2,
      "total-count": 2,
    });
    const beyond = await door.call(
      "policyChecks.list",
      tokens.reader,
      { run_id: id },
      { page: { number: 7 }, include: "run.workspace" },
    );
    expect(beyond.body).toMatchObject({ data: [], included: [] });
    const included = await door.call("policyChecks.list", tokens.reader, { run_id: id }, { include: "run.workspace" });
    expect(included.body?.included?.map((resource) => resource.id)).toEqual([id, workspace]);
  });

  it("has no checks for a run without kind-a policies, which never enters policy_checking", async () => {
    const { sim, tokens, run } = runsWorld();
    const { id } = run();
    expect((await open(sim).call("policyChecks.list", tokens.reader, { run_id: id })).body).toEqual({ data: [] });
    expect(sim.runs.run(id).status).toBe("planned");
  });

  it("shows the included run whole, with what this caller may do", async () => {
    const { sim, tokens, softFailed, workspace } = runsWorld();
    const { id, check } = softFailed({ message: "why not", source: "ui", triggerReason: "manual", isDestroy: true });
    const seen = async (token: string) =>
      (await open(sim).call("policyChecks.read", token, { id: check }, { include: "run" })).body?.included?.[0];
    const shown = await seen(tokens.owner);
    expect(shown).toEqual({
      id,
      type: "runs",
      attributes: {
        status: "policy_override",
        "status-timestamps": {
          "plan-queued-at": "2026-01-01T00:00:00+00:00",
          "planning-at": "2026-01-01T00:00:00+00:00",
          "planned-at": "2026-01-01T00:00:00+00:00",
          "policy-soft-failed-at": "2026-01-01T00:00:00+00:00",
        },
        "created-at": "2026-01-01T00:00:00.000Z",
        "updated-at": "2026-01-01T00:00:00.000Z",
        "canceled-at": null,
        message: "why not",
        source: "ui",
        "trigger-reason": "manual",
        "has-changes": true,
        "is-destroy": true,
        "auto-apply": false,
        "allow-empty-apply": false,
        "plan-only": false,
        refresh: true,
        "refresh-only": false,
        "save-plan": false,
        "target-addrs": null,
        "replace-addrs": null,
        variables: [],
        actions: {
          "is-cancelable": false,
          "is-confirmable": false,
          "is-discardable": true,
          "is-force-cancelable": false,
        },
        permissions: {
          "can-apply": true,
          "can-cancel": true,
          "can-comment": true,
          "can-discard": true,
          "can-force-execute": true,
          "can-force-cancel": true,
          "can-override-policy-check": true,
        },
      },
      relationships: {
        workspace: { data: { id: workspace, type: "workspaces" } },
        "policy-checks": {
          data: [{ id: check, type: "policy-checks" }],
          links: { related: `/api/v2/runs/${id}/policy-checks` },
        },
        "task-stages": { data: [] },
      },
      links: { self: `/api/v2/runs/${id}` },
    });
    expect((await seen(tokens.overrider))?.attributes.permissions).toMatchObject({
      "can-apply": false,
      "can-override-policy-check": true,
    });
    expect((await seen(tokens.organization))?.attributes.permissions).toMatchObject({
      "can-apply": false,
      "can-override-policy-check": false,
    });
  });

  it.each<[grants: readonly string[], can: readonly string[]]>([
    [["read"], []],
    [["plan"], ["can-queue-run"]],
    [["policy-overrides"], ["can-override-policy-check"]],
    [
      ["apply"],
      [
        "can-apply",
        "can-cancel",
        "can-comment",
        "can-discard",
        "can-queue-run",
        "can-queue-apply",
        "can-queue-destroy",
      ],
    ],
    [
      ["write"],
      [
        "can-apply",
        "can-cancel",
        "can-comment",
        "can-discard",
        "can-queue-run",
        "can-queue-apply",
        "can-queue-destroy",
      ],
    ],
    [
      ["admin", "read"],
      [
        "can-apply",
        "can-cancel",
        "can-comment",
        "can-discard",
        "can-force-execute",
        "can-force-cancel",
        "can-update",
        "can-destroy",
        "can-queue-run",
        "can-queue-apply",
        "can-queue-destroy",
      ],
    ],
  ])("shows whoever has %j on the workspace what that gives", async (grants, can) => {
    const { sim, softFailed, workspace } = runsWorld();
    const { check } = softFailed();
    const { token } = sim.runs.createToken({
      kind: "user",
      organization: "acme",
      grants: { workspaces: { [workspace]: grants as never } },
    });
    const { body } = await open(sim).call("policyChecks.read", token, { id: check }, { include: "run.workspace" });
    const permissions = (body?.included ?? []).flatMap(({ attributes }) => Object.entries(attributes.permissions));
    expect(permissions.filter(([, may]) => may).map(([name]) => name)).toEqual(can);
  });

  it("shows the included workspace whole", async () => {
    const { sim, tokens } = runsWorld();
    sim.clock.advance(5);
    sim.runs.createWorkspace({ organization: "acme", name: "a b", id: "ws-2", autoApply: true });
    const { policyCheckIds } = sim.runs.createRun({ workspace: "ws-2", policyChecks: [{ policies: [] }] });
    const [id] = policyCheckIds;
    const { body } = await open(sim).call(
      "policyChecks.read",
      tokens.organization,
      { id },
      { include: "run.workspace" },
    );
    expect(body?.included?.[1]).toEqual({
      id: "ws-2",
      type: "workspaces",
      attributes: {
        name: "a b",
        description: null,
        "auto-apply": true,
        locked: false,
        "execution-mode": "remote",
        "created-at": "2026-01-01T00:00:00.005Z",
        "updated-at": "2026-01-01T00:00:00.005Z",
        permissions: {
          "can-update": false,
          "can-destroy": false,
          "can-queue-run": false,
          "can-queue-apply": false,
          "can-queue-destroy": false,
        },
        actions: { "is-destroyable": true },
        "policy-check-failures": null,
      },
      relationships: { organization: { data: { id: "acme", type: "organizations" } } },
      links: { self: "/api/v2/organizations/acme/workspaces/a%20b" },
    });
  });

  it("lets no organization's token override, whatever it is granted", async () => {
    const { sim, softFailed, workspace } = runsWorld();
    const { check } = softFailed();
    const { token } = sim.runs.createToken({
      kind: "organization",
      organization: "acme",
      grants: { owner: true, managePolicyOverrides: true, workspaces: { [workspace]: ["policy-overrides", "admin"] } },
    });
    const door = open(sim);
    const shown = one(await door.call("policyChecks.read", token, { id: check }));
    expect(shown.attributes.permissions).toEqual({ "can-override": false });
    expect((await door.call("policyChecks.override", token, { id: check })).status).toBe(404);
  });

  it("keeps the outcomes of an evaluation whose stage was overridden, and its counts", async () => {
    const { sim, tokens, evaluated } = runsWorld();
    const { evaluation, stage } = evaluated([policySet([mandatoryFailure], { overridable: true })]);
    const door = open(sim);
    const seen = async () => ({
      listed: many(await door.call("policySetOutcomes.list", tokens.reader, { policy_evaluation_id: evaluation })),
      counts: one(await door.call("policyEvaluations.read", tokens.reader, { id: evaluation })).attributes[
        "result-count"
      ],
    });
    const before = await seen();
    expect(before.listed).toHaveLength(1);
    expect((await door.call("taskStages.override", tokens.overrider, { id: stage })).status).toBe(200);
    expect(await seen()).toEqual(before);
    const { attributes } = one(await door.call("policyEvaluations.read", tokens.reader, { id: evaluation }));
    expect(attributes.status).toBe("overridden");
    expect(Object.keys(attributes["status-timestamps"])).toEqual([
      "queued-at",
      "running-at",
      "failed-at",
      "overridden-at",
    ]);
  });

  it("overrides a soft failure, moves the run, and keeps the comment", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const { id, check } = softFailed();
    const answer = await open(sim).call("policyChecks.override", tokens.overrider, { id: check, comment: "agreed" });
    expect(answer.status).toBe(200);
    expect(one(answer).attributes).toMatchObject({ status: "overridden", actions: { "is-overridable": false } });
    expect(sim.runs.run(id).status).toBe("policy_checked");
    const [overridden] = sim.log.events().filter(({ type }) => type === "PolicyCheckOverridden");
    expect(overridden?.data).toEqual({ policyCheck: check, status: "overridden", comment: "agreed" });
  });

  it("leaves a run with two soft failures waiting after the first override", async () => {
    const { sim, tokens, run } = runsWorld();
    const { id, policyCheckIds } = run({
      policyChecks: [{ policies: [soft] }, { scope: "workspace", policies: [soft] }],
    });
    const override = (check: string | undefined) =>
      open(sim).call("policyChecks.override", tokens.overrider, { id: check });
    expect(one(await override(policyCheckIds[0])).attributes.actions["is-overridable"]).toBe(false);
    expect(sim.runs.run(id).status).toBe("policy_override");
    expect((await override(policyCheckIds[0])).code).toBe("transition_not_allowed");
    await override(policyCheckIds[1]);
    expect(sim.runs.run(id).status).toBe("policy_checked");
  });

  it("does not ask the workspace's policies after a hard failure of the organization's", async () => {
    const { sim, tokens, run } = runsWorld();
    const { id } = run({ policyChecks: [{ policies: [hard] }, { scope: "workspace", policies: [fine] }] });
    const listed = await open(sim).call("policyChecks.list", tokens.reader, { run_id: id });
    expect(many(listed).map(({ attributes }) => attributes.status)).toEqual(["hard_failed", "unreachable"]);
  });

  it("shows task stages, evaluations and outcomes with exactly their keys", async () => {
    const { sim, tokens, evaluated } = runsWorld();
    const { id, stage, evaluation } = evaluated([
      policySet([mandatoryFailure, outcome("passed", "advisory")], { overridable: true, id: "psout-1" }),
      // What was planned for a set that cannot be evaluated is not shown.
      policySet([outcome("passed")], { error: "no such data", id: "psout-2", description: "broken" }),
    ]);
    const door = open(sim);
    const [listed] = many(await door.call("taskStages.list", tokens.reader, { run_id: id }));
    expect(listed).toEqual(one(await door.call("taskStages.read", tokens.reader, { id: stage })));
    expect(listed).toEqual({
      id: stage,
      type: "task-stages",
      attributes: {
        status: "errored",
        stage: "post_plan",
        "status-timestamps": {
          "running-at": "2026-01-01T00:00:00+00:00",
          "errored-at": "2026-01-01T00:00:00+00:00",
        },
        "created-at": "2026-01-01T00:00:00.000Z",
        "updated-at": "2026-01-01T00:00:00.000Z",
        permissions: { "can-override-policy": false, "can-override-tasks": false, "can-override": false },
        actions: { "is-overridable": false },
      },
      relationships: {
        run: { data: { id, type: "runs" } },
        "task-results": { data: [] },
        "policy-evaluations": { data: [{ id: evaluation, type: "policy-evaluations" }] },
      },
      links: { self: `/api/v2/task-stages/${stage}` },
    });
    const [evaluated1] = many(await door.call("policyEvaluations.list", tokens.reader, { task_stage_id: stage }));
    expect(evaluated1).toEqual(one(await door.call("policyEvaluations.read", tokens.reader, { id: evaluation })));
    expect(evaluated1).toEqual({
      id: evaluation,
      type: "policy-evaluations",
      attributes: {
        status: "errored",
        "policy-kind": "kind-b",
        "result-count": { "advisory-failed": 0, errored: 1, "mandatory-failed": 1, passed: 1 },
        "status-timestamps": {
          "queued-at": "2026-01-01T00:00:00+00:00",
          "running-at": "2026-01-01T00:00:00+00:00",
          "errored-at": "2026-01-01T00:00:00+00:00",
        },
        "created-at": "2026-01-01T00:00:00.000Z",
        "updated-at": "2026-01-01T00:00:00.000Z",
      },
      relationships: {
        "policy-attachable": { data: { id: stage, type: "task-stages" } },
        "policy-set-outcomes": {
          links: { related: `/api/v2/policy-evaluations/${evaluation}/policy-set-outcomes` },
        },
      },
      links: { self: `/api/v2/policy-evaluations/${evaluation}` },
    });
    const outcomes = many(
      await door.call("policySetOutcomes.list", tokens.reader, { policy_evaluation_id: evaluation }),
    );
    expect(outcomes).toEqual([
      {
        id: "psout-1",
        type: "policy-set-outcomes",
        attributes: {
          outcomes: [
            {
              enforcement_level: "mandatory",
              query: "data.policies.deny",
              status: "failed",
              policy_name: "mandatory failed",
              description: "",
            },
            {
              enforcement_level: "advisory",
              query: "data.policies.deny",
              status: "passed",
              policy_name: "advisory passed",
              description: "",
            },
          ],
          error: "",
          overridable: true,
          "policy-set-name": "security",
          "policy-set-description": null,
          "result-count": { "advisory-failed": 0, errored: 0, "mandatory-failed": 1, passed: 1 },
        },
        relationships: { "policy-evaluation": { data: { id: evaluation, type: "policy-evaluations" } } },
      },
      {
        id: "psout-2",
        type: "policy-set-outcomes",
        attributes: {
          outcomes: [],
          error: "no such data",
          overridable: false,
          "policy-set-name": "security",
          "policy-set-description": "broken",
          "result-count": { "advisory-failed": 0, errored: 1, "mandatory-failed": 0, passed: 0 },
        },
        relationships: { "policy-evaluation": { data: { id: evaluation, type: "policy-evaluations" } } },
      },
    ]);
    for (const set of outcomes) {
      expect(one(await door.call("policySetOutcomes.read", tokens.reader, { policy_set_outcome_id: set.id }))).toEqual(
        set,
      );
    }
    const errored = await door.call(
      "policySetOutcomes.list",
      tokens.reader,
      { policy_evaluation_id: evaluation },
      { filter: { 0: { status: "errored" } } },
    );
    expect(many(errored).map((set) => set.id)).toEqual(["psout-2"]);
  });

  it("has no outcomes before the evaluation ended, nor after it was canceled", async () => {
    const { sim, tokens, evaluated } = runsWorld();
    const { id, evaluation, stage } = evaluated([policySet([mandatoryFailure], { id: "psout-1" })], {
      timing: "manual",
    });
    const door = open(sim);
    const absent = async (status: string): Promise<void> => {
      const listed = await door.call("policySetOutcomes.list", tokens.reader, { policy_evaluation_id: evaluation });
      expect(listed.body?.meta?.pagination["total-count"]).toBe(0);
      const one1 = await door.call("policySetOutcomes.read", tokens.reader, { policy_set_outcome_id: "psout-1" });
      expect(one1.status).toBe(404);
      const shown = one(await door.call("policyEvaluations.read", tokens.reader, { id: evaluation })).attributes;
      expect(shown.status).toBe(status);
      expect(shown["result-count"]).toEqual({ "advisory-failed": 0, errored: 0, "mandatory-failed": 0, passed: 0 });
    };
    await absent("pending");
    const statuses = [1, 2, 3, 4].map(() => sim.runs.run(id).step());
    expect(statuses).toEqual(["plan_queued", "planning", "planned", "post_plan_running"]);
    await absent("queued");
    sim.runs.run(id).cancel();
    await absent("canceled");
    expect(one(await door.call("taskStages.read", tokens.reader, { id: stage })).attributes.status).toBe("canceled");
  });

  it("gives the output of a check", async () => {
    const { sim, tokens, run } = runsWorld();
    const { policyCheckIds } = run({ policyChecks: [{ policies: [fine, soft, { ...advisory, result: "error" }] }] });
    const [id] = policyCheckIds;
    const answer = await open(sim).call("policyChecks.output", tokens.reader, { id });
    expect([200, 307]).toContain(answer.status);
    const text = sim.runs.as(tokens.reader).policyChecks.output({ id: id as string });
    expect(text).toBe(
      "Result: false\n\n3 policies evaluated.\n\n" +
        "## Policy 1: names (hard-mandatory)\n\nResult: true\n\n" +
        "## Policy 2: tags (soft-mandatory)\n\nResult: false\n\n" +
        "## Policy 3: cost (advisory)\n\nResult: false\n\n",
    );
  });

  it.each<[OperationName, Arguments, Options, string]>([
    ["policyChecks.list", { run_id: "run-1" }, { include: "runs" }, "include_invalid"],
    ["policyChecks.read", { id: "polchk-1" }, { include: "Run" }, "include_invalid"],
    [
      "policySetOutcomes.list",
      { policy_evaluation_id: "poleval-1" },
      { filter: { 0: { status: "x" } } },
      "filter_invalid",
    ],
    [
      "policySetOutcomes.list",
      { policy_evaluation_id: "poleval-1" },
      { filter: { 0: { foo: "x" } } },
      "filter_invalid",
    ],
    [
      "policySetOutcomes.list",
      { policy_evaluation_id: "poleval-1" },
      { filter: { a: { status: "failed" } } },
      "filter_invalid",
    ],
  ])("refuses bad parameters of %s %j %j", async (operation, argument, options, code) => {
    const { sim, tokens, run } = runsWorld();
    run({
      id: "run-1",
      policyChecks: [{ id: "polchk-1", policies: [] }],
      policyEvaluation: { id: "poleval-1", policySets: [] },
    });
    const answer = await open(sim).call(operation, tokens.reader, argument, options);
    expect(answer).toEqual({ status: 400, body: undefined, code });
  });

  it("answers 401 to whoever has no token that works", async () => {
    const { sim, softFailed } = runsWorld();
    const { check } = softFailed();
    const revoked = sim.runs.createToken({ kind: "user", organization: "acme", grants: { owner: true } });
    const expiring = sim.runs.createToken({
      kind: "team",
      organization: "acme",
      grants: { owner: true },
      expiresAt: new Date("2026-01-01T00:00:10Z"),
    });
    sim.runs.revokeToken(revoked.id);
    const status = async (token: string | undefined) =>
      (await open(sim).call("policyChecks.read", token, { id: check })).status;
    expect(await status(undefined)).toBe(401);
    expect(await status("nonsense")).toBe(401);
    expect(await status(revoked.token)).toBe(401);
    sim.clock.advance("9.999s");
    expect(await status(expiring.token)).toBe(200);
    sim.clock.advance(1);
    expect(await status(expiring.token)).toBe(401);
  });

  it("answers 404 in an organization without the entitlement, to owners too", async () => {
    const { sim } = runsWorld();
    sim.runs.createOrganization({ name: "small", policyEnforcement: false });
    const { id: workspace } = sim.runs.createWorkspace({ organization: "small", name: "prod" });
    const { token } = sim.runs.createToken({ kind: "user", organization: "small", grants: { owner: true } });
    const created = sim.runs.createRun({ workspace, policyChecks: [{ policies: [soft] }] });
    const door = open(sim);
    expect((await door.call("policyChecks.read", token, { id: created.policyCheckIds[0] })).status).toBe(404);
    expect((await door.call("policyChecks.override", token, { id: created.policyCheckIds[0] })).status).toBe(404);
    expect((await door.call("taskStages.list", token, { run_id: created.id })).status).toBe(404);
  });

  it("fails as many requests as were asked for, with the status asked for, and commits only the count", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const { check, id } = softFailed();
    const door = open(sim);
    sim.faults.failNextRequests({ service: "runs", count: 2 });
    sim.faults.failNextRequests({ service: "runs", count: 1, status: 503 });
    const position = sim.position;
    const answers = [
      await door.call("policyChecks.override", tokens.overrider, { id: check }),
      await door.call("policyChecks.read", undefined, { id: check }),
      await door.call("policyChecks.read", tokens.reader, { id: check }),
    ];
    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      [500, "request_failed"],
      [500, "request_failed"],
      [503, "request_failed"],
    ]);
    expect(sim.position).toBe(position + 3);
    expect(
      sim.log
        .events()
        .slice(-3)
        .map(({ type }) => type),
    ).toEqual(Array(3).fill("RunsRequestFailed"));
    expect(sim.runs.run(id).status).toBe("policy_override");
    expect((await door.call("policyChecks.override", tokens.overrider, { id: check })).status).toBe(200);
  });

  it("names the run where it is the run that allows no override", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const { check, id } = softFailed();
    sim.runs.run(id).discard();
    const refused = await open(sim).call("policyChecks.override", tokens.overrider, { id: check });
    expect([refused.status, refused.code]).toEqual([409, "transition_not_allowed"]);
    expect(() => sim.runs.as(tokens.overrider).policyChecks.override({ id: check })).toThrow(
      `${id} is discarded, which allows no override`,
    );
  });

  it("fails before it looks at the rate limit", async () => {
    const { sim, tokens, softFailed } = runsWorld({ runs: { rateLimitPerSecond: 1 } });
    const { check } = softFailed();
    const ask = async () => (await open(sim).call("policyChecks.read", tokens.reader, { id: check })).status;
    expect(await ask()).toBe(200);
    sim.faults.failNextRequests({ service: "runs", count: 1, status: 502 });
    expect([await ask(), await ask()]).toEqual([502, 429]);
  });

  it("refuses beyond the rate limit, and counts a token that works by its user, others together", async () => {
    const { sim, tokens, softFailed } = runsWorld({ runs: { rateLimitPerSecond: 1 } });
    const { check } = softFailed();
    const ask = async (token: string | undefined) =>
      (await open(sim).call("policyChecks.read", token, { id: check })).status;
    expect([await ask(tokens.reader), await ask(tokens.reader), await ask(tokens.owner)]).toEqual([200, 429, 200]);
    expect([await ask(undefined), await ask("nonsense")]).toEqual([401, 429]);
    expect([await ask(tokens.organization), await ask(tokens.organization)]).toEqual([200, 429]);
    expect((await open(sim.fork()).call("policyChecks.read", tokens.reader, { id: check })).status).toBe(200);
    sim.clock.advance("1s");
    expect(await ask(tokens.reader)).toBe(200);
  });
});

describe("both doors", () => {
  it("leave the same log, but for the door", async () => {
    const logs = await Promise.all(
      [typedDoor, httpDoor].map(async (open) => {
        const { sim, tokens, softFailed, evaluated } = runsWorld();
        const { check } = softFailed();
        const { stage } = evaluated([policySet([mandatoryFailure], { overridable: true })]);
        const door = open(sim);
        await door.call("policyChecks.override", tokens.reader, { id: check });
        await door.call("policyChecks.override", tokens.overrider, { id: check, comment: "yes" });
        sim.faults.failNextRequests({ service: "runs", count: 1 });
        await door.call("policyChecks.read", tokens.owner, { id: check }, { include: "run" });
        await door.call("taskStages.override", tokens.owner, { id: stage });
        return sim.log.commits().map(({ command: { via: _, ...command }, ...commit }) => ({ ...commit, command }));
      }),
    );
    expect(logs[0]).toEqual(logs[1]);
  });

  it("read a past in which a failure is to come, and use nothing up", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const { check } = softFailed();
    sim.faults.failNextRequests({ service: "runs", count: 1 });
    const { position } = sim;
    expect(sim.at(position).runs.as(tokens.reader).policyChecks.read({ id: check }).data.id).toBe(check);
    const headers = { Authorization: `Bearer ${tokens.reader}`, "X-Hindcast-At": `${position}` };
    const url = `${sim.runs.url}/api/v2/policy-checks/${check}`;
    expect((await reach(sim)(url, { headers })).status).toBe(200);
    expect(sim.position).toBe(position);
    expect((await get(sim, `/api/v2/policy-checks/${check}`, tokens.reader)).status).toBe(500);
  });

  it("read the past, and take no commands there", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const { check, id } = softFailed();
    sim.mark("before");
    sim.clock.advance("1m");
    sim.runs.as(tokens.overrider).policyChecks.override({ id: check });
    const past = sim.at("before");
    expect(past.runs.run(id).status).toBe("policy_override");
    expect(past.runs.as(tokens.overrider).policyChecks.read({ id: check }).data.attributes.status).toBe("soft_failed");
    expect(() => past.runs.as(tokens.overrider).policyChecks.override({ id: check })).toThrow("X-Hindcast-At");
    expect(() => past.runs.run(id).discard()).toThrow(TypeError);
    const headers = { Authorization: `Bearer ${tokens.reader}`, "X-Hindcast-At": "before" };
    const seen = await reach(sim)(`${sim.runs.url}/api/v2/policy-checks/${check}`, { headers });
    expect(((await seen.json()) as { data: { attributes: object } }).data.attributes).toMatchObject({
      status: "soft_failed",
    });
    for (const place of ["nowhere", "9999"]) {
      const lost = await reach(sim)(`${sim.runs.url}/api/v2/policy-checks/${check}`, {
        headers: { ...headers, "X-Hindcast-At": place },
      });
      expect(lost.status).toBe(400);
      expect(lost.headers.get("Content-Type")).toBe("application/vnd.api+json");
      expect(await lost.text()).toContain("X-Hindcast-At");
    }
    expect((await get(sim, `/api/v2/policy-checks/${check}`, tokens.reader)).text).toContain('"overridden"');
  });
});
