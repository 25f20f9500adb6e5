import { describe, expect, it } from "vitest";
import { doors, many, one, type Resource, send } from "./driver.ts";
import { mandatoryFailure, policySet, runsWorld } from "./runs-world.ts";

// src/services/runs/runs/README.md.

describe.each(doors())("through %s", (_name, open) => {
  const world = () => {
    const made = runsWorld();
    const { sim, workspace } = made;
    const user = (name: string, grants: readonly ("plan" | "apply" | "admin")[]) =>
      sim.runs.createToken({
        kind: "user",
        organization: "acme",
        user: name,
        grants: { workspaces: { [workspace]: grants } },
      }).token;
    const tokens = {
      ...made.tokens,
      planner: user("p", ["plan"]),
      applier: user("a", ["apply"]),
      admin: user("b", ["admin"]),
    };
    return { ...made, tokens, door: open(sim) };
  };

  it("a run is read as it is included elsewhere", async () => {
    const { run, door, tokens, softFailed } = world();
    const { id } = run();
    const { status, body } = await door.call("runs.read", tokens.reader, { run_id: id });
    expect({ status, body }).toMatchObject({ status: 200, body: { data: { id, type: "runs" } } });
    expect(body).not.toHaveProperty("included");
    const { id: failed, check } = softFailed();
    const included = await door.call("policyChecks.read", tokens.reader, { id: check }, { include: "run" });
    const { body: read } = await door.call("runs.read", tokens.reader, { run_id: failed });
    expect(read?.data).toEqual(included.body?.included?.[0]);
  });

  it.each([
    ["workspace", ["workspaces"]],
    ["policy_checks", ["policy-checks"]],
    ["task_stages", ["task-stages"]],
    ["task_stages,policy_checks,workspace", ["workspaces", "policy-checks", "task-stages"]],
    ["plan,apply,created_by,cost_estimate,configuration_version,configuration_version.ingress_attributes", []],
  ])("include=%s brings %j", async (include, types) => {
    const { softFailed, door, tokens, workspace } = world();
    const { id } = softFailed({ policyEvaluation: { policySets: [policySet([])] } });
    const typesOf = (included?: readonly Resource[]) => included?.map(({ type }) => type);
    const one = await door.call("runs.read", tokens.reader, { run_id: id }, { include });
    expect(typesOf(one.body?.included)).toEqual(types);
    const all = await door.call("runs.list", tokens.reader, { workspace_id: workspace }, { include });
    expect(typesOf(all.body?.included)).toEqual(types);
  });

  it.each(["run", "policy-checks", "nothing"])("include=%s is refused", async (include) => {
    const { run, door, tokens } = world();
    const { id } = run();
    expect(await door.call("runs.read", tokens.reader, { run_id: id }, { include })).toMatchObject({ status: 400 });
  });

  it("include=policy_evaluations brings those of a task stage, task_results none, and others are refused", async () => {
    const { evaluated, door, tokens } = world();
    const { stage: id, evaluation } = evaluated([policySet([mandatoryFailure])]);
    const read = (include: string) => door.call("taskStages.read", tokens.reader, { id }, { include });
    const alone = await door.call("policyEvaluations.read", tokens.reader, { id: evaluation });
    expect((await read("policy_evaluations")).body?.included).toEqual([alone.body?.data]);
    expect((await read("task_results")).body?.included).toEqual([]);
    expect(await read("policy-evaluations")).toMatchObject({ status: 400, code: "include_invalid" });
  });

  it.each([
    ["runs.apply", {}, "applied"],
    ["runs.discard", {}, "discarded"],
    ["runs.cancel", { timing: "manual" }, "canceled"],
  ] as const)("%s moves a run, and answers 202 without a body; again it is 409", async (operation, options, status) => {
    const { sim, run, door, tokens } = world();
    const { id } = run(options);
    expect(await door.call(operation, tokens.applier, { run_id: id, comment: "so it is" })).toMatchObject({
      status: 202,
      body: undefined,
    });
    expect(sim.runs.run(id).status).toBe(status);
    expect(await door.call(operation, tokens.applier, { run_id: id })).toMatchObject({
      status: 409,
      code: "transition_not_allowed",
    });
  });

  it("a forced cancel leaves both timestamps", async () => {
    const { run, door, tokens } = world();
    const { id } = run({ timing: "manual" });
    expect(await door.call("runs.forceCancel", tokens.admin, { run_id: id })).toMatchObject({ status: 202 });
    const { body } = await door.call("runs.read", tokens.reader, { run_id: id });
    expect(Object.keys(one({ body }).attributes["status-timestamps"])).toEqual(["canceled-at", "force-canceled-at"]);
  });

  it.each([
    ["runs.apply", "planner"],
    ["runs.discard", "reader"],
    ["runs.cancel", "overrider"],
    ["runs.cancel", "organization"],
    ["runs.forceCancel", "applier"],
    ["runs.read", "nobody"],
    ["runs.read", "stranger"],
  ] as const)("%s is 404 for %s", async (operation, who) => {
    const { run, door, tokens } = world();
    const { id } = run();
    expect(await door.call(operation, tokens[who], { run_id: id })).toMatchObject({ status: 404, code: "not_found" });
  });

  it("runs of a workspace are listed in pages, the newest first", async () => {
    const { sim, run, door, tokens, workspace } = world();
    const elsewhere = sim.runs.createWorkspace({ organization: "acme", name: "ws-prod2", id: "ws-prod2" }).id;
    const ids = [run(), run(), run()].map(({ id }) => id);
    const other = run({ workspace: elsewhere }).id;
    const list = async (workspace_id: string, page?: { number?: number; size?: number }) => {
      const { body } = await door.call("runs.list", tokens.owner, { workspace_id }, page === undefined ? {} : { page });
      return { ids: many({ body }).map(({ id }) => id), count: body?.meta?.pagination["total-count"] };
    };
    expect(await list(workspace)).toEqual({ ids: ids.toReversed(), count: 3 });
    expect(await list(workspace, { number: 2, size: 2 })).toEqual({ ids: ids.slice(0, 1), count: 3 });
    expect(await list(elsewhere)).toEqual({ ids: [other], count: 1 });
    expect(await door.call("runs.list", tokens.nobody, { workspace_id: workspace })).toMatchObject({ status: 404 });
  });

  it("a workspace is read by its id and by its name", async () => {
    const { run, door, tokens, workspace } = world();
    const { id } = run();
    const byId = await door.call("workspaces.read", tokens.reader, { workspace_id: workspace });
    const named = { organization_name: "acme", workspace_name: "prod" };
    const byName = await door.call("workspaces.readByName", tokens.reader, named);
    const { body } = await door.call("runs.read", tokens.reader, { run_id: id }, { include: "workspace" });
    expect([byId.body?.data, byName.body?.data]).toEqual([body?.included?.[0], body?.included?.[0]]);
    for (const wrong of [{ workspace_name: "none" }, { organization_name: "other" }]) {
      const answer = await door.call("workspaces.readByName", tokens.reader, { ...named, ...wrong });
      expect(answer).toMatchObject({ status: 404 });
    }
    expect(await door.call("workspaces.read", tokens.nobody, { workspace_id: workspace })).toMatchObject({
      status: 404,
    });
  });

  it("an organization is read by its own tokens", async () => {
    const { door, tokens } = world();
    const read = (token: string) => door.call("organizations.read", token, { organization_name: "acme" });
    expect(await read(tokens.nobody)).toMatchObject({
      status: 200,
      body: { data: { id: "acme", attributes: { name: "acme", permissions: { "can-update": false } } } },
    });
    expect(await read(tokens.owner)).toMatchObject({
      body: { data: { attributes: { permissions: { "can-update": true } } } },
    });
    expect(await read(tokens.stranger)).toMatchObject({ status: 404 });
  });

  it("runs and workspaces are read without the entitlement for policies, and their policies are not", async () => {
    const { sim, door } = world();
    sim.runs.createOrganization({ name: "poor", policyEnforcement: false });
    const { id: workspace } = sim.runs.createWorkspace({ organization: "poor", name: "w" });
    const { id } = sim.runs.createRun({ workspace });
    const { token } = sim.runs.createToken({ kind: "user", organization: "poor", user: "u", grants: { owner: true } });
    expect(await door.call("runs.read", token, { run_id: id })).toMatchObject({ status: 200 });
    expect(await door.call("workspaces.read", token, { workspace_id: workspace })).toMatchObject({ status: 200 });
    expect(await door.call("policyChecks.list", token, { run_id: id })).toMatchObject({ status: 404 });
  });

  it("a workspace is made by owners, under a name that is free", async () => {
    const { door, tokens } = world();
    const create = (name: string, token: string = tokens.owner) =>
      door.call("workspaces.create", token, { organization_name: "acme", name, "auto-apply": true });
    const made = await create("made");
    expect(made.status).toBe(201);
    const { body: read } = await door.call("workspaces.read", tokens.owner, { workspace_id: one(made).id });
    expect(read).toEqual(made.body);
    expect(one(made).attributes).toMatchObject({ name: "made", "auto-apply": true });
    for (const name of ["made", "", "a b"]) {
      expect(await create(name)).toMatchObject({ status: 422, code: "attribute_invalid" });
    }
    expect(await create("other", tokens.admin)).toMatchObject({ status: 404 });
    expect(await create("other", tokens.organization)).toMatchObject({ status: 404 });
  });

  it("a run is made by whoever may plan, and one that applies by itself by whoever may apply", async () => {
    const { door, tokens, workspace } = world();
    const create = (token: string | undefined, more: object = {}) =>
      door.call("runs.create", token, { workspace, ...more });
    const made = await create(tokens.planner, { message: "go", "plan-only": true });
    expect(made).toMatchObject({ status: 201 });
    const { id, attributes } = one(made);
    expect(attributes).toMatchObject({ status: "planned_and_finished", message: "go", "plan-only": true });
    expect((await door.call("runs.read", tokens.reader, { run_id: id })).body?.data).toMatchObject({ id });
    expect(await create(tokens.planner, { "auto-apply": true })).toMatchObject({ status: 404 });
    expect(one(await create(tokens.applier, { "auto-apply": true })).attributes).toMatchObject({ status: "applied" });
    expect(await create(tokens.applier, { workspace: "" })).toMatchObject({ status: 422, code: "attribute_invalid" });
    expect(await create(tokens.applier, { workspace: "ws-none" })).toMatchObject({ status: 404 });
  });

  it("a run comes to what was planned for its workspace", async () => {
    const { sim, door, tokens, workspace } = world();
    const create = async () => one(await door.call("runs.create", tokens.planner, { workspace }));
    const policies = [{ name: "tags", level: "soft-mandatory" as const, result: false }];
    sim.runs.planRuns({ workspace, policyChecks: [{ policies }] });
    const first = await create();
    const second = await create();
    expect([first, second].map(({ attributes }) => attributes)).toMatchObject([
      { status: "policy_override" },
      { status: "policy_override" },
    ]);
    expect(second.id).not.toBe(first.id);
    sim.runs.planRuns({ workspace, planFails: true });
    expect((await create()).attributes).toMatchObject({ status: "errored" });
    sim.runs.planRuns({ workspace });
    expect((await create()).attributes).toMatchObject({ status: "planned" });
    const byHand = sim.runs.createRun({ workspace });
    expect(sim.runs.run(byHand.id).status).toBe("planned");
  });
});

describe("ping", () => {
  it("tells version, product and what is left of the rate limit", async () => {
    const { sim, tokens } = runsWorld({ runs: { rateLimitPerSecond: 30 } });
    const { status, headers, text } = await send(sim, "GET", "/api/v2/ping", { token: tokens.reader });
    expect({ status, text }).toEqual({ status: 204, text: "" });
    expect(Object.fromEntries(headers)).toMatchObject({
      "tfp-api-version": "2.6",
      "tfp-appname": "HCP Terraform",
      "x-ratelimit-limit": "30",
      "x-ratelimit-remaining": "29",
    });
    const refused = await send(sim, "GET", "/api/v2/ping");
    expect(refused.status).toBe(401);
    expect(refused.headers.get("x-ratelimit-limit")).toBe("30");
  });
});
