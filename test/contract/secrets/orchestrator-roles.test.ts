import { describe, expect, it } from "vitest";
import { byRule, doors, type Fields, send } from "../driver.ts";
import {
  expectData,
  expectDone,
  expectEnvelope,
  expectNotFound,
  expectNothingChanged,
  expectRefused,
} from "../expectations.ts";
import { MODES, orchestratorWorld, RULES } from "./orchestrator-world.ts";

// decisions-orchestrator.md, 1 and 3: roles of an orchestrator engine.

const BASE = { name: "dev", allowed_orchestrator_namespaces: "shop" };
const ROLE = { ...BASE, ...MODES[1] };
const SELECTOR = "failed to parse 'allowed_orchestrator_namespace_selector'";
const PARSED_RULES = "failed to parse 'generated_role_rules'";

interface Check {
  readonly rule: string;
  readonly fields: Fields;
  readonly piece: string;
  /** A role that is stored before. */
  readonly stored?: Fields;
}

/** Rows of the table of checks, in its order, and what makes each. */
const CHECKS: readonly Check[] = [
  { rule: "0 a negative token_max_ttl", fields: { ...ROLE, token_max_ttl: -1 }, piece: "Field validation failed" },
  {
    rule: "0 a token_default_ttl that is none",
    fields: { ...ROLE, token_default_ttl: "1w" },
    piece: "Field validation failed",
  },
  { rule: "0 labels that are no pairs", fields: { ...ROLE, extra_labels: ["a"] }, piece: "Field validation failed" },
  {
    rule: "0 labels that hold objects",
    fields: { ...ROLE, extra_labels: { a: {} } },
    piece: "Field validation failed",
  },
  {
    rule: "0 annotations that are a number",
    fields: { ...ROLE, extra_annotations: 7 },
    piece: "Field validation failed",
  },
  {
    rule: "0 namespaces that are an object",
    fields: { ...ROLE, allowed_orchestrator_namespaces: { a: 1 } },
    piece: "Field validation failed",
  },
  { rule: "0 before all other checks", fields: { name: "dev", token_max_ttl: -1 }, piece: "Field validation failed" },
  { rule: "1 no namespaces and no selector", fields: { name: "dev", ...MODES[1] }, piece: "one (at least) of" },
  {
    rule: "1 only empty namespaces",
    fields: { ...ROLE, allowed_orchestrator_namespaces: " , ," },
    piece: "one (at least) of",
  },
  {
    rule: "1 an empty selector",
    fields: { name: "dev", ...MODES[1], allowed_orchestrator_namespace_selector: "" },
    piece: "one (at least) of",
  },
  { rule: "1 before the mode", fields: { name: "dev" }, piece: "one (at least) of" },
  {
    rule: "1 the stored namespaces are cleared",
    stored: ROLE,
    fields: { name: "dev", allowed_orchestrator_namespaces: "" },
    piece: "one (at least) of",
  },
  { rule: "2 no mode", fields: BASE, piece: "one (and only one) of" },
  { rule: "2 modes 1 and 2", fields: { ...ROLE, ...MODES[2] }, piece: "one (and only one) of" },
  { rule: "2 modes 1 and 3", fields: { ...ROLE, ...MODES[3] }, piece: "one (and only one) of" },
  { rule: "2 modes 2 and 3", fields: { ...BASE, ...MODES[2], ...MODES[3] }, piece: "one (and only one) of" },
  { rule: "2 all modes", fields: { ...ROLE, ...MODES[2], ...MODES[3] }, piece: "one (and only one) of" },
  {
    rule: "2 another mode than the stored one",
    stored: ROLE,
    fields: { name: "dev", ...MODES[3] },
    piece: "one (and only one) of",
  },
  {
    rule: "2 the stored mode is cleared",
    stored: ROLE,
    fields: { name: "dev", service_account_name: "" },
    piece: "one (and only one) of",
  },
  {
    rule: "2 before the times",
    fields: { ...BASE, token_max_ttl: 1, token_default_ttl: 2 },
    piece: "one (and only one) of",
  },
  {
    rule: "3 a default above the maximum",
    fields: { ...ROLE, token_max_ttl: "1h", token_default_ttl: "61m" },
    piece: "cannot be greater than token_max_ttl",
  },
  {
    rule: "3 a default above the stored maximum",
    stored: { ...ROLE, token_max_ttl: 60 },
    fields: { name: "dev", token_default_ttl: 61 },
    piece: "cannot be greater than token_max_ttl",
  },
  {
    rule: "3 before the type",
    fields: { ...ROLE, token_max_ttl: 1, token_default_ttl: 2, orchestrator_role_type: "x" },
    piece: "cannot be greater than token_max_ttl",
  },
  {
    rule: "4 a type that is none",
    fields: { ...ROLE, orchestrator_role_type: "Roles" },
    piece: "either 'Role' or 'ClusterRole'",
  },
  {
    rule: "4 before the selector",
    fields: { ...ROLE, orchestrator_role_type: "x", allowed_orchestrator_namespace_selector: "[" },
    piece: "either 'Role' or 'ClusterRole'",
  },
  {
    rule: "5 a selector that does not parse",
    fields: { ...ROLE, allowed_orchestrator_namespace_selector: "{a: [" },
    piece: SELECTOR,
  },
  {
    rule: "5 a selector that is a text",
    fields: { ...ROLE, allowed_orchestrator_namespace_selector: "sales" },
    piece: SELECTOR,
  },
  {
    rule: "5 a selector that is a list",
    fields: { ...ROLE, allowed_orchestrator_namespace_selector: "[]" },
    piece: SELECTOR,
  },
  {
    rule: "5 a selector that is null",
    fields: { ...ROLE, allowed_orchestrator_namespace_selector: "null" },
    piece: SELECTOR,
  },
  {
    rule: "5 matchLabels that are a list",
    fields: { ...ROLE, allowed_orchestrator_namespace_selector: '{"matchLabels": []}' },
    piece: SELECTOR,
  },
  {
    rule: "5 a label that is a number",
    fields: { ...ROLE, allowed_orchestrator_namespace_selector: "matchLabels: {a: 1}" },
    piece: SELECTOR,
  },
  {
    rule: "5 matchExpressions that are an object",
    fields: { ...ROLE, allowed_orchestrator_namespace_selector: "matchExpressions: {a: b}" },
    piece: SELECTOR,
  },
  {
    rule: "5 an expression that is a text",
    fields: { ...ROLE, allowed_orchestrator_namespace_selector: "matchExpressions: [a]" },
    piece: SELECTOR,
  },
  {
    rule: "5 values that are a text",
    fields: {
      ...ROLE,
      allowed_orchestrator_namespace_selector: "matchExpressions: [{key: a, operator: In, values: b}]",
    },
    piece: SELECTOR,
  },
  {
    rule: "5 before the rules",
    fields: { ...BASE, generated_role_rules: "[", allowed_orchestrator_namespace_selector: "[" },
    piece: SELECTOR,
  },
  { rule: "6 rules that do not parse", fields: { ...BASE, generated_role_rules: "rules: [" }, piece: PARSED_RULES },
  { rule: "6 rules that are a list", fields: { ...BASE, generated_role_rules: "[]" }, piece: PARSED_RULES },
  { rule: "6 a rule that is a text", fields: { ...BASE, generated_role_rules: "rules: [all]" }, piece: PARSED_RULES },
  {
    rule: "6 verbs that are a text",
    fields: { ...BASE, generated_role_rules: "rules: [{verbs: get}]" },
    piece: PARSED_RULES,
  },
  {
    rule: "6 rules that are an object",
    fields: { ...BASE, generated_role_rules: "rules: {a: b}" },
    piece: PARSED_RULES,
  },
  {
    rule: "6 before the template",
    fields: { ...BASE, generated_role_rules: "[", name_template: "{{" },
    piece: PARSED_RULES,
  },
  {
    rule: "7 a template that is not closed",
    fields: { ...ROLE, name_template: "{{ .DisplayName" },
    piece: "unable to initialize name template",
  },
  {
    rule: "7 a function that nobody knows",
    fields: { ...ROLE, name_template: "{{ nope }}" },
    piece: "unable to initialize name template",
  },
  {
    rule: "7 a function of LDIF templates only",
    fields: { ...ROLE, name_template: "{{ .RoleName | utf16le }}" },
    piece: "unable to initialize name template",
  },
];

