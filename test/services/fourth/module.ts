import * as v from "valibot";
import { optionsSchema, readArgument } from "../../../src/kernel/arguments.ts";
import { arm, type Calendar, type Deadline, type DeadlineKey, disarm } from "../../../src/kernel/calendar.ts";
import type { Caller, EventOf, Via } from "../../../src/kernel/commit.ts";
import type { Decision, Reading } from "../../../src/kernel/decision.ts";
import { type FlatEvolvers, type Folds, type Part, withinFlat } from "../../../src/kernel/evolvers.ts";
import type { Host } from "../../../src/kernel/host.ts";
import { type Refusal, refusalsOf } from "../../../src/kernel/outcome.ts";
import { withMember } from "../../../src/kernel/parts.ts";
import type { Plain } from "../../../src/kernel/plain.ts";
import { Table } from "../../../src/kernel/table.ts";
import { captureAt, objectAt } from "../../../src/services/kit/arguments.ts";
import { type ClientOf, clientMaker } from "../../../src/services/kit/client.ts";
import { controlsOver } from "../../../src/services/kit/control.ts";
import {
  Door,
  isDecision,
  noteCall,
  PAST_IS_READ_ONLY,
  requestDeciders,
  unroutedOf,
} from "../../../src/services/kit/door.ts";
import { decoded, type HttpAsked, type WireAnswer } from "../../../src/services/kit/http.ts";
import { deciderIn, type ServiceModule } from "../../../src/services/kit/module.ts";
import { answer } from "../../../src/services/kit/openapi.ts";
import {
  type ArgumentOf,
  type Declared,
  declared,
  type InputOf,
  type Operation,
} from "../../../src/services/kit/operation.ts";
import { type FormsOf, RefusalForms } from "../../../src/services/kit/refusals.ts";
import { type Named, registryOf } from "../../../src/services/kit/registry.ts";
import {
  failingRequests,
  failingStatus,
  failureInjected,
  isFailing,
  NO_FAILURES,
  type RequestFailure,
  requestFailed,
} from "../../../src/services/kit/request-failures.ts";
import { namedCaptures, nearestRoutes, Router } from "../../../src/services/kit/router.ts";
import { behind, type ExplainersOf, fact, factsBy, type Met, recorded } from "../../../src/services/kit/why.ts";
import { gateMachine } from "./gate.machine.ts";

// A service of one family, as small as one can be: gates of features, which open for a while. It would be some files of `src/services/gates`;
// here it stands in one, to be read from top to bottom.

// --- state ------------------------------------------------------------------------------------------------------------

type GateStatus = "closed" | "open" | "kept";

interface Gate {
  readonly status: GateStatus;
  readonly closes?: DeadlineKey | undefined;
}

interface Gates {
  readonly gates: Table<Gate>;
  readonly requestFailures: readonly RequestFailure[];
  readonly calendar: Calendar;
}

export interface GatesWorld {
  readonly gates?: Gates;
}

const NO_GATES: Gates = Object.freeze({
  gates: Table.of<Gate>(),
  requestFailures: NO_FAILURES,
  calendar: Table.of<Deadline>(),
});

const gatesOf = ({ gates = NO_GATES }: GatesWorld): Gates => gates;

interface GateEvents {
  GateOpened: { readonly gate: string; readonly closesAtMs: number | null };
  GateClosed: { readonly gate: string };
  GateRequestFailureInjected: RequestFailure;
  GateRequestFailed: { readonly status: number };
}

const evolvers: FlatEvolvers<Gates, GateEvents> = {
  GateOpened: (part, { gate, closesAtMs }, meta) => {
    disarm(part, part.gates.get(gate)?.closes);
    if (closesAtMs === null) {
      part.gates = part.gates.set(gate, { status: "kept" });
      return;
    }
    const closes = arm(part, closesAtMs as never, { command: "timer.gateCloses", input: { gate } }, meta);
    part.gates = part.gates.set(gate, { status: "open", closes });
  },
  GateClosed: (part, { gate }) => {
    disarm(part, part.gates.get(gate)?.closes);
    part.gates = part.gates.set(gate, { status: "closed" });
  },
  GateRequestFailureInjected: failureInjected,
  GateRequestFailed: requestFailed,
};

const withGates: Part<GatesWorld, Gates, unknown> = (world, _, change) => {
  const before = gatesOf(world);
  const after = change(before);
  return after === before ? world : { ...world, gates: after };
};

