import type { Host } from "../../kernel/host.ts";
import { Rejection } from "../../kernel/rejection.ts";
import { shown } from "../../languages/shown.ts";
import { objectAt, refuseOthers } from "../call-arguments.ts";
import type { Parameter, RunsCaller, RunsOperation } from "./declare.ts";
import { respond } from "./door.ts";
import type { QueryPairs } from "./query.ts";
import { type NamedOperation, type RunsOperations, runsOperations } from "./registry.ts";
import { rejectionMessage } from "./responses.ts";
import type { RunsWorld } from "./world.ts";

/** What the second argument of a call may hold, as far as its operation knows it. */
interface Options {
  /** The page of a list; numbers, or texts as the wire would have them. */
  readonly page?: { readonly number?: number | string | undefined; readonly size?: number | string | undefined };
  /** What to bring along: `"run"`, `"run.workspace"`, several with commas or as an array. */
  readonly include?: string | readonly string[];
  /** Groups of terms; a group's terms hold on one and the same outcome, and one group is enough. */
  readonly filter?: readonly FilterGroup[] | { readonly [n: string]: FilterGroup };
}

interface FilterGroup {
  readonly status?: string | undefined;
  readonly enforcementLevel?: string | undefined;
}

type OptionsOf<P extends Parameter> = [P] extends [never] ? Record<never, never> : Pick<Options, P>;

/** The typed call of an operation: captures in one object, options in another, the body of the answer as the result. */
type CallOf<O> =
  O extends RunsOperation<infer I, infer P, infer B> ? (argument: I, options?: OptionsOf<P>) => B : never;

type ResourceClient<R> = { readonly [N in keyof R]: CallOf<R[N]> };

/**
 * The typed door to the run service: a call for each operation, as `<resource>.<verb>`.
 *
 * A call takes the captures of the path by the contract's names, then `page`, `include` and `filter` where the contract has
 * them, and returns the JSON:API document that the wire would show. `policyChecks.output` returns the text behind the
 * redirect, `undefined` where the wire answers 204. What the wire answers with an error is thrown as a `Rejection`.
 *
 * @example
 * const { data } = sim.runs.as(token).policyChecks.read({ id }, { include: "run" });
 * sim.runs.as(token).policySetOutcomes.list({ policy_evaluation_id }, { page: { size: 50 }, filter: [{ status: "failed" }] });
 */
export type RunsClient = { readonly [R in keyof RunsOperations]: ResourceClient<RunsOperations[R]> };

/** Makes the typed door for a caller. */
export function runsClient(host: Host<RunsWorld>, caller: RunsCaller): RunsClient {
  const resources = Object.entries(runsOperations).map(([resource, operations]) => {
    const calls = Object.entries(operations).map(([verb, operation]) => {
      const named = { name: `runs.${resource}.${verb}`, operation: operation as unknown as RunsOperation };
      return [verb, (argument?: unknown, options?: unknown) => call(host, caller, named, argument, options)] as const;
    });
    return [resource, Object.freeze(Object.fromEntries(calls))] as const;
  });
  return Object.freeze(Object.fromEntries(resources)) as unknown as RunsClient;
}

function call(
  host: Host<RunsWorld>,
  caller: RunsCaller,
  named: NamedOperation,
  argument: unknown,
  options: unknown,
): unknown {
  const { name, operation } = named;
  const captures = capturesOf(named, argument);
  const comment = operation.handler.kind === "command" ? commentOf(name, argument) : undefined;
  const query = queryOf(name, operation.parameters, options);
  const answer = respond(host, { named, captures, query, comment, caller, via: "call" });
  host.note({
    request: name,
    status: answer.status,
    ...(answer.ok ? {} : { rejection: answer.refusal.code }),
    ...(answer.commit === undefined ? {} : { position: answer.commit }),
  });
  if (answer.ok) return answer.reply.body;
  const { refusal, status, errors, commit: position } = answer;
  const [first] = errors;
  const message = first === undefined ? name : rejectionMessage(name, refusal.code, { status, errors: [first] });
  throw new Rejection({ code: refusal.code, status, data: refusal.data, message, position });
}

function capturesOf({ name, operation }: NamedOperation, argument: unknown): { readonly [name: string]: string } {
  const given = objectAt(name, "the argument", argument);
  const known = operation.handler.kind === "command" ? [...operation.captures, "comment"] : operation.captures;
  refuseOthers(name, given, known);
  const captures: Record<string, string> = {};
  for (const capture of operation.captures) {
    const value = given[capture];
    if (typeof value !== "string" || value === "") {
      throw new TypeError(`${name}: ${capture} is ${shown(value)}, and has to be a text`);
    }
    captures[capture] = value;
  }
  return captures;
}

function commentOf(name: string, argument: unknown): string | undefined {
  const { comment } = argument as { readonly comment?: unknown };
  if (comment === undefined || comment === null) return undefined;
  if (typeof comment !== "string") throw new TypeError(`${name}: comment is ${shown(comment)}, and has to be a text`);
  return comment;
}

/** Options as the query that the wire would have, so that both doors read and echo the same. */
function queryOf(name: string, parameters: readonly Parameter[], options: unknown): QueryPairs {
  if (options === undefined) return [];
  const given = objectAt(name, "the second argument", options);
  refuseOthers(name, given, parameters);
  return [
    ...filterPairs(name, given["filter"]),
    ...includePairs(name, given["include"]),
    ...pagePairs(name, given["page"]),
  ];
}

function filterPairs(name: string, filter: unknown): QueryPairs {
  if (filter === undefined) return [];
  const groups = typeof filter === "object" && filter !== null ? Object.entries(filter) : undefined;
  if (groups === undefined)
    throw new TypeError(`${name}: filter is ${shown(filter)}, and has to be an array of groups`);
  return groups.flatMap(([index, group]: [string, unknown]) =>
    Object.entries(objectAt(name, `filter.${index}`, group))
      .filter(([, value]) => value !== undefined)
      .map(
        ([member, value]) => [`filter[${index}][${member}]`, textAt(name, `filter.${index}.${member}`, value)] as const,
      ),
  );
}

function includePairs(name: string, include: unknown): QueryPairs {
  if (include === undefined) return [];
  const names = Array.isArray(include) ? include : [include];
  return [["include", names.map((path) => textAt(name, "include", path)).join(",")]];
}

function pagePairs(name: string, page: unknown): QueryPairs {
  if (page === undefined) return [];
  const given = objectAt(name, "page", page);
  refuseOthers(name, given, ["number", "size"]);
  return Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([member, value]) => {
      const text = typeof value === "number" ? `${value}` : textAt(name, `page.${member}`, value);
      return [`page[${member}]`, text] as const;
    });
}

function textAt(name: string, where: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError(`${name}: ${where} is ${shown(value)}, and has to be a text`);
}
