import type { LoggedEvent } from "../../../index.ts";
import { nearestNames } from "../../../languages/nearest.ts";
import { shown } from "../../../languages/shown.ts";
import { worldModel } from "../../../simulator/services.ts";
import { sharedPart } from "./part.ts";
import {
  type Asserting,
  eventsOf,
  expectedText,
  hasPart,
  isAsymmetric,
  isMembers,
  surplusOf,
  type Verdict,
} from "./received.ts";

const NAME = "toHaveRecorded";
const MEMBERS: readonly string[] = ["type", "data", "position", "atMs", "v"];

/** So many types of what was recorded are told, and so many positions. */
const TYPES_TOLD = 12;
const POSITIONS_TOLD = 5;

/** Whether a log holds a fact: at least once, or just so often. */
export function toHaveRecorded(this: Asserting, received: unknown, expected: unknown, times?: unknown): Verdict {
  const events = eventsOf(NAME, received);
  const wanted = partOf(expected);
  const count = countOf(times);
  const found = events.filter((event) => hasPart(this, event, wanted));
  const pass = count === undefined ? found.length > 0 : found.length === count;
  const near = pass || found.length > 0 ? undefined : nearestEvent(this, events, wanted);
  return {
    pass,
    message: () => messageOf({ wanted: expectedText(this, expected), count, found, events, isNot: this.isNot }),
    ...(near === undefined ? {} : { actual: sharedPart(near, wanted), expected: wanted }),
  };
}

function partOf(expected: unknown): unknown {
  if (typeof expected === "string") return { type: typeOf(expected) };
  if (isAsymmetric(expected)) return expected;
  if (!isMembers(expected)) throw wrong(`the event is ${shown(expected)}: it is a type or a part of an event`);
  const surplus = surplusOf(expected, MEMBERS);
  if (surplus !== undefined) throw wrong(`an event has no ${surplus}: it has ${MEMBERS.join(", ")}`);
  const { type } = expected;
  if (typeof type === "string") typeOf(type);
  else if (type !== undefined && !isAsymmetric(type)) throw wrong(`the event's type is ${shown(type)}, and is a text`);
  return expected;
}

/** A misspelt type was never recorded, so `not` would hold for ever. */
function typeOf(type: string): string {
  if (Object.hasOwn(worldModel.folds, type)) return type;
  const near = nearestNames(type, Object.keys(worldModel.folds));
  throw wrong(`no event has the type ${shown(type)}${near.length === 0 ? "" : `: did you mean ${near.join(" or ")}?`}`);
}

function countOf(times: unknown): number | undefined {
  if (times === undefined || (Number.isInteger(times) && (times as number) >= 0)) return times as number | undefined;
  throw wrong(`times is ${shown(times)}: it is a whole number, 0 or more`);
}

function wrong(what: string): TypeError {
  return new TypeError(`${NAME}: ${what}`);
}

interface Told {
  readonly wanted: string;
  readonly count: number | undefined;
  readonly found: readonly LoggedEvent[];
  readonly events: readonly LoggedEvent[];
  readonly isNot: boolean;
}

function messageOf({ wanted, count, found, events, isNot }: Told): string {
  const often = count === undefined ? "" : ` ${timesText(count)}`;
  const did = found.length === 0 ? "it did not" : `it did ${timesText(found.length)}, at ${positionsText(found)}`;
  const head = `expected the log ${isNot ? "not " : ""}to have recorded ${wanted}${often}, and ${did}`;
  return isNot ? head : `${head}\n\n${recordedText(events)}`;
}

function timesText(count: number): string {
  return count === 0 ? "never" : count === 1 ? "once" : `${count} times`;
}

function positionsText(events: readonly LoggedEvent[]): string {
  const told = events.slice(0, POSITIONS_TOLD).map(({ position }) => `#${position}`);
  return [...told, ...(events.length > told.length ? ["..."] : [])].join(", ");
}

/** What was recorded instead: how many of each type, the latest types first. */
function recordedText(events: readonly LoggedEvent[]): string {
  if (events.length === 0) return "nothing was recorded";
  const types = new Map<string, { readonly count: number; readonly position: number }>();
  for (const { type, position } of events) {
    const count = (types.get(type)?.count ?? 0) + 1;
    types.delete(type);
    types.set(type, { count, position });
  }
  const latest = [...types].reverse();
  const lines = latest
    .slice(0, TYPES_TOLD)
    .map(([type, { count, position }]) => `  ${count} ${type}, ${count > 1 ? "last " : ""}at #${position}`);
  const untold = latest.length - lines.length;
  return ["recorded:", ...lines, ...(untold > 0 ? [`  and ${untold} more types`] : [])].join("\n");
}

/** The event of the wanted type that has most of what is wanted of it; of equals the last one. */
function nearestEvent(asserting: Asserting, events: readonly LoggedEvent[], wanted: unknown): LoggedEvent | undefined {
  if (!isMembers(wanted) || typeof wanted["type"] !== "string") return undefined;
  let nearest: LoggedEvent | undefined;
  let most = -1;
  for (const event of events) {
    if (event.type !== wanted["type"]) continue;
    const fitting = fittingMembers(asserting, event.data, wanted["data"]);
    if (fitting >= most) [nearest, most] = [event, fitting];
  }
  return nearest;
}

function fittingMembers(asserting: Asserting, data: unknown, wanted: unknown): number {
  if (!isMembers(data) || !isMembers(wanted)) return 0;
  return Object.keys(wanted).filter((name) => hasPart(asserting, data[name], wanted[name])).length;
}
