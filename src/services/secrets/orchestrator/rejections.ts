/** Why orchestrator engines refuse, in the order in which they look (decisions-orchestrator.md, 2 to 6). */
export interface OrchestratorEngineRefusals {
  orchestrator_host_missing: Record<never, never>;

  role_namespaces_missing: Record<never, never>;
  role_modes_wrong: Record<never, never>;
  role_default_ttl_above_max: Record<never, never>;
  role_type_unknown: { readonly type: string };
  role_document_invalid: { readonly field: string; readonly reason: string };
  name_template_invalid: { readonly reason: string };

  orchestrator_role_missing: { readonly role: string };
  orchestrator_namespace_missing: Record<never, never>;
  orchestrator_namespace_forbidden: { readonly namespace: string };
  orchestrator_config_missing: Record<never, never>;
  cluster_binding_of_role: Record<never, never>;
  name_generation_failed: { readonly reason: string };
  /** The orchestrator refused a call, or could not be reached. */
  orchestrator_call_failed: { readonly attempt: string; readonly reason: string };
  /** An engine cannot be unmounted while what it left half made cannot be cleaned up. */
  rollback_failed: { readonly path: string; readonly reason: string };
}
