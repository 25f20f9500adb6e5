import { copyPlain } from "../../kernel/plain.ts";
import { isDecision } from "../kit/door.ts";
import { authenticated, authorize, type Bearer } from "./access.ts";
import {
  type Asked,
  PREPARED,
  type SecretsCaller,
  type SecretsDecision,
  type SecretsOperation,
  type SecretsReading,
} from "./declare.ts";
import { readFields } from "./fields.ts";
import { revokeLease, scheduleRetry } from "./leases/revoke.ts";
import type { LeaseId } from "./leases/state.ts";
import { ENGINE_NAMES } from "./mounts/names.ts";
import type { EngineType } from "./mounts/state.ts";
import type { MountPath } from "./place.ts";
import { failKeepingFacts, refuse, type SecretsRefusals } from "./rejections.ts";
import { forward, isForwarded } from "./replication/forwarding/forward.ts";
import { isChangingRole } from "./replication/outage.ts";
import { isDrSecondary, reachedPrimary } from "./replication/roles.ts";
import { bodyOf, type Reply, rendered, replacedWarnings, type WrapInfo, withWarning, wrappedReply } from "./reply.ts";
import { isRootOnly } from "./root-only.ts";
import { revokeToken } from "./tokens/revoke.ts";
import type { TokenId } from "./tokens/state.ts";
import { clusterOf, mountAt, mountOfPath, namespaceAt, type SecretsWorld } from "./world.ts";
import { signedClaims, spokenClaims, wrappingClaims } from "./wrapping/jwt.ts";
import { accessorIn, holdsNothing, wrapResponse } from "./wrapping/wrap.ts";

/**
 * Answers a request in the order of checks of decisions-secrets-core.md A.3, from the namespace on: what comes before
 * belongs to the door. Given a decision it may record facts, given a reading it is a view.
 */
export function answer(context: SecretsDecision | SecretsReading, asked: Asked): Reply<unknown> {
  const { path, operation } = asked;
  const cluster = clusterOf(context.state, context.caller.cluster);
  const { seal } = cluster.ignored;
  if (isChangingRole(cluster, context.nowMs)) return refuse("changing_role", {});
  if (seal.status === "sealed" && operation?.access.whileSealed === undefined) {
    // Of what is answered while sealed, only the operation decides (amendments.md, S36).
    return asked.wrongVerb && SERVED_SEALED.has(path)
      ? refuse("unsupported_operation", { path })
      : refuse("sealed", {});
  }
  if (cluster.ignored.election !== undefined && !isAnsweredByAnyNode(operation)) return refuse("no_active_node", {});
  const { namespace } = context.caller;
  if (namespaceAt(context.state, context.caller) === undefined) {
    return refuse("namespace_not_found", { namespace: namespace ?? "" });
  }
  if (namespace !== undefined && isRootOnly(asked.verb, path)) return refuse("unsupported_path", { path });
  const isGated = isDrSecondary(cluster);
  if (isGated && operation?.access.onDrSecondary === undefined) return refuse("dr_secondary", {});
  if (asked.verb === "POST" && path.endsWith("/")) return refuse("trailing_slash", { path });
  if (operation !== undefined && (isGated || isOpen(context, operation))) {
    const reply = perform(context, operation, asked);
    return operation.access.open === "login" ? wrappedIfAsked(context, reply, asked) : reply;
  }
  if (asked.openPath) return refuse(asked.wrongVerb ? "unsupported_operation" : "unsupported_path", { path });
  if (operation?.access.opensWrapping) refuseEmptyWrapping(context, asked.input);
  return wrappedIfAsked(context, answerBearer(context, asked), asked);
}

/** Whether a standby answers by itself what it is asked (cluster/README.md, 1.10). */
function isAnsweredByAnyNode(operation: SecretsOperation | undefined): boolean {
  const { open, ofNode, whileSealed } = operation?.access ?? {};
  return open !== undefined && (ofNode ?? whileSealed ?? false);
}

/** Whether a request needs no token. A login where no method is enabled is like any path there. */
function isOpen(reading: SecretsReading, { access, engine }: SecretsOperation): boolean {
  return access.open !== undefined && (engine === undefined || hasMount(reading, engine));
}

function wrappedIfAsked(
  context: SecretsDecision | SecretsReading,
  reply: Reply<unknown>,
  { verb, path }: Asked,
): Reply<unknown> {
  const { wrapTtlSeconds = 0 } = context.caller;
  if (wrapTtlSeconds === 0 || !isDecision<SecretsDecision>(context)) return reply;
  return wrapped(context, reply, verb === "LIST" ? `${path}/` : path, wrapTtlSeconds);
}

const SERVED_SEALED: ReadonlySet<string> = new Set(["sys/health", "sys/seal-status", "sys/unseal", "sys/init"]);

