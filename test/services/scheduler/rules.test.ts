import { describe, expect, it } from "vitest";
import { LanguageError } from "../../../src/index.ts";
import { matches } from "../../../src/languages/glob.ts";
import { closest } from "../../../src/services/scheduler/rules/glob.ts";
import { parseRules } from "../../../src/services/scheduler/rules/parse.ts";

// decisions-scheduler-acl.md, section 8.

function faultOf(text: string): string | undefined {
  try {
    parseRules(text);
    return undefined;
  } catch (error) {
    if (error instanceof LanguageError) return error.message;
    throw error;
  }
}

describe("rules that are valid", () => {
  it.each<[string]>([
    [""],
    ['namespace "default" { policy = "read" }'],
    ['namespace "default" {}'],
    ['namespace "*" { policy = "scale" capabilities = ["deny", "kind-a-override", "host-volume-delete"] }'],
    ['namespace "a" { policy = "read" }\nnamespace "a" { policy = "write" }'],
    ['namespace "a" { variables { path "x/*" { capabilities = ["read", "deny"] } path "y" {} } }'],
    ['namespace "a" { unknown = 1 other { x = 2 } }'],
    ['node_pool "under_score-*" { policy = "scale" }'],
    ['host_volume "v" { capabilities = ["mount-readonly"] }'],
    ['agent { policy = "scale" } node { policy = "write" } quota { policy = "deny" }'],
    ['Agent { POLICY = "read" }'],
    ['{"NameSpace":{"a":{"Variables":{"Path":{"x":{"Capabilities":["list"]}}},"POLICY":"read"}}}'],
    ["operator {}"],
    ['operator { capabilities = ["snapshot-save", "deny"] }'],
    ['plugin { policy = "list" }'],
    ['# comment\n// another\n/* and\nmore */ agent = { policy = "read" }'],
    ['{"namespace":{"default":{"policy":"read"}},"agent":{"policy":"read"}}'],
    ['{"namespace":[{"a":{"policy":"read"}},{"b":{"capabilities":["deny"]}}]}'],
    ['{"namespace":{"a":{"capabilities":[],"variables":{"path":{"x":{"capabilities":["list"]}}}}}}'],
    ['namespace "a" { variables { path "x" { capabilities = ["list"] } } }'],
    [' {"operator":{}}'],
  ])("%s", (text) => {
    expect(faultOf(text)).toBeUndefined();
  });
});

describe("rules that are not", () => {
  it.each<[text: string, line: number, column: number, what: string]>([
    [" ", 1, 1, "no block"],
    // amendments.md, N5.
    ['{"namespace":{"a":{"variables":{"path":{"x":{"capabilities":["list"]}}}}}}', 1, 15, "nothing but variables"],
    ['{"namespace":{"a":[{"policy":"read"},{"policy":"write"}]}}', 1, 15, "a list"],
    ['{"host_volume":[{"a":[{"policy":"read"}]}]}', 1, 18, "a list"],
    ['{"namespace":{"a":{"capabilities":null}}}', 1, 20, "no list"],
    ['{"namespace":{"a":{"policy":"read"}', 1, 36, ""],
    ["# only a comment", 1, 1, "no block"],
    ["{}", 1, 1, "no block"],
    ["name = 1", 1, 1, "unknown key"],
    ['agent { policy = "read" }\nrole "x" {}', 2, 1, 'unknown key "role"'],
    ['agent { policy = "read" }\n\nagent { policy = "read" }', 3, 1, "second agent"],
    ["agent {}", 1, 1, "without a policy"],
    ['agent { policy = "" }', 1, 18, ""],
    ['agent { policy = "list" }', 1, 18, '"list"'],
    ['agent { policy = "Read" }', 1, 18, '"Read"'],
    ["agent { policy = 7 }", 1, 18, "no text"],
    ['agent "x" { policy = "read" }', 1, 1, "label"],
    ['agent = "read"', 1, 1, "value"],
    ["operator { policy = true }", 1, 21, "no text"],
    ['operator { capabilities = ["license"] }', 1, 28, '"license"'],
    ['plugin { policy = "scale" }', 1, 19, '"scale"'],
    ["plugin {}", 1, 1, "without a policy"],
    ['namespace { policy = "read" }', 1, 1, "0 labels"],
    ['namespace "a" "b" { policy = "read" }', 1, 1, "2 labels"],
    ['namespace "a_b" { policy = "read" }', 1, 1, '"a_b"'],
    ['namespace "" { policy = "read" }', 1, 1, '""'],
    [`namespace "${"x".repeat(129)}" {}`, 1, 1, "label"],
    ['namespace "a" { policy = "list" }', 1, 26, '"list"'],
    ['namespace "a" {\n  capabilities = ["read-job", "register-job"]\n}', 2, 31, '"register-job"'],
    ['namespace "a" { capabilities = "read-job" }', 1, 17, "no list"],
    ['node_pool "p" { capabilities = ["mount-readonly"] }', 1, 33, "mount-readonly"],
    ['namespace "a" { variables {} }', 1, 17, "without a path"],
    ['namespace "a" { variables { path "/x" {} } }', 1, 29, '"/x"'],
    ['namespace "a" { variables { path "" {} } }', 1, 29, '""'],
    ['namespace "a" { variables { path "x" { capabilities = ["update"] } } }', 1, 56, '"update"'],
    ['namespace "a" {', 1, 16, ""],
    ['{"namespace":{"a":{"policy":"none"}}}', 1, 29, '"none"'],
    ['{"namespace":{"policy":"read"}}', 1, 2, "0 labels"],
    ['{"agent":{"policy":"read"}', 1, 27, ""],
    ["[]", 1, 1, ""],
  ])("%s", (text, line, column, what) => {
    const fault = faultOf(text);
    expect(fault).toContain(`line ${line}, column ${column}:`);
    expect(fault).toContain(what);
  });
});

describe("a pattern", () => {
  it.each([
    ["*", "", true],
    ["*", "anything", true],
    ["a*", "a", true],
    ["a*", "ba", false],
    ["*a", "ba", true],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["a*b*c", "axxbyyc", true],
    ["a*b*c", "axxcyyb", false],
    ["*ab*ab*", "ab", false],
    ["*ab*ab*", "xabab", true],
    ["plain", "plain", true],
    ["plain", "plainer", false],
  ])("%s and the name %j: %s", (pattern, name, does) => {
    expect(matches(pattern, name)).toBe(does);
  });

  it("is closest with the fewest characters behind its asterisks; of equals the last by bytes is", () => {
    expect(closest(["*", "prod-*", "prod-api-*", "dev-*"], "prod-api-1")).toBe("prod-api-*");
    expect(closest(["*-api", "prod*"], "prod-api")).toBe("prod*");
    expect(closest(["a*c", "ab*"], "abc")).toBe("ab*");
    expect(closest(["exact"], "exact")).toBeUndefined();
    expect(closest([], "x")).toBeUndefined();
  });
});
