import type { EpochMs, LogPosition } from "../../kernel/brand.ts";
import type { Command, Via } from "../../kernel/commit.ts";
import type { Host } from "../../kernel/host.ts";
import { Ending, type Refusal } from "../../kernel/outcome.ts";
import type { Plain } from "../../kernel/plain.ts";
import { Door, requestDeciders, unroutedOf } from "../kit/door.ts";
import { failingStatus, isFailing } from "../kit/request-failures.ts";
import type { Behind } from "../kit/why.ts";
import { bearerOf, isKnown } from "./access.ts";
import { blocked, type Waiter, type Waiting } from "./blocking.ts";
import type {
  Reply,
  SchedulerCaller,
  SchedulerOperation,
  SchedulerReading,
  SchedulerRecorder,
  ViewAsked,
} from "./declare.ts";
import { readFields } from "./fields.ts";
import { held } from "./hold.ts";
import type { RegionName } from "./ids.ts";
import { type QueryTexts, readQuery } from "./query.ts";
import { type NamedOperation, schedulerRegistry } from "./registry.ts";
import { failKeepingFacts, refuse, type SchedulerRefusals } from "./rejections.ts";
import { schedulerForms } from "./responses.ts";
import { led, reached } from "./routing.ts";
import type { Region } from "./state.ts";
import { through, widened } from "./watches.ts";
import { regionOf, type SchedulerWorld, schedulerOf } from "./world.ts";

/** What the headers of an answer tell of the region that gave it. */
export interface Meta {
  readonly index: number;
  readonly nextToken?: string | undefined;
  /** Of reads: whether there is a leader, and how long ago there was one. */
  readonly leader?: { readonly known: boolean; readonly lastContactMs: number };
}

/** What came of a request, before it is put on the wire or thrown at a caller. */
export type Answered = {
  readonly status: number;
  /** Where and when it was served: an answer may be put on the wire later. */
  readonly position: LogPosition;
  readonly atMs: EpochMs;
  /** The commit that the request made, if it made one. */
  readonly commit?: LogPosition | undefined;
  readonly meta?: Meta | undefined;
  /** Where it is that was asked for. */
  readonly location?: string | undefined;
} & (
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly message: string; readonly refusal: Refusal }
);

/** A request of either door. */
export interface Request extends Waiter {
  readonly named: NamedOperation | undefined;
  /** Why its path or its method leads nowhere. */
  readonly unrouted?: Refusal | undefined;
  readonly captures: { readonly [name: string]: string };
  /** The body; a refusal when it cannot be read. */
  readonly body: { readonly ok: true; readonly fields: object } | { readonly ok: false; readonly refusal: Refusal };
  readonly query: QueryTexts;
  readonly caller: SchedulerCaller;
  readonly via: Via;
  readonly failsWith?: number | undefined;
}

/**
 * Answers a request, in the order of checks of decisions-scheduler-acl.md, section 1. The answer is a promise when it has to be
 * waited for: for a change, or over HTTP for a leader. An injected failure comes before all else.
 */
export function respond(host: Host<SchedulerWorld>, request: Request): Answered | Promise<Answered> {
  const looked = look(host, request);
  return looked.kind === "answered" ? looked.answered : waited(host, request, looked);
}

/** What a look at a request came to. */
type Looked =
  | { readonly kind: "answered"; readonly answered: Answered }
  /** There is no leader, and the request waits for one. */
  | { readonly kind: "held"; readonly region: RegionName; readonly answered: Answered }
  /** Nothing that its caller does not know. */
  | { readonly kind: "blocked"; readonly waiting: Waiting<Answered> };

/** How long a request waits for an election (section 6, "Leader and consistency modes"). */
const ELECTION_MS = 5_000;

