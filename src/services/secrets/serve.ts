import type { Plain } from "../../kernel/plain.ts";
import { authenticated, authorize, type Bearer } from "./access.ts";
import type { SecretsCaller, SecretsDecision, SecretsOperation, SecretsReading, Verb } from "./declare.ts";
import { readFields } from "./fields.ts";
import type { MountPath } from "./place.ts";
import type { SecretsRefusals } from "./rejections.ts";
import { failKeepingFacts, refuse } from "./rejections.ts";
import type { Reply } from "./reply.ts";
import { DEFAULT_MOUNT } from "./routes.ts";
import { clusterOf, mountOfPath, namespaceAt, type SecretsWorld } from "./state.ts";
import { revokeToken } from "./tokens/revoke.ts";

/** A request as both doors make it. */
export interface Asked {
  readonly verb: Verb | "PATCH";
  /** Below the namespace, without a leading slash. */
  readonly path: string;
  /** What answers it; absent when no route fits. */
  readonly operation?: SecretsOperation | undefined;
  /** A route fits the path, but not with this verb. */
  readonly wrongVerb?: boolean;
  readonly input: { readonly [name: string]: Plain | undefined };
}

/**
 * Answers a request in the order of checks of decisions-secrets-core.md A.3, from the namespace on: what comes before
 * belongs to the door. Given a decision it may record facts, given a reading it is a view.
 */
export function answer(context: SecretsDecision | SecretsReading, asked: Asked): Reply<unknown> {
  if (namespaceAt(context.state, context.caller) === undefined) {
    return refuse("namespace_not_found", { namespace: context.caller.namespace ?? "" });
  }
  if (asked.verb === "POST" && asked.path.endsWith("/")) return refuse("trailing_slash", { path: asked.path });
  const bearer = authenticated(context, asked.path);
  if (bearer.token.usesLeft === undefined || !isDecision(context)) return handle(context, bearer, asked);
  return handleLimited(context, bearer, asked);
}

/** Whether this request of a valid token has to be a command because it uses the token up. */
export function usesToken(world: SecretsWorld, { cluster, token }: SecretsCaller): boolean {
  return token !== undefined && clusterOf(world, cluster).local.tokens.get(token)?.usesLeft !== undefined;
}

function isDecision(context: SecretsDecision | SecretsReading): context is SecretsDecision {
  return "record" in context;
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
  if (isLastUse && (attempt.result.enveloped?.lease_id ?? "") !== "") {
    return failKeepingFacts("lease_of_spent_token", { path: asked.path });
  }
  return attempt.result;
}

function handle(context: SecretsDecision | SecretsReading, bearer: Bearer, asked: Asked): Reply<unknown> {
  const { path, operation, input } = asked;
  const captures = capturesOf(operation, input, context.caller);
  authorize(context, bearer, asked, captures as never);
  if (operation === undefined)
    return refuse(asked.wrongVerb ? "unsupported_operation" : unrouted(context, asked), { path });
  if (operation.ofMount && !hasMount(context)) return refuse("no_handler_for_route", { path });
  if (!namesAreWellFormed(operation, input)) return refuse("unsupported_path", { path });
  const { values, ignored } = readFields(operation.fields, input, operation.captures);
  // A capture wins over a field of its name (A.4).
  const reply = run(context, operation, Object.assign(values, captures) as never);
  return ignored.length === 0
    ? reply
    : withWarning(reply, `endpoint ignored these unrecognized parameters: [${ignored.join(" ")}]`);
}

function run(context: SecretsDecision | SecretsReading, operation: SecretsOperation, input: never): Reply<unknown> {
  const { handler } = operation;
  if (handler.kind === "view") return handler.view(context, input);
  if (!isDecision(context)) throw new TypeError(`${operation.path} is a command, and was asked as a view`);
  return handler.decide(context, input);
}

/** A path in no mount has no handler; one that its engine does not know is unsupported. A listing is one of the path and `/`. */
function unrouted(reading: SecretsReading, asked: Asked): "no_handler_for_route" | "unsupported_path" {
  const path = asked.verb === "LIST" ? `${asked.path}/` : asked.path;
  const namespace = namespaceAt(reading.state, reading.caller);
  const isKnown = path.startsWith("sys/") || (namespace !== undefined && mountOfPath(namespace, path) !== undefined);
  return isKnown ? "unsupported_path" : "no_handler_for_route";
}

function hasMount(reading: SecretsReading): boolean {
  const mount = namespaceAt(reading.state, reading.caller)?.mounts.get(mountPathOf(reading.caller));
  return mount !== undefined && mount.type === ENGINE;
}

/** The engine whose operations lie below a mount. */
const ENGINE = "ldap";

function mountPathOf({ mount = DEFAULT_MOUNT }: SecretsCaller): MountPath {
  return `${mount}/` as MountPath;
}

function namesAreWellFormed(operation: SecretsOperation, input: Asked["input"]): boolean {
  return operation.captures.every((capture) => {
    const name = input[capture];
    if (name === undefined && operation.shortPattern !== undefined) return true;
    return typeof name === "string" && operation.names.test(name);
  });
}

/** Captures as handlers get them. */
function capturesOf(
  operation: SecretsOperation | undefined,
  input: Asked["input"],
  caller: SecretsCaller,
): Record<string, unknown> {
  const captures: Record<string, unknown> = {};
  if (operation === undefined) return captures;
  if (operation.ofMount) captures["mount"] = mountPathOf(caller);
  for (const capture of operation.captures) captures[capture] = input[capture] ?? "";
  return captures;
}

function withWarning(reply: Reply<unknown>, warning: string): Reply<unknown> {
  if (reply.enveloped === undefined) return reply;
  return { ...reply, enveloped: { ...reply.enveloped, warnings: [...(reply.enveloped.warnings ?? []), warning] } };
}

/** The path of an operation with its captures filled in, as permissions and lease ids see it. */
export function pathOf(operation: SecretsOperation, input: Asked["input"], caller: SecretsCaller): string {
  let path = "";
  let isCapture = false;
  for (const part of operation.pathParts) {
    path += isCapture ? captureIn(input, caller, part) : part;
    isCapture = !isCapture;
  }
  // A listing from the top has an empty prefix behind its last slash.
  return path.endsWith("/") && operation.shortPattern !== undefined ? path.slice(0, -1) : path;
}

function captureIn(input: Asked["input"], caller: SecretsCaller, capture: string): string {
  if (capture === "mount") return caller.mount ?? DEFAULT_MOUNT;
  const captured = input[capture];
  return typeof captured === "string" ? captured : "";
}
