import { type Duration, durationMs, formatDuration } from "../languages/duration.ts";
import { shown } from "../languages/shown.ts";
import type { RequestEffectGiven } from "../surroundings/faults/handle.ts";

/** When a step comes: after a calm, beside the n-th instant at which something is due, or as the n-th request of a program sets out. */
export type Wait =
  | { readonly kind: "after"; readonly ms: number }
  | { readonly kind: "due"; readonly n: number; readonly offsetMs: number }
  | { readonly kind: "request"; readonly n: number };

/** An end of a line: `program:shop`, `cluster:east`, `region:eu` or `runs`. */
export type End = string;

/** What happens at a step. What has a `forMs` ends by itself after so long. */
export type Act =
  | { readonly kind: "calm" }
  | { readonly kind: "cut"; readonly a: End; readonly b: End; readonly forMs: number }
  | { readonly kind: "lag"; readonly a: End; readonly b: End; readonly ms: number; readonly forMs: number }
  | { readonly kind: "stop" | "seal"; readonly cluster: string; readonly forMs: number }
  | { readonly kind: "stop-node"; readonly cluster: string; readonly node: number; readonly forMs: number }
  | { readonly kind: "outage"; readonly of: string; readonly forMs: number }
  | { readonly kind: "slow-directory"; readonly url: string; readonly forMs: number }
  | { readonly kind: "lose-request" | "lose-answer" | "reset" | "hang" }
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "status"; readonly status: number; readonly times: number }
  | { readonly kind: "truncate"; readonly bytes: number }
  | { readonly kind: "slow"; readonly bytesPerSecond: number }
  | { readonly kind: "do"; readonly name: string; readonly n: number };

/** A step: first it waits, then something happens. */
export interface Step {
  readonly wait: Wait;
  readonly act: Act;
}

/** What a schedule says. */
export interface ScheduleParts {
  /** Which of the worlds it is played in, from 0. */
  readonly world: number;
  /** What programs draw from. */
  readonly seed: number;
  /** Who comes first where a timer and a deadline are due at one instant. */
  readonly ties: "services-first" | "programs-first";
  /** Which of the requests that wait at one instant goes first, choice by choice; without any they go as they came. */
  readonly turns: readonly number[];
  readonly steps: readonly Step[];
}

/**
 * What happens in a world, and when: a value that prints, parses, and is played again with the same bytes.
 *
 * @example
 * `${Schedule.parse("seed 3; +90s cut program:shop cluster:east for 30s; request 2 lose-answer; due 1+1ms stop east for 5m")}`
 */
export class Schedule implements ScheduleParts {
  readonly world: number;
  readonly seed: number;
  readonly ties: ScheduleParts["ties"];
  readonly turns: readonly number[];
  readonly steps: readonly Step[];

  constructor({ world, seed, ties, turns, steps }: ScheduleParts) {
    this.world = world;
    this.seed = seed;
    this.ties = ties;
    this.turns = turns;
    this.steps = steps;
    Object.freeze(this);
  }

  /** @throws TypeError naming the part that is wrong */
  static parse(text: string): Schedule {
    if (typeof text !== "string") throw new TypeError(`schedule: ${shown(text)} is no schedule: it is a string`);
    let head: Omit<ScheduleParts, "steps"> = { world: 0, seed: 0, ties: "services-first", turns: [] };
    const steps: Step[] = [];
    for (const part of text.split(";").map((each) => each.trim())) {
      if (part === "") continue;
      const [, name, value = ""] = /^(world|seed|ties|turns) (.+)$/.exec(part) ?? [];
      if (name === undefined) steps.push(stepIn(part));
      else head = { ...head, ...headIn(name, value) };
    }
    return new Schedule({ ...head, steps });
  }

  /** How many of its steps are faults: what a program or a service meets that it would not have met. */
  get faults(): number {
    return this.steps.filter(({ act }) => act.kind !== "calm" && act.kind !== "do").length;
  }

  toString(): string {
    const parts = [
      ...(this.world === 0 ? [] : [`world ${this.world}`]),
      ...(this.seed === 0 ? [] : [`seed ${this.seed}`]),
      ...(this.ties === "services-first" ? [] : [`ties ${this.ties}`]),
      ...(this.turns.length === 0 ? [] : [`turns ${this.turns.join(" ")}`]),
      ...this.steps.map(stepText),
    ];
    // One without a step has words, too: an option of a command line needs some.
    return parts.length === 0 ? "world 0" : parts.join("; ");
  }

  toJSON(): string {
    return this.toString();
  }
}

/** What a step does, as it stands in a schedule. */
export function stepText({ wait, act }: Step): string {
  return act.kind === "calm" ? waitText(wait) : `${waitText(wait)} ${actText(act)}`;
}

function waitText(wait: Wait): string {
  switch (wait.kind) {
    case "after":
      return `+${formatDuration(wait.ms)}`;
    case "due":
      return `due ${wait.n}${wait.offsetMs === 0 ? "" : `${wait.offsetMs > 0 ? "+" : "-"}${Math.abs(wait.offsetMs)}ms`}`;
    case "request":
      return `request ${wait.n}`;
    default:
      return wait satisfies never;
  }
}

