import { describe, expect, it } from "vitest";
import type { CapabilityKind } from "../../../src/index.ts";
import { regionsWorld } from "./regions-world.ts";

// decisions-scheduler-acl.md, section 8, "Short-hand expansion" and "Resolution".

/** What a client with policies of these rules may do. */
function capabilities(rules: readonly string[], kind: CapabilityKind, name?: string): string[] {
  const { eu, policy, client } = regionsWorld();
  rules.forEach((text, place) => {
    policy(`p${place}`, text);
  });
  const { secret } = client([...rules.map((_, place) => `p${place}`), "missing"]);
  return eu.as(secret).capabilities(kind, name);
}

const namespaceRead = [
  "csi-list-volume",
  "csi-read-volume",
  "host-volume-read",
  "list-jobs",
  "list-scaling-policies",
  "parse-job",
  "read-job",
  "read-job-scaling",
  "read-scaling-policy",
];
const namespaceWrite = [
  ...namespaceRead,
  "alloc-exec",
  "alloc-lifecycle",
  "csi-mount-volume",
  "csi-write-volume",
  "dispatch-job",
  "host-volume-create",
  "read-fs",
  "read-logs",
  "scale-job",
  "submit-job",
  "submit-recommendation",
].sort();

describe("short-hand words", () => {
  it.each<[rules: string, kind: CapabilityKind, name: string | undefined, expected: string[]]>([
    ['namespace "n" { policy = "read" }', "namespace", "n", namespaceRead],
    ['namespace "n" { policy = "write" }', "namespace", "n", namespaceWrite],
    [
      'namespace "n" { policy = "scale" }',
      "namespace",
      "n",
      [
        "list-scaling-policies",
        "read-job",
        "read-job-scaling",
        "read-scaling-policy",
        "scale-job",
        "submit-recommendation",
      ],
    ],
    ['namespace "n" { policy = "deny" }', "namespace", "n", []],
    [
      'namespace "n" { policy = "read" capabilities = ["submit-job"] }',
      "namespace",
      "n",
      [...namespaceRead, "submit-job"].sort(),
    ],
    ['namespace "n" { policy = "write" capabilities = ["deny"] }', "namespace", "n", []],
    ['node_pool "n" { policy = "write" }', "node_pool", "n", ["delete", "read", "write"]],
    ['node_pool "n" { policy = "scale" }', "node_pool", "n", []],
    ['host_volume "n" { policy = "read" }', "host_volume", "n", ["mount-readonly"]],
    ['host_volume "n" { policy = "write" }', "host_volume", "n", ["mount-readonly", "mount-readwrite"]],
    ['agent { policy = "write" }', "agent", undefined, ["read", "write"]],
    ['node { policy = "read" }', "node", undefined, ["read"]],
    ['quota { policy = "scale" }', "quota", undefined, []],
    ['operator { policy = "read" }', "operator", undefined, ["keyring-read", "license-read", "read"]],
    ['operator { capabilities = ["snapshot-save"] }', "operator", undefined, ["snapshot-save"]],
    ['operator { policy = "deny" capabilities = ["snapshot-save"] }', "operator", undefined, []],
    ['plugin { policy = "read" }', "plugin", undefined, ["list", "read"]],
    ['plugin { policy = "list" }', "plugin", undefined, ["list"]],
    ['plugin { policy = "write" }', "plugin", undefined, []],
    ['namespace "n" { variables { path "a/*" { capabilities = ["read"] } } }', "variables", "n/a/b", ["list", "read"]],
    ['namespace "n" { variables { path "a/*" { capabilities = ["write"] } } }', "variables", "n/b", []],
  ])("%s", (rules, kind, name, expected) => {
    expect(capabilities([rules], kind, name)).toEqual(expected);
  });

  // amendments.md, N3 and N4.
  it.each<[rules: string, kind: CapabilityKind, name: string | undefined, expected: readonly string[]]>([
    [
      'namespace "n" { capabilities = ["host-volume-write"] }',
      "namespace",
      "n",
      ["create", "delete", "read", "register", "write"].map((verb) => `host-volume-${verb}`),
    ],
    [
      'namespace "n" { capabilities = ["host-volume-register"] }',
      "namespace",
      "n",
      ["create", "read", "register"].map((verb) => `host-volume-${verb}`),
    ],
    ['namespace "a*" { variables { path "x" { capabilities = ["list"] } } }', "variables", "ab/x", ["list"]],
    ['namespace "a*" { variables { path "x" { capabilities = ["list"] } } }', "variables", "ab/c/x", []],
    [
      `namespace "a" {
        variables {
          path "x" { capabilities = ["list", "deny"] }
          path "x" { capabilities = ["write"] }
        }
      }`,
      "variables",
      "a/x",
      ["write"],
    ],
  ])("%s grants of %s %s %j", (rules, kind, name, expected) => {
    expect(capabilities([rules], kind, name)).toEqual(expected);
  });

  it("of the operator is all of write, denied capabilities or not", () => {
    const rules = 'operator { policy = "write" capabilities = ["deny"] }';
    expect(capabilities([rules], "operator")).toEqual(expect.arrayContaining(["read", "snapshot-save", "write"]));
  });
});

