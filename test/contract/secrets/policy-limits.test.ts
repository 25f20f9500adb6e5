import { describe, expect, it } from "vitest";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { byRule, type Door, doors } from "../driver.ts";

// src/services/secrets/policies/README.md. What is expected is the page's, and none of it comes from the code.

type Outcome = "passes" | "is refused";

const ALL = '"create", "read", "update", "patch", "delete", "list"';

/** A rule of a policy on `kv/a`, with what it limits. */
const on = (limits: string, path = "kv/a"): string => `path "${path}" { capabilities = [${ALL}]\n${limits} }`;

async function outcome(
  answer: Promise<{ readonly status: number; readonly code: string | undefined }>,
): Promise<Outcome> {
  const { status, code } = await answer;
  if (status !== 403) return "passes";
  expect(code).toBe("permission_denied");
  return "is refused";
}

interface Row {
  readonly rule: string;
  readonly policies: readonly string[];
  readonly cases: readonly (readonly [fields: { readonly [name: string]: unknown }, outcome: Outcome])[];
}

const ROWS: readonly Row[] = [
  {
    rule: "2.2 each that is required has to be there",
    policies: [on('required_parameters = ["one", "Two"]')],
    cases: [
      [{ one: 1, two: 2 }, "passes"],
      [{ one: 1, two: 2, three: 3 }, "passes"],
      [{ one: 1 }, "is refused"],
      [{ three: 3 }, "is refused"],
    ],
  },
  {
    rule: "2.3 one that is denied is refused with any value, or with those that are listed",
    policies: [on('denied_parameters = { "one" = [] "two" = ["a", "b*", true] }')],
    cases: [
      [{ one: "x" }, "is refused"],
      [{ ONE: "x" }, "is refused"],
      [{ two: "a" }, "is refused"],
      [{ two: "bcd" }, "is refused"],
      [{ two: 3 }, "passes"],
      [{ two: true }, "is refused"],
      [{ two: "c" }, "passes"],
      [{ two: "3" }, "passes"],
      [{ three: "a" }, "passes"],
    ],
  },
  {
    rule: "2.3 a star denies all",
    policies: [on('denied_parameters = { "*" = [] }')],
    cases: [[{ one: "x" }, "is refused"]],
  },
  {
    rule: "2.4 none but those that are allowed",
    policies: [on('allowed_parameters = { "one" = [] "two" = ["a", "*z", "*mid*"] }')],
    cases: [
      [{ one: "x" }, "passes"],
      [{ one: { any: 1 }, two: "a" }, "passes"],
      [{ two: "xyz" }, "passes"],
      [{ two: "amidst" }, "passes"],
      [{ two: "b" }, "is refused"],
      [{ three: 1 }, "is refused"],
      [{ one: 1, three: 1 }, "is refused"],
    ],
  },
  {
    rule: "2.4 with a star all others, and of those that are listed their values",
    policies: [on('allowed_parameters = { "*" = [] "two" = ["a"] }')],
    cases: [
      [{ one: 1 }, "passes"],
      [{ two: "a", one: 1 }, "passes"],
      [{ two: "b" }, "is refused"],
    ],
  },
  {
    rule: "2.3 what is denied is refused even where it is allowed",
    policies: [on('allowed_parameters = { "*" = [] }\ndenied_parameters = { "one" = ["a"] }')],
    cases: [
      [{ one: "b" }, "passes"],
      [{ one: "a" }, "is refused"],
    ],
  },
  {
    rule: "2.5 one star alone is itself",
    policies: [on('allowed_parameters = { "one" = ["*"] }')],
    cases: [
      [{ one: "*" }, "passes"],
      [{ one: "a" }, "is refused"],
    ],
  },
  {
    rule: "2.5 a number fits nothing",
    policies: [on('allowed_parameters = { "one" = [1, "2"] } denied_parameters = { "two" = [1] }')],
    cases: [
      [{ one: 1 }, "is refused"],
      [{ one: "1" }, "is refused"],
      [{ one: 2 }, "is refused"],
      [{ one: "2" }, "passes"],
    ],
  },
  {
    rule: "2.5 a list is a value as a whole",
    policies: [on('allowed_parameters = { "one" = [["a", "b"]] }')],
    cases: [
      [{ one: ["a", "b"] }, "passes"],
      [{ one: ["a"] }, "is refused"],
      [{ one: "a" }, "is refused"],
    ],
  },
  {
    rule: "2.6 two policies allow what either allows",
    policies: [
      on('allowed_parameters = { "one" = ["a"] "two" = ["a"] }'),
      on('allowed_parameters = { "one" = ["b"] "two" = [] }'),
    ],
    cases: [
      [{ one: "a" }, "passes"],
      [{ one: "b" }, "passes"],
      [{ one: "c" }, "is refused"],
      [{ two: "c" }, "passes"],
      [{ three: "a" }, "is refused"],
    ],
  },
  {
    rule: "2.6 one that limits limits what another grants without",
    policies: [on('allowed_parameters = { "one" = [] }'), on("")],
    cases: [
      [{ one: "a" }, "passes"],
      [{ two: "a" }, "is refused"],
    ],
  },
  {
    rule: "2.6 all that is required by either, and denied by either",
    policies: [
      on('required_parameters = ["one"]\ndenied_parameters = { "x" = ["a"] }'),
      on('required_parameters = ["two"]\ndenied_parameters = { "x" = ["b"] }'),
    ],
    cases: [
      [{ one: 1, two: 1 }, "passes"],
      [{ one: 1 }, "is refused"],
      [{ one: 1, two: 1, x: "a" }, "is refused"],
      [{ one: 1, two: 1, x: "b" }, "is refused"],
      [{ one: 1, two: 1, x: "c" }, "passes"],
    ],
  },
  {
    rule: "A.8 limits of a less specific rule count for nothing",
    policies: [on('denied_parameters = { "*" = [] }', "kv/*"), on("")],
    cases: [[{ one: "x" }, "passes"]],
  },
  {
    rule: "2.10 a comment counts for nothing",
    policies: [on('comment = "for the shop"')],
    cases: [[{ one: "x" }, "passes"]],
  },
];

