import type { LogPosition } from "../../kernel/brand.ts";
import type { Command, Via } from "../../kernel/commit.ts";
import type { Host } from "../../kernel/host.ts";
import type { Refusal } from "../../kernel/outcome.ts";
import { copyPlain, type Plain } from "../../kernel/plain.ts";
import { connectionRefused } from "../kit/connection.ts";
import { Door, PAST_IS_READ_ONLY, requestDeciders, unroutedOf } from "../kit/door.ts";
import { isFailing } from "../kit/request-failures.ts";
import { stoppedAt } from "./cluster/state.ts";
import {
  type Asked,
  PREPARED,
  type SecretsCaller,
  type SecretsDecision,
  type SecretsOperation,
  type SecretsReading,
  type Verb,
} from "./declare.ts";
import { failIfInjected } from "./faults/decide.ts";
import { type NamedOperation, secretsRegistry } from "./registry.ts";
import { bodyOf, type Reply, replacedWarnings } from "./reply.ts";
import { secretsForms } from "./responses.ts";
import { answer, pathOf, usesToken } from "./serve.ts";
import { clusterOf, type SecretsWorld } from "./world.ts";

/** What came of a request, before it is put on the wire or thrown at a caller. */
export type Answered = {
  readonly status: number;
  /** The commit that the request made, if it made one. */
  readonly commit?: LogPosition | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
} & (
  | ({ readonly ok: true; readonly body: object | undefined } & {
      readonly [K in "render" | "unsigned" | "wraps" | "isTextual" | "file"]?: Reply<unknown>[K] | undefined;
    })
  | {
      readonly ok: false;
      readonly errors: readonly string[];
      readonly raw?: object | undefined;
      readonly refusal: Refusal;
    }
);

/** The answer of a request that was not refused; `render` and `unsigned` are how its body is finished. */
export type AcceptedAnswer = Extract<Answered, { readonly ok: true }>;

/** A request of either door. */
export interface Request {
  readonly verb: Verb;
  readonly path: string;
  readonly named: NamedOperation | undefined;
  readonly wrongVerb?: boolean;
  readonly openPath?: boolean;
  readonly input: { readonly [name: string]: Plain | undefined };
  /** Body fields that a capture of the path has taken the place of. */
  readonly replaced?: readonly string[];
  readonly caller: SecretsCaller;
  readonly via: Via;
  readonly failsWith?: number | undefined;
}

/**
 * A request with what its operation makes before the decision.
 *
 * @throws TypeError by way of the promise when the cluster was stopped meanwhile
 */
export function prepared(host: Host<SecretsWorld>, request: Request): Request | Promise<Request> {
  if (request.named?.operation.access.prepare === undefined) return request;
  const { state, nowMs, takesCommands } = host;
  const { caller, named } = request;
  const input = preparedInput(takesCommands ? { state, nowMs, caller } : undefined, named.operation, request.input);
  if (!(input instanceof Promise)) return { ...request, input };
  return input.then((made) => {
    refuseStopped(host, caller);
    return { ...request, input: made };
  });
}

/** @throws TypeError as `fetch` rejects where nobody listens */
export function refuseStopped({ state }: Host<SecretsWorld>, { cluster }: Pick<SecretsCaller, "cluster">): void {
  const { ignored } = clusterOf(state, cluster);
  const stopped = stoppedAt(ignored);
  if (stopped !== undefined) throw connectionRefused(ignored.url, stopped);
}

type Input = Request["input"];

/**
 * The input of an operation with what is made of it beforehand, a promise where that takes waiting. Whatever a caller sent under that
 * name is no preparation; without a reading nothing is made.
 */
export function preparedInput(
  reading: Omit<SecretsReading, "draw"> | undefined,
  { access: { prepare } }: SecretsOperation,
  input: Input,
): Input | Promise<Input> {
  if (prepare === undefined) return input;
  const { [PREPARED]: _, ...fields } = input;
  const plain: Input = Object.freeze(fields);
  const making = reading === undefined ? undefined : prepare(reading, plain);
  if (making === undefined) return plain;
  return making.then((made) => (made === undefined ? plain : Object.freeze({ ...plain, [PREPARED]: copyPlain(made) })));
}

const door = new Door<SecretsWorld, Request, Reply<unknown>, Answered>({
  accepted: (_host, { replaced, named }, { reply, draw, commit }) => {
    const body = bodyOf(reply, () => draw.uuid(), replacedWarnings(replaced));
    const headers = headersOf(named, reply.headers);
    const { status, render, unsigned, wraps, isTextual, file } = reply;
    return { ok: true, status, body, commit, headers, render, unsigned, wraps, isTextual, file };
  },
  refused: (_host, { named }, { refusal, draw, commit }) => {
    const { status, errors, body, envelope, headers } = secretsForms.form(refusal);
    const raw = envelope === undefined ? body : bodyOf(envelope, () => draw.uuid());
    return { ok: false, status, errors, raw, headers: headersOf(named, headers), refusal, commit };
  },
  past: PAST_IS_READ_ONLY,
});

/** Answers a request: as a command if it may change a fact, else as a read. */
export function respond(host: Host<SecretsWorld>, request: Request): Answered {
  const { failsWith } = request;
  if (failsWith !== undefined) {
    return door.refuse(host, request, { code: "request_failed", data: { status: failsWith } });
  }
  const isCommand = isCommandHere(host.state, request) || isFailingAt(host, request.caller);
  if (isCommand) return door.execute(host, request, commandOf(request));
  return door.read(host, request, (reading: SecretsReading) => answer(reading, askedOf(request)));
}

/** Whether a test wants the next request to a cluster to fail. */
export function isFailingAt(host: Host<SecretsWorld>, { cluster }: Pick<SecretsCaller, "cluster">): boolean {
  return isFailing(host, clusterOf(host.state, cluster).ignored);
}

/** A request that changes a fact, if only by using up a token or by putting its answer away. */
function isCommandHere(world: SecretsWorld, { named, openPath, caller }: Request): boolean {
  if (named?.operation.handler.kind === "command") return true;
  if (openPath || named?.operation.access.open) return false;
  return (caller.wrapTtlSeconds ?? 0) > 0 || usesToken(world, caller);
}

function askedOf({ verb, path, named, wrongVerb, openPath, input }: Request): Asked {
  return { verb, path, operation: named?.operation, wrongVerb: wrongVerb ?? false, openPath: openPath ?? false, input };
}

/** A request as the log has it, or would have it. */
export function commandOf({ named, verb, path, wrongVerb, input, caller, via }: Request): Command {
  if (named !== undefined) return { name: named.name, input: input, caller, via };
  const unrouted = { verb, path, wrongVerb: wrongVerb ?? false };
  return { name: unroutedOf(secretsRegistry.service), input: unrouted, caller, via };
}

/** Decides a request of this service from its command alone; undefined for a command of somebody else. */
export const requestDecider = requestDeciders(secretsRegistry, (decision: SecretsDecision, operation, input) => {
  failIfInjected(decision, decision.caller.cluster);
  if (operation === undefined) return answer(decision, { ...(input as unknown as Asked), input: {} });
  return answer(decision, { verb: operation.verb, path: pathOf(operation, input, decision.caller), operation, input });
});

function headersOf(
  named: NamedOperation | undefined,
  own: { readonly [name: string]: string } | undefined,
): { readonly [name: string]: string } | undefined {
  const all = named?.operation.access.headers;
  return all === undefined || own === undefined ? (all ?? own) : { ...all, ...own };
}
