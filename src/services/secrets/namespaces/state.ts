import type { Evolvers } from "../../../kernel/evolvers.ts";
import { Table } from "../../../kernel/table.ts";
import type { PasswordPolicy } from "../password-policies/state.ts";
import type { ClusterName, NamespacePath } from "../place.ts";
import { DEFAULT_POLICY } from "../policies/default-policy.ts";
import type { AclPolicy } from "../policies/state.ts";
import type { Mount, Namespace, Replicated } from "../state.ts";

/** The facts of namespaces. */
export interface NamespaceEvents {
  NamespaceCreated: { readonly cluster: ClusterName; readonly namespace: NamespacePath; readonly id: string };
}

export const namespaceEvolvers: Evolvers<Replicated, NamespaceEvents> = {
  NamespaceCreated: (replicated, { namespace, id }) => {
    replicated.namespaces = replicated.namespaces.set(namespace, newNamespace(id));
  },
};

/** A namespace with nothing in it but what every namespace has. */
export function newNamespace(id: string): Namespace {
  return {
    id,
    mounts: Table.of<Mount>(),
    policies: Table.of<AclPolicy>().set("default", DEFAULT_POLICY),
    passwordPolicies: Table.of<PasswordPolicy>(),
  };
}
