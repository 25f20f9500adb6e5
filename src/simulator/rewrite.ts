import * as v from "valibot";
import { optionsSchema, readArgument } from "../kernel/arguments.ts";
import { VirtualClock } from "../kernel/clock.ts";
import type { Command } from "../kernel/commit.ts";
import { copyPlain, type Plain } from "../kernel/plain.ts";
import { Rejection } from "../kernel/rejection.ts";
import { type ChangedAnswer, type PlannedEdit, rewritten } from "../kernel/rewrite.ts";
import { type Duration, durationMs } from "../languages/duration.ts";
import { shown } from "../languages/shown.ts";
import { answerOf } from "./answer.ts";
import { servicesOf } from "./model.ts";
import type { Settings, WorldTimeline } from "./world.ts";

/** A change of the past, by the position of a commit. */
export type Edit =
  /** It never happened. */
  | { readonly drop: number }
  /** It happened so much later. */
  | { readonly delay: number; readonly by: Duration }
  /** It happened just before the commit at another position, at that commit's instant; before a timer, a millisecond earlier. */
  | { readonly move: number; readonly to: number }
  /**
   * It happened with another input, in the form that the log has: that of `sim.log.commits()`, where a kv write, for one, is
   * `{ path, data }`.
   */
  | { readonly replace: number; readonly input: unknown }
  /**
   * A command that never was is decided just before the commit at a position, at that commit's instant; before a timer, a millisecond
   * earlier. It has the form of `sim.log.commits()[i].command`.
   *
   * @example
   * // What if it had renewed here?
   * sim.rewrite([{ insert: 42, command: { name: "secrets.tokens.renewSelf", input: {}, caller: { cluster: "main", token }, via: "call" } }]);
   */
  | { readonly insert: number; readonly command: Command };

/** Decides a timeline again with changes. */
export async function rewriteTimeline(
  original: WorldTimeline,
  settings: Settings,
  edits: readonly Edit[],
): Promise<{ readonly timeline: WorldTimeline; readonly changed: readonly ChangedAnswer[] }> {
  if (!Array.isArray(edits)) throw new TypeError("rewrite: edits are a list");
  const plans = edits.map((edit: Edit) => plan(original, edit));
  // Who has nothing to wait for is not made to.
  const planned: PlannedEdit[] = [];
  for (const made of plans) planned.push(made instanceof Promise ? await made : made);
  return rewritten(
    {
      original,
      clockOf: (timeline) => new VirtualClock(timeline, settings.firingsPerAdvance),
      // To sign what nobody looks at would take longer than all else: what tokens say tells as much.
      shown: (command, outcome) => answerOf(servicesOf(original), command, outcome, false),
    },
    planned,
  );
}

function plan(original: WorldTimeline, edit: Edit): PlannedEdit | Promise<PlannedEdit> {
  const members = typeof edit === "object" && edit !== null ? Object.keys(edit).sort().join(" ") : "";
  if (members === "drop" && "drop" in edit) return { kind: "drop", position: editable(original, edit.drop) };
  if (members === "by delay" && "delay" in edit) {
    return { kind: "delay", position: editable(original, edit.delay), byMs: durationMs(edit.by) };
  }
  if (members === "move to" && "move" in edit) {
    return { kind: "move", position: editable(original, edit.move), to: existing(original, edit.to) };
  }
  if (members === "input replace" && "replace" in edit) {
    const input = copyPlain(edit.input, "rewrite: input");
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      throw new TypeError(`rewrite: input is ${shown(input)}, and has to be an object`);
    }
    return replacement(original, editable(original, edit.replace), input as Input);
  }
  if (members === "command insert" && "insert" in edit) {
    return { kind: "insert", position: existing(original, edit.insert), command: insertion(original, edit.command) };
  }
  throw new TypeError(
    `rewrite: ${members === "" ? shown(edit) : `what has ${members}`} is no edit: ` +
      "it has drop, or delay and by, or move and to, or replace and input, or insert and command",
  );
}

/** A command as a log has it, of a caller: what the clock fires comes by itself. It draws from a stream of its own. */
function insertion(original: WorldTimeline, given: unknown): Command {
  const { stream: _, ...command } = readArgument(
    commandSchema,
    "rewrite: command",
    copyPlain(given, "rewrite: command"),
  ) as Command;
  if (original.model.deciderOf(command) === undefined || command.caller?.["deadline"] !== undefined) {
    throw new TypeError(`rewrite: command: ${shown(command.name)} is no command that a caller gives`);
  }
  return command;
}

const plainObject = v.record(v.string(), v.unknown());
const commandSchema = optionsSchema({
  name: v.string(),
  input: plainObject,
  caller: v.nullable(plainObject),
  via: v.optional(v.picklist(["http", "call", "control"]), "call"),
  stream: v.optional(v.string()),
});

type Input = { readonly [name: string]: Plain };

/** What a door makes of an input before it is decided is made of another one as well, in the world of the original. */
function replacement(original: WorldTimeline, position: number, input: Input): PlannedEdit | Promise<PlannedEdit> {
  const { command, atMs } = original.history.commitAt(existing(original, position));
  const service = servicesOf(original).find(({ registry }) => registry.byName.has(command.name));
  if (service?.prepare === undefined) return replaced(position, input);
  const state = original.history.stateAt(position - 1);
  const prepared = service.prepare({ state, nowMs: atMs, caller: command.caller }, command.name, input);
  if (prepared instanceof Promise) return prepared.then((made) => replaced(position, made));
  return replaced(position, prepared);
}

function replaced(position: number, input: Plain): PlannedEdit {
  return { kind: "replace", position, input };
}

function editable(original: WorldTimeline, position: number): number {
  const { command } = original.history.commitAt(existing(original, position));
  if (command.caller?.["deadline"] !== undefined) {
    throw new TypeError(
      `rewrite: commit ${position} is ${command.name}, which the clock fires: edit what armed it instead`,
    );
  }
  return position;
}

function existing(original: WorldTimeline, position: number): number {
  if (!Number.isInteger(position) || position < 1)
    throw new TypeError(`rewrite: ${position} is no position of a commit`);
  if (position <= original.position) return position;
  throw new Rejection({
    code: "unknown_place",
    status: 400,
    data: { place: `${position}` },
    message: `rewrite: the log ends at position ${original.position}, before ${position}`,
  });
}
