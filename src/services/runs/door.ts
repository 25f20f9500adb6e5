import type { LogPosition } from "../../kernel/brand.ts";
import type { Command, EventOf, Via } from "../../kernel/commit.ts";
import type { Decider } from "../../kernel/decision.ts";
import type { Host } from "../../kernel/host.ts";
import { Ending, type Outcome, type Refusal } from "../../kernel/outcome.ts";
import type { Plain } from "../../kernel/plain.ts";
import { shown } from "../../languages/shown.ts";
import { authenticated, bearerIn } from "./access.ts";
import type { Reply, RunsCaller, RunsOperation, RunsReading } from "./declare.ts";
import type { RunsEvents } from "./events.ts";
import { knownQuery, type QueryPairs } from "./query.ts";
import { type Allowance, countRequest } from "./rate-limit.ts";
import type { RunsRecorder } from "./recorder.ts";
import { type NamedOperation, runsOperationsByName } from "./registry.ts";
import { failKeepingFacts, refuse } from "./rejections.ts";
import { badRequest, type ErrorForm, type ErrorObject, errorForm } from "./responses.ts";
import { pathOf } from "./routes.ts";
import { type RunsWorld, runServiceOf } from "./world.ts";

/** A request that no operation answers, as the log keeps it when an injected failure answered it. */
const UNROUTED = "runs.unrouted";

/** What came of a request, before it is put on the wire or thrown at a caller. */
export type Answered = {
  readonly status: number;
  /** The commit that the request made, if it made one. */
  readonly commit?: LogPosition | undefined;
  /** What is left of the caller's allowance, when there is one. */
  readonly allowance?: Allowance | undefined;
} & (
  | { readonly ok: true; readonly reply: Reply<unknown> }
  | { readonly ok: false; readonly errors: readonly ErrorObject[]; readonly refusal: Refusal }
);

/** A request of either door. */
export interface Request {
  readonly named: NamedOperation | undefined;
  readonly captures: { readonly [name: string]: string };
  readonly query: QueryPairs;
  readonly comment?: string | undefined;
  /** What is wrong with its content type or its body, if anything is. */
  readonly malformed?: "content_type_invalid" | "body_invalid" | undefined;
  readonly caller: RunsCaller;
  readonly via: Via;
}

const PAST_IS_READ_ONLY: Refusal = Object.freeze({ code: "past_is_read_only", data: Object.freeze({}) });

/** Answers a request in the order of tests of decisions-policy-checks.md, 1.1. An injected failure comes before all of them. */
export function respond(host: Host<RunsWorld>, request: Request): Answered {
  const allowance = countRequest(host, request.caller);
  const fails = host.takesCommands && runServiceOf(host.state).requestFailures.length > 0;
  return { ...answered(host, request, fails, !fails && allowance?.exceeded === true), allowance };
}

function answered(host: Host<RunsWorld>, request: Request, fails: boolean, tooMany: boolean): Answered {
  const { named, malformed } = request;
  if (fails) return execute(host, request);
  if (tooMany) {
    return refusedAside(host, "too_many_requests", { limit: runServiceOf(host.state).rateLimitPerSecond ?? 0 });
  }
  if (named === undefined || malformed !== undefined) {
    if (bearerIn(host, request.caller) === undefined) return refusedAside(host, "unauthorized", {});
    return refusedAside(host, named === undefined ? "not_found" : (malformed ?? "not_found"), {});
  }
  if (named.operation.handler.kind === "view") return read(host, request, named.operation);
  if (!host.takesCommands) {
    const form = badRequest("X-Hindcast-At: the past is read-only, and a view of it takes no commands");
    return { ok: false, ...form, refusal: PAST_IS_READ_ONLY };
  }
  return execute(host, request);
}

function execute(host: Host<RunsWorld>, request: Request): Answered {
  return host.execute(commandOf(request), (outcome) => answeredOf(outcome));
}

