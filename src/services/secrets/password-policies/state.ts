import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import type { InNamespace } from "../place.ts";

/** A recipe for passwords (decisions-secrets-core.md, D.6). */
export interface PasswordPolicy {
  /** The document as it was sent. */
  readonly text: string;
  readonly length: number;
  readonly rules: readonly CharsetRule[];
}

/** At least so many characters of a charset. */
export interface CharsetRule {
  readonly charset: string;
  readonly minChars: number;
}

export interface PasswordPolicySlice {
  readonly passwordPolicies: Table<PasswordPolicy>;
}

/** The facts of password policies. */
export interface PasswordPolicyEvents {
  PasswordPolicyWritten: InNamespace & { readonly name: string; readonly policy: PasswordPolicy };
  PasswordPolicyDeleted: InNamespace & { readonly name: string };
}

export const passwordPolicyEvolvers: FlatEvolvers<PasswordPolicySlice, PasswordPolicyEvents> = {
  PasswordPolicyWritten: (slice, { name, policy }) => {
    slice.passwordPolicies = slice.passwordPolicies.set(name, policy);
  },
  PasswordPolicyDeleted: (slice, { name }) => {
    slice.passwordPolicies = slice.passwordPolicies.delete(name);
  },
};
