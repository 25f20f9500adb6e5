import type { Evolvers } from "../../../kernel/evolvers.ts";
import type { InNamespace } from "../place.ts";
import type { Namespace } from "../state.ts";
import type { PathRule } from "./rules.ts";

/** What the tokens that name it may do (decisions-secrets-core.md, A.8). */
export interface AclPolicy {
  /** The document as it was sent, but for base64. */
  readonly text: string;
  readonly rules: readonly PathRule[];
}

/** The facts of access policies. */
export interface PolicyEvents {
  PolicyWritten: InNamespace & { readonly name: string; readonly policy: AclPolicy };
  PolicyDeleted: InNamespace & { readonly name: string };
}

export const policyEvolvers: Evolvers<Namespace, PolicyEvents> = {
  PolicyWritten: (namespace, { name, policy }) => {
    namespace.policies = namespace.policies.set(name, policy);
  },
  PolicyDeleted: (namespace, { name }) => {
    namespace.policies = namespace.policies.delete(name);
  },
};
