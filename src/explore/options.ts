import type { Rule } from "../conduct/rule.ts";
import type { JournalEntry, Program, Simulator } from "../index.ts";
import { optionsAt } from "../kernel/arguments.ts";
import { type Duration, durationMs } from "../languages/duration.ts";
import { shown } from "../languages/shown.ts";
import { DNS_LABEL } from "../services/kit/options.ts";
import { Schedule } from "./schedule.ts";

/** What may go wrong. What is left out does not. */
export interface Faults {
  /** Lines between programs and services, between clusters, and between regions: cut, or slow. `true` is all of it. */
  readonly lines?: boolean | readonly ("cut" | "lag")[];
  /** Clusters and nodes that stop, and start again. */
  readonly stops?: boolean | readonly ("cluster" | "node")[];
  /** Clusters that are sealed, and unsealed again. */
  readonly seals?: boolean;
  /** What happens to requests of programs on their way. Statuses are 429 and 5xx. */
  readonly requests?: boolean | readonly RequestFaultKind[];
  /** The directory server is away, or so slow that it counts as away. */
  readonly directory?: boolean | readonly ("outage" | "slow")[];
  /** The orchestrator is away. */
  readonly orchestrator?: boolean;
  /** The stores of snapshots are away. */
  readonly stores?: boolean;
  /** The longest that a fault lasts. Default 30 minutes. */
  readonly longest?: Duration;
  /** When steps come: at deadlines and a millisecond beside them, too, or at random alone. Default `"deadlines"`. */
  readonly clock?: "deadlines" | "random";
}

export type RequestFaultKind =
  | "lose-request"
  | "lose-answer"
  | "reset"
  | "hang"
  | "delay"
  | "status"
  | "truncate"
  | "slow";

/** What judges look at. */
export interface Run {
  /** The world at this moment: a fork that is the judge's own, so that it may try things. */
  readonly sim: Simulator;
  /** What the functions of `programs` gave, or their promises came to, by their names. */
  readonly programs: { readonly [name: string]: unknown };
  readonly journal: readonly JournalEntry[];
  readonly schedule: Schedule;
}

/** Asserts by throwing, or by giving `false`. Failures bear the name of its function. */
export type Judge = (run: Run) => unknown;

/** Starts a program, fresh for each schedule. What it gives stands in `run.programs`. */
export type StartProgram = (program: Program, random: () => number, sim: Simulator) => unknown;

/** What is done besides what programs do, such as by operators: a schedule says when, and with which number. */
export type Action = (sim: Simulator, n: number) => unknown;

/** A world to begin with: it is made once, and forked for each schedule. */
export type MakeWorld = () => Simulator | Promise<Simulator>;

/** What is explored, and how. */
export interface ExploreOptions {
  /** The world, or several, from the simplest on. */
  readonly world: MakeWorld | readonly MakeWorld[];
  /** The programs under test, by their names: DNS labels. Each is given its own door and time, and numbers from 0 to 1 to draw from. */
  readonly programs?: { readonly [name: string]: StartProgram };
  readonly actions?: { readonly [name: string]: Action };
  /** Default: none. */
  readonly faults?: Faults;
  /** Hold after each commit. */
  readonly always?: readonly Judge[];
  /** Hold when all is healed, and `settle` has passed. */
  readonly finally?: readonly Judge[];
  /** Rules of `hindcast/conduct` that each program has to keep to. */
  readonly conduct?: readonly Rule[];
  /** How many schedules are played. Default 1,000. */
  readonly schedules?: number;
  /** The most steps of a schedule. Default 20. */
  readonly steps?: number;
  /** Equal seeds, equal schedules. Default 1. */
  readonly seed?: number | string;
  /** The longest that a step waits. Default 30 minutes. */
  readonly calm?: Duration;
  /** How long the world is left alone at the end, when all is healed. Default 1 hour. */
  readonly settle?: Duration;
  /** It ends with so many different failures. Default 1. */
  readonly maxFailures?: number;
  /** It ends after so much real time; what was begun is played to its end. */
  readonly budget?: Duration;
  /** Plays one schedule alone: what the `repeat` of a failure says. */
  readonly only?: Schedule | string;
  /** The folder for what failures leave; false for nothing. Default `"hindcast-failures"`. */
  readonly folder?: string | false;
}

/** Options with everything that was left out. */
export interface Settings {
  readonly worlds: readonly MakeWorld[];
  readonly programs: readonly (readonly [name: string, start: StartProgram])[];
  readonly actions: ReadonlyMap<string, Action>;
  readonly faults: Faults;
  readonly always: readonly Judge[];
  readonly finally: readonly Judge[];
  readonly conduct: readonly Rule[];
  readonly schedules: number;
  readonly steps: number;
  readonly seed: number | string;
  readonly calmMs: number;
  readonly settleMs: number;
  readonly maxFailures: number;
  readonly budgetMs: number;
  readonly only: Schedule | undefined;
  readonly folder: string | false;
}

