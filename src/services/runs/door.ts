import type { LogPosition } from "../../kernel/brand.ts";
import type { Command, Via } from "../../kernel/commit.ts";
import type { Host } from "../../kernel/host.ts";
import type { Refusal } from "../../kernel/outcome.ts";
import type { Plain } from "../../kernel/plain.ts";
import { textAt } from "../kit/arguments.ts";
import { Door, isDecision, PAST_IS_READ_ONLY, requestDeciders, unroutedOf } from "../kit/door.ts";
import { failingStatus, isFailing } from "../kit/request-failures.ts";
import { authenticated, bearerIn } from "./access.ts";
import {
  type Asked,
  type FieldsRead,
  fieldAt,
  type Reply,
  type RunsCaller,
  type RunsOperation,
  type RunsReading,
  type RunsRecorder,
} from "./declare.ts";
import { knownQuery, type QueryPairs } from "./query.ts";
import { type Allowance, countRequest } from "./rate-limit.ts";
import { type NamedOperation, runsRegistry } from "./registry.ts";
import { failKeepingFacts, type RunsRefusals, refuse } from "./rejections.ts";
import { type ErrorForm, runsForms } from "./responses.ts";
import { pathOf } from "./routes.ts";
import { type RunsWorld, runServiceOf } from "./world.ts";

/** What came of a request, before it is put on the wire or thrown at a caller. */
export type Answered = {
  readonly status: number;
  /** The commit that the request made, if it made one. */
  readonly commit?: LogPosition | undefined;
  /** What is left of the caller's allowance, when there is one. */
  readonly allowance?: Allowance | undefined;
} & (
  | { readonly ok: true; readonly reply: Reply<unknown> }
  | { readonly ok: false; readonly form: ErrorForm; readonly refusal: Refusal }
);

/** A request of either door. */
export interface Request extends Content {
  readonly named: NamedOperation | undefined;
  /** What is wrong with its content type or its body, if anything is. */
  readonly malformed?: "content_type_invalid" | "body_invalid" | undefined;
  /** It asks for an output behind its link, which counts for no rate limit (decisions-policy-checks.md, 4.7). */
  readonly isForOutput?: boolean;
  readonly caller: RunsCaller;
  readonly via: Via;
  readonly failsWith?: number | undefined;
}

/** What a request says. */
interface Content {
  readonly captures: { readonly [name: string]: string };
  readonly query: QueryPairs;
  /** What of the body its operation knows. */
  readonly fields: FieldsRead;
}

const door = new Door<RunsWorld, Request, Reply<unknown>, Answered>({
  accepted: (_host, _request, { reply, commit }) => ({ ok: true, status: reply.status, reply, commit }),
  refused: (_host, _request, { refusal, commit }) => {
    const form = runsForms.form(refusal);
    return { ok: false, status: form.status, form, refusal, commit };
  },
  past: PAST_IS_READ_ONLY,
});

/** Answers a request in the order of tests of decisions-policy-checks.md, 1.1. An injected failure comes before all of them. */
export function respond(host: Host<RunsWorld>, request: Request): Answered {
  const allowance = request.isForOutput === true ? undefined : countRequest(host, request.caller);
  return { ...answered(host, request, allowance), allowance };
}

function answered(host: Host<RunsWorld>, request: Request, allowance: Allowance | undefined): Answered {
  const { named, malformed, caller, failsWith } = request;
  if (failsWith !== undefined) return refused(host, request, "request_failed", { status: failsWith });
  const service = runServiceOf(host.state);
  if (isFailing(host, service)) return door.execute(host, request, commandOf(request));
  if (allowance?.exceeded === true) return refused(host, request, "too_many_requests", { limit: allowance.limit });
  if (named === undefined || malformed !== undefined) {
    if (bearerIn(host, caller) === undefined) return refused(host, request, "unauthorized", {});
    return refused(host, request, named === undefined ? "not_found" : (malformed ?? "not_found"), {});
  }
  const { operation } = named;
  if (operation.handler.kind === "command") return door.execute(host, request, commandOf(request));
  return door.read(host, request, (reading: RunsReading) => handle(reading, operation, request));
}

/** A refusal that no handler made. */
function refused<C extends keyof RunsRefusals & string>(
  host: Host<RunsWorld>,
  request: Request,
  code: C,
  data: RunsRefusals[C],
): Answered {
  return door.refuse(host, request, { code, data });
}

// --- commands -------------------------------------------------------------------------------------------------------

/** A command has captures and fields by their names, and what else it takes to decide it again. */
/** A request as the log has it, or would have it. */
export function commandOf({ named, captures, query, fields, malformed, caller, via }: Request): Command {
  const input = { ...captures, ...(query.length === 0 ? {} : { query }), ...fields };
  const name = named === undefined || malformed !== undefined ? unroutedOf(runsRegistry.service) : named.name;
  return { name, input, caller, via };
}

/** Decides a request of this service from its command alone; undefined for a command of somebody else. */
export const requestDecider = requestDeciders(runsRegistry, (decision: RunsRecorder, operation, input) => {
  const status = failingStatus(runServiceOf(decision.state));
  if (status !== undefined) {
    decision.record({ type: "RunsRequestFailed", data: { status } });
    failKeepingFacts("request_failed", { status });
  }
  return operation === undefined ? refuse("not_found", {}) : handle(decision, operation, contentIn(operation, input));
});

/** What a command's input says; in a rewritten history anybody may have written it. */
function contentIn({ path, captures, fields }: RunsOperation, input: { readonly [name: string]: Plain }): Content {
  const given = Object.entries(fields).filter(([name]) => input[name] !== undefined);
  return {
    captures: Object.fromEntries(captures.map((name) => [name, textAt(path, name, input[name])])),
    query: (input["query"] ?? []) as unknown as QueryPairs,
    fields: Object.fromEntries(given.map(([name, field]) => [name, fieldAt(path, name, field, input[name])])),
  };
}

function handle(
  context: RunsReading | RunsRecorder,
  operation: RunsOperation,
  { captures, query, fields }: Content,
): Reply<unknown> {
  const asked: Asked = {
    query: knownQuery(query, operation.parameters),
    bearer: authenticated(context),
    path: pathOf(operation, captures),
  };
  const { handler } = operation;
  const input = { ...fields, ...captures } as never;
  if (handler.kind === "view") return handler.view(context, input, asked);
  if (!isDecision<RunsRecorder>(context))
    throw new TypeError(`${operation.path} is a command, and was asked as a view`);
  return handler.decide(context, input, asked);
}