describe.each(doors())("limits of policies, through %s:", (_, { open }) => {
  function world(policies: readonly string[]): {
    readonly sim: Simulator;
    readonly door: Door;
    readonly token: string;
  } {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const names = policies.map((text, index) => {
      main.writePolicy(`p${index}`, text);
      return `p${index}`;
    });
    return { sim, door: open(sim), token: main.createToken({ policies: names }).token };
  }

  it.each(byRule(ROWS))("%s", async (_, { policies, cases }) => {
    const { door, token } = world(policies);
    for (const [fields, expected] of cases) {
      expect([fields, await outcome(door.call("kv.write", { path: "a", ...fields }, { token }))]).toEqual([
        fields,
        expected,
      ]);
    }
  });

  it("2.1 listings, deletions and what stands in the path are not looked at", async () => {
    const limits = 'denied_parameters = { "*" = [] }\nrequired_parameters = []';
    const { door, token } = world([on(limits), on(limits, "kv/")]);
    expect(await outcome(door.call("kv.read", { path: "a" }, { token }))).toBe("passes");
    expect(await outcome(door.call("kv.list", {}, { token }))).toBe("passes");
    expect(await outcome(door.call("kv.delete", { path: "a" }, { token }))).toBe("passes");
    const required = world([on('required_parameters = ["version"]'), on('required_parameters = ["version"]', "kv/")]);
    expect(await outcome(required.door.call("kv.read", { path: "a" }, { token: required.token }))).toBe("is refused");
    expect(await outcome(required.door.call("kv.list", {}, { token: required.token }))).toBe("passes");
    expect(await outcome(required.door.call("kv.delete", { path: "a" }, { token: required.token }))).toBe("passes");
  });

  it("2.1 the members of a body of fields are parameters, and its captures are not", async () => {
    const { door, token } = world([
      on('allowed_parameters = { "password" = [] "token_policies" = ["a"] }', "auth/userpass/users/*"),
    ]);
    await door.call("auth.enable", { path: "userpass", type: "userpass" });
    const write = (fields: object) => outcome(door.call("userpass.write", { username: "ann", ...fields }, { token }));
    expect(await write({ password: "x" })).toBe("passes");
    expect(await write({ password: "x", token_policies: "a" })).toBe("passes");
    expect(await write({ password: "x", token_policies: "b" })).toBe("is refused");
    expect(await write({ token_ttl: 60 })).toBe("is refused");
  });

  it("2.8 capabilities are shown whatever is limited", async () => {
    const { door, token } = world([on('denied_parameters = { "*" = [] }')]);
    const { body } = await door.call("policies.capabilitiesSelf", { paths: ["kv/a"] }, { token });
    expect(body).toMatchObject({ data: { "kv/a": ["create", "delete", "list", "patch", "read", "update"] } });
  });
});

