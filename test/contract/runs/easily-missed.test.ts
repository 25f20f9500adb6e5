import { describe, expect, it } from "vitest";
import { reach } from "../transports.ts";
import { get, many, one, send } from "./driver.ts";
import { advisory, fine, hard, mandatoryFailure, outcome, policySet, runsWorld, soft } from "./runs-world.ts";

// decisions-policy-checks.md, 10: every row, by its number.

const CHECK_PATH = (id: string): string => `/api/v2/policy-checks/${id}`;
const OVERRIDE = (id: string): string => `${CHECK_PATH(id)}/actions/override`;
const OUTCOMES = (id: string, query = ""): string => `/api/v2/policy-evaluations/${id}/policy-set-outcomes${query}`;

describe("easily missed", () => {
  it("1: the checks of a run have links and meta as soon as one page parameter is there, and not before", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const path = `/api/v2/runs/${softFailed().id}/policy-checks`;
    expect(Object.keys((await get(sim, path, tokens.reader)).body)).toEqual(["data"]);
    for (const query of ["page[size]=1", "page[number]=1", "page%5Bsize%5D=", "page[number]=x"]) {
      const { body } = await get(sim, `${path}?${query}`, tokens.reader);
      expect(Object.keys(body)).toEqual(["data", "links", "meta"]);
    }
  });

  it("2: evaluations and outcomes are always paginated", async () => {
    const { sim, tokens, evaluated } = runsWorld();
    const { stage, evaluation } = evaluated([policySet([outcome("passed", "mandatory")])]);
    for (const path of [`/api/v2/task-stages/${stage}/policy-evaluations`, OUTCOMES(evaluation)]) {
      expect(Object.keys((await get(sim, path, tokens.reader)).body)).toEqual(["data", "links", "meta"]);
    }
  });

  it("3: who can read but not override gets the body of a check that does not exist", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const refused = await send(sim, "POST", OVERRIDE(softFailed().check), { token: tokens.reader });
    const missing = await send(sim, "POST", OVERRIDE("polchk-missing"), { token: tokens.reader });
    expect(refused.status).toBe(404);
    expect(refused.text).toBe(missing.text);
    expect(refused.text).toBe('{"errors":[{"status":"404","title":"not found"}]}');
  });

  it("4: an organization's token reads everything in it and overrides nothing", async () => {
    const { sim, tokens, softFailed, evaluated } = runsWorld();
    const { check } = softFailed();
    const { stage, evaluation } = evaluated([policySet([mandatoryFailure], { overridable: true })]);
    const token = tokens.organization;
    for (const path of [CHECK_PATH(check), `/api/v2/task-stages/${stage}`, OUTCOMES(evaluation)]) {
      expect((await get(sim, path, token)).status).toBe(200);
    }
    expect((await send(sim, "POST", OVERRIDE(check), { token })).status).toBe(404);
    expect((await send(sim, "POST", `/api/v2/task-stages/${stage}/actions/override`, { token })).status).toBe(404);
  });

  it.each([
    ["managePolicyOverrides reads and overrides", { managePolicyOverrides: true }, 200, 200],
    ["managePolicies reads only", { managePolicies: true }, 200, 404],
    ["apply reads only", { workspaces: { "ws-prod": ["apply"] } }, 200, 404],
    ["admin reads only", { workspaces: { "ws-prod": ["admin"] } }, 200, 404],
    [
      "policy-overrides on the workspace reads and overrides",
      { workspaces: { "ws-prod": ["policy-overrides"] } },
      200,
      200,
    ],
    ["an owner does everything", { owner: true }, 200, 200],
    ["nothing is nothing", {}, 404, 404],
  ] as const)("5: %s", async (_, grants, reads, overrides) => {
    const { sim, softFailed } = runsWorld();
    const { check } = softFailed();
    for (const kind of ["user", "team"] as const) {
      const { token } = sim.runs.createToken({ kind, organization: "acme", grants: structuredClone(grants) as never });
      const fork = sim.fork();
      expect((await get(fork, CHECK_PATH(check), token)).status).toBe(reads);
      expect((await send(fork, "POST", OVERRIDE(check), { token })).status).toBe(overrides);
    }
  });

  it("6: can-override differs per caller, is-overridable does not", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const { check } = softFailed();
    const seen = async (token: string) => one(await get(sim, CHECK_PATH(check), token)).attributes;
    const [may, mayNot] = [await seen(tokens.overrider), await seen(tokens.reader)];
    expect(may.permissions).toEqual({ "can-override": true });
    expect(mayNot.permissions).toEqual({ "can-override": false });
    expect({ ...may, permissions: null }).toEqual({ ...mayNot, permissions: null });
    expect(may.actions).toEqual({ "is-overridable": true });
  });

  it("7: is-overridable is false once overridden, on a check as on a stage, and a second override is 409", async () => {
    const { sim, tokens, softFailed, evaluated } = runsWorld();
    const token = tokens.overrider;
    const { check } = softFailed();
    const { stage } = evaluated([policySet([mandatoryFailure], { overridable: true })]);
    for (const path of [CHECK_PATH(check), `/api/v2/task-stages/${stage}`]) {
      const before = one(await get(sim, path, token)).attributes;
      expect(before.actions["is-overridable"] && before.permissions["can-override"]).toBe(true);
      const overridden = await send(sim, "POST", `${path}/actions/override`, { token });
      expect(overridden.status).toBe(200);
      expect(one(overridden).attributes.actions["is-overridable"]).toBe(false);
      expect(one(await get(sim, path, token)).attributes.actions["is-overridable"]).toBe(false);
      const again = await send(sim, "POST", `${path}/actions/override`, { token });
      expect(again.status).toBe(409);
      expect(again.body.errors?.[0]?.title).toBe("transition not allowed");
    }
  });

  it("8 and 9: an override changes nothing in the result, and its answer has no relationships", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const { check } = softFailed({ policyChecks: [{ policies: [fine, soft, advisory], durationMs: 12 }] });
    const before = one(await get(sim, CHECK_PATH(check), tokens.overrider));
    const overridden = one(await send(sim, "POST", OVERRIDE(check), { token: tokens.overrider }));
    expect(overridden.attributes.result).toEqual(before.attributes.result);
    expect(overridden.attributes.result).toEqual({
      result: false,
      passed: 1,
      "total-failed": 2,
      "hard-failed": 0,
      "soft-failed": 1,
      "advisory-failed": 1,
      "duration-ms": 12,
      engine: { "schema-version": 1, data: {} },
    });
    expect(Object.keys(overridden)).toEqual(["id", "type", "attributes", "links"]);
    expect(Object.keys(before)).toEqual(["id", "type", "attributes", "relationships", "links"]);
    expect(Object.keys(overridden.attributes["status-timestamps"])).toEqual([
      "queued-at",
      "soft-failed-at",
      "overridden-at",
    ]);
  });

  it("10: advisory failures alone pass, and cannot be overridden", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const { check, id } = softFailed({ policyChecks: [{ policies: [advisory, advisory] }] });
    const { attributes } = one(await get(sim, CHECK_PATH(check), tokens.overrider));
    expect(attributes.status).toBe("passed");
    expect(attributes.result).toMatchObject({ result: true, "advisory-failed": 2, "total-failed": 2 });
    expect((await send(sim, "POST", OVERRIDE(check), { token: tokens.overrider })).status).toBe(409);
    expect(sim.runs.run(id).status).toBe("policy_checked");
  });

  it("11: a hard failure beside soft ones fails hard", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const { check, id } = softFailed({ policyChecks: [{ policies: [soft, hard, soft] }] });
    const { attributes } = one(await get(sim, CHECK_PATH(check), tokens.overrider));
    expect(attributes).toMatchObject({ status: "hard_failed", result: { "soft-failed": 2, "hard-failed": 1 } });
    expect(attributes.actions["is-overridable"]).toBe(false);
    expect(sim.runs.run(id).status).toBe("errored");
    expect((await send(sim, "POST", OVERRIDE(check), { token: tokens.overrider })).status).toBe(409);
  });

  it.each([
    ["a plan-only run", { planOnly: true }],
    ["a run without changes", { hasChanges: false }],
  ])("12: %s ends with its soft failure", async (_, options) => {
    const { sim, tokens, softFailed } = runsWorld();
    const { check, id } = softFailed(options);
    expect(sim.runs.run(id).status).toBe("policy_soft_failed");
    const { attributes } = one(await get(sim, CHECK_PATH(check), tokens.overrider));
    expect(attributes).toMatchObject({ status: "soft_failed", actions: { "is-overridable": false } });
    expect((await send(sim, "POST", OVERRIDE(check), { token: tokens.overrider })).status).toBe(409);
  });

  it("12: a run without changes that may be applied all the same waits", () => {
    const { sim, softFailed } = runsWorld();
    expect(sim.runs.run(softFailed({ hasChanges: false, allowEmptyApply: true }).id).status).toBe("policy_override");
  });

  it("13: a discarded run leaves its check soft_failed, and then nothing overrides it", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const { check, id } = softFailed();
    expect(sim.runs.run(id).discard()).toBe("discarded");
    const { attributes } = one(await get(sim, CHECK_PATH(check), tokens.overrider));
    expect(attributes).toMatchObject({ status: "soft_failed", actions: { "is-overridable": false } });
    expect((await send(sim, "POST", OVERRIDE(check), { token: tokens.overrider })).status).toBe(409);
  });

  it("14: pending and unreachable add no timestamp", async () => {
    const { sim, tokens, run } = runsWorld();
    const { id, policyCheckIds } = run({ policyChecks: [{ policies: [soft] }], timing: "manual" });
    const seen = async () => one(await get(sim, CHECK_PATH(policyCheckIds[0] as string), tokens.reader)).attributes;
    expect(await seen()).toMatchObject({ status: "pending", result: null });
    expect((await seen())["status-timestamps"]).toEqual({});
    sim.runs.run(id).cancel();
    expect(await seen()).toMatchObject({ status: "unreachable", result: null });
    expect((await seen())["status-timestamps"]).toEqual({});
  });

  it("15: the result is null before the end, and its output 204", async () => {
    const { sim, tokens, run } = runsWorld();
    const { policyCheckIds } = run({ policyChecks: [{ policies: [soft] }], timing: "manual" });
    const check = policyCheckIds[0] as string;
    const { attributes, links } = one(await get(sim, CHECK_PATH(check), tokens.reader));
    expect(Object.keys(attributes)).toContain("result");
    expect(attributes.result).toBeNull();
    expect(links).toEqual({ output: `/api/v2/policy-checks/${check}/output` });
    expect((await get(sim, `${CHECK_PATH(check)}/output`, tokens.reader)).status).toBe(204);
  });

  it("16: the output is a redirect, whose target needs no token and expires after 25 hours", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const path = `${CHECK_PATH(softFailed().check)}/output`;
    const redirect = await get(sim, path, tokens.reader);
    expect(redirect.status).toBe(307);
    const target = redirect.headers.get("Location") as string;
    expect(target.startsWith(`${sim.runs.url}/`)).toBe(true);
    expect(target).not.toContain("/api/v2");
    const followed = await send(sim, "GET", path, { token: tokens.reader, redirect: "follow" });
    expect(followed.text).toContain("Result: false");
    sim.clock.advance("24h59m59s");
    expect((await get(sim, target)).text).toBe(followed.text);
    sim.clock.advance("1s");
    expect((await get(sim, target)).status).toBe(404);
  });

  it("17: a POST without a content type is 415 though it has no body, but 401 comes first", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const url = sim.runs.url + OVERRIDE(softFailed().check);
    const bare = (token?: string) =>
      reach(sim)(url, { method: "POST", headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } });
    expect((await bare(tokens.overrider)).status).toBe(415);
    expect((await bare()).status).toBe(401);
  });

  it("18: include=run.workspace brings the run too, once; an unknown name is 400, but 404 on a missing check", async () => {
    const { sim, tokens, softFailed, workspace } = runsWorld();
    const { id, check } = softFailed({
      policyChecks: [{ policies: [soft] }, { scope: "workspace", policies: [soft] }],
    });
    for (const path of [CHECK_PATH(check), `/api/v2/runs/${id}/policy-checks`]) {
      const { body } = await get(sim, `${path}?include=run.workspace,run,run`, tokens.reader);
      expect(body.included?.map((resource) => resource.id)).toEqual([id, workspace]);
    }
    const unknown = await get(sim, `${CHECK_PATH(check)}?include=workspace`, tokens.reader);
    expect(unknown.status).toBe(400);
    expect(unknown.body.errors?.[0]).toMatchObject({ title: "bad request", source: { parameter: "include" } });
    expect(unknown.body.errors?.[0]?.detail).toMatch(/include parameter.*workspace/);
    expect((await get(sim, `${CHECK_PATH("polchk-no")}?include=workspace`, tokens.reader)).status).toBe(404);
  });

  it("19: a filter asks one and the same inner outcome, and returns the set whole", async () => {
    const { sim, tokens, evaluated } = runsWorld();
    const { evaluation } = evaluated([
      policySet([outcome("failed", "advisory"), outcome("passed", "mandatory")], { id: "psout-apart" }),
      policySet([outcome("passed", "advisory"), mandatoryFailure], { id: "psout-together" }),
    ]);
    const query = "?filter[0][status]=failed&filter[0][enforcementLevel]=mandatory";
    const found = many(await get(sim, OUTCOMES(evaluation, query), tokens.reader));
    expect(found.map(({ id }) => id)).toEqual(["psout-together"]);
    expect(found[0]?.attributes.outcomes).toHaveLength(2);
    expect(found[0]?.attributes["result-count"]).toMatchObject({ passed: 1, "mandatory-failed": 1 });
  });

  it("20: enforcementLevel alone filters nothing, but a wrong value of it is 400", async () => {
    const { sim, tokens, evaluated } = runsWorld();
    const { evaluation } = evaluated([policySet([outcome("passed", "advisory")]), policySet([mandatoryFailure])]);
    const seen = (value: string) =>
      get(sim, OUTCOMES(evaluation, `?filter[0][enforcementLevel]=${value}`), tokens.reader);
    expect(many(await seen("mandatory"))).toHaveLength(2);
    expect((await seen("hard")).status).toBe(400);
    expect((await seen("hard")).body.errors?.[0]?.source).toEqual({ parameter: "filter[0][enforcementLevel]" });
  });

  it("21: overridable is a setting: it is true on a set with advisory failures only", async () => {
    const { sim, tokens, evaluated } = runsWorld();
    const { evaluation } = evaluated([policySet([outcome("failed", "advisory")], { overridable: true })]);
    const [set] = many(await get(sim, OUTCOMES(evaluation), tokens.reader));
    expect(set?.attributes).toMatchObject({ overridable: true, "result-count": { "mandatory-failed": 0 } });
  });

  it("22: an errored inner outcome has no level, and matches none", async () => {
    const { sim, tokens, evaluated } = runsWorld();
    const { evaluation } = evaluated([policySet([outcome("errored", "mandatory")])]);
    const [set] = many(await get(sim, OUTCOMES(evaluation), tokens.reader));
    expect(set?.attributes.outcomes[0]).toHaveProperty("enforcement_level", null);
    const failed = "?filter[0][status]=failed&filter[0][enforcementLevel]=mandatory";
    expect(many(await get(sim, OUTCOMES(evaluation, failed), tokens.reader))).toEqual([]);
    const errored = "?filter[0][status]=errored&filter[0][enforcementLevel]=advisory";
    expect(many(await get(sim, OUTCOMES(evaluation, errored), tokens.reader))).toHaveLength(1);
  });

  it("23 to 26: pages past the end, empty lists, clamped sizes, links that keep the filter", async () => {
    const { sim, tokens, evaluated } = runsWorld();
    const { evaluation } = evaluated(Array.from({ length: 45 }, () => policySet([mandatoryFailure])));
    const path = `/api/v2/policy-evaluations/${evaluation}/policy-set-outcomes`;
    const past = (await get(sim, `${path}?page[number]=9`, tokens.reader)).body;
    expect(past.data).toEqual([]);
    expect(past.meta?.pagination).toEqual({
      "current-page": 9,
      "page-size": 20,
      "prev-page": null,
      "next-page": null,
      "total-pages": 3,
      "total-count": 45,
    });
    expect(past.links?.["last"]).toBe(`${path}?page%5Bnumber%5D=3&page%5Bsize%5D=20`);

    const empty = (await get(sim, `${path}?filter[0][status]=passed`, tokens.reader)).body;
    expect(empty.meta?.pagination).toMatchObject({ "total-pages": 0, "total-count": 0, "current-page": 1 });
    expect(empty.links?.["last"]).toBe(`${path}?filter%5B0%5D%5Bstatus%5D=passed&page%5Bnumber%5D=1&page%5Bsize%5D=20`);

    const large = (await get(sim, `${path}?page[size]=1000&unknown=x&filter[3][status]=failed`, tokens.reader)).body;
    expect(large.meta?.pagination["page-size"]).toBe(100);
    expect(large.links).toEqual({
      self: `${path}?filter%5B3%5D%5Bstatus%5D=failed&page%5Bnumber%5D=1&page%5Bsize%5D=100`,
      first: `${path}?filter%5B3%5D%5Bstatus%5D=failed&page%5Bnumber%5D=1&page%5Bsize%5D=100`,
      prev: null,
      next: null,
      last: `${path}?filter%5B3%5D%5Bstatus%5D=failed&page%5Bnumber%5D=1&page%5Bsize%5D=100`,
    });
  });

  it("27: status-timestamps are whole seconds with an offset, created-at has three digits and Z", async () => {
    const { sim, tokens, evaluated } = runsWorld({ startAt: "2022-09-16T01:39:07.780Z" });
    const { evaluation } = evaluated([policySet([mandatoryFailure])]);
    const { attributes } = one(await get(sim, `/api/v2/policy-evaluations/${evaluation}`, tokens.reader));
    expect(attributes["created-at"]).toBe("2022-09-16T01:39:07.780Z");
    expect(attributes["updated-at"]).toBe("2022-09-16T01:39:07.780Z");
    expect(attributes["status-timestamps"]).toEqual({
      "queued-at": "2022-09-16T01:39:07+00:00",
      "running-at": "2022-09-16T01:39:07+00:00",
      "failed-at": "2022-09-16T01:39:07+00:00",
    });
  });

  it("28: after an override of its stage running-at is later than awaiting-override-at", async () => {
    const { sim, tokens, evaluated } = runsWorld();
    const { stage, id } = evaluated([policySet([mandatoryFailure], { overridable: true })]);
    sim.clock.advance("90s");
    const overridden = await send(sim, "POST", `/api/v2/task-stages/${stage}/actions/override`, {
      token: tokens.overrider,
    });
    expect(one(overridden).attributes).toMatchObject({
      status: "running",
      "status-timestamps": {
        "awaiting-override-at": "2026-01-01T00:00:00+00:00",
        "running-at": "2026-01-01T00:01:30+00:00",
      },
    });
    expect(one(await get(sim, `/api/v2/task-stages/${stage}`, tokens.reader)).attributes).toMatchObject({
      status: "passed",
      "status-timestamps": { "passed-at": "2026-01-01T00:01:30+00:00", "running-at": "2026-01-01T00:01:30+00:00" },
    });
    expect(sim.runs.run(id).status).toBe("post_plan_completed");
  });

  it("29: a failing stage makes the policy checks of its run unreachable", async () => {
    const { sim, tokens, evaluated } = runsWorld();
    const { id, policyCheckIds } = evaluated([policySet([mandatoryFailure])], { policyChecks: [{ policies: [fine] }] });
    expect(sim.runs.run(id).status).toBe("errored");
    const { attributes } = one(await get(sim, CHECK_PATH(policyCheckIds[0] as string), tokens.reader));
    expect(attributes.status).toBe("unreachable");
  });

  it("30: the rate limit counts per user over all tokens, and its reset is a number of seconds", async () => {
    const { sim, tokens, softFailed } = runsWorld({ runs: { rateLimitPerSecond: 2 } });
    const path = CHECK_PATH(softFailed().check);
    const second = sim.runs.createToken({ kind: "user", organization: "acme", user: "rita", grants: { owner: true } });
    sim.clock.advance(250);
    const first = await get(sim, path, tokens.reader);
    expect(first.headers.get("X-RateLimit-Limit")).toBe("2");
    expect(first.headers.get("X-RateLimit-Remaining")).toBe("1");
    expect(first.headers.get("X-RateLimit-Reset")).toBe("0.75");
    expect((await get(sim, path, second.token)).headers.get("X-RateLimit-Remaining")).toBe("0");
    const refused = await get(sim, path, tokens.reader);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("Retry-After")).toBe("1");
    expect(refused.headers.get("X-RateLimit-Remaining")).toBe("0");
    expect((await get(sim, path, tokens.owner)).status).toBe(200);
    sim.clock.advance(750);
    expect((await get(sim, path, tokens.reader)).status).toBe(200);
  });
});