function waited(
  host: Host<SchedulerWorld>,
  request: Request,
  first: Exclude<Looked, { readonly kind: "answered" }>,
): Promise<Answered> {
  const electionEndsMs = (host.nowMs + ELECTION_MS) as EpochMs;
  return new Promise((resolve, reject) => {
    const carryOn = (looked: Looked): void => {
      switch (looked.kind) {
        case "answered":
          resolve(looked.answered);
          break;
        case "blocked":
          blocked(host, request, looked.waiting, { settle: resolve, reject });
          break;
        case "held": {
          const expired = (): void => resolve({ ...looked.answered, position: host.position, atMs: host.nowMs });
          const elected = (): void => carryOn(look(host, request));
          if (host.nowMs >= electionEndsMs) expired();
          else held(host, request, looked.region, electionEndsMs, { elected, expired, reject });
          break;
        }
        default:
          looked satisfies never;
      }
    };
    carryOn(first);
  });
}

// --- one look -------------------------------------------------------------------------------------------------------

/** A look at a read tells by itself what it came to. */
const door = new Door<SchedulerWorld, Request, Reply<unknown> | Looked, Looked>({
  accepted: (host, _request, { reply, commit }) => {
    if ("kind" in reply) return reply;
    const { body, index } = reply;
    const position = commit ?? host.position;
    return answered({ ok: true, status: 200, body, meta: { index }, commit, position, atMs: host.nowMs });
  },
  refused: (host, request, { refusal, commit }) =>
    heldOrAnswered(host, request, refusedAnswer(host, refusal, undefined, commit)),
  past: { code: "past_refused", data: { reason: "a view of the past takes no commands" } },
});

function look(host: Host<SchedulerWorld>, request: Request): Looked {
  const { named, caller, unrouted, failsWith } = request;
  if (failsWith !== undefined) return door.refuse(host, request, refusalOf("request_failed", { status: failsWith }));
  if (isFailing(host, regionOf(host.state, caller.region))) {
    return door.execute(host, request, commandOf(request, unroutedOf(schedulerRegistry.service), {}));
  }
  if (named === undefined) return door.refuse(host, request, unrouted ?? refusalOf("unknown_path", {}));
  const { handler } = named.operation;
  const { aclEnabled } = schedulerOf(host.state);
  if (!aclEnabled && (handler.kind === "command" || handler.asks === "acl")) {
    return door.refuse(host, request, refusalOf("acl_disabled", {}));
  }
  if (handler.kind === "command") return commanded(host, request, named);
  return door.read(host, request, (reading: SchedulerReading) => seenFirst(host, request, handler, reading));
}

function refusalOf<C extends keyof SchedulerRefusals & string>(code: C, data: SchedulerRefusals[C]): Refusal {
  return { code, data };
}

function answered(result: Answered): Looked {
  return { kind: "answered", answered: result };
}

/** A refusal; that of something that is not there has the headers of a read. */
function refusedAnswer(host: Host<SchedulerWorld>, refusal: Refusal, region?: Region, commit?: LogPosition): Answered {
  const { status, message, location } = schedulerForms.form(refusal);
  const index = isAbsence(refusal) ? refusal.data.index : undefined;
  return {
    ok: false,
    status,
    message,
    location,
    refusal,
    commit,
    position: commit ?? host.position,
    atMs: host.nowMs,
    ...(index === undefined || region === undefined ? {} : { meta: { index, leader: leaderSeen(region, host.nowMs) } }),
  };
}

/** Whether a read found nothing, which has an index, too. */
function isAbsence(refusal: Refusal): refusal is { readonly code: string; readonly data: { readonly index: number } } {
  return ABSENCES.has(refusal.code);
}

const ABSENCES: ReadonlySet<string> = new Set([
  "policy_not_found",
  "token_not_found",
  "role_not_found",
  "namespace_not_found",
  "auth_method_not_found",
  "binding_rule_not_found",
]);

function leaderSeen(
  { leaderLostAtMs }: Region,
  nowMs: EpochMs,
): { readonly known: boolean; readonly lastContactMs: number } {
  if (leaderLostAtMs === undefined) return { known: true, lastContactMs: 0 };
  return { known: false, lastContactMs: nowMs - leaderLostAtMs };
}

