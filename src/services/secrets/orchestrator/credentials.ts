import { labelsOfNamespace, type OrchestratorSession } from "../../../surroundings/orchestrator/calls.ts";
import { selectorFault, selects } from "../../../surroundings/orchestrator/selectors.ts";
import type { ServiceAccountToken } from "../../../surroundings/orchestrator/state.ts";
import { bearerOf } from "../access.ts";
import type { SecretsDecision } from "../declare.ts";
import { issueLease, newLeaseId } from "../leases/issue.ts";
import type { MountPlace } from "../place.ts";
import { failKeepingFacts, refuse } from "../rejections.ts";
import type { LeaseShown } from "../reply.ts";
import { orchestratorAt } from "../world.ts";
import { type Created, createAccount, tokenOfExisting, type Wanted } from "./creation.ts";
import { leaseLifetime, wantedLifetime } from "./lifetime.ts";
import { generatedName } from "./names.ts";
import { sessionAt } from "./session.ts";
import type { OrchestratorRole, OrchestratorRoleName } from "./state.ts";

/** What a request for credentials says. */
export interface AskedCredentials {
  readonly namespace: string;
  readonly clusterRoleBinding: boolean;
  readonly ttlSeconds: number | undefined;
  /** Undefined = those of the role. */
  readonly audiences: readonly string[] | undefined;
  /** The path of the request, which the lease is named after. */
  readonly path: string;
}

export interface IssuedCredentials {
  readonly lease: LeaseShown;
  readonly token: ServiceAccountToken;
  readonly warnings: readonly string[];
}

/**
 * Issues a token of a service account, and makes what it takes.
 *
 * Source: decisions-orchestrator.md, 4; the checks are in the order of its table.
 */
export function issueCredentials(
  decision: SecretsDecision,
  at: MountPlace,
  roleName: OrchestratorRoleName,
  asked: AskedCredentials,
): IssuedCredentials {
  const mount = orchestratorAt(decision.state, at);
  const role = mount?.engine.roles.get(roleName);
  if (mount === undefined || role === undefined) return refuse("orchestrator_role_missing", { role: roleName });
  if (asked.namespace === "") refuse("orchestrator_namespace_missing", {});
  const { namespace } = asked;
  if (!isAllowed(decision, at, role, namespace)) refuse("orchestrator_namespace_forbidden", { namespace });
  if (asked.clusterRoleBinding && role.roleType === "Role") refuse("cluster_binding_of_role", {});
  const session = sessionOrRefuse(decision, at);

  const wanted = wantedLifetime(asked.ttlSeconds, role, mount);
  const created = create(decision, at, session, roleName, role, {
    namespace,
    clusterRoleBinding: asked.clusterRoleBinding,
    ttlSeconds: wanted.seconds,
    audiences: asked.audiences ?? role.tokenDefaultAudiences ?? [],
  });
  const { token, objects } = created;
  const { seconds, warnings } = leaseLifetime(wanted, token.expiresAtSeconds - token.issuedAtSeconds);
  const lease = issueLease(decision, bearerOf(decision), newLeaseId(decision, asked.path), {
    mount: at.mount,
    grant: { type: "serviceAccount", objects },
    seconds,
    renewable: false,
  });
  return { lease, token, warnings };
}

/** A namespace is allowed by the list, or else by the selector. The list is not asked whether it exists. */
function isAllowed(decision: SecretsDecision, at: MountPlace, role: OrchestratorRole, namespace: string): boolean {
  if (role.namespaces.includes("*") || role.namespaces.includes(namespace)) return true;
  if (role.selector === null) return false;
  const labels = labelsOfNamespace(decision, sessionOrRefuse(decision, at), namespace);
  const attempt = "failed to match the namespace selector";
  if (!labels.ok) return failKeepingFacts("orchestrator_call_failed", { attempt, reason: labels.reason });
  const fault = selectorFault(role.selector.parsed);
  if (fault !== undefined) return refuse("orchestrator_call_failed", { attempt, reason: fault });
  return selects(role.selector.parsed, labels.result);
}

function sessionOrRefuse(decision: SecretsDecision, at: MountPlace): OrchestratorSession {
  const session = sessionAt(decision, at);
  return typeof session === "string" ? refuse(session, {}) : session;
}

function create(
  decision: SecretsDecision,
  at: MountPlace,
  session: OrchestratorSession,
  roleName: OrchestratorRoleName,
  role: OrchestratorRole,
  wanted: Wanted,
): Created {
  if (role.serviceAccountName !== "") return tokenOfExisting(decision, session, role, wanted);
  const { displayName } = bearerOf(decision).token;
  const generated = generatedName(role.nameTemplate, { displayName, roleName }, decision.nowMs, decision.draw);
  if ("fault" in generated) return refuse("name_generation_failed", { reason: generated.fault });
  return createAccount(decision, session, at, role, generated.name, wanted);
}
