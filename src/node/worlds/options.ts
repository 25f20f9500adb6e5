import * as v from "valibot";
import { duration, optionsSchema, readArgument } from "../../kernel/arguments.ts";
import type { Duration } from "../../languages/duration.ts";
import { isObject } from "../../languages/objects.ts";
import { whole } from "../../services/kit/options.ts";
import type { SimulatorOptions } from "../../simulator/world.ts";
import { createSimulator, replay } from "../../simulator.ts";
import type { Durability } from "../living-log/living-log.ts";
import { Heap } from "./heap.ts";

/** Options of `openWorlds`. */
export interface WorldsOptions {
  /** Options of `createSimulator` for a world that does not say otherwise. */
  readonly options?: SimulatorOptions;
  /** The text of a log with which a world begins that says nothing of its own. */
  readonly log?: string;
  /** How many there may be at once. Default 1,000. */
  readonly maxWorlds?: number;
  /** A world is refused when this process holds more bytes. Default three quarters of what the engine can hold. */
  readonly maxBytes?: number;
  /** A world that nobody has asked for so long, in real time, goes. Default `"1h"`. */
  readonly idle?: Duration;
  /** The folder in which each world has its log: worlds that were kept there are there again. Default none. */
  readonly directory?: string;
  /** As for a living log: when an answer may be sent. Default `"commit"`. */
  readonly durability?: Durability;
  /** Whether the logs hold the journal, too. Default false. */
  readonly journal?: boolean;
}

const schema = optionsSchema({
  options: v.optional(v.custom<SimulatorOptions>(isObject, "it must be an object"), {}),
  log: v.optional(v.string("it must be a string")),
  maxWorlds: v.optional(whole(1), 1_000),
  maxBytes: v.optional(whole(1)),
  idle: v.optional(duration, "1h"),
  directory: v.optional(v.pipe(v.string("it must be a path"), v.nonEmpty("it must be a path"))),
  durability: v.optional(v.picklist(["commit", "none"], 'it must be "commit" or "none"')),
  journal: v.optional(v.boolean("it must be true or false"), false),
});

/** Options with everything that was left out. */
export interface WorldsSettings extends Omit<v.InferOutput<typeof schema>, "idle" | "maxBytes"> {
  readonly maxBytes: number;
  readonly idleMs: number;
}

/** @throws TypeError naming the option that is wrong; LogError for a log that is not whole */
export function readWorldsOptions(options: WorldsOptions): WorldsSettings {
  const { idle, maxBytes = Heap.most, ...read } = readArgument(schema, "openWorlds", options);
  // At once, and not when the first world is made.
  if (read.log === undefined) createSimulator(read.options).dispose();
  else replay(read.log).dispose();
  return { ...read, maxBytes, idleMs: idle };
}