// --- reads ----------------------------------------------------------------------------------------------------------

/** The first look of a read: what it sees, unless it waits for something newer. */
function seenFirst(
  host: Host<SchedulerWorld>,
  request: Request,
  { asks, view, watch }: Extract<SchedulerOperation["handler"], { readonly kind: "view" }>,
  { state, nowMs, draw }: SchedulerReading,
): Looked {
  const query = readQuery(asks === "server" ? NO_QUERY : request.query);
  const name = reached(state, request.caller.region, query.region);
  const region = query.stale || asks === "server" ? regionOf(state, name) : led(state, name);
  const { token } = request.caller;
  if (finds404(state, request) && token !== undefined && !isKnown(region, token)) {
    return answered(
      refusedAnswer(host, refusalOf("token_not_found", { accessor: "", index: region.tokenIndex }), region),
    );
  }
  const isAsked = asks === "acl" || (asks === "token" && schedulerOf(state).aclEnabled);
  const bearer = isAsked ? bearerOf(region, token, nowMs) : bearerOf(region, undefined, nowMs);
  const asked: ViewAsked = { name, region, bearer, query, world: state };
  const input = request.captures as never;
  // The region as it is then; the bearer stays who it was at the first look.
  const lookAgain = (): Answered => {
    const again = (): Reply<unknown> => {
      reached(host.state, request.caller.region, query.region);
      return view(input, { ...asked, region: regionOf(host.state, name) });
    };
    return seen(host, again, name);
  };
  const first = lookAgain();
  const scheduler = schedulerOf(state);
  const waitMs = Math.min(query.waitMs ?? DEFAULT_WAIT_MS, scheduler.maxBlockingWaitMs);
  if (!host.takesCommands || waitMs === 0 || !isOld(first, query.index)) return answered(first);
  // An extra in [0, wait/16), so that readers that began together do not all come back together (section 7, jitter).
  const extraMs = scheduler.blockingJitter ? Math.floor((draw.uint32() / 2 ** 32) * (waitMs / 16)) : 0;
  return {
    kind: "blocked",
    waiting: {
      untilMs: (nowMs + waitMs + extraMs) as EpochMs,
      watch: () => through(widened(watch(input, asked), host.state), request.caller.region, name),
      first,
      lookAgain,
      isOld: (latest) => isOld(latest, query.index),
      late: (latest) => withPresentMeta(host, latest, name),
    },
  };
}

const NO_QUERY: ReadonlyMap<string, string> = new Map();

/** Whether an unknown secret is nothing that is there, as releases before the newest have it (amendments.md, N12). */
function finds404(world: SchedulerWorld, { named }: Request): boolean {
  return named?.name === "scheduler.tokens.self" && schedulerOf(world).quirks?.includes("self-unknown-is-404") === true;
}

/** How long a reader waits that does not say. */
const DEFAULT_WAIT_MS = 300_000;

function seen(host: Host<SchedulerWorld>, view: () => Reply<unknown>, name: RegionName): Answered {
  const region = regionOf(host.state, name);
  try {
    const { body, index, nextToken, bare } = view();
    const meta = bare ? undefined : { index, nextToken, leader: leaderSeen(region, host.nowMs) };
    return { ok: true, status: 200, body, meta, position: host.position, atMs: host.nowMs };
  } catch (ending) {
    if (ending instanceof Ending) return refusedAnswer(host, ending.refusal, region);
    throw ending;
  }
}

/** Whether an answer has nothing newer than its caller knows. Errors are never waited on. */
function isOld({ meta }: Answered, index: number): boolean {
  return index > 0 && meta !== undefined && meta.index <= index;
}

/** The answer of the last look, given now: what it says of the leader is what is the case now. */
function withPresentMeta(host: Host<SchedulerWorld>, latest: Answered, name: RegionName): Answered {
  const leader = leaderSeen(regionOf(host.state, name), host.nowMs);
  const meta = latest.meta === undefined ? undefined : { ...latest.meta, leader };
  return { ...latest, meta, position: host.position, atMs: host.nowMs };
}