const folds: Folds<GatesWorld, GateEvents> = withinFlat<GatesWorld, Gates, GateEvents>(withGates, evolvers);

// --- refusals ---------------------------------------------------------------------------------------------------------

interface GateRefusals {
  request_failed: { readonly status: number };
  past_is_read_only: Record<never, never>;
  unknown_path: Record<never, never>;
  gate_unknown: { readonly gate: string };
  move_refused: { readonly gate: string; readonly move: string };
}

const { refuse, failKeepingFacts } = refusalsOf<GateRefusals>();

interface GateForm {
  readonly status: number;
  readonly problem: string;
}

const forms = new RefusalForms<GateForm>(
  "the gates",
  {
    request_failed: ({ status }) => ({ status, problem: "failed" }),
    past_is_read_only: () => ({ status: 400, problem: "the past is read-only" }),
    unknown_path: () => ({ status: 404, problem: "nothing is here" }),
    gate_unknown: ({ gate }) => ({ status: 404, problem: `no gate is named ${gate}` }),
    move_refused: ({ gate, move }) => ({ status: 409, problem: `${gate} takes no ${move}` }),
  } satisfies FormsOf<GateRefusals, GateForm>,
  ({ problem }) => problem,
);

type GateMet = Met<GatesWorld, GateEvents>;

const gateWhy: ExplainersOf<GateRefusals, GateMet> = {
  request_failed: (_, { status }) => [fact("fault", `a test asked for ${status}`)],
  past_is_read_only: () => [fact("past", "a view takes no commands")],
  unknown_path: () => [fact("route", "there are gates")],
  gate_unknown: (_, { gate }) => [fact("gate", `no request opened ${gate}`)],
  move_refused: ({ past }, { gate }) => [
    recorded(
      "gate",
      `${gate} was opened`,
      past.last("GateOpened", (data) => data.gate === gate),
    ),
  ],
};

// --- operations -------------------------------------------------------------------------------------------------------

type GateReading = Reading<GatesWorld>;
type GateDecision = Decision<GatesWorld, EventOf<GateEvents>>;
type NoFields = Record<never, never>;

interface GateOperation<C = unknown> extends Operation<C> {
  readonly handler:
    | { readonly kind: "command"; readonly decide: (decision: GateDecision, input: never) => object }
    | { readonly kind: "view"; readonly view: (reading: GateReading, input: never) => object };
}

type Call<R extends string, B> = (argument: ArgumentOf<R, NoFields>) => B;

function view<const R extends `GET /gates/${string}`, B extends object>({
  view,
  ...route
}: Declared<R, NoFields> & {
  readonly view: (reading: GateReading, input: InputOf<R, NoFields>) => B;
}): GateOperation<Call<R, B>> {
  return { ...declared(route), handler: { kind: "view", view } };
}

function command<const R extends `POST /gates/${string}`, B extends object>({
  decide,
  ...route
}: Declared<R, NoFields> & {
  readonly decide: (decision: GateDecision, input: InputOf<R, NoFields>) => B;
}): GateOperation<Call<R, B>> {
  return { ...declared(route), handler: { kind: "command", decide } };
}

const OPEN_MS = 60_000;

function move(decision: GateDecision, gate: string, type: "open" | "keepOpen" | "close"): { readonly status: string } {
  const { status = "closed" } = gatesOf(decision.state).gates.get(gate) ?? {};
  const next = decision.step(gateMachine, status, {}, { type });
  if (next === undefined) return refuse("move_refused", { gate, move: type });
  if (next.value === "closed") decision.record({ type: "GateClosed", data: { gate } });
  else {
    const closesAtMs = next.value === "open" ? decision.nowMs + OPEN_MS : null;
    decision.record({ type: "GateOpened", data: { gate, closesAtMs } });
  }
  return { status: next.value };
}

const registry = registryOf<GateOperation>()("gates", {
  gates: {
    read: view({
      route: "GET /gates/:gate",
      evidence: "chosen",
      view: ({ state }, { gate }) => {
        const found = gatesOf(state).gates.get(gate);
        return found === undefined ? refuse("gate_unknown", { gate }) : { gate, status: found.status };
      },
    }),
    open: command({
      route: "POST /gates/:gate/open",
      evidence: "chosen",
      decide: (decision, { gate }) => move(decision, gate, "open"),
    }),
    close: command({
      route: "POST /gates/:gate/close",
      evidence: "chosen",
      decide: (decision, { gate }) => move(decision, gate, "close"),
    }),
  },
});