/**
 * Puts an answer away for whoever gets its token. One without a result has nothing to be wrapped (A.6); what had been put away may be put
 * away again (amendments.md, S35).
 */
function wrapped(decision: SecretsDecision, reply: Reply<unknown>, path: string, ttlSeconds: number): Reply<unknown> {
  const { enveloped, unsigned, wraps, isTextual } = reply;
  if (enveloped === undefined && wraps === undefined) return reply;
  const response = copyPlain(bodyOf(reply, () => decision.draw.uuid(), replacedWarnings(decision.caller.replaced)));
  const info = wrapResponse(decision, {
    response,
    path,
    ttlSeconds,
    accessor: accessorIn(response),
    ...(wraps === undefined ? {} : { answered: wraps }),
    ...(unsigned === undefined ? {} : { unsigned }),
    ...(isTextual === undefined ? {} : { isTextual }),
  });
  return decision.caller.wrapFormat === undefined ? wrappedReply(info) : signedReply(decision, info);
}

/** The same, with the token under the signature of the cluster (amendments.md, S35). */
function signedReply({ state, nowMs, caller }: SecretsDecision, info: WrapInfo): Reply<unknown> {
  const { url, seal } = clusterOf(state, caller.cluster).ignored;
  const { token, ttl, wrapped_accessor: accessor } = info;
  const claims = { accessor, ...wrappingClaims(url, token, nowMs, ttl) };
  return rendered(wrappedReply(info), async (content, speech) => ({
    ...content,
    wrap_info: { ...info, token: signedClaims(spokenClaims(claims, speech), seal) },
  }));
}

/** A wrapping token that holds nothing any more is told so, where others are told that they are unknown (A.6). */
function refuseEmptyWrapping(reading: SecretsReading, { token: other }: Asked["input"]): void {
  const { token } = reading.caller;
  const isHeaders = other === undefined || other === null || other === "";
  if (isHeaders && token !== undefined && holdsNothing(reading, token as TokenId)) refuse("wrapping_token_invalid", {});
}

function answerBearer(context: SecretsDecision | SecretsReading, asked: Asked): Reply<unknown> {
  const bearer = authenticated(context, asked.path);
  if (bearer.token.usesLeft === undefined || !isDecision<SecretsDecision>(context))
    return handle(context, bearer, asked);
  return handleLimited(context, bearer, asked);
}

/** Whether this request of a valid token has to be a command because it uses the token up. */
export function usesToken(world: SecretsWorld, { cluster, token }: SecretsCaller): boolean {
  return token !== undefined && clusterOf(world, cluster).local.tokens.get(token)?.usesLeft !== undefined;
}

/** Each request of a limited token uses it once, also one that is refused; with the last one the token ends (A.7). */
function handleLimited(decision: SecretsDecision, bearer: Bearer, asked: Asked): Reply<unknown> {
  decision.record({ type: "TokenUsed", data: { cluster: decision.caller.cluster, token: bearer.id } });
  const attempt = decision.attempt(() => handle(decision, bearer, asked));
  const isLastUse = bearer.token.usesLeft === 1;
  if (isLastUse) revokeToken(decision, decision.caller.cluster, bearer.id);
  if (!attempt.ok) {
    return failKeepingFacts(attempt.refusal.code as keyof SecretsRefusals, attempt.refusal.data as never);
  }
  const { lease_id = "" } = attempt.result.enveloped ?? {};
  if (isLastUse && lease_id !== "") {
    revokeForwarded(decision, lease_id as LeaseId);
    return failKeepingFacts("lease_of_spent_token", { path: asked.path });
  }
  return attempt.result;
}

/** The lease of a request that was forwarded lies on the primary, and does not end with the token. */
function revokeForwarded(decision: SecretsDecision, lease: LeaseId): void {
  const primary = reachedPrimary(decision.state, decision.caller.cluster);
  if (primary === undefined) return;
  const failure = revokeLease(decision, primary, lease);
  if (failure !== undefined) scheduleRetry(decision, primary, lease, failure);
}

function handle(context: SecretsDecision | SecretsReading, bearer: Bearer, asked: Asked): Reply<unknown> {
  const { path, operation } = asked;
  authorize(context, bearer, asked, capturesOf(operation, asked.input, context.caller) as never);
  if (operation === undefined)
    return refuse(asked.wrongVerb ? "unsupported_operation" : unrouted(context, asked), { path });
  if (!isForwarded(context, operation, asked.input)) return perform(context, operation, asked);
  return forward(context, path, (there) => perform(there, operation, asked));
}

