import { describe, expect, it } from "vitest";
import { lastRequest } from "../../support/journal.ts";
import { expectNothingChanged } from "../expectations.ts";
import { reach } from "../transports.ts";
import { get, one, send } from "./driver.ts";
import { mandatoryFailure, policySet, runsWorld } from "./runs-world.ts";

const JSON_API = "application/vnd.api+json";

// decisions-policy-checks.md, 1.1 and 2.

describe("a request", () => {
  it("is answered by the first test that applies", async () => {
    const { sim, tokens, softFailed, run } = runsWorld();
    const { check } = softFailed();
    const { policyCheckIds } = run({ policyChecks: [{ policies: [] }] });
    const path = `/api/v2/policy-checks/${check}`;
    const override = `${path}/actions/override`;
    const passed = `/api/v2/policy-checks/${policyCheckIds[0]}/actions/override`;
    const plain = { "Content-Type": "text/plain" };
    type Row = readonly [what: string, status: number, answer: Promise<{ readonly status: number }>];
    const rows: readonly Row[] = [
      ["no token, unknown path", 401, get(sim, "/api/v2/nothing")],
      ["no token, wrong content type", 401, send(sim, "POST", override, { headers: plain })],
      ["unknown path", 404, get(sim, "/api/v2/nothing", tokens.owner)],
      ["unknown path, wrong content type", 404, send(sim, "POST", path, { token: tokens.owner, headers: plain })],
      ["unknown method", 404, send(sim, "DELETE", path, { token: tokens.owner })],
      ["unknown method PATCH", 404, send(sim, "PATCH", override, { token: tokens.owner })],
      ["GET of an action", 404, get(sim, override, tokens.owner)],
      ["trailing slash", 404, get(sim, `${path}/`, tokens.owner)],
      ["outside /api/v2", 404, get(sim, "/", tokens.owner)],
      ["malformed escape", 404, get(sim, "/api/v2/policy-checks/%zz", tokens.owner)],
      [
        "wrong content type on what is not there",
        415,
        send(sim, "POST", `${path}x/actions/override`, { token: tokens.owner, headers: plain }),
      ],
      [
        "wrong content type before a broken body",
        415,
        send(sim, "POST", override, { token: tokens.owner, headers: plain, body: "{" }),
      ],
      [
        "broken body on what is not there",
        400,
        send(sim, "POST", `${path}x/actions/override`, { token: tokens.owner, body: "{" }),
      ],
      ["broken body without the right", 400, send(sim, "POST", override, { token: tokens.reader, body: "nope" })],
      ["not there", 404, send(sim, "POST", `${path}x/actions/override`, { token: tokens.owner })],
      ["without the right, in the wrong state", 404, send(sim, "POST", passed, { token: tokens.reader })],
      ["in the wrong state", 409, send(sim, "POST", passed, { token: tokens.overrider })],
      [
        "include is ignored on an override",
        409,
        send(sim, "POST", `${passed}?include=nothing`, { token: tokens.overrider }),
      ],
      ["bad include on what is not there", 404, get(sim, `${path}x?include=nothing`, tokens.owner)],
      ["bad include", 400, get(sim, `${path}?include=nothing`, tokens.owner)],
      ["an empty include", 200, get(sim, `${path}?include=`, tokens.owner)],
      ["unknown parameters", 200, get(sim, `${path}?foo=1&page[size]=x&filter[x]=1`, tokens.owner)],
    ];
    for (const [what, status, answer] of rows)
      expect({ what, status: (await answer).status }).toEqual({ what, status });
    expect(sim.runs.as(tokens.owner).policyChecks.read({ id: check }).data.attributes.status).toBe("soft_failed");
  });

  it.each([
    ["Bearer", true],
    ["bearer", true],
    ["BEARER", true],
    ["Token", false],
    ["Bearer ", false],
    ["", false],
  ])("is %j followed by a token: %s", async (scheme, works) => {
    const { sim, tokens, softFailed } = runsWorld();
    const path = `/api/v2/policy-checks/${softFailed().check}`;
    const headers = { Authorization: `${scheme} ${tokens.reader}` };
    const answer = await send(sim, "GET", path, { headers });
    expect(answer.status).toBe(works ? 200 : 401);
    if (!works) expect(answer.text).toBe('{"errors":[{"status":"401","title":"unauthorized"}]}');
  });

  it.each([
    [JSON_API, 200],
    ["APPLICATION/vnd.api+json", 200],
    [`${JSON_API}; charset=utf-8`, 200],
    ["application/json", 415],
    ["application/vnd.api+jsonx", 415],
  ])("with the content type %s is %i", async (type, status) => {
    const { sim, tokens, softFailed } = runsWorld();
    const path = `/api/v2/policy-checks/${softFailed().check}/actions/override`;
    const answer = await send(sim, "POST", path, { token: tokens.overrider, headers: { "Content-Type": type } });
    expect(answer.status).toBe(status);
    if (status === 415) {
      expect(answer.body.errors).toEqual([
        { status: "415", title: "invalid content type", detail: "content-type must be application/vnd.api+json" },
      ]);
    }
  });

  it.each([
    ['{"comment":"fine"}', "fine"],
    ['{"comment":null}', undefined],
    ['{"comment":7}', undefined],
    ['{"data":{"comment":"no"}}', undefined],
    ["[1]", undefined],
    ["null", undefined],
    ['"comment"', undefined],
    ['{"__proto__":{"comment":"no"}}', undefined],
  ])("with the body %s leaves the comment %s", async (body, comment) => {
    const { sim, tokens, softFailed } = runsWorld();
    const path = `/api/v2/policy-checks/${softFailed().check}/actions/override`;
    expect((await send(sim, "POST", path, { token: tokens.overrider, body })).status).toBe(200);
    const overridden = sim.log.events().find(({ type }) => type === "PolicyCheckOverridden");
    expect((overridden?.data as { comment?: string } | undefined)?.comment).toBe(comment);
  });

  it("whose body is no text is no JSON either", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const response = await reach(sim)(`${sim.runs.url}/api/v2/policy-checks/${softFailed().check}/actions/override`, {
      method: "POST",
      headers: { Authorization: `Bearer ${tokens.overrider}`, "Content-Type": JSON_API },
      body: Uint8Array.of(0x22, 0xff, 0x22),
    });
    expect(response.status).toBe(400);
  });

  it("never looks at Accept, and at the content type of a POST only", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const path = `/api/v2/policy-checks/${softFailed().check}`;
    const headers = { Accept: "text/html", "Content-Type": "text/plain" };
    expect((await send(sim, "GET", path, { token: tokens.reader, headers })).status).toBe(200);
  });

  it("finds an id that a test chose, whatever is in it", async () => {
    const { sim, tokens, run } = runsWorld();
    const id = "a/b c%?#ü";
    run({ policyChecks: [{ id, policies: [] }] });
    const found = await get(sim, `/api/v2/policy-checks/${encodeURIComponent(id)}`, tokens.reader);
    expect(one(found).id).toBe(id);
    expect((await get(sim, one(found).links["output"] as string, tokens.reader)).status).toBe(307);
  });

  it("that is refused changes nothing", async () => {
    const { sim, tokens, softFailed, run } = runsWorld();
    const { check } = softFailed();
    const { policyCheckIds } = run({ policyChecks: [{ policies: [] }] });
    await expectNothingChanged(sim, async () => {
      for (const [id, token] of [
        [check, tokens.reader],
        [check, tokens.organization],
        [check, undefined],
        [policyCheckIds[0], tokens.owner],
      ]) {
        const answer = await send(sim, "POST", `/api/v2/policy-checks/${id}/actions/override`, { token });
        expect(answer.status).toBeGreaterThanOrEqual(401);
      }
    });
  });

  it("on an unknown path is noted with the routes nearest to it", async () => {
    const { sim, tokens } = runsWorld();
    await get(sim, "/api/v2/policy-check/x", tokens.owner);
    expect(lastRequest(sim)).toMatchObject({ response: { status: 404 }, refusal: { code: "not_found" } });
    expect(lastRequest(sim).nearest).toContain("GET /api/v2/policy-checks/:id");
  });

  it("can be explained", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const { check } = softFailed();
    const url = `${sim.runs.url}/api/v2/policy-checks/${check}`;
    const Authorization = `Bearer ${tokens.overrider}`;
    const read = await sim.fetch(url, { headers: { Authorization } });
    expect(sim.explain(read)).toMatchObject({
      operation: "runs.policyChecks.read",
      route: "GET /api/v2/policy-checks/:id",
      evidence: "chosen",
    });
    const headers = { Authorization, "Content-Type": JSON_API };
    const overridden = await sim.fetch(`${url}/actions/override`, { method: "POST", headers });
    expect(sim.explain(overridden).moves).toMatchObject([
      { machine: "policy-check", from: "soft_failed", to: "overridden", event: "override" },
      { machine: "run", from: "policy_override", to: "policy_checked", event: "settle" },
    ]);
  });
});

