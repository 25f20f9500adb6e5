import type { Evolvers } from "../../../kernel/evolvers.ts";
import type { InNamespace } from "../place.ts";
import type { Namespace } from "../state.ts";

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

/** The facts of password policies. */
export interface PasswordPolicyEvents {
  PasswordPolicyWritten: InNamespace & { readonly name: string; readonly policy: PasswordPolicy };
  PasswordPolicyDeleted: InNamespace & { readonly name: string };
}

export const passwordPolicyEvolvers: Evolvers<Namespace, PasswordPolicyEvents> = {
  PasswordPolicyWritten: (namespace, { name, policy }) => {
    namespace.passwordPolicies = namespace.passwordPolicies.set(name, policy);
  },
  PasswordPolicyDeleted: (namespace, { name }) => {
    namespace.passwordPolicies = namespace.passwordPolicies.delete(name);
  },
};