// --- doors ------------------------------------------------------------------------------------------------------------

interface Request {
  readonly named: Named<GateOperation> | undefined;
  readonly captures: { readonly [name: string]: string };
  readonly caller: NonNullable<Caller>;
  readonly via: Via;
}

type Answered = { readonly status: number; readonly commit?: number | undefined } & (
  | { readonly ok: true; readonly body: object }
  | { readonly ok: false; readonly form: GateForm; readonly refusal: Refusal }
);

const door = new Door<GatesWorld, Request, object, Answered>({
  accepted: (_host, _request, { reply, commit }) => ({ ok: true, status: 200, body: reply, commit }),
  refused: (_host, _request, { refusal, commit }) => {
    const form = forms.form(refusal);
    return { ok: false, status: form.status, form, refusal, commit };
  },
  past: PAST_IS_READ_ONLY,
});

function respond(host: Host<GatesWorld>, request: Request): Answered {
  const { named, captures, caller, via } = request;
  const execute = (name: string): Answered => door.execute(host, request, { name, input: captures, caller, via });
  if (isFailing(host, gatesOf(host.state))) return execute(unroutedOf("gates"));
  if (named === undefined) return door.refuse(host, request, { code: "unknown_path", data: {} });
  if (named.operation.handler.kind === "command") return execute(named.name);
  return door.read(host, request, (reading: GateReading) => handle(reading, named.operation, captures));
}

function handle(context: GateReading | GateDecision, { path, handler }: GateOperation, input: object): object {
  if (handler.kind === "view") return handler.view(context, input as never);
  if (!isDecision<GateDecision>(context)) throw new TypeError(`${path} is a command`);
  return handler.decide(context, input as never);
}

const requestDecider = requestDeciders(registry, (decision: GateDecision, operation, input) => {
  const status = failingStatus(gatesOf(decision.state));
  if (status !== undefined) {
    decision.record({ type: "GateRequestFailed", data: { status } });
    failKeepingFacts("request_failed", { status });
  }
  return operation === undefined ? refuse("unknown_path", {}) : handle(decision, operation, input);
});

const router = new Router<GateOperation>();
for (const [name, operation] of registry.byName) router.add(operation.path, { name, operation });

function answerHttp(host: Host<GatesWorld>, asked: HttpAsked): WireAnswer {
  const segments = (decoded(asked.url.pathname) ?? "").split("/");
  const found = router.find(segments);
  const named = found?.verbs.get(asked.method);
  const captures = named === undefined ? {} : namedCaptures(named.operation, found?.values ?? []);
  const answered = respond(host, { named, captures, caller: {}, via: "http" });
  const nearest = named === undefined ? nearestRoutes(registry.byName.values(), segments) : undefined;
  return onWire(host, answered, { operation: named?.name, nearest });
}

function onWire(
  host: Host<GatesWorld>,
  answered: Answered,
  { operation, nearest }: { readonly operation?: string | undefined; readonly nearest?: string[] | undefined } = {},
): WireAnswer {
  const { status, commit } = answered;
  const position = (commit ?? host.position) as Host<GatesWorld>["position"];
  const refusal = answered.ok ? undefined : answered.refusal;
  const body = answered.ok ? answered.body : { problem: answered.form.problem };
  const { origin, nowMs: atMs } = host;
  const committed = commit !== undefined;
  const refused =
    refusal &&
    behind(
      host,
      { name: operation ?? unroutedOf("gates"), input: {}, caller: {}, via: "http" },
      refusal,
      committed ? position : undefined,
    );
  return {
    status,
    headers: { "Content-Type": "application/json", "X-Hindcast-Position": `${position}` },
    body: JSON.stringify(body),
    served: { origin, position, atMs, committed, operation, caller: {}, answer: body, refused, nearest },
  };
}