describe("the operations", () => {
  it("are the endpoints of the contract and of the decisions", () => {
    const { sim } = runsWorld();
    const rows = sim.operations().filter(({ service }) => service === "runs");
    expect(rows.map(({ name, method, path }) => `${name} ${method} ${path}`)).toEqual([
      "runs.policyChecks.list GET /api/v2/runs/:run_id/policy-checks",
      "runs.policyChecks.read GET /api/v2/policy-checks/:id",
      "runs.policyChecks.override POST /api/v2/policy-checks/:id/actions/override",
      "runs.policyChecks.output GET /api/v2/policy-checks/:id/output",
      "runs.taskStages.list GET /api/v2/runs/:run_id/task-stages",
      "runs.taskStages.read GET /api/v2/task-stages/:id",
      "runs.taskStages.override POST /api/v2/task-stages/:id/actions/override",
      "runs.policyEvaluations.list GET /api/v2/task-stages/:task_stage_id/policy-evaluations",
      "runs.policyEvaluations.read GET /api/v2/policy-evaluations/:id",
      "runs.policySetOutcomes.list GET /api/v2/policy-evaluations/:policy_evaluation_id/policy-set-outcomes",
      "runs.policySetOutcomes.read GET /api/v2/policy-set-outcomes/:policy_set_outcome_id",
      "runs.runs.list GET /api/v2/workspaces/:workspace_id/runs",
      "runs.runs.create POST /api/v2/runs",
      "runs.runs.read GET /api/v2/runs/:run_id",
      "runs.runs.apply POST /api/v2/runs/:run_id/actions/apply",
      "runs.runs.discard POST /api/v2/runs/:run_id/actions/discard",
      "runs.runs.cancel POST /api/v2/runs/:run_id/actions/cancel",
      "runs.runs.forceCancel POST /api/v2/runs/:run_id/actions/force-cancel",
      "runs.workspaces.read GET /api/v2/workspaces/:workspace_id",
      "runs.workspaces.create POST /api/v2/organizations/:organization_name/workspaces",
      "runs.workspaces.readByName GET /api/v2/organizations/:organization_name/workspaces/:workspace_name",
      "runs.organizations.read GET /api/v2/organizations/:organization_name",
      "runs.ping.read GET /api/v2/ping",
    ]);
  });
});