const NAMES: readonly (keyof ExploreOptions)[] = [
  "world",
  "programs",
  "actions",
  "faults",
  "always",
  "finally",
  "conduct",
  "schedules",
  "steps",
  "seed",
  "calm",
  "settle",
  "maxFailures",
  "budget",
  "only",
  "folder",
];

const FAULTS: { readonly [N in keyof Required<Faults>]: readonly string[] | undefined } = {
  lines: ["cut", "lag"],
  stops: ["cluster", "node"],
  seals: undefined,
  requests: ["lose-request", "lose-answer", "reset", "hang", "delay", "status", "truncate", "slow"],
  directory: ["outage", "slow"],
  orchestrator: undefined,
  stores: undefined,
  longest: undefined,
  clock: undefined,
};

/** @throws TypeError naming the option that is wrong */
export function readSettings(call: string, given: ExploreOptions): Settings {
  const options = optionsAt(call, given, NAMES);
  const wrong = (name: string, value: unknown, expected: string): never => {
    throw new TypeError(`${call}: ${name} is ${shown(value)}, and has to be ${expected}`);
  };
  const isFunction = (value: unknown): boolean => typeof value === "function";
  const functions = <T>(name: "always" | "finally" | "conduct", value: readonly T[] = []): readonly T[] => {
    const isList: boolean = Array.isArray(value) && value.every(isFunction);
    return isList ? value : wrong(name, value, "an array of functions");
  };
  const named = <T>(name: string, value: { readonly [key: string]: T } = {}): [string, T][] => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      wrong(name, value, "an object of functions");
    for (const [key, one] of Object.entries(value)) if (!isFunction(one)) wrong(`${name}.${key}`, one, "a function");
    return Object.entries(value);
  };
  const count = (name: string, value: number, least = 1): number =>
    Number.isSafeInteger(value) && value >= least ? value : wrong(name, value, `a whole number from ${least} on`);
  const span = (name: string, value: Duration): number => {
    try {
      return durationMs(value);
    } catch {
      return wrong(name, value, 'a duration, such as "30m"');
    }
  };
  const { world, programs, actions, seed = 1, only, folder = "hindcast-failures", budget } = options;
  const worlds: readonly MakeWorld[] = Array.isArray(world) ? world : [world];
  if (worlds.length === 0 || !worlds.every(isFunction))
    wrong("world", world, "a function that makes a simulator, or several");
  for (const [name] of named("programs", programs)) {
    if (!DNS_LABEL.test(name) || name === "author") wrong("programs", name, "named by DNS labels other than author");
  }
  for (const [name] of named("actions", actions)) {
    if (!/^[\w.-]+$/.test(name)) wrong("actions", name, "named by letters, digits and - _ .");
  }
  if (typeof seed !== "string" && !Number.isFinite(seed)) wrong("seed", seed, "a number or a string");
  if (folder !== false && (typeof folder !== "string" || folder === "")) wrong("folder", folder, "a folder, or false");
  return {
    worlds,
    programs: named("programs", programs),
    actions: new Map(named("actions", actions)),
    faults: readFaults(call, options.faults ?? {}),
    always: functions("always", options.always),
    finally: functions("finally", options.finally),
    conduct: functions("conduct", options.conduct),
    schedules: count("schedules", options.schedules ?? 1_000),
    steps: count("steps", options.steps ?? 20),
    seed,
    calmMs: span("calm", options.calm ?? "30m"),
    settleMs: span("settle", options.settle ?? "1h"),
    maxFailures: count("maxFailures", options.maxFailures ?? 1),
    budgetMs: budget === undefined ? Number.POSITIVE_INFINITY : span("budget", budget),
    only: typeof only === "string" ? Schedule.parse(only) : only,
    folder,
  };
}

function readFaults(call: string, given: Faults): Faults {
  const faults = optionsAt(`${call}: faults`, given, Object.keys(FAULTS) as (keyof Faults)[]);
  for (const [name, value] of Object.entries(faults) as [keyof Faults, unknown][]) {
    if (name === "longest" && value !== undefined) {
      if (durationMs(value as Duration) < 1)
        throw new TypeError(`${call}: faults.longest is ${shown(value)}: it is 1 ms or more`);
      continue;
    }
    const kinds = FAULTS[name];
    const isRight =
      name === "clock"
        ? value === "deadlines" || value === "random"
        : value === undefined ||
          typeof value === "boolean" ||
          (kinds !== undefined && Array.isArray(value) && value.every((one) => kinds.includes(one as string)));
    if (isRight) continue;
    const expected =
      name === "clock"
        ? '"deadlines" or "random"'
        : kinds === undefined
          ? "true or false"
          : `true, false, or an array of ${kinds.join(", ")}`;
    throw new TypeError(`${call}: faults.${name} is ${shown(value)}, and has to be ${expected}`);
  }
  return faults;
}
