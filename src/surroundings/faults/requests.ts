import * as v from "valibot";
import { duration, instant, optionsSchema, readArgument } from "../../kernel/arguments.ts";
import type { EpochMs } from "../../kernel/brand.ts";
import { AUTHOR, type EventOf } from "../../kernel/commit.ts";
import type { Decision } from "../../kernel/decision.ts";
import type { HandlePlace } from "../../kernel/handle.ts";
import type { Plain } from "../../kernel/plain.ts";
import type { RequestRule, RequestSeen, StandingRule } from "./rules.ts";
import type { FaultsEvents, FaultsWorld } from "./state.ts";

// Rules that let something happen to requests on their way: `sim.faults.requests` (control-surface.md, "Their line").

/** The command that counts a request. */
export const COUNT_REQUEST = "faults.count";

/** What a request meets: the rule that acts, and all that count it. */
export interface Met {
  readonly acting: StandingRule | undefined;
  readonly counting: readonly StandingRule[];
}

/** What a request of a program meets now. Of several rules that fit, the first that was made acts. */
export function rulesMet({ faults }: FaultsWorld, nowMs: EpochMs, program: string, seen: RequestSeen): Met | undefined {
  const fitting = faults?.rules?.filter((standing) => fits(standing, nowMs, program, seen)) ?? [];
  if (fitting.length === 0) return undefined;
  return {
    acting: fitting.find(({ rule, fitted }) => isItsTurn(rule, fitted + 1)),
    counting: fitting.filter(({ rule }) => hasCount(rule)),
  };
}

function fits({ rule, acted }: StandingRule, nowMs: EpochMs, program: string, seen: RequestSeen): boolean {
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY, times = Number.POSITIVE_INFINITY } = rule;
  return (
    acted < times &&
    nowMs >= fromMs &&
    nowMs < toMs &&
    (rule.program ?? program) === program &&
    (rule.operation ?? seen.operation) === seen.operation &&
    (rule.method ?? seen.method) === seen.method &&
    (rule.path === undefined || isOnPath(rule.path, seen.path)) &&
    (rule.service === undefined || isAt(rule.service, seen))
  );
}

/** A path that ends with `*` fits all that begin like it. */
function isOnPath(path: string, asked: string): boolean {
  return path.endsWith("*") ? asked.startsWith(path.slice(0, -1)) : asked === path;
}

function isAt(service: string | HandlePlace, seen: RequestSeen): boolean {
  if (typeof service === "string") return service === seen.service;
  // A cluster is each of its nodes.
  return Object.entries(service).every(([kind, name]) => seen.place[kind] === name);
}

function isItsTurn({ nth, every }: RequestRule, n: number): boolean {
  return (nth === undefined || nth.includes(n)) && (every === undefined || n % every === 0);
}

function hasCount({ nth, every, times }: RequestRule): boolean {
  return nth !== undefined || every !== undefined || times !== undefined;
}

// --- commands -------------------------------------------------------------------------------------------------------

const whole = (least: number) =>
  v.pipe(
    v.number("it is a number"),
    v.integer("it is a whole number"),
    v.minValue(least, least === 0 ? "it is 0 or more" : `it is ${least} or more`),
  );
const text = v.pipe(v.string("it is a text"), v.minLength(1, "it is not empty"));
const STATUS = "it is a status from 200 to 599";
const status = v.pipe(v.number(STATUS), v.integer(STATUS), v.minValue(200, STATUS), v.maxValue(599, STATUS));
const plain = v.custom<Plain>((given) => given !== undefined, "it is a text, or plain data for JSON");

/** The effects as callers give them. */
const effect = v.variant(
  "kind",
  [
    v.strictObject({ kind: v.literal("lose-request") }),
    v.strictObject({ kind: v.literal("lose-answer") }),
    v.strictObject({ kind: v.literal("reset"), after: v.optional(whole(0)) }),
    v.strictObject({ kind: v.literal("hang") }),
    v.strictObject({ kind: v.literal("delay"), by: duration }),
    v.strictObject({
      kind: v.literal("status"),
      status,
      headers: v.optional(v.record(text, v.string("it is a text"), "it is an object of texts")),
      body: v.optional(plain),
    }),
    v.strictObject({ kind: v.literal("truncate"), bytes: whole(0) }),
    v.strictObject({ kind: v.literal("slow"), bytesPerSecond: whole(1) }),
  ],
  "an effect is { kind } with one of lose-request, lose-answer, reset, hang, delay, status, truncate, slow",
);

const SERVICE = "a service is a handle of one, or its name";

const rule = optionsSchema({
  program: v.optional(text),
  service: v.optional(v.union([text, v.record(v.string(), v.string())], SERVICE)),
  operation: v.optional(text),
  method: v.optional(v.pipe(text, v.toUpperCase())),
  path: v.optional(v.pipe(text, v.regex(/^\/[^*]*\*?$/, "a path begins with a slash, and has a * at most at its end"))),
  nth: v.optional(
    v.union(
      [
        v.pipe(
          whole(1),
          v.transform((n) => [n]),
        ),
        v.pipe(v.array(whole(1)), v.minLength(1)),
      ],
      "nth is a number from 1 on, or an array of such",
    ),
  ),
  every: v.optional(whole(1)),
  from: v.optional(instant),
  to: v.optional(instant),
  times: v.optional(whole(1)),
  effect,
});

type FaultsDecision = Decision<FaultsWorld, EventOf<FaultsEvents>>;

/** What was given, as the log has it: without what is absent, and with units in the names. */
function ruleOf(call: string, given: unknown): RequestRule {
  const { from, to, effect, ...rest } = readArgument(rule, call, given);
  if (from !== undefined && to !== undefined && to <= from) {
    throw new TypeError(`${call}: to is ${new Date(to).toISOString()}, and has to lie after from`);
  }
  return {
    ...rest,
    ...(from === undefined ? {} : { fromMs: from }),
    ...(to === undefined ? {} : { toMs: to }),
    effect: effect.kind === "delay" ? { kind: effect.kind, byMs: effect.by } : effect,
  };
}

/** The commands of rules, by their names. */
export const requestFaultControls = {
  /** Makes a rule, and tells which it is. */
  "control.faults.requests": (decision, input): number => {
    const rule = ruleOf("faults.requests", input);
    const id = (decision.state.faults?.rulesMade ?? 0) + 1;
    decision.record({ type: "RequestRuleMade", data: { id, rule } });
    return id;
  },
  "control.faults.removeRequests": (decision, input): void => {
    const id = readArgument(whole(1), "faults.requests", input);
    if (decision.state.faults?.rules?.some((standing) => standing.id === id)) {
      decision.record({ type: "RequestRuleRemoved", data: { id } });
    }
  },
  /** Counts a request that fits rules with a count. */
  [COUNT_REQUEST]: (decision, input): void => {
    const program = decision.caller?.["program"];
    const met = rulesMet(
      decision.state,
      decision.nowMs,
      typeof program === "string" ? program : AUTHOR,
      input as RequestSeen,
    );
    if (met === undefined || met.counting.length === 0) return;
    const acted = met.counting.find((standing) => standing === met.acting)?.id;
    const fitted = met.counting.map(({ id }) => id);
    decision.record({ type: "RequestRulesFitted", data: acted === undefined ? { fitted } : { fitted, acted } });
  },
} satisfies Readonly<Record<string, (decision: FaultsDecision, input: unknown) => unknown>>;