describe("a caller without rights", () => {
  it("cannot tell a resource that exists from one that does not", async () => {
    const { sim, tokens, softFailed, evaluated } = runsWorld();
    const { id, check } = softFailed();
    const { stage, evaluation } = evaluated([policySet([mandatoryFailure], { overridable: true, id: "psout-1" })]);
    const paths = (run: string, polchk: string, ts: string, poleval: string, psout: string) =>
      [
        ["GET", `/api/v2/runs/${run}/policy-checks`],
        ["GET", `/api/v2/runs/${run}/policy-checks?page[size]=1&include=nothing`],
        ["GET", `/api/v2/policy-checks/${polchk}`],
        ["GET", `/api/v2/policy-checks/${polchk}?include=nothing`],
        ["GET", `/api/v2/policy-checks/${polchk}/output`],
        ["POST", `/api/v2/policy-checks/${polchk}/actions/override`],
        ["GET", `/api/v2/runs/${run}/task-stages`],
        ["GET", `/api/v2/task-stages/${ts}`],
        ["POST", `/api/v2/task-stages/${ts}/actions/override`],
        ["GET", `/api/v2/task-stages/${ts}/policy-evaluations`],
        ["GET", `/api/v2/policy-evaluations/${poleval}`],
        ["GET", `/api/v2/policy-evaluations/${poleval}/policy-set-outcomes?filter[x]=1`],
        ["GET", `/api/v2/policy-set-outcomes/${psout}`],
      ] as const;
    const there = paths(id, check, stage, evaluation, "psout-1");
    const absent = paths("run-no", "polchk-no", "ts-no", "poleval-no", "psout-no");
    for (const token of [tokens.nobody, tokens.stranger]) {
      for (const [index, [method, path]] of there.entries()) {
        const real = await send(sim, method, path, { token });
        const missing = await send(sim, method, absent[index]?.[1] ?? "", { token });
        expect({ path, status: real.status, text: real.text }).toEqual({ path, status: 404, text: missing.text });
        const headers = ({ headers: all }: typeof real) => [...all].filter(([name]) => !name.startsWith("x-hindcast-"));
        expect(headers(real)).toEqual(headers(missing));
      }
    }
    const reader = there.filter(([method]) => method === "POST");
    for (const [method, path] of reader) {
      const real = await send(sim, method, path, { token: tokens.organization });
      const missing = await send(sim, method, `${path.split("/").slice(0, 4).join("/")}x/actions/override`, {
        token: tokens.organization,
      });
      expect(real.text).toBe(missing.text);
    }
  });
});

