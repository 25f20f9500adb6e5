import type { Labels } from "../../../surroundings/orchestrator/state.ts";
import type { OrchestratorRole, OrchestratorRoleName, RoleType } from "./state.ts";

/** A role as it is shown (decisions-orchestrator.md, 3 "GET `data`"). TTLs in seconds, 0 = unset. */
export interface OrchestratorRoleShown {
  readonly name: string;
  readonly allowed_orchestrator_namespaces: readonly string[];
  readonly allowed_orchestrator_namespace_selector: string;
  readonly generated_role_rules: string;
  readonly orchestrator_role_name: string;
  readonly orchestrator_role_type: RoleType;
  readonly name_template: string;
  readonly service_account_name: string;
  readonly token_default_ttl: number;
  readonly token_max_ttl: number;
  readonly extra_labels: Labels | null;
  readonly extra_annotations: Labels | null;
  readonly token_default_audiences: readonly string[] | null;
  /** Always empty: the contract shows it, and nothing says what it would hold. */
  readonly additional_metadata: Readonly<Record<string, never>>;
}

export function shownRole(name: OrchestratorRoleName, role: OrchestratorRole): OrchestratorRoleShown {
  return {
    name,
    allowed_orchestrator_namespaces: role.namespaces,
    allowed_orchestrator_namespace_selector: role.selector?.text ?? "",
    generated_role_rules: role.rules?.text ?? "",
    orchestrator_role_name: role.boundRoleName,
    orchestrator_role_type: role.roleType,
    name_template: role.nameTemplate,
    service_account_name: role.serviceAccountName,
    token_default_ttl: role.tokenDefaultTtlSeconds,
    token_max_ttl: role.tokenMaxTtlSeconds,
    extra_labels: role.extraLabels,
    extra_annotations: role.extraAnnotations,
    token_default_audiences: role.tokenDefaultAudiences,
    additional_metadata: {},
  };
}