describe("several policies", () => {
  it("are united per label; a denial clears its label in any order", () => {
    const read = 'namespace "n" { capabilities = ["read-job"] }';
    const list = 'namespace "n" { capabilities = ["list-jobs"] }';
    const deny = 'namespace "n" { policy = "deny" }';
    expect(capabilities([read, list], "namespace", "n")).toEqual(["list-jobs", "read-job"]);
    for (const rules of [
      [deny, read],
      [read, deny],
    ]) {
      expect(capabilities(rules, "namespace", "n")).toEqual([]);
    }
  });

  it("an exact label hides a pattern, and a denial of a pattern does not reach it", () => {
    const pattern = 'namespace "prod-*" { policy = "deny" }';
    const exact = 'namespace "prod-api" { capabilities = ["read-job"] }';
    expect(capabilities([pattern, exact], "namespace", "prod-api")).toEqual(["read-job"]);
    expect(capabilities([pattern, exact], "namespace", "prod-web")).toEqual([]);
    const wide = 'namespace "*" { capabilities = ["list-jobs"] }';
    expect(capabilities([wide, exact], "namespace", "prod-api")).toEqual(["read-job"]);
    expect(capabilities([wide, exact], "namespace", "dev")).toEqual(["list-jobs"]);
  });

  it("the strongest word of a block without a label wins", () => {
    const agent = (policy: string): string => `agent { policy = "${policy}" }`;
    expect(capabilities([agent("read"), agent("write")], "agent")).toEqual(["read", "write"]);
    expect(capabilities([agent("write"), agent("deny")], "agent")).toEqual([]);
    const plugin = (policy: string): string => `plugin { policy = "${policy}" }`;
    expect(capabilities([plugin("list"), plugin("read")], "plugin")).toEqual(["list", "read"]);
  });
});

describe("whoever", () => {
  it("manages may do everything", () => {
    const { eu, root } = regionsWorld();
    const door = eu.as(root);
    expect(door.capabilities("namespace", "any")).toContain("kind-a-override");
    expect(door.capabilities("operator")).toContain("keyring-delete");
    expect(door.capabilities("variables", "n/a")).toEqual(["destroy", "list", "read", "write"]);
  });

  it("sends no token has the policy anonymous, in the region that is asked", () => {
    const { sim, eu, us, policy } = regionsWorld();
    policy("anonymous", 'node { policy = "read" }');
    expect([eu.as().capabilities("node"), us.as().capabilities("node")]).toEqual([["read"], []]);
    sim.settle();
    expect(us.as().capabilities("node")).toEqual(["read"]);
    expect(() => us.as("bogus").capabilities("node")).toThrow("ACL token not found");
  });

  it("asks for no kind, or of no name, is told so", () => {
    const { eu, root } = regionsWorld();
    expect(() => eu.as(root).capabilities("cluster" as never)).toThrow('"cluster" is no kind');
    expect(() => eu.as(root).capabilities("namespace")).toThrow("name of the namespace");
  });
});
