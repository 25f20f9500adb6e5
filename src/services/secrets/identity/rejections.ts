/** Why the endpoints of entities, aliases and groups refuse (decisions-oidc.md, 3). */
export interface IdentityRefusals {
  entity_unknown: { readonly entity: string };
  /** The name belongs to another one. */
  entity_name_taken: { readonly name: string };
  /** An id that a test author chose is taken. */
  entity_exists: { readonly entity: string };
  policy_of_identity: { readonly policy: string };
  identity_name_missing: { readonly object: "entity" | "group" | "alias" };
  alias_accessor_missing: Record<never, never>;
  alias_unknown: { readonly alias: string };
  alias_login_taken: { readonly name: string; readonly accessor: string };
  lookup_parameters_missing: Record<never, never>;
  lookup_parameters_conflict: Record<never, never>;
  lookup_alias_incomplete: Record<never, never>;
  alias_on_accessor_exists: { readonly entity: string; readonly accessor: string };
  group_unknown: { readonly group: string };
  group_name_taken: { readonly name: string };
  group_exists: { readonly group: string };
  group_type_unknown: { readonly type: string };
  group_type_immutable: { readonly group: string };
  external_group_members: { readonly group: string };
  alias_of_internal_group: { readonly group: string };
  merge_entity_missing: { readonly isTarget: boolean };
  merge_into_itself: { readonly entity: string };
  merge_aliases_conflict: { readonly accessors: readonly string[] };
  member_unknown: { readonly member: string };
  group_cycle: { readonly group: string; readonly member: string };
}
