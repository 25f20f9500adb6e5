import type { EventOf } from "../../kernel/commit.ts";
import type { Decision } from "../../kernel/decision.ts";
import { isServiceAccountName } from "./names.ts";
import {
  type CallKind,
  type CallVerb,
  type Labels,
  type ObjectName,
  type ObjectUid,
  type Orchestrator,
  type OrchestratorEvents,
  type OrchestratorObject,
  type OrchestratorWorld,
  objectNamed,
  type ServiceAccountToken,
} from "./state.ts";

// What engines ask of the orchestrator. Source of all rules in this file: decisions-orchestrator.md, 6 "The simulated cluster".

/** A decision that may act on the orchestrator. */
export type OrchestratorDecision = Decision<OrchestratorWorld, EventOf<OrchestratorEvents>>;

/** How an engine reaches the orchestrator, and as whom. */
export interface OrchestratorSession {
  readonly url: string;
  /** `""` when it has none. */
  readonly token: string;
}

/**
 * What came of a call: a result, or what went wrong in the words that clients match on.
 *
 * An injected failure that strikes is used up, a fact that stays although the call fails: whoever refuses because of it has to
 * keep the facts.
 */
export type Called<R> = { readonly ok: true; readonly result: R } | CallFault;

export interface CallFault {
  readonly ok: false;
  readonly reason: string;
  /** The object was not there: for a deletion that is as good as done. */
  readonly isMissing?: true;
}

/** The labels of a namespace. */
export function labelsOfNamespace(
  decision: OrchestratorDecision,
  session: OrchestratorSession,
  namespace: string,
): Called<Labels> {
  const refused = refusal(decision, session, "get", "Namespace");
  if (refused !== undefined) return refused;
  const object = objectNamed(decision.state.orchestrator, { kind: "Namespace", name: namespace });
  return object === undefined ? missing("namespaces", namespace) : { ok: true, result: object.labels };
}

/** Creates an object, and gives its uid. */
export function createObject(
  decision: OrchestratorDecision,
  session: OrchestratorSession,
  wanted: Omit<OrchestratorObject, "uid">,
): Called<ObjectUid> {
  const { kind, namespace, name } = wanted;
  const refused = refusal(decision, session, "create", kind);
  if (refused !== undefined) return refused;
  const { orchestrator } = decision.state;
  if (namespace !== undefined && !hasNamespace(orchestrator, namespace)) return missing("namespaces", namespace);
  if (kind === "ServiceAccount" && !isServiceAccountName(name)) {
    return { ok: false, reason: `ServiceAccount "${name}" is invalid: metadata.name: Invalid value: "${name}"` };
  }
  if (objectNamed(orchestrator, wanted) !== undefined) {
    return { ok: false, reason: `${PLURALS[kind]} "${name}" already exists` };
  }
  const uid = decision.draw.uuid() as ObjectUid;
  decision.record({ type: "OrchestratorObjectCreated", data: { object: { ...wanted, uid } } });
  return { ok: true, result: uid };
}

/** Deletes an object, and what it owns. */
export function deleteObject(
  decision: OrchestratorDecision,
  session: OrchestratorSession,
  { kind, namespace, name }: ObjectName,
): Called<undefined> {
  const refused = refusal(decision, session, "delete", kind);
  if (refused !== undefined) return refused;
  const object = namespace === undefined ? { kind, name } : { kind, namespace, name };
  if (objectNamed(decision.state.orchestrator, object) === undefined) return missing(PLURALS[kind], name);
  decision.record({ type: "OrchestratorObjectDeleted", data: { object } });
  return { ok: true, result: undefined };
}

/** Why a token cannot be reviewed; what a review finds, `reviewToken` says. */
export function reviewRefusal(decision: OrchestratorDecision, session: OrchestratorSession): CallFault | undefined {
  return refusal(decision, session, "create", "TokenReview");
}

/** The least life time that may be asked for. */
const LEAST_TTL_SECONDS = 600;

