import { type EpochMs, epochMs, type LogPosition, logPosition } from "./brand.ts";
import { LAST_INSTANT_MS } from "./calendar.ts";
import type { VirtualClock } from "./clock.ts";
import type { Command, Commit } from "./commit.ts";
import type { Outcome } from "./outcome.ts";
import type { Plain } from "./plain.ts";
import type { Moment, Timeline } from "./timeline.ts";

/** One change of the past, by the position of a commit. */
export type PlannedEdit =
  | { readonly kind: "drop"; readonly position: number }
  | { readonly kind: "delay"; readonly position: number; readonly byMs: number }
  | { readonly kind: "move"; readonly position: number; readonly to: number }
  | { readonly kind: "replace"; readonly position: number; readonly input: Plain }
  | { readonly kind: "insert"; readonly position: number; readonly command: Command };

/** An answer that is another one now. A side is undefined where the command is not there. */
export interface ChangedAnswer {
  /** The position in the original. */
  readonly position: LogPosition;
  readonly before: unknown;
  readonly after: unknown;
}

/** What is done: a command that is decided, or a mark that is set; when, and where it stood in the original, if it did. */
type Planned = { readonly from: LogPosition | "inserted"; readonly atMs: EpochMs } & (
  | { readonly command: Command; readonly mark?: never }
  | { readonly mark: string; readonly command?: never }
);

/** Each rewriting puts one more of these before the names of the streams that no commit has drawn from yet. */
const FRESH = "~";

/** What a rewriting needs of the world: a timeline to decide on, its clock, and how an answer looks when compared. */
export interface RewritingWorld<S extends object, M extends object> {
  readonly original: Timeline<S, M>;
  readonly clockOf: (timeline: Timeline<S, M>) => VirtualClock<S, M>;
  readonly shown: (command: Command, outcome: Outcome<unknown>) => unknown;
}

/**
 * Decides a history again with changes in its past, on a branch from just before the first of them.
 *
 * 1. Commands of callers keep their order in time, and marks their instants; what the clock fired is not copied but fires again
 *    by itself.
 * 2. A command draws from the stream that it drew from in the original, and so does a timer that fires for the same reason at the
 *    same instant: ids and passwords stay what they were, so that only what the edits changed is reported.
 * 3. All others draw from streams of their own.
 *
 * @throws TypeError for an edit that reaches beyond the end of time
 */
export function rewritten<S extends object, M extends object>(
  { original, clockOf, shown }: RewritingWorld<S, M>,
  edits: readonly PlannedEdit[],
): { readonly timeline: Timeline<S, M>; readonly changed: readonly ChangedAnswer[] } {
  if (edits.length === 0) {
    return { timeline: original.branch({ position: original.position, atMs: original.nowMs }), changed: [] };
  }
  const commits = [...original.history.commits(1, original.position)];
  const kept = commits.slice(0, Math.min(...edits.map(firstPositionOf)) - 1);
  const rest = commits.slice(kept.length);
  const base = { position: logPosition(kept.length), atMs: kept.at(-1)?.atMs ?? original.startAtMs };
  const plan = planned(original, base, rest, edits);
  const answers = answersOf(original.branch(base), rest, shown);

  const timeline = original.branch(base);
  const clock = clockOf(timeline);
  const streams = `${FRESH}${original.streams}`;
  timeline.drawAs(streams, new TimerStreams(rest).streamOf);
  const after = new Map<LogPosition, unknown>();
  clock.fireDue();
  for (const { from, atMs, command, mark } of plan) {
    if (atMs > timeline.nowMs) clock.advanceTo(atMs);
    if (command === undefined) {
      timeline.mark(mark);
    } else {
      const answer = shown(command, timeline.execute(command));
      if (from !== "inserted") after.set(from, answer);
      clock.fireDue();
    }
  }
  if (original.nowMs > timeline.nowMs) clock.advanceTo(original.nowMs);
  // What comes now was not in the original.
  timeline.drawAs(streams);
  const changed = [...answers]
    .map(([position, before]) => ({ position, before, after: after.get(position) }))
    .filter((answer) => JSON.stringify(answer.before) !== JSON.stringify(answer.after));
  return { timeline, changed };
}

function firstPositionOf(edit: PlannedEdit): number {
  return edit.kind === "move" ? Math.min(edit.position, edit.to) : edit.position;
}

/** The answers of the original, by deciding its callers' commands once more. */
function answersOf<S extends object, M extends object>(
  branch: Timeline<S, M>,
  commits: readonly Commit[],
  shown: (command: Command, outcome: Outcome<unknown>) => unknown,
): ReadonlyMap<LogPosition, unknown> {
  const answers = new Map<LogPosition, unknown>();
  for (const commit of commits) {
    branch.moveTo(commit.atMs);
    const answer = shown(commit.command, branch.executeAgain(commit));
    if (!isTimer(commit.command)) answers.set(commit.position, answer);
  }
  return answers;
}