describe.each(doors())("roles of an orchestrator engine through %s", (_, { open }) => {
  it.each(byRule(CHECKS))("%s is refused, and nothing is stored", async (_rule, { fields, stored, piece }) => {
    const { sim } = orchestratorWorld();
    const { call } = open(sim);
    if (stored !== undefined) expectDone(await call("orchestrator.roles.write", stored));
    await expectNothingChanged(sim, async () => {
      const answer = await call("orchestrator.roles.write", fields);
      expectRefused(answer, 400, piece);
      expect(answer.errors).not.toContain("1 error occurred");
    });
  });

  it("shows every field, with what it is by default", async () => {
    const { call } = open(orchestratorWorld().sim);
    expectDone(await call("orchestrator.roles.write", ROLE));
    expect(expectData(await call("orchestrator.roles.read", { name: "dev" }))).toEqual({
      name: "dev",
      allowed_orchestrator_namespaces: ["shop"],
      allowed_orchestrator_namespace_selector: "",
      generated_role_rules: "",
      orchestrator_role_name: "",
      orchestrator_role_type: "Role",
      name_template: "",
      service_account_name: "app",
      token_default_ttl: 0,
      token_max_ttl: 0,
      extra_labels: null,
      extra_annotations: null,
      token_default_audiences: null,
      additional_metadata: {},
    });
  });

  it("stores what is sent, in its one form", async () => {
    const { call } = open(orchestratorWorld().sim);
    const selector = "matchLabels:\n  team: sales # the ones who sell\n";
    await call("orchestrator.roles.write", {
      name: "Dev",
      allowed_orchestrator_namespaces: [" Shop", "b", "shop", "", "A"],
      allowed_orchestrator_namespace_selector: selector,
      generated_role_rules: "rules: []",
      orchestrator_role_type: "clusterROLE",
      name_template: "x-{{ random 5 }}",
      token_default_ttl: "10m",
      token_max_ttl: 600,
      extra_labels: { a: 1, b: true },
      extra_annotations: ["c=d=e", "f="],
      token_default_audiences: "one, two",
    });
    expect(expectData(await call("orchestrator.roles.read", { name: "dEV" }))).toMatchObject({
      name: "dev",
      allowed_orchestrator_namespaces: ["a", "b", "shop"],
      allowed_orchestrator_namespace_selector: selector,
      generated_role_rules: "rules: []",
      orchestrator_role_type: "ClusterRole",
      name_template: "x-{{ random 5 }}",
      token_default_ttl: 600,
      token_max_ttl: 600,
      extra_labels: { a: "1", b: "true" },
      extra_annotations: { c: "d=e", f: "" },
      token_default_audiences: ["one", "two"],
      additional_metadata: {},
    });
  });

  it("changes what is sent only, and a map as a whole", async () => {
    const { call } = open(orchestratorWorld().sim);
    await call("orchestrator.roles.write", { ...ROLE, token_max_ttl: 900, extra_labels: { a: "1", b: "2" } });
    expectDone(await call("orchestrator.roles.write", { name: "DEV", extra_labels: { c: "3" } }));
    expectDone(await call("orchestrator.roles.write", { name: "dev", token_default_ttl: 900 }));
    expect(expectData(await call("orchestrator.roles.read", { name: "dev" }))).toMatchObject({
      service_account_name: "app",
      token_max_ttl: 900,
      token_default_ttl: 900,
      extra_labels: { c: "3" },
    });
    expectDone(await call("orchestrator.roles.write", { name: "dev", extra_labels: {}, token_max_ttl: 0 }));
    expect(expectData(await call("orchestrator.roles.read", { name: "dev" }))).toMatchObject({
      extra_labels: {},
      token_max_ttl: 0,
    });
  });

  it("changes its mode when both fields are sent", async () => {
    const { call } = open(orchestratorWorld().sim);
    await call("orchestrator.roles.write", ROLE);
    expectDone(await call("orchestrator.roles.write", { name: "dev", service_account_name: "", ...MODES[3] }));
    expectDone(await call("orchestrator.roles.write", { name: "dev", generated_role_rules: "", ...MODES[2] }));
    expect(expectData(await call("orchestrator.roles.read", { name: "dev" }))).toMatchObject({
      service_account_name: "",
      generated_role_rules: "",
      orchestrator_role_name: "reader",
    });
  });

  it("keeps a default above the system's maximum, and one as high as the role's", async () => {
    const { call } = open(orchestratorWorld().sim);
    expectDone(await call("orchestrator.roles.write", { ...ROLE, token_default_ttl: "2000h" }));
    expectDone(await call("orchestrator.roles.write", { ...ROLE, token_max_ttl: "2000h" }));
  });

  it("takes JSON and YAML alike", async () => {
    const { call } = open(orchestratorWorld().sim);
    const texts = [
      '{"rules": [{"verbs": ["get"], "unknown": 1}], "other": {}}',
      "rules:\n- verbs: [get]\n  unknown: 1\n",
      "other: 1",
      "{}",
    ];
    for (const generated_role_rules of texts) {
      expectDone(await call("orchestrator.roles.write", { ...BASE, generated_role_rules }));
      const { generated_role_rules: shown } = expectData(await call("orchestrator.roles.read", { name: "dev" }));
      expect(shown).toBe(generated_role_rules);
    }
  });

  it("is listed in byte order, and deleted whether it is there or not", async () => {
    const { call, sim } = { ...open(orchestratorWorld().sim), sim: orchestratorWorld().sim };
    expectNotFound(await call("orchestrator.roles.list"));
    for (const name of ["b", "a.b", "Z", "a-b"]) await call("orchestrator.roles.write", { ...ROLE, name });
    expect(expectData(await call("orchestrator.roles.list"))).toEqual({ keys: ["a-b", "a.b", "b", "z"] });
    for (const role of ["B", "a.b", "z", "a-b", "none"]) expectDone(await call("orchestrator.roles.delete", { role }));
    expectNotFound(await call("orchestrator.roles.list"));
    expectNotFound(await call("orchestrator.roles.read", { name: "b" }));
    await expectNothingChanged(sim, async () =>
      expectDone(await open(sim).call("orchestrator.roles.delete", { role: "none" })),
    );
  });

  it("is created with create and changed with update", async () => {
    const { sim } = orchestratorWorld();
    const { call } = open(sim);
    const main = sim.secrets.cluster("main");
    const tokenOf = (capability: string): string => {
      main.writePolicy(capability, `path "orchestrator/*" { capabilities = ["${capability}"] }`);
      return main.createToken({ policies: [capability] }).token;
    };
    const [create, update] = [tokenOf("create"), tokenOf("update")];
    expectRefused(await call("orchestrator.roles.write", ROLE, { token: update }), 403, "permission denied");
    expectDone(await call("orchestrator.roles.write", ROLE, { token: create }));
    expectRefused(await call("orchestrator.roles.write", ROLE, { token: create }), 403, "permission denied");
    expectDone(await call("orchestrator.roles.write", ROLE, { token: update }));
    // Hostile text is not looked at for whoever may not write it.
    const hostile = { ...ROLE, allowed_orchestrator_namespace_selector: "!!evil x" };
    expectRefused(await call("orchestrator.roles.write", hostile, { token: create }), 403, "permission denied");
  });
});