/** Asks for a token of a service account. The orchestrator may grant another life time than the one that was asked for. */
export function requestToken(
  decision: OrchestratorDecision,
  session: OrchestratorSession,
  wanted: {
    readonly namespace: string;
    readonly name: string;
    readonly ttlSeconds: number;
    /** Empty = the orchestrator's own. */
    readonly audiences: readonly string[];
  },
): Called<ServiceAccountToken> {
  const refused = refusal(decision, session, "create", "TokenRequest");
  if (refused !== undefined) return refused;
  const { orchestrator } = decision.state;
  const { namespace, name, ttlSeconds, audiences } = wanted;
  // A token is created, too.
  if (!hasNamespace(orchestrator, namespace)) return missing("namespaces", namespace);
  const account = objectNamed(orchestrator, { kind: "ServiceAccount", namespace, name });
  if (account === undefined) return missing("serviceaccounts", name);
  const { maxTokenTtlSeconds: max, minTokenTtlSeconds: min, signingKey } = orchestrator;
  // Our choice: a minimum below ten minutes lets tokens live that short; a longer one is granted to whoever asks for less.
  const least = min > 0 && min < LEAST_TTL_SECONDS ? min : LEAST_TTL_SECONDS;
  if (ttlSeconds < least) {
    const shown = least === LEAST_TTL_SECONDS ? "10 minutes" : `${least} seconds`;
    return {
      ok: false,
      reason: `TokenRequest "${name}" is invalid: spec.expirationSeconds: Invalid value: ${ttlSeconds}: may not specify a duration less than ${shown}`,
    };
  }
  const atLeast = Math.max(ttlSeconds, min);
  const granted = max > 0 ? Math.min(atLeast, max) : atLeast;
  const issuedAtSeconds = Math.floor(decision.nowMs / 1000);
  const token: ServiceAccountToken = {
    namespace,
    name,
    uid: account.uid,
    audiences: audiences.length === 0 ? [ISSUER] : audiences,
    issuedAtSeconds,
    expiresAtSeconds: issuedAtSeconds + granted,
    signingKey,
  };
  decision.record({ type: "ServiceAccountTokenIssued", data: { token } });
  return { ok: true, result: token };
}

/** Who issues tokens, and whom they are for unless somebody says so. */
export const ISSUER = "https://orchestrator.default.svc.cluster.local";

const PLURALS = {
  Namespace: "namespaces",
  ServiceAccount: "serviceaccounts",
  Role: "roles",
  ClusterRole: "clusterroles",
  RoleBinding: "rolebindings",
  ClusterRoleBinding: "clusterrolebindings",
} as const;

function hasNamespace(orchestrator: Orchestrator, name: string): boolean {
  return objectNamed(orchestrator, { kind: "Namespace", name }) !== undefined;
}

function missing(plural: string, name: string): CallFault {
  return { ok: false, reason: `${plural} "${name}" not found`, isMissing: true };
}

/** Why a call does not even get to be looked at. */
function refusal(
  decision: OrchestratorDecision,
  { url, token }: OrchestratorSession,
  verb: CallVerb,
  kind: CallKind,
): CallFault | undefined {
  const { available, requiredToken } = decision.state.orchestrator;
  if (!available) return { ok: false, reason: `${verb} of a ${kind}: ${url}: connect: connection refused` };
  if (requiredToken !== undefined && token !== requiredToken) return { ok: false, reason: "Unauthorized" };
  return strike(decision, verb, kind);
}

/** Uses up the first injected failure that means this call. */
function strike(decision: OrchestratorDecision, verb: CallVerb, kind: CallKind): CallFault | undefined {
  const { failures } = decision.state.orchestrator;
  if (failures.length === 0) return undefined;
  const index = failures.findIndex((failure) => (failure.verb ?? verb) === verb && (failure.kind ?? kind) === kind);
  if (index < 0) return undefined;
  decision.record({ type: "OrchestratorFailureUsed", data: { index } });
  return { ok: false, reason: `${verb} of a ${kind}: Internal error occurred: injected` };
}
