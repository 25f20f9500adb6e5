import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import type { InNamespace } from "../place.ts";
import type { PathRule } from "./rules.ts";

/** What the tokens that name it may do (decisions-secrets-core.md, A.8). */
export interface AclPolicy {
  /** The document as it was sent, but for base64. */
  readonly text: string;
  readonly rules: readonly PathRule[];
}

export interface PolicySlice {
  readonly policies: Table<AclPolicy>;
}

/** The facts of access policies. */
export interface PolicyEvents {
  PolicyWritten: InNamespace & { readonly name: string; readonly policy: AclPolicy };
  PolicyDeleted: InNamespace & { readonly name: string };
}

export const policyEvolvers: FlatEvolvers<PolicySlice, PolicyEvents> = {
  PolicyWritten: (slice, { name, policy }) => {
    slice.policies = slice.policies.set(name, policy);
  },
  PolicyDeleted: (slice, { name }) => {
    slice.policies = slice.policies.delete(name);
  },
};