describe("paths of an orchestrator engine", () => {
  it.each([
    ["GET", "roles", 405],
    ["POST", "roles", 405],
    ["GET", "creds/dev", 405],
    ["LIST", "creds/dev", 404],
    ["DELETE", "creds/dev", 405],
    ["LIST", "config", 404],
    ["GET", "check", 404],
    ["GET", "roles/a/b", 404],
    ["POST", "roles/bad-", 404],
    ["GET", "roles/-bad", 404],
    ["POST", "creds/a/b", 404],
    ["GET", "nothing", 404],
    ["PATCH", "config", 415],
  ] as const)("%s %s is %i", async (method, path, status) => {
    const { sim } = orchestratorWorld();
    const answer = await send(
      sim,
      method,
      `/v1/orchestrator/${path}`,
      method === "POST" || method === "PATCH" ? { body: "{}" } : {},
    );
    if (status === 404) expectRefused(answer, 404, "1 error occurred:\n\t* ", "unsupported path");
    if (status === 405) expectRefused(answer, 405, "1 error occurred:\n\t* ", "unsupported operation");
    expect(answer.status).toBe(status);
  });

  it.each(["LIST roles", "LIST roles/", "GET roles?list=true", "GET roles/?list=1"])("%s lists", async (line) => {
    const { sim, role } = orchestratorWorld();
    await role("dev", MODES[1]);
    const [method = "", path] = line.split(" ");
    expect(expectData(await send(sim, method, `/v1/orchestrator/${path}`))).toEqual({ keys: ["dev"] });
  });

  it("a field of the path's name is ignored, with a warning where there is a body", async () => {
    const { sim, role } = orchestratorWorld();
    await role("dev", MODES[1]);
    const body = JSON.stringify({ role: "other", orchestrator_namespace: "shop", extra: 1, prepared: 2 });
    const { warnings } = expectEnvelope(await send(sim, "POST", "/v1/orchestrator/creds/dev", { body }));
    expect(warnings).toEqual([
      expect.stringContaining("ignored these unrecognized parameters: [extra prepared]"),
      expect.stringMatching(/replaced.*\[role\]/),
    ]);
  });

  it("what a caller sends as if it were prepared is not taken for it", async () => {
    const { sim } = orchestratorWorld();
    const forged = { generated_role_rules: { value: { rules: [] } } };
    const fields = { ...BASE, generated_role_rules: "rules: [all]", prepared: forged };
    const answer = await send(sim, "POST", "/v1/orchestrator/roles/dev", { body: JSON.stringify(fields) });
    expectRefused(answer, 400, PARSED_RULES);
    const admin = sim.secrets.cluster("main").as(sim.secrets.cluster("main").rootToken);
    await expect(admin.orchestrator.roles.write(fields)).rejects.toMatchObject({ code: "role_document_invalid" });
    expectDone(
      await send(sim, "POST", "/v1/orchestrator/roles/dev", {
        body: JSON.stringify({ ...BASE, ...MODES[3], prepared: forged }),
      }),
    );
    expect(JSON.stringify(sim.log.commits().at(-1)?.command.input)).not.toContain("prepared");
    expect(RULES).toContain("pods");
  });
});
