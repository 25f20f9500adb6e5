import type { Plain } from "../../../kernel/plain.ts";
import { isObject, own } from "../../../languages/objects.ts";
import { type PolicyRule, readRules } from "../../../surroundings/orchestrator/rules.ts";
import { readSelector } from "../../../surroundings/orchestrator/selectors.ts";
import type { Labels } from "../../../surroundings/orchestrator/state.ts";
import type { SecretsDecision } from "../declare.ts";
import type { MountPlace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { orchestratorAt } from "../world.ts";
import { readDocument } from "./documents.ts";
import { nameTemplateFault } from "./names.ts";
import type { Document, OrchestratorRole, OrchestratorRoleName, RoleType } from "./state.ts";

// Source of all rules in this file: decisions-orchestrator.md, 3.

/** What a role is written with: absent members keep their value. */
export interface WrittenRole {
  readonly namespaces?: readonly string[] | undefined;
  readonly selector?: string | undefined;
  readonly serviceAccountName?: string | undefined;
  readonly boundRoleName?: string | undefined;
  readonly rules?: string | undefined;
  readonly roleType?: string | undefined;
  readonly nameTemplate?: string | undefined;
  readonly tokenDefaultTtlSeconds?: number | undefined;
  readonly tokenMaxTtlSeconds?: number | undefined;
  readonly extraLabels?: Labels | undefined;
  readonly extraAnnotations?: Labels | undefined;
  readonly tokenDefaultAudiences?: readonly string[] | undefined;
  /** What came of the texts that are YAML, by their fields. */
  readonly prepared: Plain | undefined;
}

const NEW_ROLE: OrchestratorRole = {
  namespaces: [],
  selector: null,
  serviceAccountName: "",
  boundRoleName: "",
  rules: null,
  roleType: "Role",
  nameTemplate: "",
  tokenDefaultTtlSeconds: 0,
  tokenMaxTtlSeconds: 0,
  extraLabels: null,
  extraAnnotations: null,
  tokenDefaultAudiences: null,
};

/** The fields that hold documents. */
export const SELECTOR_FIELD = "allowed_orchestrator_namespace_selector";
export const RULES_FIELD = "generated_role_rules";

/**
 * Writes a role: what is sent changes, the rest stays. All checks look at what the role would be; the first that fails ends it, and
 * nothing is stored.
 */
export function writeRole(
  decision: SecretsDecision,
  at: MountPlace,
  name: OrchestratorRoleName,
  written: WrittenRole,
): void {
  const stored = orchestratorAt(decision.state, at)?.engine.roles.get(name) ?? NEW_ROLE;
  const namespaces = written.namespaces === undefined ? stored.namespaces : namespaceList(written.namespaces);
  const serviceAccountName = written.serviceAccountName ?? stored.serviceAccountName;
  const boundRoleName = written.boundRoleName ?? stored.boundRoleName;
  const selectorText = written.selector ?? stored.selector?.text ?? "";
  const rulesText = written.rules ?? stored.rules?.text ?? "";
  const tokenDefaultTtlSeconds = written.tokenDefaultTtlSeconds ?? stored.tokenDefaultTtlSeconds;
  const tokenMaxTtlSeconds = written.tokenMaxTtlSeconds ?? stored.tokenMaxTtlSeconds;
  const nameTemplate = written.nameTemplate ?? stored.nameTemplate;

  if (namespaces.length === 0 && selectorText === "") refuse("role_namespaces_missing", {});
  const modes = [serviceAccountName, boundRoleName, rulesText].filter((mode) => mode !== "");
  if (modes.length !== 1) refuse("role_modes_wrong", {});
  if (tokenMaxTtlSeconds > 0 && tokenDefaultTtlSeconds > tokenMaxTtlSeconds) refuse("role_default_ttl_above_max", {});
  const roleType = written.roleType === undefined ? stored.roleType : roleTypeOf(written.roleType);
  const selector =
    written.selector === undefined ? stored.selector : document(selectorText, SELECTOR_FIELD, written, readSelector);
  const rules = written.rules === undefined ? stored.rules : document(rulesText, RULES_FIELD, written, readRoleRules);
  const templateFault = nameTemplate === stored.nameTemplate ? undefined : nameTemplateFault(nameTemplate);
  if (templateFault !== undefined) refuse("name_template_invalid", { reason: templateFault });

  const settings: OrchestratorRole = {
    namespaces,
    selector,
    serviceAccountName,
    boundRoleName,
    rules,
    roleType,
    nameTemplate,
    tokenDefaultTtlSeconds,
    tokenMaxTtlSeconds,
    extraLabels: written.extraLabels ?? stored.extraLabels,
    extraAnnotations: written.extraAnnotations ?? stored.extraAnnotations,
    tokenDefaultAudiences: written.tokenDefaultAudiences ?? stored.tokenDefaultAudiences,
  };
  decision.record({ type: "OrchestratorRoleWritten", data: { at, role: name, settings } });
}

/** Names as they are stored: trimmed, lower-case, each once, in order, and no empty ones. */
function namespaceList(given: readonly string[]): readonly string[] {
  const names = given.map((name) => name.trim().toLowerCase()).filter((name) => name !== "");
  return [...new Set(names)].sort();
}

function roleTypeOf(given: string): RoleType {
  switch (given.toLowerCase()) {
    case "":
    case "role":
      return "Role";
    case "clusterrole":
      return "ClusterRole";
    default:
      return refuse("role_type_unknown", { type: given });
  }
}

/** A text and what it says; null for an empty one. */
function document<V extends object>(
  text: string,
  field: string,
  { prepared }: WrittenRole,
  read: (value: unknown) => V | string,
): Document<V> | null {
  if (text === "") return null;
  const said = readDocument(text, field, prepared);
  const parsed = "fault" in said ? said.fault : read(said.value);
  if (typeof parsed === "string") return refuse("role_document_invalid", { field, reason: parsed });
  return { text, parsed };
}

/** Without the key there are no rules, and that is accepted. */
function readRoleRules(value: unknown): readonly PolicyRule[] | string {
  return isObject(value) ? readRules(own(value, "rules") ?? []) : "it is an object with rules";
}

/** Deletes a role; its leases stay as they are. */
export function deleteRole(decision: SecretsDecision, at: MountPlace, name: OrchestratorRoleName): void {
  if (orchestratorAt(decision.state, at)?.engine.roles.has(name) !== true) return;
  decision.record({ type: "OrchestratorRoleDeleted", data: { at, role: name } });
}