describe("the link to an output", () => {
  it("is another one at another instant, and both work; one that was tampered with does not", async () => {
    const { sim, tokens, softFailed } = runsWorld();
    const { check } = softFailed();
    const other = softFailed().check;
    const path = `/api/v2/policy-checks/${check}/output`;
    const linkNow = async () => (await get(sim, path, tokens.reader)).headers.get("Location") as string;
    const position = sim.position;
    const first = await linkNow();
    expect(await linkNow()).toBe(first);
    expect(sim.position).toBe(position);
    sim.clock.advance("1h");
    const second = await linkNow();
    expect(second).not.toBe(first);
    for (const link of [first, second]) expect((await get(sim, link)).text).toContain("2 policies evaluated.");
    const digest = first.slice(first.lastIndexOf("/") + 1);
    const tampered = [
      first.replace(check, other),
      first.replace(/\/\d+\//, "/1/"),
      first.replace(digest, "0".repeat(64)),
      `${first}0`,
    ];
    for (const link of tampered) expect((await get(sim, link)).status).toBe(404);
    expect((await send(sim, "POST", first)).status).toBe(401);
    expect((await get(sim.fork(), first)).status).toBe(200);
    sim.clock.advance("24h");
    expect((await get(sim, first)).status).toBe(404);
    expect((await get(sim, second)).status).toBe(200);
  });

  it("does not count for the rate limit, and the text does not change after an override", async () => {
    const { sim, tokens, softFailed } = runsWorld({ runs: { rateLimitPerSecond: 1 } });
    const { check } = softFailed();
    const link = (await get(sim, `/api/v2/policy-checks/${check}/output`, tokens.reader)).headers.get(
      "Location",
    ) as string;
    const before = await get(sim, link);
    expect(before.headers.get("X-RateLimit-Limit")).toBeNull();
    sim.runs.as(tokens.overrider).policyChecks.override({ id: check });
    expect((await get(sim, link)).text).toBe(before.text);
  });

  it("does not count for the rate limit where a failure was injected either", async () => {
    const { sim, tokens, softFailed } = runsWorld({ runs: { rateLimitPerSecond: 1 } });
    const { check } = softFailed();
    const link = (await get(sim, `/api/v2/policy-checks/${check}/output`, tokens.reader)).headers.get("Location");
    sim.faults.failNextRequests({ service: "runs", count: 1 });
    const failed = await get(sim, link ?? "");
    expect([failed.status, failed.headers.get("X-RateLimit-Limit")]).toEqual([500, null]);
  });
});