/** What comes once the caller has been let in: mount, path, licence, fields, and the handler (A.3, 8 and 9). */
function perform(context: SecretsDecision | SecretsReading, operation: SecretsOperation, asked: Asked): Reply<unknown> {
  const { path, input } = asked;
  const { engine, access } = operation;
  if (engine !== undefined && !hasMount(context, engine)) return refuse(unrouted(context, asked), { path });
  if (!namesAreWellFormed(operation, input)) return refuse("unsupported_path", { path });
  if (access.enterprise && clusterOf(context.state, context.caller.cluster).ignored.license !== "enterprise") {
    return refuse("unsupported_path", { path });
  }
  access.guard?.(context, input);
  const captures = capturesOf(operation, input, context.caller);
  if (operation.takesBody) return run(context, operation, Object.assign(captures, { data: input["data"] }) as never);
  const { prepare } = access;
  const others = prepare === undefined ? operation.captures : [...operation.captures, PREPARED];
  const { values, ignored } = readFields(operation.fields, input, others);
  if (prepare !== undefined && input[PREPARED] !== undefined) captures[PREPARED] = input[PREPARED];
  // A capture wins over a field of its name (A.4).
  const reply = run(context, operation, Object.assign(values, captures) as never);
  return ignored.length === 0
    ? reply
    : withWarning(reply, `endpoint ignored these unrecognized parameters: [${ignored.join(" ")}]`);
}

function run(context: SecretsDecision | SecretsReading, operation: SecretsOperation, input: never): Reply<unknown> {
  const { handler } = operation;
  if (handler.kind === "view") return handler.view(context, input);
  if (!isDecision<SecretsDecision>(context))
    throw new TypeError(`${operation.path} is a command, and was asked as a view`);
  return handler.decide(context, input);
}

/**
 * A path in no mount has no handler; one that its engine does not know is unsupported, and engines may say so in their own way. A listing is
 * one of the path and `/`, and so may be what is asked of an engine itself.
 */
function unrouted({ state, caller }: SecretsReading, asked: Asked): Unrouted {
  const path = asked.verb === "LIST" ? `${asked.path}/` : asked.path;
  if (OWN_PREFIXES.some((prefix) => path.startsWith(prefix))) return "unsupported_path";
  if (mountOfPath(state, caller, `${asked.path}/`)?.mount.type === "kv2") return "kv2_path_invalid";
  return mountOfPath(state, caller, path) === undefined ? "no_handler_for_route" : "unsupported_path";
}

type Unrouted = "no_handler_for_route" | "unsupported_path" | "kv2_path_invalid";

/** Where the system answers by itself: what it does not know there is no path, and nothing lacks a handler (D.7). */
const OWN_PREFIXES = ["sys/", "auth/token/", "cubbyhole/", "identity/"];

function hasMount(reading: SecretsReading, engine: EngineType): boolean {
  const { cluster, namespace } = reading.caller;
  const mount = mountPathOf(reading.caller, engine);
  return (
    mountAt(reading.state, namespace === undefined ? { cluster, mount } : { cluster, namespace, mount })?.type ===
    engine
  );
}

function mountPathOf({ mount }: SecretsCaller, engine: EngineType): MountPath {
  return `${mount ?? ENGINE_NAMES[engine]}/` as MountPath;
}

function namesAreWellFormed(operation: SecretsOperation, input: Asked["input"]): boolean {
  const names = operation.captures.map((capture) => input[capture]);
  if (names.length === 0 || (names.every((name) => name === undefined) && operation.shortPattern !== undefined)) {
    return true;
  }
  return names.every((name) => typeof name === "string") && operation.names.test(names.join("/"));
}

/** Captures as handlers get them. */
function capturesOf(
  operation: SecretsOperation | undefined,
  input: Asked["input"],
  caller: SecretsCaller,
): Record<string, unknown> {
  const captures: Record<string, unknown> = {};
  if (operation === undefined) return captures;
  if (operation.engine !== undefined) captures["mount"] = mountPathOf(caller, operation.engine);
  for (const capture of operation.captures) captures[capture] = input[capture] ?? "";
  return captures;
}

/** The path of an operation with its captures filled in, as permissions and lease ids see it. */
export function pathOf(operation: SecretsOperation, input: Asked["input"], caller: SecretsCaller): string {
  let path = "";
  let isCapture = false;
  for (const part of operation.pathParts) {
    path += isCapture ? captureIn(operation, input, caller, part) : part;
    isCapture = !isCapture;
  }
  // A listing from the top has an empty prefix behind its last slash, and a store itself an empty path.
  const isWhole = operation.shortPattern !== undefined || input[operation.captures.at(-1) ?? ""] === "";
  return isWhole && path.endsWith("/") ? path.slice(0, -1) : path;
}

function captureIn(
  { engine }: SecretsOperation,
  input: Asked["input"],
  caller: SecretsCaller,
  capture: string,
): string {
  if (capture === "mount") return caller.mount ?? (engine === undefined ? "" : ENGINE_NAMES[engine]);
  const captured = input[capture];
  return typeof captured === "string" ? captured : "";
}
