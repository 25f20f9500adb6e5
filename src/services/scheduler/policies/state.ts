import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import type { PolicyName, RegionName } from "../ids.ts";
import type { LogSlice } from "../regions/state.ts";

/** A policy: a named text of rules. */
export interface Policy {
  readonly name: PolicyName;
  readonly description: string;
  /** Byte for byte as it was written. */
  readonly rules: string;
  readonly createIndex: number;
  readonly modifyIndex: number;
}

/** What of a policy is the same in all regions. */
export type PolicyContent = Pick<Policy, "name" | "description" | "rules">;

export interface PolicySlice {
  /** That of the last write to the table; 0 as long as there was none. */
  readonly policyIndex: number;
  /** By name. */
  readonly policies: Table<Policy>;
}

type Policies = PolicySlice & LogSlice;

/** The facts of policies. Each names the region in which it holds, and that region's index of it. */
export interface PolicyEvents {
  AclPolicyWritten: PolicyContent & { readonly region: RegionName; readonly index: number };
  AclPolicyDeleted: {
    readonly region: RegionName;
    readonly index: number;
    readonly name: string;
    /** There was none: a delete takes an index all the same (decisions-scheduler-acl.md, section 4). */
    readonly missing?: true;
  };
}

export const policyEvolvers: FlatEvolvers<Policies, PolicyEvents> = {
  AclPolicyWritten: (region, { index, name, description, rules }) => {
    region.index = index;
    region.policyIndex = index;
    const createIndex = region.policies.get(name)?.createIndex ?? index;
    region.policies = region.policies.set(name, { name, description, rules, createIndex, modifyIndex: index });
  },
  AclPolicyDeleted: (region, { index, name }) => {
    region.index = index;
    region.policyIndex = index;
    region.policies = region.policies.delete(name);
  },
};

/** Whether two policies say the same: what a digest over name, description and rules tells (section 5, Hash). */
export function isSamePolicy(left: PolicyContent, right: PolicyContent): boolean {
  return left.name === right.name && left.description === right.description && left.rules === right.rules;
}