/** The commands of callers as the edits want them, and the marks, in the order of their instants, ties as they were. */
function planned<S extends object, M extends object>(
  original: Timeline<S, M>,
  base: Moment,
  commits: readonly Commit[],
  edits: readonly PlannedEdit[],
): readonly Planned[] {
  const commands = commits
    .filter(({ command }) => !isTimer(command))
    .map(({ position, atMs, command }) => {
      return { from: position, atMs, command: { ...command, stream: streamOf(position, command) } };
    });
  const marks = [...original.marks]
    .filter(([, mark]) => mark.position > base.position || mark.atMs > base.atMs)
    .map(([mark, { position, atMs }]) => ({ from: position, atMs, mark }));
  let plan: readonly Planned[] = [...commands, ...marks].sort((left, right) => left.from - right.from);
  for (const edit of edits) plan = edited(plan, edit, original);
  plan = plan.toSorted((left, right) => left.atMs - right.atMs);
  const lastMs = plan.at(-1)?.atMs ?? base.atMs;
  if (lastMs > LAST_INSTANT_MS) {
    throw new TypeError(`rewrite: the clock ends at ${new Date(LAST_INSTANT_MS).toISOString()}`);
  }
  return plan;
}

function edited<S extends object, M extends object>(
  plan: readonly Planned[],
  edit: PlannedEdit,
  original: Timeline<S, M>,
): Planned[] {
  if (edit.kind === "insert")
    return insertedBefore(plan, { from: "inserted", command: edit.command }, edit.position, original);
  const target = plan.find(({ from, command }) => from === edit.position && command !== undefined);
  if (target?.command === undefined) return [...plan];
  const others = plan.filter((entry) => entry !== target);
  const inPlace = (changed: Planned): Planned[] => plan.map((entry) => (entry === target ? changed : entry));
  switch (edit.kind) {
    case "drop":
      return others;
    case "delay":
      return inPlace({ ...target, atMs: epochMs(target.atMs + edit.byMs) });
    case "replace":
      return inPlace({ ...target, command: { ...target.command, input: edit.input } });
    case "move":
      return insertedBefore(others, target, edit.to, original);
    default:
      return edit satisfies never;
  }
}

/** A plan with a command just before the commit at a position. */
function insertedBefore<S extends object, M extends object>(
  plan: readonly Planned[],
  { from, command }: { readonly from: Planned["from"]; readonly command: Command },
  position: number,
  original: Timeline<S, M>,
): Planned[] {
  const place = plan.findIndex(
    (entry) => entry.from !== "inserted" && entry.from >= position && entry.command !== undefined,
  );
  const at = place < 0 ? plan.length : place;
  const goal = plan[at];
  const atMs = goal?.from === position ? goal.atMs : instantBefore(original, position);
  return [...plan.slice(0, at), { from, command, atMs }, ...plan.slice(at)];
}

/** The instant just before a commit: its own; before what the clock fired, a millisecond earlier, if there was one between. */
function instantBefore<S extends object, M extends object>(original: Timeline<S, M>, position: number): EpochMs {
  const { atMs, command } = original.history.commitAt(position);
  if (!isTimer(command)) return atMs;
  const earlierMs = position === 1 ? original.startAtMs : original.history.commitAt(position - 1).atMs;
  return epochMs(Math.max(atMs - 1, earlierMs));
}

function isTimer({ caller }: Command): boolean {
  return caller?.["deadline"] !== undefined;
}

function streamOf(position: LogPosition, { stream }: Command): string {
  return stream ?? `${position}`;
}

/** Which streams the original's timers drew from, by what fired and when. */
class TimerStreams {
  readonly #streams = new Map<string, string[]>();

  constructor(commits: readonly Commit[]) {
    for (const { position, atMs, command } of commits) {
      if (!isTimer(command)) continue;
      const key = TimerStreams.#key(command, atMs);
      this.#streams.set(key, [...(this.#streams.get(key) ?? []), streamOf(position, command)]);
    }
  }

  /** The stream of a timer that fires for the same reason at the same instant; each is given once. */
  readonly streamOf = (command: Command, atMs: EpochMs): string | undefined =>
    isTimer(command) ? this.#streams.get(TimerStreams.#key(command, atMs))?.shift() : undefined;

  static #key({ name, input, caller }: Command, atMs: EpochMs): string {
    const { deadline: _, ...place } = caller ?? {};
    return JSON.stringify([name, input, place, atMs]);
  }
}
