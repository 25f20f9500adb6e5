import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { property } from "../../support/property.ts";
import { runs } from "../../support/runs.ts";
import { doors } from "../driver.ts";
import { expectData, expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";

// decisions-secrets-core.md, D.6.

const POLICY = 'length = 20\nrule "charset" { charset = "abc", min-chars = 1 }\n';
const POLICY_WITH_LINES = 'length = 20\nrule "charset" {\n  charset = "abc"\n  min-chars = 1\n}\n';
const JSON_POLICY = '{"length": 20, "rule": {"charset": {"charset": "abc", "min-chars": 1}}}';

const name = "strong";

describe.each(doors())("password policies through %s", (_, { open }) => {
  it.each<[spelling: string, policy: string]>([
    ["block syntax", POLICY_WITH_LINES],
    ["block syntax with commas, as the decisions show it", POLICY],
    ["JSON", JSON_POLICY],
    [
      "JSON with several rules",
      '{"length": 20, "rule": [{"charset": {"charset": "abc"}}, {"charset": {"charset": "d"}}]}',
    ],
    ["base64 of block syntax", btoa(POLICY_WITH_LINES)],
    ["base64 of JSON", btoa(JSON_POLICY)],
    ["block syntax with other keys, which are ignored", `${POLICY_WITH_LINES}owner = "us"`],
  ])("are written as %s and read as they were sent, but for base64", async (_spelling, policy) => {
    const sim = createSimulator();
    const door = open(sim);
    expectDone(await door.call("passwordPolicies.write", { name, policy }));
    const shown = /^[A-Za-z0-9+/]+=*$/.test(policy) ? atob(policy) : policy;
    expect(expectData(await door.call("passwordPolicies.read", { name }))).toEqual({ policy: shown });
    const { password } = expectData(await door.call("passwordPolicies.generate", { name }));
    expect(password).toMatch(/^[abcd]{20}$/);
  });

  it("take numbers as whole ones, and fewer characters than none as none", async () => {
    const sim = createSimulator();
    const policy = 'length = 20.5\nrule "charset" { charset = "abc"\n min-chars = -1 }';
    expectDone(await open(sim).call("passwordPolicies.write", { name, policy }));
    const { password } = expectData(await open(sim).call("passwordPolicies.generate", { name }));
    expect(password).toMatch(/^[abc]{20}$/);
  });

  it("are replaced whole, listed in order, and deleted whether they are there or not", async () => {
    const sim = createSimulator();
    const door = open(sim);
    for (const each of ["b", "a", "B"]) {
      expectDone(await door.call("passwordPolicies.write", { name: each, policy: POLICY_WITH_LINES }));
    }
    expect(expectData(await door.call("passwordPolicies.list"))).toEqual({ keys: ["B", "a", "b"] });
    const longer = POLICY_WITH_LINES.replace("20", "30");
    expectDone(await door.call("passwordPolicies.write", { name: "a", policy: longer }));
    expect(expectData(await door.call("passwordPolicies.read", { name: "a" }))).toEqual({ policy: longer });
    for (const each of ["a", "b", "B", "b", "never"]) {
      expectDone(await door.call("passwordPolicies.delete", { name: each }));
    }
    expectNotFound(await door.call("passwordPolicies.list"));
  });

  it.each(["passwordPolicies.read", "passwordPolicies.generate"] as const)(
    "%s of a missing one is 404",
    async (read) => {
      expectRefused(await open(createSimulator()).call(read, { name }), 404, "policy does not exist");
    },
  );

  it.each<[rule: string, policy: unknown, piece: string]>([
    ["no policy", undefined, "missing policy"],
    ["an empty one", "", "missing policy"],
    ["null", null, "missing policy"],
    ["a text that does not parse", "length = ", "invalid password policy"],
    ["an unclosed block", 'length = 20 rule "charset" {', "invalid password policy"],
    ["JSON that does not parse", '{"length": 20', "invalid password policy"],
    ["no charset", "length = 20", "invalid password policy"],
    ["another rule", 'length = 20\nrule "words" { charset = "abc" }', "invalid password policy"],
    ["an empty charset", 'length = 20\nrule "charset" { charset = "" }', "invalid password policy"],
    ["no charset in a rule", 'length = 20\nrule "charset" { min-chars = 1 }', "invalid password policy"],
    ["an unprintable character", 'length = 20\nrule "charset" { charset = "a\\tb" }', "invalid password policy"],
    [
      "more required characters than the length",
      'length = 4\nrule "charset" {\ncharset = "a"\nmin-chars = 3\n}\nrule "charset" {\ncharset = "b"\nmin-chars = 2\n}',
      "invalid password policy",
    ],
    ["no length", 'rule "charset" { charset = "abc" }', ""],
    ["a length of 3", 'length = 3\nrule "charset" { charset = "abc" }', ""],
    ["a length of 101", 'length = 101\nrule "charset" { charset = "abc" }', ""],
    ["a length that is a text", 'length = "20"\nrule "charset" { charset = "abc" }', ""],
  ])("with %s are refused", async (_rule, policy, piece) => {
    const sim = createSimulator();
    await expectNothingChanged(sim, async () => {
      expectRefused(await open(sim).call("passwordPolicies.write", { name, policy }), 400, piece);
    });
  });

  it.each([4, 100])("may have the length %i", async (length) => {
    const sim = createSimulator();
    const door = open(sim);
    const policy = `length = ${length}\nrule "charset" { charset = "ab" }`;
    expectDone(await door.call("passwordPolicies.write", { name, policy }));
    const { password } = expectData(await door.call("passwordPolicies.generate", { name }));
    expect(password).toMatch(new RegExp(`^[ab]{${length}}$`));
  });

  it.each(["-a", "a-", ".a", "a.", "a b", "ä", "a:b", "a+"])("are not named %j, whatever is done", async (wrong) => {
    const sim = createSimulator();
    const door = open(sim);
    for (const operation of [
      "passwordPolicies.read",
      "passwordPolicies.delete",
      "passwordPolicies.generate",
      "passwordPolicies.write",
    ] as const) {
      expectRefused(await door.call(operation, { name: wrong, policy: POLICY }), 404, "unsupported path");
    }
  });

  it("give another password each time, and commit nothing", async () => {
    const sim = createSimulator();
    const door = open(sim);
    expectDone(await door.call("passwordPolicies.write", { name, policy: POLICY_WITH_LINES.replace("20", "60") }));
    await expectNothingChanged(sim, async () => {
      const one = expectData(await door.call("passwordPolicies.generate", { name }));
      const other = expectData(await door.call("passwordPolicies.generate", { name }));
      expect(one).not.toEqual(other);
    });
  });
});

describe("a password of a policy", () => {
  const charset = fc.constantFrom("abc", "ABC", "012", "-_!", "é😀");
  const rules = fc.array(fc.tuple(charset, fc.integer({ min: 0, max: 5 })), { minLength: 1, maxLength: 4 });

  property([rules, fc.integer({ min: 20, max: 100 }), fc.integer()], runs(100))(
    "has its length, the required characters of each rule, and no others",
    (wanted, length, seed) => {
      const sim = createSimulator({ seed });
      const cluster = sim.secrets.cluster("main");
      const { passwordPolicies } = cluster.as(cluster.rootToken);
      const policy = [
        `length = ${length}`,
        ...wanted.map(([letters, least]) => `rule "charset" {\n charset = "${letters}"\n min-chars = ${least}\n}`),
      ].join("\n");
      passwordPolicies.write({ name, policy });
      const characters = [...passwordPolicies.generate({ name }).data.password];
      expect(characters).toHaveLength(length);
      for (const letters of new Set(wanted.map(([each]) => each))) {
        const least = wanted.filter(([each]) => each === letters).reduce((sum, [, count]) => sum + count, 0);
        expect(characters.filter((character) => letters.includes(character)).length).toBeGreaterThanOrEqual(least);
      }
      const all = wanted.map(([letters]) => letters).join("");
      for (const character of characters) expect(all).toContain(character);
    },
  );
});
