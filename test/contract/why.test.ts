import { describe, expect, it } from "vitest";
import { createSimulator, Rejection, replay, type Simulator } from "../../src/index.ts";
import { pastOf } from "../../src/kernel/event-index.ts";
import { runsModule } from "../../src/services/runs/module.ts";
import { runsForms } from "../../src/services/runs/responses.ts";
import { schedulerModule } from "../../src/services/scheduler/module.ts";
import { schedulerForms } from "../../src/services/scheduler/responses.ts";
import { secretsModule } from "../../src/services/secrets/module.ts";
import { secretsForms } from "../../src/services/secrets/responses.ts";

const DEV = 'path "kv/app/*" { capabilities = ["list"] }';

function world() {
  const sim = createSimulator();
  const east = sim.secrets.cluster("main");
  east.writePolicy("dev", DEV);
  const { token, accessor } = east.createToken({ policies: ["dev"], ttl: "1h", displayName: "shop" });
  const read = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    sim.fetch(`${east.url}/v1/${path}`, { headers: { "X-Secrets-Token": token, ...headers } });
  return { sim, east, token, accessor, read };
}

const whyOf = (sim: Simulator, call: () => unknown): ReturnType<Simulator["why"]> => {
  try {
    call();
  } catch (error) {
    return sim.why(error as Error);
  }
  throw new Error("the call was not refused");
};

