/** Why the endpoints of namespaces refuse. */
export interface NamespaceRefusals {
  namespace_reserved: { readonly namespace: string };
  namespace_conflicts: { readonly namespace: string };
  namespace_has_children: { readonly namespace: string };
}
