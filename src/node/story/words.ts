import type { Commit, RecordedEvent } from "../../kernel/commit.ts";
import { timeOfDay } from "../../scenario/clock-face.ts";
import type { Cast } from "../../scenario/define.ts";
import { shortName, wordsOf } from "../../scenario/words.ts";
import { fitted } from "../terminal/columns.ts";
import type { Style } from "../terminal/style.ts";
import { indentOf, type Layout } from "./panel.ts";

/** Who did what, when, and what it recorded. */
export function commitLines(commits: readonly Commit[], cast: Cast, layout: Layout, style: Style): string[] {
  const { shown, untold } = shortened(commits, COMMITS_TOLD, ({ command }) => shortName(command.name));
  const lines = shown.flatMap((commit) => linesOf(commit, cast, layout, style));
  return untold === undefined ? lines : [...lines, style.quiet(detail(untold, layout))];
}

function linesOf(
  { command, events, failed, atMs, position }: Commit,
  cast: Cast,
  layout: Layout,
  style: Style,
): string[] {
  const { columns, margin, headColumns } = layout;
  const actor = fitted(actorOf(command, cast), headColumns - 1).padEnd(headColumns);
  const outcome = failed === undefined ? "" : ` (failed: ${failed})`;
  const what = `${shortName(command.name)}${outcome}`;
  const when = `${timeOfDay(atMs)} #${position}`;
  const room = columns - indentOf(layout) - when.length - 1;
  const head = `${margin}${actor}${fitted(what, room).padEnd(room)} ${style.quiet(when)}`;
  const { shown, untold } = shortened(events, FACTS_TOLD, ({ type }) => wordsOf(type));
  const told = [...shown.map(eventText), ...(untold === undefined ? [] : [untold])];
  return [head, ...told.map((text) => style.quiet(detail(text, layout)))];
}

function detail(text: string, layout: Layout): string {
  return fitted(`${" ".repeat(indentOf(layout))}- ${text}`, layout.columns);
}

/** It is a story, and no list: so many of a kind are told, and the others are counted. */
const COMMITS_TOLD = 12;
const FACTS_TOLD = 8;
/** So many kinds are named where others are counted. */
const KINDS_TOLD = 3;

interface Shortened<T> {
  readonly shown: readonly T[];
  /** How many more there are, and of which kinds. */
  readonly untold?: string;
}

function shortened<T>(items: readonly T[], most: number, kindOf: (item: T) => string): Shortened<T> {
  if (items.length <= most) return { shown: items };
  const counts = new Map<string, number>();
  for (const item of items.slice(most)) counts.set(kindOf(item), (counts.get(kindOf(item)) ?? 0) + 1);
  const kinds = [...counts].sort(([, left], [, right]) => right - left);
  const named = kinds.slice(0, KINDS_TOLD).map(([kind, count]) => `${count.toLocaleString("en-US")} ${kind}`);
  const rest = kinds.length > KINDS_TOLD ? ["..."] : [];
  const count = (items.length - most).toLocaleString("en-US");
  return { shown: items.slice(0, most), untold: `and ${count} more: ${[...named, ...rest].join(", ")}` };
}

/** Who did it: an actor of the cast by its token, the clock, or the author of the test. */
function actorOf({ caller, via }: Commit["command"], cast: Cast): string {
  if (via === "timer") return "clock";
  const token = caller?.["token"];
  const actor = Object.entries(cast).find(([, value]) => value === token && token !== undefined);
  return actor?.[0] ?? (via === "control" ? "(author)" : "somebody");
}

/** Members of facts that say nothing new in a story. */
const UNTOLD: ReadonlySet<string> = new Set(["cluster", "password", "status", "dn", "uuid"]);

/** `ServiceAccountCheckedOut` with its short members, as one line. */
function eventText({ type, data }: RecordedEvent): string {
  const members = Object.entries(data as { readonly [name: string]: unknown });
  const details = members.flatMap(([name, value]) => {
    if (UNTOLD.has(name) || value === "") return [];
    if (value === true) return [name];
    return typeof value === "string" ? [`${name} ${fitted(value, 36)}`] : [];
  });
  // Where a status is what has changed, it is the news.
  const [, status] = members.find(([name]) => type.endsWith("StatusChanged") && name === "status") ?? [];
  const fact = typeof status === "string" ? `${wordsOf(type)} to ${status}` : wordsOf(type);
  return `${fact}${details.length === 0 ? "" : `: ${details.join(", ")}`}`;
}
