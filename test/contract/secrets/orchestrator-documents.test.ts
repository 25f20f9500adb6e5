import { describe, expect, it } from "vitest";
import { eachTakesAtMost } from "../../support/processor-time.ts";
import { doors } from "../driver.ts";
import { expectDone, expectNothingChanged, expectRefused } from "../expectations.ts";
import { currentTransport } from "../transports.ts";
import { MODES, orchestratorWorld } from "./orchestrator-world.ts";

// Documents in JSON and YAML that mean harm: refused with the errors of decisions-orchestrator.md, 3, and soon.

const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"];
for (const [index, name] of "bcdefghij".split("").entries()) {
  const before = "abcdefghi"[index];
  bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(", ")}]`);
}
bomb.push("matchLabels: {}", "rules: []");

const HOSTILE: readonly (readonly [what: string, text: string])[] = [
  ["an alias bomb", bomb.join("\n")],
  ["an alias of itself", "a: &a [*a]\nrules: []"],
  ["an unknown alias", "a: *b"],
  ["a custom tag", "a: !evil b"],
  ["a tag of another language", "a: !!js/function 'function () {}'"],
  ["a tag on the whole", "!!python/object:os.system {}"],
  ["binary data", "a: !!binary aGk="],
  ["two documents", "a: b\n---\nc: d"],
  ["a key twice", "a: b\na: c"],
  ["a key that is a list", "? [a]\n: b"],
  ["a number beyond all numbers", "a: .inf"],
  ["no number", "a: .nan"],
  ["__proto__ in JSON", '{"__proto__": {"polluted": true}}'],
  ["__proto__ deep in JSON", '{"rules": [], "matchLabels": {"__proto__": "x"}}'],
  ["__proto__ in YAML", "__proto__: {polluted: true}"],
  ["__proto__ deep in YAML", "matchLabels:\n  __proto__: x\nrules: []"],
  ["deep JSON", `{"a": ${"[".repeat(20_000)}${"]".repeat(20_000)}}`],
  ["deep JSON that is not closed", `{"a": ${"[".repeat(30_000)}`],
  ["deep flow", `a: ${"[".repeat(20_000)}${"]".repeat(20_000)}`],
  ["deep maps", `a: ${"{b: ".repeat(8_000)}1${"}".repeat(8_000)}`],
  ["deep sequences", `a:\n  ${"- ".repeat(20_000)}x`],
  ["deep keys", `${"? ".repeat(20_000)}x`],
  ["many keys", `{${Array.from({ length: 10_000 }, (_, index) => `k${index}`).join(",")},k1}`],
  ["many anchors", Array.from({ length: 3_000 }, (_, index) => `- &a${index} x\n- *a${index}`).join("\n")],
  ["one long line", "a".repeat(65_000)],
  ["too much", `a: ${"b".repeat(70_000)}`],
  ["far too much", `# ${"b".repeat(2_000_000)}`],
  ["a tab for a space", "a:\n\t- b"],
  ["an open quote", 'a: "b'],
  ["nothing but a comment", "# nothing"],
  ["blank", "   "],
];

const DEEP = HOSTILE.filter(([what]) => what.startsWith("deep") || what === "an alias of itself");

const FIELDS = [
  ["allowed_orchestrator_namespace_selector", MODES[1]],
  ["generated_role_rules", {}],
] as const;

eachTakesAtMost(10);

describe.each(doors())("a document through %s", (name, { open }) => {
  describe.each(FIELDS)("%s", (field, mode) => {
    it.each(HOSTILE)(
      "is refused if it is %s",
      { tags: name === currentTransport() ? [] : "full" },
      async (_what, text) => {
        const { sim } = orchestratorWorld();
        const role = { name: "dev", allowed_orchestrator_namespaces: "shop", ...mode, [field]: text };
        await expectNothingChanged(sim, async () => {
          expectRefused(await open(sim).call("orchestrator.roles.write", role), 400, `failed to parse '${field}'`);
        });
        expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
      },
    );
  });

  it.each(DEEP)("says that %s nests too deep, and nothing of the parser", async (_what, text) => {
    const { sim } = orchestratorWorld();
    const role = { name: "dev", allowed_orchestrator_namespaces: "shop", generated_role_rules: text };
    const fault = "failed to parse 'generated_role_rules': it nests deeper than 32 levels";
    expectRefused(await open(sim).call("orchestrator.roles.write", role), 400, fault);
  });

  it.each([
    ["a: b\n---\nc: d", "it is more than one document"],
    ["a: !!binary aGk=", "it holds aliases that multiply, or what JSON cannot hold"],
    ["a: !evil b", "it has a tag that is not known"],
    [bomb.join("\n"), "it holds aliases that multiply, or what JSON cannot hold"],
  ])("says what is wrong with %j in words of its own", async (text, fault) => {
    const { sim } = orchestratorWorld();
    const role = { name: "dev", allowed_orchestrator_namespaces: "shop", generated_role_rules: text };
    const answer = await open(sim).call("orchestrator.roles.write", role);
    expectRefused(answer, 400, `failed to parse 'generated_role_rules': ${fault}`);
  });

  it("may use what YAML has for people: anchors, comments, long texts, quotes, several lines", async () => {
    const { sim } = orchestratorWorld();
    const text = [
      "# who may",
      "matchExpressions:",
      "  - &team {key: team, operator: In, values: [sales, 'ops']}",
      "  - *team",
      '  - key: "tier"',
      "    operator: Exists",
    ].join("\n");
    const role = { name: "dev", ...MODES[1], allowed_orchestrator_namespace_selector: text };
    const { call } = open(sim);
    expectDone(await call("orchestrator.roles.write", role));
    expect((await call("orchestrator.creds", { role: "dev", orchestrator_namespace: "shop" })).status).toBe(200);
  });
});