const WRAPPING: readonly { readonly rule: string; readonly cases: readonly (readonly [number, Outcome])[] }[] = [
  {
    rule: "min_wrapping_ttl = 60",
    cases: [
      [0, "is refused"],
      [59, "is refused"],
      [60, "passes"],
      [6000, "passes"],
    ],
  },
  {
    rule: 'max_wrapping_ttl = "90s"',
    cases: [
      [0, "is refused"],
      [1, "passes"],
      [90, "passes"],
      [91, "is refused"],
    ],
  },
  {
    rule: 'min_wrapping_ttl = "1m"\nmax_wrapping_ttl = 90',
    cases: [
      [59, "is refused"],
      [60, "passes"],
      [91, "is refused"],
    ],
  },
  {
    rule: "min_wrapping_ttl = 0",
    cases: [
      [0, "passes"],
      [5, "passes"],
    ],
  },
];

describe("wrapping that a policy asks for", () => {
  it.each(byRule(WRAPPING))("2.7 %s", (limits, { cases }) => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    main.as(main.rootToken).kv.write({ path: "a", v: 1 });
    main.writePolicy("p", on(limits));
    const { kv } = main.as(main.createToken({ policies: ["p"] }).token);
    for (const [wrapTtl, expected] of cases) {
      const read = () => kv.read({ path: "a" }, { wrapTtl });
      if (expected === "passes") expect(read).not.toThrow();
      else expect(read).toThrow("permission_denied");
    }
  });

  it("2.7 what two policies ask may be more than anybody can", () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    main.writePolicy("p", on("min_wrapping_ttl = 60"));
    main.writePolicy("q", on("max_wrapping_ttl = 30"));
    const { kv } = main.as(main.createToken({ policies: ["p", "q"] }).token);
    for (const wrapTtl of [0, 30, 45, 60])
      expect(() => kv.read({ path: "a" }, { wrapTtl })).toThrow("permission_denied");
  });
});

