import type { Host } from "../../kernel/host.ts";
import { shown } from "../../languages/shown.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import { captureAt, objectAt, refuseOthers, textAt } from "../kit/arguments.ts";
import { type ClientOf, clientMaker } from "../kit/client.ts";
import { noteCall } from "../kit/door.ts";
import { byLine, type Called } from "../kit/line.ts";
import { behind } from "../kit/why.ts";
import { type FieldsRead, fieldAt, type RunsCaller } from "./declare.ts";
import { commandOf, respond } from "./door.ts";
import type { Parameter, QueryPairs } from "./query.ts";
import { type NamedOperation, runsRegistry } from "./registry.ts";
import { runsForms } from "./responses.ts";
import { pathOf } from "./routes.ts";
import { renamedPath } from "./words/wire.ts";
import { type RunsWorld, runServiceOf } from "./world.ts";

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
export interface RunsClient extends ClientOf<typeof runsRegistry.table> {}

interface Asking {
  readonly host: Host<RunsWorld>;
  readonly caller: RunsCaller;
}

/** Makes the typed door for a caller. */
export const runsClient: (asking: Asking) => RunsClient = clientMaker(
  runsRegistry.service,
  runsRegistry.table,
  ({ host, caller }: Asking, named: NamedOperation) =>
    (argument?: unknown, options?: unknown) =>
      call(host, caller, named, argument, options),
);

function call(
  host: Host<RunsWorld>,
  caller: RunsCaller,
  named: NamedOperation,
  argument: unknown,
  options: unknown,
): unknown {
  host.comeUp();
  const { name, operation } = named;
  const given = objectAt(name, "the argument", argument);
  refuseOthers(name, given, [...operation.captures, ...Object.keys(operation.fields)]);
  const request = {
    named,
    captures: Object.fromEntries(
      operation.captures.map((capture) => [capture, captureAt(name, capture, given[capture])]),
    ),
    fields: fieldsIn(named, given),
    query: queryOf(name, operation.parameters, options),
    caller,
    via: "call",
  } as const;
  // The journal reads it when somebody looks, which may be when the simulator is gone.
  const { state } = host;
  const seen = (): Called => {
    const words = wordsOf(state)?.runs;
    const path = pathOf(operation, request.captures);
    return {
      service: "runs",
      place: {},
      operation: name,
      method: operation.verb,
      path: words === undefined ? path : renamedPath(words, path, "own"),
      url: runServiceOf(state).url,
    };
  };
  const said = () => ({ url: urlOf(seen(), request.query), argument: request.fields });
  const noted = noteCall(host, named, said);
  const answer = byLine(host, noted, seen, (failsWith) => respond(host, { ...request, failsWith }));
  const { status, commit } = answer;
  if (answer.ok) {
    const { body } = answer.reply;
    noted?.answered({ status, commit, body: () => body });
    return body;
  }
  const { refusal, form } = answer;
  const refused = behind(host, commandOf(request), refusal, commit);
  noted?.answered({ status, commit, refused, body: () => ({ errors: form.errors }) });
  throw runsForms.rejection(name, refused);
}

function urlOf({ url, path }: Called, query: QueryPairs): string {
  const asked = query.length === 0 ? "" : `?${new URLSearchParams(query.map(([name, value]) => [name, value]))}`;
  return url + path + asked;
}

function fieldsIn({ name, operation }: NamedOperation, given: { readonly [name: string]: unknown }): FieldsRead {
  const fields: Record<string, FieldsRead[string]> = {};
  for (const [field, reader] of Object.entries(operation.fields)) {
    const value = given[field];
    if (value !== undefined && value !== null) fields[field] = fieldAt(name, field, reader, value);
  }
  return fields;
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
