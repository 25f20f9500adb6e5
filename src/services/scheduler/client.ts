import type { Command } from "../../kernel/commit.ts";
import type { Host } from "../../kernel/host.ts";
import { Ending } from "../../kernel/outcome.ts";
import { copyPlain } from "../../kernel/plain.ts";
import { shown } from "../../languages/shown.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import { captureAt, objectAt, refuseOthers, textAt } from "../kit/arguments.ts";
import { type ClientOf, clientMaker } from "../kit/client.ts";
import { type NotedCall, noteCall } from "../kit/door.ts";
import { byLine, type Called } from "../kit/line.ts";
import { behind } from "../kit/why.ts";
import { bearerOf } from "./access.ts";
import type { SchedulerCaller } from "./declare.ts";
import { type Answered, behindAnswer, type Request, respond } from "./door.ts";
import { type NamedOperation, schedulerRegistry } from "./registry.ts";
import { refuse } from "./rejections.ts";
import { schedulerForms } from "./responses.ts";
import { pathOf } from "./routes.ts";
import { type CapabilityKind, capabilitiesOf } from "./rules/resolve.ts";
import { renamedPath } from "./words/wire.ts";
import { regionOf, type SchedulerWorld, schedulerOf } from "./world.ts";

/**
 * The typed door to a region: a call for each operation, as `<resource>.<verb>`.
 *
 * A call takes the captures of the path and the fields of the body by the contract's names, and returns what the wire would show: a list
 * has its `index` and `nextToken` beside its items. What the wire answers with an error is thrown as a `Rejection`; without a leader that is `no_cluster_leader`, at once.
 *
 * @example
 * const { ModifyIndex } = region.as(token).policies.read({ policy_name: "readers" });
 * const changed = region.as(token).policies.read({ policy_name: "readers" }, { index: ModifyIndex, wait: "1m" });
 */
export interface SchedulerClient extends ClientOf<typeof schedulerRegistry.table> {
  /**
   * What the token may do with something, by the region's own policies: sorted words, none where it is denied.
   *
   * `name` is that of the namespace, node pool or host volume; of `variables` it is `<namespace>/<path>`. Other kinds have none:
   * `read` and `write`, for the operator its capabilities too.
   *
   * @throws Rejection `token_unknown`, `acl_disabled`; TypeError for a kind that is none
   * @example
   * region.as(token).capabilities("namespace", "default"); // ["list-jobs", "parse-job", ...]
   */
  capabilities(kind: CapabilityKind, name?: string): string[];
}

interface Asking {
  readonly host: Host<SchedulerWorld>;
  readonly caller: SchedulerCaller;
}

const operationsFor = clientMaker(
  schedulerRegistry.service,
  schedulerRegistry.table,
  ({ host, caller }: Asking, named: NamedOperation) =>
    (argument?: unknown, options?: unknown) =>
      call(host, caller, named, argument, options),
);

/** Makes the typed door for a caller. */
export function schedulerClient(asking: Asking): SchedulerClient {
  const value = (kind: CapabilityKind, name?: string): string[] => capabilities(asking, kind, name);
  return Object.defineProperty(operationsFor(asking), "capabilities", { value, enumerable: true }) as SchedulerClient;
}

function call(
  host: Host<SchedulerWorld>,
  caller: SchedulerCaller,
  named: NamedOperation,
  argument: unknown,
  options: unknown,
): unknown {
  host.comeUp();
  const { name, operation } = named;
  const isRead = operation.handler.kind === "view";
  const given = objectAt(name, "the argument", argument ?? {});
  const asked = objectAt(name, "the second argument", options ?? {});
  refuseOthers(name, asked, isRead ? ["index", "wait", "stale", "signal"] : []);
  const asking = (): Request => {
    const signal = signalOf(name, asked["signal"]);
    const captures = capturesOf(named, given);
    return {
      text: name,
      named,
      captures,
      body: { ok: true, fields: isRead ? {} : fieldsOf(named, given) },
      query: new Map([...parametersOf(named, given), ...optionTexts(name, asked)]),
      caller,
      via: "call",
      signal,
    };
  };
  const ask = (request: Request): Answered | Promise<Answered> => {
    // The journal reads it when somebody looks, which may be when the simulator is gone.
    const { state } = host;
    const seen = (): Called => {
      const words = wordsOf(state)?.scheduler;
      const path = pathOf(operation, request.captures);
      return {
        service: "scheduler",
        place: { region: caller.region },
        operation: name,
        method: operation.verb,
        path: words === undefined ? path : renamedPath(words, path, "own"),
        url: schedulerOf(state).sites[caller.region] ?? "",
      };
    };
    const decided = (noted: NotedCall | undefined): Answered | Promise<Answered> =>
      byLine(host, noted, seen, (failsWith) => respond(host, { ...request, failsWith }));
    return notedAs(host, named, request, seen, decided);
  };
  const soon = async (): Promise<unknown> => {
    const request = asking();
    return resultOf(host, request, await ask(request));
  };
  if (asked["index"] !== undefined) return soon();
  const request = asking();
  const answered = ask(request);
  // Without an index nothing waits, and a typed call is never held.
  if (answered instanceof Promise) throw new TypeError(`${name} waits without an index`);
  return resultOf(host, request, answered);
}

