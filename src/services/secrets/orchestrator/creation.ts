import { setOwn } from "../../../languages/objects.ts";
import {
  type Called,
  createObject,
  type OrchestratorSession,
  requestToken,
} from "../../../surroundings/orchestrator/calls.ts";
import type {
  Labels,
  ObjectName,
  ObjectUid,
  OrchestratorObject,
  ServiceAccountToken,
} from "../../../surroundings/orchestrator/state.ts";
import type { SecretsDecision } from "../declare.ts";
import type { MountPlace } from "../place.ts";
import { failKeepingFacts } from "../rejections.ts";
import { noteHalfCreated } from "./rollback/decide.ts";
import type { OrchestratorRole } from "./state.ts";

// Source of all rules in this file: decisions-orchestrator.md, 6 and 7.

/** What is to be made, and where. */
export interface Wanted {
  readonly namespace: string;
  readonly clusterRoleBinding: boolean;
  readonly ttlSeconds: number;
  readonly audiences: readonly string[];
}

/** What was made: a token, and the objects that it takes, in the order in which they are deleted. */
export interface Created {
  readonly token: ServiceAccountToken;
  readonly objects: readonly ObjectName[];
}

/** Mode 1: a token for an account that is there. Nothing is made, so nothing is left behind. */
export function tokenOfExisting(
  decision: SecretsDecision,
  session: OrchestratorSession,
  role: OrchestratorRole,
  wanted: Wanted,
): Created {
  const token = called(tokenOf(decision, session, role.serviceAccountName, wanted), TOKEN);
  return { token, objects: [] };
}

/**
 * Modes 2 and 3: a role if it is to be generated, a binding, a service account, a token. What fails leaves what was made before it,
 * and a note of the first object, which the others go with.
 */
export function createAccount(
  decision: SecretsDecision,
  session: OrchestratorSession,
  at: MountPlace,
  role: OrchestratorRole,
  name: string,
  wanted: Wanted,
): Created {
  const { namespace } = wanted;
  const decor = { labels: labelsOf(role), annotations: role.extraAnnotations ?? {} };
  const own = ownRole(role, name, namespace);
  const binding: ObjectName = wanted.clusterRoleBinding
    ? { kind: "ClusterRoleBinding", name }
    : { kind: "RoleBinding", namespace, name };
  const account: ObjectName = { kind: "ServiceAccount", namespace, name };
  const first = own ?? binding;

  const create = (attempt: string, object: Omit<OrchestratorObject, "uid">): ObjectUid => {
    const made = createObject(decision, session, object);
    return made.ok ? made.result : fail(attempt, made.reason);
  };
  const fail = (attempt: string, reason: string): never => {
    noteHalfCreated(decision, at, first);
    return failKeepingFacts("orchestrator_call_failed", { attempt, reason });
  };

  const owner =
    own === undefined
      ? undefined
      : create("failed to create role", { ...own, ...decor, rules: role.rules?.parsed ?? [] });
  const bindingUid = create("failed to create role binding", {
    ...binding,
    ...decor,
    ...(owner === undefined ? {} : { owner }),
    roleRef: { kind: role.roleType, name: own === undefined ? role.boundRoleName : name },
    subjects: [{ kind: "ServiceAccount", namespace, name }],
  });
  create("failed to create service account", { ...account, ...decor, owner: owner ?? bindingUid });
  const token = tokenOf(decision, session, name, wanted);
  if (!token.ok) return fail(TOKEN, token.reason);
  return { token: token.result, objects: own === undefined ? [binding, account] : [own, binding, account] };
}

const TOKEN = "failed to create a service account token";

/** The role that is generated in mode 3. */
function ownRole({ rules, roleType }: OrchestratorRole, name: string, namespace: string): ObjectName | undefined {
  if (rules === null) return undefined;
  return roleType === "Role" ? { kind: "Role", namespace, name } : { kind: "ClusterRole", name };
}

/** Labels that users cannot take the place of. */
const FIXED_LABELS: Labels = {
  "app.orchestrator.io/managed-by": "secrets",
  "app.orchestrator.io/created-by": "secrets-engine-orchestrator",
};

function labelsOf({ extraLabels }: OrchestratorRole): Labels {
  const labels: Record<string, string> = {};
  for (const [name, value] of Object.entries(extraLabels ?? {})) setOwn(labels, name, value);
  return Object.assign(labels, FIXED_LABELS);
}

function tokenOf(
  decision: SecretsDecision,
  session: OrchestratorSession,
  name: string,
  { namespace, ttlSeconds, audiences }: Wanted,
): Called<ServiceAccountToken> {
  return requestToken(decision, session, { namespace, name, ttlSeconds, audiences });
}

function called<R>(outcome: Called<R>, attempt: string): R {
  return outcome.ok
    ? outcome.result
    : failKeepingFacts("orchestrator_call_failed", { attempt, reason: outcome.reason });
}