describe("three answers 403 are told apart", () => {
  it("by the policy and the rule that decided, and what was needed", async () => {
    const { sim, read, accessor } = world();
    const response = await read("kv/app/db");
    expect(response.status).toBe(403);
    const why = sim.why(response);
    expect(why?.code).toBe("permission_denied");
    expect(why?.facts[0]).toEqual({
      kind: "policy",
      position: 1,
      text: "kv/app/db needs read; policies default, dev: the rule that fits is kv/app/* [list] of dev",
    });
    expect(why?.facts[1]?.text).toBe(`token ${accessor} (token-shop) is valid until 2026-01-01T01:00:00Z`);
    const other = sim.why(await read("kv/other"));
    expect(other?.facts[0]?.text).toBe(
      "kv/other needs read; policies default, dev: no rule fits; nearest: kv/app/* [list] of dev",
    );
  });

  it("by the commit that ended the token, and the one that made it", async () => {
    const { sim, read, accessor } = world();
    sim.clock.advance("61m");
    expect(sim.why(await read("kv/app/db"))?.facts).toEqual([
      {
        kind: "token",
        position: 3,
        text: `token ${accessor} (token-shop) ended at 2026-01-01T01:00:00Z (#3, timer.tokenExpiry)`,
      },
      {
        kind: "token",
        position: 2,
        text: "it was made at 2026-01-01T00:00:00Z (#2, control.createToken) by the test author for 1h, and never renewed",
      },
    ]);
  });

  it("by who revoked it", () => {
    const { sim, east, token, accessor } = world();
    const root = east.as(east.rootToken);
    root.tokens.revoke({ token });
    const why = whyOf(sim, () => east.as(token).kv.read({ path: "app/db" }));
    expect(why?.text).toContain(`token ${accessor} (token-shop) ended`);
    expect(why?.text).toMatch(/\(#3, secrets\.tokens\.revoke\) by token \w+ \(root\)/);
  });

  it("by the namespace of the token, and by tokens that were never there", async () => {
    const { sim, east, read } = world();
    east.createNamespace("team");
    const { token } = east.createToken({ policies: ["default"], namespace: "team/" });
    const beyond = sim.why(await read("kv/app/db", { "X-Secrets-Token": token }));
    expect(beyond?.facts[0]?.text).toContain("is one of namespace team/, and namespace root was asked");
    expect(sim.why(await read("kv/a", { "X-Secrets-Token": "nobody" }))?.text).toBe(
      "the token that was given is none that was made here",
    );
  });
});

describe("gates", () => {
  it("tell which commit closed them", async () => {
    const { sim, east, read } = world();
    east.seal();
    expect(sim.why(await read("kv/app/db"))?.facts).toEqual([
      { kind: "gate", position: 3, text: "cluster main is sealed since 2026-01-01T00:00:00Z (#3, control.seal)" },
    ]);
  });

  it("tell a failure that a test asked for", async () => {
    const { sim, east, read } = world();
    sim.faults.failNextRequests({ service: east, count: 1, status: 502 });
    expect(sim.why(await read("kv/app/db"))?.text).toBe(
      "a test asked for a failure with 502 at 2026-01-01T00:00:00Z (#3, control.faults.failNextRequests)",
    );
  });

  it("say what is not simulated", async () => {
    const { sim, east, read } = world();
    const root = { "X-Secrets-Token": east.rootToken };
    const text = sim.why(await read("sys/audit", root))?.text;
    expect(text).toBe("audit devices: not simulated, see README.md#what-is-not-simulated");
    expect(sim.why(await read("transit/keys/a", root))?.text).toContain("the transit engine: not simulated");
  });
});

describe("sim.why", () => {
  it("is undefined for what is no refusal, and refuses what is of another simulator", async () => {
    const { sim, east, read } = world();
    expect(sim.why(await read("auth/token/lookup-self"))).toBeUndefined();
    expect(sim.why(new Error("of somebody else"))).toBeUndefined();
    for (const entry of sim.journal) expect(sim.why(entry)).toBeUndefined();
    expect(() => sim.why("403" as never)).toThrow(TypeError);
    const response = await read("kv/app/db");
    expect(() => createSimulator().why(response)).toThrow("does not come from this simulator");
    expect(whyOf(sim, () => sim.secrets.addCluster(east.name))?.code).toBe("cluster_exists");
  });

  it("tells what was the case when the request was refused, whatever happened since", async () => {
    const { sim, east, read } = world();
    const response = await read("kv/app/db");
    east.writePolicy("dev", 'path "kv/*" { capabilities = ["read"] }');
    expect(sim.why(response)?.facts[0]?.text).toContain("kv/app/* [list] of dev");
  });

  it("explains entries of the journal, those of a log by the text that it has", async () => {
    const { sim, read } = world();
    const why = sim.why(await read("kv/app/db"));
    const [entry, carried] = [sim, replay(sim.log.toNdjson({ journal: true }))].map(({ journal }) => journal.at(-1));
    if (entry === undefined || carried === undefined) throw new Error("no entry");
    expect(sim.why(entry)).toEqual(why);
    const { code, text = "" } = why ?? {};
    expect(sim.why(carried)).toEqual({ code, text, facts: [{ kind: "journal", text }] });
  });

  it("names who does not listen where a connection is refused", async () => {
    const { sim, east, read } = world();
    sim.network.stop(east);
    const error = await read("kv/app/db").catch((reason: unknown) => reason);
    const text = "connect ECONNREFUSED secrets-main.test: the cluster is stopped";
    expect(sim.why(error as Error)).toEqual({ code: "ECONNREFUSED", text, facts: [{ kind: "connection", text }] });
  });

  it("stands in explanations of responses and of commits that failed", async () => {
    const { sim, east, read } = world();
    const response = await read("kv/app/db");
    expect(sim.explain(response).why).toEqual(sim.why(response));
    const { token } = east.createToken({ policies: ["default"], numUses: 1 });
    await read("kv/app/db", { "X-Secrets-Token": token });
    expect(sim.explain(sim.position).why?.text).toContain("kv/app/db needs read; policies default: no rule fits");
  });
});

describe("under a vocabulary", () => {
  const why = async (sim: Simulator, path: string, body: object, token?: string) => {
    const main = sim.secrets.cluster("main");
    const headers = { "X-Vault-Token": token ?? main.rootToken };
    const response = await sim.fetch(`${main.url}/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return sim.why(response)?.text;
  };

  it("texts have its paths, its fields and its values", async () => {
    const sim = createSimulator({ vocabulary: "hashicorp" });
    const main = sim.secrets.cluster("main");
    main.writePolicy("dev", 'path "orchestrator/creds/*" { capabilities = ["list"] }');
    const { token } = main.createToken({ policies: ["dev"] });
    expect(await why(sim, "kubernetes/creds/web", {}, token)).toContain(
      "kubernetes/creds/web needs update; policies default, dev: the rule that fits is kubernetes/creds/* [list] of dev",
    );
    expect(await why(sim, "kubernetes/roles/web", { allowed_kubernetes_namespaces: 7 })).not.toContain("orchestrator");
  });

  it("arguments are called by their own names, and what a caller named is not", async () => {
    const fields = { ttl: "lifetime", policies: "rights" };
    const sim = createSimulator({
      vocabulary: { secrets: { headers: { "X-Secrets-Token": "X-Vault-Token" }, fields } },
    });
    expect(await why(sim, "auth/token/create", { lifetime: "soon" })).toContain("lifetime");
    const { token } = sim.secrets.cluster("main").createToken({ policies: ["default"] });
    expect(await why(sim, "kv/ttl", {}, token)).toContain("kv/ttl needs create; policies default");
  });
});

describe("X-Hindcast-Why", () => {
  it("says the same in one line of ASCII", async () => {
    const { sim, read } = world();
    const response = await read("kv/%C3%A4");
    const why = sim.why(response)?.text;
    expect(why).toContain("kv/ä needs read");
    expect(response.headers.get("X-Hindcast-Why")).toBe(why?.replace("ä", "\\u{e4}"));
    const copy = (await read("kv/app/db")).clone();
    expect(copy.headers.get("X-Hindcast-Why")).toContain("kv/app/db needs read");
    expect((await read("auth/token/lookup-self")).headers.has("X-Hindcast-Why")).toBe(false);
  });

  it("is left out where options say so, and logs keep that", async () => {
    const sim = createSimulator({ history: { explainOverHttp: false } });
    const response = await sim.fetch(`${sim.secrets.cluster("main").url}/v1/kv/a`);
    expect([response.status, response.headers.has("X-Hindcast-Why")]).toEqual([403, false]);
    expect(sim.why(response)?.text).toBe("no token was given");
    expect(sim.log.toNdjson()).toContain('"explainOverHttp":false');
    expect(createSimulator().log.toNdjson()).not.toContain("explainOverHttp");
  });
});

// Data that refusals of any code may have: a member that a code has not is not looked at.
const DATA = {
  status: 503,
  path: "kv/a",
  namespace: "team",
  field: "ttl",
  reason: "it is wrong",
  token: "",
  kind: "dr",
  mode: "primary",
  role: "ops",
  set: "ops",
  account: "svc-1",
  policy: "dev",
  visibility: "some",
  entity: "e-1",
  group: "g-1",
  member: "m-1",
  name: "one",
  accessor: "acc-1",
  id: "id-1",
  lease: "ldap/library/ops/check-out/abc",
  url: "file:///a",
  address: "10.0.0.1",
  state: "idle",
  known: ["allow"],
  secretId: ["10.0.0.0/8"],
  users: ["app"],
  by: "client",
  faults: ["a fault"],
  metadata: { version: 1, deletion_time: "" },
  cas: 1,
  current: 2,
  version: "1",
  endpoint: "token",
  error_description: "wrong",
  seconds: 5,
  longest: 10,
  client: "app",
  index: 7,
  resetIndex: 7,
  specified: 8,
  region: "global",
  location: "/v1/acl",
  limit: 30,
  move: "apply",
  parameter: "filter",
  organization: "acme",
  workspace: "ws-1",
  run: "run-1",
  cluster: "main",
  node: 3,
  nodes: 3,
  attempt: "create",
  type: "pki",
  option: "period",
  what: "blocks",
  of: "role",
  username: "svc-1",
  schema: "x",
  command: "run",
  rollback: null,
  key: "default",
  algorithm: "x",
  claim: "iss",
  assignment: "a",
  issuer: "x",
  scope: "s",
  object: "entity",
  alias: "x",
  pointer: "/data/attributes/name",
  expiresAtMs: 0,
  accessors: [],
};

const OF_CODE: { readonly [code: string]: object } = {
  capability_token_unknown: { kind: "token" },
  secret_id_cidrs_outside: { role: ["10.0.0.0/8"] },
  policies_not_of_role: { policies: ["a"], allowed: ["b"], globs: ["c*"] },
};

describe.each([
  ["secrets", secretsForms.codes, secretsModule, "secrets.kv.read"],
  ["scheduler", schedulerForms.codes, schedulerModule, "scheduler.tokens.read"],
  ["runs", runsForms.codes, runsModule, "runs.policyChecks.read"],
] as const)("each refusal of %s", (_, codes, { why }, name) => {
  const { sim, east, token } = world();
  const region = sim.scheduler.region("global");
  const { SecretID } = region.as().acl.bootstrap();
  sim.runs.createOrganization({ name: "acme" });
  const { token: apiToken } = sim.runs.createToken({ kind: "user", organization: "acme", user: "u" });
  const bearer = { secrets: token, scheduler: SecretID, runs: apiToken }[_];
  const secrets = [token, east.rootToken, ...east.keyShares, SecretID, apiToken, "p4ssw0rd"];
  const [root, share] = [east.rootToken, east.keyShares[0] ?? ""];
  const history = { head: sim.position, commits: (from: number, to: number) => sim.log.commits().slice(from - 1, to) };

  it.each(codes)("%s leads to a fact, and tells no secret", (code) => {
    const input = {
      path: "a",
      token: root,
      key: share,
      password: "p4ssw0rd",
      secret_id: root,
      role_id: root,
      dr_operation_token: root,
    };
    const command = { name, input, caller: { cluster: "main", region: "global", token: bearer }, via: "call" } as const;
    const facts = why({
      state: sim.state,
      nowMs: sim.clock.now(),
      caller: command.caller,
      command,
      refusal: { code, data: { ...DATA, ...OF_CODE[code] } },
      past: pastOf(history as never, sim.position),
    } as never);
    expect(facts.length).toBeGreaterThan(0);
    for (const { kind, text } of facts) {
      expect(kind).not.toBe("");
      expect(text).not.toMatch(/undefined|\[object|NaN|\n/);
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
  });
});

it("a rejection of each service carries its facts", () => {
  const { sim } = world();
  const call = () => sim.runs.createWorkspace({ organization: "nobody", name: "a" });
  expect(call).toThrow(Rejection);
  expect(whyOf(sim, call)?.text).toContain("organization is");
  const scheduler = sim.scheduler.region("global").as("no-such-secret");
  expect(whyOf(sim, () => scheduler.tokens.list())?.text).toContain("none that was made here");
});