/** Notes a call, and its answer when that is there. */
function notedAs(
  host: Host<SchedulerWorld>,
  named: NamedOperation,
  request: Request,
  seen: () => Called,
  ask: (noted: NotedCall | undefined) => Answered | Promise<Answered>,
): Answered | Promise<Answered> {
  const { query, body } = request;
  const said = () => {
    const { url, path } = seen();
    const asked = query.size === 0 ? "" : `?${new URLSearchParams([...query])}`;
    return { url: url + path + asked, argument: body.ok ? body.fields : {} };
  };
  const noted = noteCall(host, named, said);
  const answered = (answer: Answered): void => {
    const { status, commit } = answer;
    if (answer.ok) noted?.answered({ status, commit, body: () => answer.body });
    else noted?.answered({ status, commit, refused: behindAnswer(host, request, answer), body: () => answer.message });
  };
  const answer = ask(noted);
  if (answer instanceof Promise)
    answer.then(answered, () => noted?.failed(request.signal?.aborted === true ? "aborted" : "failed"));
  else answered(answer);
  return answer;
}

function resultOf(host: Host<SchedulerWorld>, request: Request, answered: Answered): unknown {
  if (!answered.ok) throw schedulerForms.rejection(request.text, behindAnswer(host, request, answered));
  const { body, meta } = answered;
  if (!Array.isArray(body)) return body;
  return Object.defineProperties(Array.from<unknown>(body), {
    index: { value: meta?.index },
    nextToken: { value: meta?.nextToken },
  });
}

function capabilities({ host, caller }: Asking, kind: CapabilityKind, of: string | undefined): string[] {
  const { region: name, token } = caller;
  host.comeUp();
  host.serve();
  const region = regionOf(host.state, name);
  try {
    if (!schedulerOf(host.state).aclEnabled) refuse("acl_disabled", {});
    return capabilitiesOf(region, bearerOf(region, token, host.nowMs), kind, of, wordsOf(host.state)?.scheduler);
  } catch (ending) {
    if (!(ending instanceof Ending)) throw ending;
    const command: Command = { name: "scheduler.capabilities", input: { kind, name: of }, caller, via: "call" };
    throw schedulerForms.rejection(command.name, behind(host, command, ending.refusal, undefined));
  }
}

// --- arguments ------------------------------------------------------------------------------------------------------

function capturesOf(
  { name, operation: { captures, named } }: NamedOperation,
  given: { readonly [name: string]: unknown },
): { readonly [name: string]: string } {
  const textFor = (capture: string): unknown => given[capture] ?? given[named[capture] ?? capture];
  return Object.fromEntries(captures.map((capture) => [capture, captureAt(name, capture, textFor(capture))]));
}

/** What is left for the body: as on the wire, unknown fields are ignored and names are matched in any case. */
function fieldsOf({ name, operation }: NamedOperation, given: { readonly [name: string]: unknown }): object {
  const rest = Object.entries(given).filter(([key]) => key !== "region" && !operation.captures.includes(key));
  if (operation.body === "none") refuseOthers(name, Object.fromEntries(rest), []);
  return copyPlain(Object.fromEntries(rest), name) as object;
}

function parametersOf(
  { name, operation }: NamedOperation,
  given: { readonly [name: string]: unknown },
): readonly (readonly [string, string])[] {
  const isRead = operation.handler.kind === "view";
  const known = isRead ? ["prefix", "per_page", "next_token", "region"] : ["region"];
  if (isRead) refuseOthers(name, given, [...operation.captures, ...known]);
  return known.flatMap((parameter) => {
    const value = given[parameter];
    if (value === undefined) return [];
    if (typeof value === "number" && parameter === "per_page") return [[parameter, `${value}`] as const];
    return [[parameter, textAt(name, parameter, value)] as const];
  });
}

/** Options as the query that the wire would have, so that both doors read the same. */
function optionTexts(
  name: string,
  { index, wait, stale }: { readonly [name: string]: unknown },
): readonly (readonly [string, string])[] {
  const texts: (readonly [string, string])[] = [];
  if (index !== undefined) {
    if (typeof index !== "number") throw new TypeError(`${name}: index is ${shown(index)}, and has to be a number`);
    texts.push(["index", `${index}`]);
  }
  if (wait !== undefined) {
    if (typeof wait !== "string") {
      throw new TypeError(
        `${name}: wait is ${shown(wait)}, and has to be a string with units, such as "10s" or "250ms"`,
      );
    }
    texts.push(["wait", wait]);
  }
  if (stale !== undefined) {
    if (typeof stale !== "boolean")
      throw new TypeError(`${name}: stale is ${shown(stale)}, and has to be true or false`);
    texts.push(["stale", `${stale}`]);
  }
  return texts;
}

function signalOf(name: string, signal: unknown): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  if (!(signal instanceof AbortSignal)) {
    throw new TypeError(`${name}: signal is ${shown(signal)}, and has to be an AbortSignal`);
  }
  // Given up before it began, as `fetch` has it.
  signal.throwIfAborted();
  return signal;
}
