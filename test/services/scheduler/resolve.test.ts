import { describe, expect, it } from "vitest";
import { Table } from "../../../src/kernel/table.ts";
import type { AccessorId, PolicyName } from "../../../src/services/scheduler/ids.ts";
import { capabilitiesOf } from "../../../src/services/scheduler/rules/resolve.ts";
import { eachTakesAtMost } from "../../support/processor-time.ts";

describe("many policies of one label", () => {
  eachTakesAtMost(2);

  it.each([
    ["namespace", "n", "submit-job"],
    ["variables", "n/x", "read"],
  ] as const)("are resolved in proportion to how many they are: %s", (kind, name, capability) => {
    const rules = 'namespace "n" { policy = "write" variables { path "x" { capabilities = ["read"] } } }';
    const policy = { name: "p" as PolicyName, description: "", rules, createIndex: 2, modifyIndex: 2 };
    const policies = Array.from({ length: 10_000 }, (_, index) => `p${index}`);
    const region = { policyIndex: 2, policies: Table.from(policies.map((each) => [each, policy] as const)) };
    const bearer = { kind: "client", accessor: "a" as AccessorId, policies, roles: [] } as const;
    expect(capabilitiesOf(region, bearer, kind, name)).toContain(capability);
  });
});