// --- commands -------------------------------------------------------------------------------------------------------

function commanded(host: Host<SchedulerWorld>, request: Request, { name, operation }: NamedOperation): Looked {
  const { body, captures, query } = request;
  if (!host.takesCommands) return door.execute(host, request, commandOf(request, name, {}));
  if (!body.ok) return door.refuse(host, request, body.refusal);
  const fields = readFields(operation.fields, body.fields, operation.made);
  if (!fields.ok) return door.refuse(host, request, refusalOf("body_malformed", { reason: fields.reason }));
  const region = query.get("region") ?? "";
  const input = { ...captures, ...fields.fields, ...(region === "" ? {} : { region }) };
  return door.execute(host, request, commandOf(request, name, input));
}

/** Of a request what is known of whoever asks, and of what it asks as far as it could be read. */
export type WhoAsks = Pick<Request, "named" | "caller" | "via"> & Partial<Pick<Request, "captures" | "body" | "query">>;

/** What stands behind an answer that is a refusal; it may be put on the wire after the world went on. */
export function behindAnswer(
  { origin, position: present, state }: Host<SchedulerWorld>,
  { named, captures, body, query = NO_QUERY, caller, via }: WhoAsks,
  { refusal, position, atMs, commit }: Extract<Answered, { readonly ok: false }>,
): Behind {
  const fields = body?.ok === true ? (body.fields as { readonly [name: string]: Plain }) : {};
  const input = { ...Object.fromEntries(query), ...fields, ...captures };
  const command: Command = { name: named?.name ?? unroutedOf(schedulerRegistry.service), input, caller, via };
  const committed = commit !== undefined;
  const seen = !committed && position === present ? { state } : {};
  return { origin, position, atMs, committed, command, refusal, ...seen };
}

function commandOf({ caller, via }: Request, name: string, input: Plain): Command {
  return { name, input, caller, via };
}

/** Over HTTP a request without a leader waits for one; a typed call, and a look at the past, do not. */
function heldOrAnswered(host: Host<SchedulerWorld>, request: Request, result: Answered): Looked {
  if (result.ok || result.refusal.code !== "no_cluster_leader") return answered(result);
  if (request.via !== "http" || !host.takesCommands) return answered(result);
  const { region } = result.refusal.data as SchedulerRefusals["no_cluster_leader"];
  return { kind: "held", region: region as RegionName, answered: result };
}

/** Decides a request of this service from its command alone; undefined for a command of somebody else. */
export const requestDecider = requestDeciders(schedulerRegistry, (decision: SchedulerRecorder, operation, input) => {
  const { region } = decision.caller as SchedulerCaller;
  const status = failingStatus(regionOf(decision.state, region));
  if (status !== undefined) {
    decision.record({ type: "RegionRequestFailed", data: { region, status } });
    failKeepingFacts("request_failed", { status });
  }
  return operation === undefined ? refuse("unknown_path", {}) : decide(decision, operation, input);
});

function decide(
  decision: SchedulerRecorder,
  { path, captures: names, fields: known, handler }: SchedulerOperation,
  input: { readonly [name: string]: Plain },
): Reply<unknown> {
  if (handler.kind !== "command") throw new TypeError(`${path} only reads`);
  const given = new Map<string, unknown>(Object.entries(input));
  const captures: Record<string, string> = {};
  for (const name of names) {
    const value = given.get(name);
    if (typeof value !== "string") return refuse("body_malformed", { reason: `${name} is no text` });
    captures[name] = value;
    given.delete(name);
  }
  const to = given.get("region") ?? "";
  if (typeof to !== "string") return refuse("body_malformed", { reason: "region is no text" });
  const read = readFields(known, Object.fromEntries(given));
  if (!read.ok) return refuse("body_malformed", { reason: read.reason });
  const { region: from, token: secret } = decision.caller as SchedulerCaller;
  return handler.decide(decision, { ...read.fields, ...captures } as never, { from, to, secret });
}