describe.each(doors())("templates of policies, through %s:", (_, { open }) => {
  async function world() {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const door = open(sim);
    await door.call("auth.enable", { path: "userpass", type: "userpass" });
    await door.call("userpass.write", { username: "ann", password: "p" });
    const { accessor } = (
      main.as(main.rootToken).auth.list().data as { readonly [path: string]: { readonly accessor: string } }
    )["userpass/"] ?? { accessor: "" };
    main.createEntity({ id: "e1", name: "ann", metadata: { team: "red", wide: "a/b", star: "s*" } });
    main.as(main.rootToken).identity.aliases.write({
      name: "ann",
      canonical_id: "e1",
      mount_accessor: accessor,
      custom_metadata: { desk: "d7" },
    });
    main.createGroup({ id: "g1", name: "ops", memberEntityIds: ["e1"], metadata: { floor: "f3" } });
    main.createGroup({ id: "g2", name: "all", memberGroupIds: ["g1"] });
    return { sim, main, door, accessor };
  }

  it.each([
    ["{{identity.entity.id}}", "e1"],
    ["{{ identity.entity.name }}", "ann"],
    ["x-{{identity.entity.name}}-{{identity.entity.id}}", "x-ann-e1"],
    ["{{identity.entity.metadata.team}}", "red"],
    ["{{identity.entity.metadata.wide}}/c", "a/b/c"],
    ["{{identity.entity.metadata.star}}", "s-any/thing"],
    ["{{identity.entity.aliases.ACCESSOR.name}}", "ann"],
    ["{{identity.entity.aliases.ACCESSOR.custom_metadata.desk}}", "d7"],
    ["{{identity.groups.ids.g1.name}}", "ops"],
    ["{{identity.groups.names.ops.id}}", "g1"],
    ["{{identity.groups.names.all.id}}", "g2"],
    ["{{identity.groups.names.ops.metadata.floor}}", "f3"],
  ])("1.1, 1.2 %s is %s", async (template, path) => {
    const { main, door, accessor } = await world();
    main.writePolicy("p", on("", `kv/${template.replace("ACCESSOR", accessor)}`));
    const { token } = main.createToken({ policies: ["p"], entityId: "e1" });
    expect(await outcome(door.call("kv.read", { path }, { token }))).toBe("passes");
    expect(await outcome(door.call("kv.read", { path: `${path}x` }, { token }))).toBe(
      template.includes("star") ? "passes" : "is refused",
    );
    expect(await outcome(door.call("kv.read", { path: template }, { token }))).toBe("is refused");
    const { body } = await door.call("policies.capabilitiesSelf", { paths: [`kv/${path}`] }, { token });
    expect(body).toMatchObject({ data: { [`kv/${path}`]: expect.arrayContaining(["read"]) } });
  });

  it.each([
    "{{identity.entity.metadata.none}}",
    "{{identity.entity.metadata}}",
    "{{identity.entity.groups.names}}",
    "{{identity.entity.aliases.none.name}}",
    "{{identity.groups.names.none.id}}",
    "{{identity.groups.ids.g1}}",
    "{{time.now}}",
    "{{something}}",
    "{{}}",
  ])("1.4 what has no value grants nothing, and the rest of its policy counts: %s", async (template) => {
    const { main, door } = await world();
    main.writePolicy("p", `${on("", `kv/${template}`)}\n${on("", `kv/${template}*`)}\n${on("", "kv/b")}`);
    const { token } = main.createToken({ policies: ["p"], entityId: "e1" });
    for (const path of ["a", template])
      expect(await outcome(door.call("kv.read", { path }, { token }))).toBe("is refused");
    expect(await outcome(door.call("kv.read", { path: "b" }, { token }))).toBe("passes");
  });

  it("1.4 they are filled in by the entity as it is then, and for nobody without one", async () => {
    const { main, door } = await world();
    main.writePolicy("p", on("", "kv/{{identity.entity.metadata.team}}/*"));
    const { token } = main.createToken({ policies: ["p"], entityId: "e1" });
    const ask = (path: string, asking = token) => outcome(door.call("kv.read", { path }, { token: asking }));
    expect(await ask("red/x")).toBe("passes");
    await door.call("identity.entities.write", { id: "e1", metadata: { team: "blue" } });
    expect([await ask("red/x"), await ask("blue/x")]).toEqual(["is refused", "passes"]);
    expect(await ask("blue/x", main.createToken({ policies: ["p"] }).token)).toBe("is refused");
  });

  it("1.4 a template may deny", async () => {
    const { main, door } = await world();
    main.writePolicy("p", `${on("", "kv/*")}\npath "kv/{{identity.entity.name}}" { capabilities = ["deny"] }`);
    const { token } = main.createToken({ policies: ["p"], entityId: "e1" });
    expect(await outcome(door.call("kv.read", { path: "ann" }, { token }))).toBe("is refused");
    expect(await outcome(door.call("kv.read", { path: "bob" }, { token }))).toBe("passes");
  });
});

describe("why a request is refused by limits", () => {
  it("names the rule, its policy and the parameter, and no value that may be a secret", () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    main.writePolicy("shop", on('allowed_parameters = { "colour" = ["red"] }'));
    const { kv } = main.as(main.createToken({ policies: ["shop"] }).token);
    let told = "";
    try {
      kv.write({ path: "a", colour: "hush-hush" });
    } catch (error) {
      told = sim.why(error as Error)?.text ?? "";
    }
    expect(told).toContain("the parameter colour is not allowed");
    expect(told).toContain("of shop");
    expect(told).not.toContain("hush-hush");
  });
});