function answeredOf(outcome: Outcome<unknown>): Answered {
  const commit = outcome.commit?.position;
  if (outcome.kind !== "accepted") return refused(outcome.refusal, commit);
  const reply = outcome.result as Reply<unknown>;
  return { ok: true, status: reply.status, reply, commit };
}

function read(host: Host<RunsWorld>, request: Request, operation: RunsOperation): Answered {
  const reading = { state: host.state, nowMs: host.nowMs, caller: request.caller, draw: host.serve() };
  try {
    const reply = handle(reading, operation, request);
    return { ok: true, status: reply.status, reply };
  } catch (ending) {
    if (ending instanceof Ending) return refused(ending.refusal, undefined);
    throw ending;
  }
}

/** A refusal that no handler made. */
function refusedAside(host: Host<RunsWorld>, code: string, data: object): Answered {
  host.serve();
  return refused({ code, data }, undefined);
}

function refused(refusal: Refusal, commit: LogPosition | undefined): Answered {
  const form: ErrorForm = errorForm(refusal.code, refusal.data);
  return { ok: false, ...form, refusal, commit };
}

// --- commands -------------------------------------------------------------------------------------------------------

/** The input of a request's command: the captures of its path by their names, and what else it takes to decide it again. */
interface RequestInput {
  readonly [capture: string]: Plain | undefined;
  readonly query?: QueryPairs;
  readonly comment?: string;
}

function commandOf({ named, captures, query, comment, malformed, caller, via }: Request): Command {
  const input: RequestInput = {
    ...captures,
    ...(query.length === 0 ? {} : { query }),
    ...(comment === undefined ? {} : { comment }),
  };
  return { name: malformed === undefined ? (named?.name ?? UNROUTED) : UNROUTED, input, caller, via };
}

/** Decides a request of this service from its command alone; undefined for a command of somebody else. */
export function requestDecider(name: string): Decider<RunsWorld, EventOf<RunsEvents>> | undefined {
  const operation = runsOperationsByName.get(name);
  if (operation === undefined && name !== UNROUTED) return undefined;
  return (decision, input) => {
    failIfInjected(decision);
    return operation === undefined ? refuse("not_found", {}) : handle(decision, operation, readInput(operation, input));
  };
}

/** What a command's input says; in a rewritten history anybody may have written it. */
function readInput(operation: RunsOperation, input: unknown): Pick<Request, "captures" | "query" | "comment"> {
  const { query = [], comment, ...given } = input as RequestInput;
  const captures: Record<string, string> = {};
  for (const name of operation.captures) {
    const value = given[name];
    if (typeof value !== "string")
      throw new TypeError(`${operation.path}: ${name} is ${shown(value)}, and has to be a text`);
    captures[name] = value;
  }
  return { captures, query, comment };
}

/** An injected failure answers whatever is asked; only its count is a fact. */
function failIfInjected(decision: RunsRecorder): void {
  const [failure] = runServiceOf(decision.state).requestFailures;
  if (failure === undefined) return;
  const { status } = failure;
  decision.record({ type: "RunsRequestFailed", data: { status } });
  failKeepingFacts("request_failed", { status });
}

function handle(
  context: RunsReading | RunsRecorder,
  operation: RunsOperation,
  { captures, query, comment }: Pick<Request, "captures" | "query" | "comment">,
): Reply<unknown> {
  const asked = {
    captures,
    query: knownQuery(query, operation.parameters),
    bearer: authenticated(context),
    path: pathOf(operation, captures),
    comment,
  };
  const { handler } = operation;
  if (handler.kind === "view") return handler.view(context, asked as never);
  if (!isDecision(context)) throw new TypeError(`${operation.path} is a command, and was asked as a view`);
  return handler.decide(context, asked as never);
}

function isDecision(context: RunsReading | RunsRecorder): context is RunsRecorder {
  return "record" in context;
}
