import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { type Answer, byRule, doors, type Fields, type OperationName } from "../driver.ts";
import { expectData, expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";

// decisions-oidc.md, 2 to 8: what is configured, through both doors.

interface Refusal {
  readonly rule: string;
  /** What is there before, as root. */
  readonly given?: readonly (readonly [OperationName, Fields])[];
  readonly call: readonly [OperationName, Fields];
  readonly names: readonly string[];
}

const CLIENT = ["oidc.clients.write", { name: "app", id_token_ttl: "2h", assignments: ["allow_all"] }] as const;

/** Every refusal of the configuration, in the order in which each endpoint looks: 400, one text, nothing stored. */
const REFUSALS: readonly Refusal[] = [
  {
    rule: "a period below a minute",
    call: ["oidc.keys.write", { name: "k", rotation_period: 59 }],
    names: ["rotation_period"],
  },
  {
    rule: "a period below a minute comes before the verification_ttl",
    call: ["oidc.keys.write", { name: "k", rotation_period: 59, verification_ttl: 601, algorithm: "x" }],
    names: ["rotation_period"],
  },
  {
    rule: "a verification_ttl above ten periods",
    call: ["oidc.keys.write", { name: "k", rotation_period: 60, verification_ttl: 601, algorithm: "x" }],
    names: ["verification_ttl"],
  },
  {
    rule: "a verification_ttl below that of a client",
    given: [CLIENT],
    call: ["oidc.keys.write", { name: "default", verification_ttl: "1h", algorithm: "x" }],
    names: ["app"],
  },
  { rule: "an unknown algorithm", call: ["oidc.keys.write", { name: "k", algorithm: "HS256" }], names: ["HS256"] },
  { rule: "an empty algorithm", call: ["oidc.keys.write", { name: "k", algorithm: "" }], names: ["algorithm"] },
  { rule: "the built-in key", call: ["oidc.keys.delete", { name: "default" }], names: ["default"] },
  {
    rule: "a key that clients use, by their names",
    given: [
      ["oidc.keys.write", { name: "k" }],
      ["oidc.clients.write", { name: "b", key: "k", id_token_ttl: "1h" }],
      ["oidc.clients.write", { name: "a", key: "k", id_token_ttl: "2h" }],
    ],
    call: ["oidc.keys.delete", { name: "k" }],
    names: ["a, b"],
  },
  { rule: "a rotation of what is not there", call: ["oidc.keys.rotate", { name: "none" }], names: ["none"] },
  { rule: "the built-in assignment", call: ["oidc.assignments.write", { name: "allow_all" }], names: ["allow_all"] },
  { rule: "its deletion", call: ["oidc.assignments.delete", { name: "allow_all" }], names: ["allow_all"] },
  {
    rule: "an assignment that clients list",
    given: [
      ["oidc.assignments.write", { name: "team" }],
      ["oidc.clients.write", { name: "b", assignments: ["team"] }],
      ["oidc.clients.write", { name: "a", assignments: ["team"] }],
    ],
    call: ["oidc.assignments.delete", { name: "team" }],
    names: ["a, b"],
  },
  { rule: "the scope openid", call: ["oidc.scopes.write", { name: "openid" }], names: ["openid"] },
  ...[
    "{{",
    '{"a": }}',
    '{"a": {{nope}} }',
    '{"a": {{identity.entity}} }',
    '{"a": {{identity.groups.ids}} }',
    '{"a": {{identity.entity.aliases.acc}} }',
    '{"a": {{time.now.plus}} }',
    '{"a": {{time.now.plus.}} }',
    '{"a": {{time.now.times.5}} }',
    '{"a": {{time.now.plus.never}} }',
    '{"a": {{ {{time.now}} }}',
    '{"a":{"b":{{identity.entity.id}}}}',
  ].map((template) => ({
    rule: `the template ${template}`,
    call: ["oidc.scopes.write", { name: "s", template }] as const,
    names: ["template"],
  })),
  ...["[1]", '"a"', '{"a": ', '{"a": "{{identity.entity.name}}"}', "null"].map((template) => ({
    rule: `the template ${template}, which is no object`,
    call: ["oidc.scopes.write", { name: "s", template }] as const,
    names: ["template"],
  })),
  ...["iat", "aud", "exp", "iss", "sub", "namespace", "nonce", "auth_time", "at_hash", "c_hash"].map((claim) => ({
    rule: `the claim ${claim} in base64`,
    call: ["oidc.scopes.write", { name: "s", template: btoa(`{"ok": 1, "${claim}": 2}`) }] as const,
    names: [claim],
  })),
  {
    rule: "a template that nests beyond measure",
    call: ["oidc.scopes.write", { name: "s", template: `{"a": ${"[".repeat(5_000)}${"]".repeat(5_000)} }` }],
    names: ["template"],
  },
  {
    rule: "one that nests beyond measure behind a text",
    call: ["oidc.scopes.write", { name: "s", template: `{"a\\\\": ${"[".repeat(5_000)}${"]".repeat(5_000)} }` }],
    names: ["template"],
  },
  {
    rule: "a scope that providers list",
    given: [
      ["oidc.scopes.write", { name: "s" }],
      ["oidc.providers.write", { name: "q", scopes_supported: ["s"] }],
      ["oidc.providers.write", { name: "p", scopes_supported: ["s"] }],
    ],
    call: ["oidc.scopes.delete", { name: "s" }],
    names: ["p, q"],
  },
  {
    rule: "an assignment that is not there, before all else",
    call: ["oidc.clients.write", { name: "c", assignments: ["none"], key: "nokey", client_type: "x" }],
    names: ["none"],
  },
  {
    rule: "another key",
    given: [CLIENT],
    call: ["oidc.clients.write", { name: "app", key: "nokey" }],
    names: ["key", "app"],
  },
  {
    rule: "a key that is not there",
    call: ["oidc.clients.write", { name: "c", key: "nokey", id_token_ttl: "90d" }],
    names: ["nokey"],
  },
  {
    rule: "an id_token_ttl above the key's, on an update too",
    given: [CLIENT],
    call: ["oidc.clients.write", { name: "app", id_token_ttl: 86_401, client_type: "public" }],
    names: ["id_token_ttl"],
  },
  {
    rule: "another type",
    given: [CLIENT],
    call: ["oidc.clients.write", { name: "app", client_type: "public" }],
    names: ["app"],
  },
  { rule: "an unknown type", call: ["oidc.clients.write", { name: "c", client_type: "secret" }], names: ["secret"] },
  ...[
    "issuer.test",
    "ftp://issuer.test",
    "https://",
    "https://issuer.test/",
    "https://issuer.test/path",
    "https://issuer.test?q",
    "https://issuer.test#f",
    "https://user@issuer.test",
    "https://issuer.test:port",
    "https://issuer.test:99999",
    "https://issuer.test\u0000",
  ].map((issuer) => ({
    rule: `the issuer ${issuer}`,
    call: ["oidc.providers.write", { name: "p", issuer, scopes_supported: ["none"] }] as const,
    names: ["issuer"],
  })),
  {
    rule: "a scope that is not there",
    call: ["oidc.providers.write", { name: "p", scopes_supported: ["none"] }],
    names: ["none"],
  },
  {
    rule: "openid among the scopes",
    call: ["oidc.providers.write", { name: "p", scopes_supported: ["openid"] }],
    names: ["openid"],
  },
  { rule: "the built-in provider", call: ["oidc.providers.delete", { name: "default" }], names: ["default"] },
];

describe.each(doors())("the OIDC configuration through %s", (_, { open }) => {
  it.each(byRule(REFUSALS))("refuses %s", async (__, { given = [], call, names }) => {
    const sim = createSimulator();
    const door = open(sim);
    for (const each of given) expectDone(await door.call(...each));
    await expectNothingChanged(sim, async () => expectRefused(await door.call(...call), 400, ...names));
  });

  it.each([
    ["oidc.keys", { algorithm: "RS256", allowed_client_ids: [], rotation_period: 86_400, verification_ttl: 86_400 }],
    ["oidc.assignments", { entity_ids: [], group_ids: [] }],
    ["oidc.scopes", { template: "", description: "" }],
    ["oidc.providers", { issuer: "", allowed_client_ids: [], scopes_supported: [] }],
  ] as const)("%s have defaults, keep what an update does not name, and go", async (kind, defaults) => {
    const door = open(createSimulator());
    const call = (verb: "write" | "read" | "delete" | "list", fields: Fields = {}): Promise<Answer> =>
      door.call(`${kind}.${verb}`, verb === "list" ? fields : { name: "x", ...fields });
    expectDone(await call("write"));
    expect(expectData(await call("read"))).toEqual(defaults);
    const [field, value] = Object.entries(defaults)[0] as [string, unknown];
    const other = Array.isArray(value)
      ? ["e"]
      : { RS256: "ES256", "": kind === "oidc.scopes" ? '{"a": 1}' : "https://i.test" }[String(value)];
    const written = await call("write", { [field]: other });
    expect([200, 204]).toContain(written.status);
    await call("write", {});
    expect(expectData(await call("read"))).toEqual({ ...defaults, [field]: other });
    expect((expectData(await call("list"))["keys"] as string[]).includes("x")).toBe(true);
    expectDone(await call("delete"));
    expectNotFound(await call("read"));
    expectDone(await call("delete"));
  });

  it("a client keeps its credentials over updates, and has others when it is made anew", async () => {
    const door = open(createSimulator());
    const read = async () => expectData(await door.call("oidc.clients.read", { name: "app" }));
    expectDone(await door.call("oidc.clients.write", { name: "app" }));
    const first = await read();
    expect(first).toEqual({
      access_token_ttl: 86_400,
      assignments: [],
      client_id: expect.stringMatching(/^[0-9A-Za-z]{32}$/),
      client_secret: expect.stringMatching(/^oidc_secret_[0-9A-Za-z]{64}$/),
      client_type: "confidential",
      id_token_ttl: 86_400,
      key: "default",
      redirect_uris: [],
    });
    expectDone(
      await door.call("oidc.clients.write", {
        name: "app",
        key: "default",
        client_type: "confidential",
        access_token_ttl: "1d",
      }),
    );
    expect(await read()).toEqual(first);
    expectDone(await door.call("oidc.clients.delete", { name: "app" }));
    expectDone(await door.call("oidc.clients.write", { name: "app" }));
    expect((await read())["client_id"]).not.toBe(first["client_id"]);
  });

  it("providers are listed by whom they allow", async () => {
    const door = open(createSimulator());
    await door.call("oidc.providers.write", { name: "one", allowed_client_ids: ["a"] });
    await door.call("oidc.providers.write", { name: "__proto__", allowed_client_ids: ["b"] });
    const keys = async (id?: string) => {
      const answer = await door.call("oidc.providers.list", id === undefined ? {} : { allowed_client_id: id });
      const { keys: names, key_info } = expectData(answer) as { keys: string[]; key_info: object };
      expect(Object.keys(key_info).sort()).toEqual(names);
      return names;
    };
    expect(await keys()).toEqual(["__proto__", "default", "one"]);
    expect(await keys("")).toEqual(["__proto__", "default", "one"]);
    expect(await keys("a")).toEqual(["default", "one"]);
    await door.call("oidc.providers.write", { name: "default", allowed_client_ids: [] });
    expectNotFound(await door.call("oidc.providers.list", { allowed_client_id: "nobody" }));
  });

  it("brackets inside the texts of a template nest nothing", async () => {
    const template = `${String.raw`{"a": "\\\"`}${"[".repeat(5_000)}", "b": "${"[{".repeat(2_500)}"}`;
    expectDone(await open(createSimulator()).call("oidc.scopes.write", { name: "s", template }));
  });

  it("templates in base64 are stored decoded, and read so", async () => {
    const door = open(createSimulator());
    const template = '{"a": {{time.now.plus.1h30m}} }';
    expectDone(await door.call("oidc.scopes.write", { name: "s", template: btoa(template), description: "d" }));
    expect(expectData(await door.call("oidc.scopes.read", { name: "s" }))).toEqual({ template, description: "d" });
    expectNotFound(await door.call("oidc.scopes.read", { name: "openid" }));
    expectDone(await door.call("oidc.scopes.delete", { name: "openid" }));
  });

  it("a name that breaks its rule is no path, and names differ by case", async () => {
    const door = open(createSimulator());
    for (const name of ["-a", "a-", "a b", ".a"]) {
      expectRefused(await door.call("oidc.scopes.write", { name }), 404, "unsupported path");
    }
    expectDone(await door.call("oidc.scopes.write", { name: "A.b-c_1" }));
    expectNotFound(await door.call("oidc.scopes.read", { name: "a.b-c_1" }));
  });

  it("what is new needs create, and what is there needs update", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    main.writePolicy("creator", 'path "identity/oidc/*" { capabilities = ["create"] }');
    main.writePolicy("changer", 'path "identity/oidc/*" { capabilities = ["update"] }');
    const [creator, changer] = ["creator", "changer"].map((policy) => main.createToken({ policies: [policy] }).token);
    const door = open(sim);
    for (const kind of ["keys", "assignments", "scopes", "clients", "providers"] as const) {
      const write = (token = "") => door.call(`oidc.${kind}.write`, { name: "x" }, { token });
      expectRefused(await write(changer), 403, "permission denied");
      expectDone(await write(creator));
      expectRefused(await write(creator), 403, "permission denied");
      expectDone(await write(changer));
    }
  });
});

describe("rings", () => {
  const kids = (sim: ReturnType<typeof createSimulator>) => {
    const main = sim.secrets.cluster("main");
    return main
      .as()
      .oidc.publicKeys({ name: "default" })
      .keys.map(({ kid }) => kid);
  };
  const opened = (settings: Fields = {}) => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const { oidc } = main.as(main.rootToken);
    oidc.keys.write({ name: "k", algorithm: "ES256", rotation_period: "1h", verification_ttl: "1h", ...settings });
    const arm = () => oidc.clients.write({ name: "app", key: "k", id_token_ttl: "1m" });
    return { sim, main, oidc, arm };
  };

  it("count their due times from the creation of the key", () => {
    const { sim, arm } = opened();
    sim.clock.advance("90m");
    arm();
    const first = kids(sim);
    expect(first).toHaveLength(2);
    sim.clock.advance("29m59999ms");
    expect(kids(sim)).toEqual(first);
    sim.clock.advance("1ms");
    expect(kids(sim).slice(0, 2)).toEqual(first);
    expect(kids(sim)).toHaveLength(3);
    sim.clock.advance("1h");
    expect(kids(sim)).toHaveLength(3);
    expect(kids(sim)).not.toContain(first[0]);
  });

  it("that wait have no deadline: a rotation by hand restarts the period, another algorithm is only stored", () => {
    const { sim, oidc, arm } = opened();
    const started = sim.clock.now();
    sim.clock.advance("50m");
    oidc.keys.rotate({ name: "k" });
    oidc.keys.write({ name: "k", algorithm: "EdDSA" });
    expect(sim.clock.pending()).toEqual([]);
    arm();
    expect(sim.clock.pending().map(({ dueAtMs }) => dueAtMs - started)).toEqual([110 * 60_000]);
    const main = sim.secrets.cluster("main");
    expect(
      main
        .as()
        .oidc.publicKeys({ name: "default" })
        .keys.map(({ alg }) => alg),
    ).toEqual(["EdDSA", "EdDSA"]);
  });

  it("are armed when a key is made on the very instant of a due time: that one has passed", () => {
    const { sim, arm } = opened();
    sim.clock.advance("2h");
    arm();
    expect(sim.clock.pending().map(({ dueAtMs }) => dueAtMs - sim.clock.now())).toEqual([3_600_000]);
    expect(kids(sim)).toHaveLength(2);
  });

  it("rotate by hand at once, with an expiry of its own, and the period starts anew", () => {
    const { sim, oidc, arm } = opened();
    arm();
    const [signing, next] = kids(sim);
    sim.clock.advance("30m");
    oidc.keys.rotate({ name: "k", verification_ttl: 0 });
    expect(kids(sim)).not.toContain(signing);
    expect(kids(sim)[0]).toBe(next);
    expect(sim.clock.pending().map(({ dueAtMs }) => dueAtMs - sim.clock.now())).toEqual([3_600_000]);
    oidc.keys.rotate({ name: "k", verification_ttl: "10s" });
    sim.clock.advance("9999ms");
    expect(kids(sim)).toContain(next);
    sim.clock.advance("1ms");
    expect(kids(sim)).not.toContain(next);
  });

  it("keep the keys of another algorithm without an expiry", () => {
    const { sim, oidc, arm } = opened();
    arm();
    const before = kids(sim);
    oidc.keys.write({ name: "k", algorithm: "ES256" });
    expect(kids(sim)).toEqual(before);
    oidc.keys.write({ name: "k", algorithm: "EdDSA" });
    expect(kids(sim)).toHaveLength(4);
    sim.clock.advance("3d");
    expect(kids(sim).slice(0, 2)).toEqual(before);
  });

  it("rotate on without clients, and are gone with their key", () => {
    const { sim, oidc, arm } = opened();
    arm();
    oidc.clients.delete({ name: "app" });
    expect(kids(sim)).toEqual([]);
    expect(sim.clock.advance("2h").map(({ command }) => command)).toEqual(["timer.keyRotation", "timer.keyRotation"]);
    oidc.keys.delete({ name: "k" });
    expect(sim.clock.pending()).toEqual([]);
    oidc.keys.write({ name: "k" });
    expect(sim.clock.pending()).toEqual([]);
  });

  it("make up for what they missed while sealed, each rotation as of its own due time, each one entry of the log", () => {
    const { sim, main, arm } = opened({ verification_ttl: "90m" });
    arm();
    const awake = sim.fork();
    main.seal();
    sim.clock.advance("150m");
    const before = sim.state.secrets["main"]?.ignored.walIndex ?? 0;
    main.unseal();
    expect((sim.state.secrets["main"]?.ignored.walIndex ?? 0) - before).toBe(2);
    awake.clock.advance("150m");
    expect(kids(sim)).toHaveLength(kids(awake).length);
    const expiries = (of: typeof sim) =>
      of.state.secrets["main"]?.replicated.oidc.keys.get("k")?.ring.map(({ expiresAtMs }) => expiresAtMs);
    expect(expiries(sim)).toEqual(expiries(awake));
    expect(sim.clock.pending().map(({ dueAtMs }) => dueAtMs)).toEqual(
      awake.clock.pending().map(({ dueAtMs }) => dueAtMs),
    );
  });
});