function actText(act: Act): string {
  const lasting = "forMs" in act ? ` for ${formatDuration(act.forMs)}` : "";
  switch (act.kind) {
    case "calm":
    case "lose-request":
    case "lose-answer":
    case "reset":
    case "hang":
      return act.kind;
    case "cut":
      return `cut ${act.a} ${act.b}${lasting}`;
    case "lag":
      return `lag ${act.a} ${act.b} ${formatDuration(act.ms)}${lasting}`;
    case "stop":
    case "seal":
      return `${act.kind} ${act.cluster}${lasting}`;
    case "stop-node":
      return `stop-node ${act.cluster} ${act.node}${lasting}`;
    case "outage":
      return `outage ${act.of}${lasting}`;
    case "slow-directory":
      return `slow-directory ${act.url}${lasting}`;
    case "delay":
      return `delay ${formatDuration(act.ms)}`;
    case "status":
      return `status ${act.status}${act.times === 1 ? "" : ` x${act.times}`}`;
    case "truncate":
      return `truncate ${act.bytes}`;
    case "slow":
      return `slow ${act.bytesPerSecond}`;
    case "do":
      return `do ${act.name} ${act.n}`;
    default:
      return act satisfies never;
  }
}

function headIn(name: string, value: string): Partial<ScheduleParts> {
  if (name === "turns") return { turns: value.split(" ").map((turn) => whole(name, turn)) };
  if (name !== "ties") return { [name]: whole(name, value) };
  if (value === "services-first" || value === "programs-first") return { ties: value };
  throw new TypeError(`schedule: ties is ${value}: it is services-first or programs-first`);
}

function whole(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new TypeError(`schedule: ${name} is ${text}: it is a whole number`);
}

function stepIn(text: string): Step {
  const refuse = (why: string): never => {
    throw new TypeError(`schedule: ${JSON.stringify(text)} is no step: ${why}`);
  };
  const span = (duration: Duration): number => {
    try {
      return durationMs(duration);
    } catch {
      return refuse(`${duration} is no duration`);
    }
  };
  const [, after, due, offset = "", request, rest = ""] =
    /^(?:\+(\S+)|due (\d{1,6})([+-]\d+ms)?|request (\d{1,6}))(?: (.+))?$/.exec(text) ??
    refuse("it begins with +10s, due 1 or request 1");
  const wait: Wait =
    after !== undefined
      ? { kind: "after", ms: span(after) }
      : due !== undefined
        ? { kind: "due", n: Number(due), offsetMs: offset === "" ? 0 : Number(offset.slice(0, -2)) }
        : { kind: "request", n: Number(request) };
  if (rest === "") return { wait, act: { kind: "calm" } };
  const [, words = rest, lasting] = /^(.*?)(?: for (\S+))?$/.exec(rest) ?? [];
  const [kind = "", one = "", two = "", three = ""] = words.split(" ");
  const made = (): Act => {
    const forMs = (): number => (lasting === undefined ? refuse("it lacks how long it lasts: for 30s") : span(lasting));
    switch (kind) {
      case "calm":
      case "lose-request":
      case "lose-answer":
      case "reset":
      case "hang":
        return { kind };
      case "cut":
        return { kind, a: one, b: two, forMs: forMs() };
      case "lag":
        return { kind, a: one, b: two, ms: span(three), forMs: forMs() };
      case "stop":
      case "seal":
        return { kind, cluster: one, forMs: forMs() };
      case "stop-node":
        return { kind, cluster: one, node: whole("node", two), forMs: forMs() };
      case "outage":
        return { kind, of: one, forMs: forMs() };
      case "slow-directory":
        return { kind, url: one, forMs: forMs() };
      case "delay":
        return { kind, ms: span(one) };
      case "status":
        return { kind, status: whole("status", one), times: two === "" ? 1 : whole("times", two.replace("x", "")) };
      case "truncate":
        return { kind, bytes: whole("bytes", one) };
      case "slow":
        return { kind, bytesPerSecond: whole("bytesPerSecond", one) };
      case "do":
        return { kind, name: one, n: whole("n", two) };
      default:
        return refuse(`${kind} is no fault`);
    }
  };
  const act = made();
  const isWhole = rest.split(" ").length === actText(act).split(" ").length;
  return isWhole ? { wait, act } : refuse(`it has words too many, or too few: ${actText(act)}`);
}

/** The effect of an act that a request meets; undefined for any other. */
export function effectOf(act: Act): RequestEffectGiven | undefined {
  switch (act.kind) {
    case "lose-request":
    case "lose-answer":
    case "reset":
    case "hang":
      return { kind: act.kind };
    case "delay":
      return { kind: "delay", by: act.ms };
    case "status":
      // Our choice: who asks too often is told when to ask again.
      return act.status === 429
        ? { kind: "status", status: 429, headers: { "Retry-After": "5" } }
        : { kind: "status", status: act.status };
    case "truncate":
      return { kind: "truncate", bytes: act.bytes };
    case "slow":
      return { kind: "slow", bytesPerSecond: act.bytesPerSecond };
    default:
      return undefined;
  }
}