const client = clientMaker(
  registry.service,
  registry.table,
  (host: Host<GatesWorld>, named: Named<GateOperation>) => (argument: unknown) => {
    const { name, operation } = named;
    const given = objectAt(name, "the argument", argument);
    const captures = Object.fromEntries(operation.captures.map((one) => [one, captureAt(name, one, given[one])]));
    const noted = noteCall(host, named, () => ({ url: URL_OF_GATES + operation.path, argument: captures }));
    const answered = respond(host, { named, captures, caller: {}, via: "call" });
    const { status, commit } = answered;
    if (answered.ok) {
      noted?.answered({ status, commit: commit as Host<GatesWorld>["position"], body: () => answered.body });
      return answered.body;
    }
    const { refusal } = answered;
    const refused = behind(host, { name, input: captures, caller: {}, via: "call" }, refusal, commit as never);
    noted?.answered({ status, commit: commit as Host<GatesWorld>["position"], refused, body: () => answered.form });
    throw forms.rejection(name, refused);
  },
);

// --- control calls ----------------------------------------------------------------------------------------------------

const kept = v.strictObject({ gate: v.pipe(v.string("a gate is a text"), v.nonEmpty("a gate has a name")) });
const failure = optionsSchema({ service: v.literal("gates"), ...failingRequests });

const controls = {
  "control.gates.keepOpen": (decision: GateDecision, input: unknown): { readonly status: string } =>
    move(decision, readArgument(kept, "keepOpen", input).gate, "keepOpen"),
};

const timers = {
  "timer.gateCloses": (decision: GateDecision, input: { readonly gate: string }) => move(decision, input.gate, "close"),
};

export interface GatesHandle {
  readonly url: string;
  keepOpen(gate: string): { readonly status: string };
  as(): ClientOf<typeof registry.table>;
}

const URL_OF_GATES = "https://gates.test";

function gatesHandle(host: Host<GatesWorld>, via: Via): GatesHandle {
  const control = controlsOver<typeof controls>(host, via, null, forms);
  return Object.freeze({
    url: URL_OF_GATES,
    keepOpen: (gate) => control("control.gates.keepOpen", { gate }),
    as: () => client(host),
  } satisfies GatesHandle);
}

// --- the module -------------------------------------------------------------------------------------------------------

const ORIGINS = new Map([[URL_OF_GATES, {}]]);

export const gatesModule = {
  name: "gates",
  registry,
  state: {
    folds,
    addCalendars: ({ gates }, to) => {
      if (gates !== undefined) to.push(gates.calendar);
    },
    calendarPlace: (_world, _index, { input }) => {
      const { gate } = input as { readonly gate: string };
      return { owner: { gate }, place: { gate } };
    },
    withCalendar: (world, { gate }, change) =>
      gate === undefined ? undefined : withMember(world, "gates", (gates) => withMember(gates, "calendar", change)),
  },
  decides: {
    deciderOf: ({ name }) =>
      requestDecider(name) ?? deciderIn(timers, name, undefined) ?? deciderIn(controls, name, undefined),
    failNextRequests: {
      isFor: (service) => service === "gates",
      decide: (decision: GateDecision, input: unknown) => {
        const { count, status } = readArgument(failure, "failNextRequests", input);
        decision.record({ type: "GateRequestFailureInjected", data: { count, status } });
      },
    },
  },
  options: {
    schema: optionsSchema({}),
    read: () => ({ settings: {}, urls: [["the gates", URL_OF_GATES]] }),
    logged: {},
    readLogged: () => ({}),
    toLog: (): { readonly [member: string]: Plain } => ({}),
    newPart: () => ({}),
  },
  calls: { handles: { gates: gatesHandle } },
  http: {
    base: "/gates",
    places: [],
    origins: () => [ORIGINS],
    placeAt: (_world, origin) => ORIGINS.get(origin),
    answer: (host, _place, asked) => answerHttp(host, asked),
    unplaced: (host, _place, _asked, problem) => {
      host.serve();
      const refusal = { code: "unknown_place", data: {} };
      return onWire(host, { ok: false, status: 400, form: { status: 400, problem }, refusal });
    },
    failure: (_status, problem) => ({ type: "application/json", body: JSON.stringify({ problem }) }),
  },
  openapi: {
    title: "Gates",
    security: {},
    described: () => ({ answers: { 200: answer("the gate", "application/json") } }),
  },
  why: (met: GateMet) => factsBy(gateWhy, met),
  words: { neutral: () => ({ headers: [], segments: ["gates"], fields: ["gate"], values: [], prefixes: [] }) },
  bodyOf: (reply: object) => reply,
} as const satisfies ServiceModule<GatesWorld>;
