import type { EpochMs, LogPosition } from "./brand.ts";
import { epochMs, logPosition } from "./brand.ts";
import type { VirtualClock } from "./clock.ts";
import type { Command, Commit } from "./commit.ts";
import type { Outcome } from "./outcome.ts";
import type { Plain } from "./plain.ts";
import type { Timeline } from "./timeline.ts";

/** One change of the past, by the position of a commit. */
export type PlannedEdit =
  | { readonly kind: "drop"; readonly position: number }
  | { readonly kind: "delay"; readonly position: number; readonly byMs: number }
  | { readonly kind: "move"; readonly position: number; readonly to: number }
  | { readonly kind: "replace"; readonly position: number; readonly input: Plain };

/** An answer that is another one now. A side is undefined where the command is not there. */
export interface ChangedAnswer {
  /** The position in the original. */
  readonly position: LogPosition;
  readonly before: unknown;
  readonly after: unknown;
}

/** A command of the original that is decided again: when, as what, and which commit it was. */
interface Planned {
  readonly from: LogPosition;
  readonly atMs: EpochMs;
  readonly command: Command;
}

/** Streams of a rewritten history that no commit of the original has drawn from begin with this. */
const FRESH_STREAMS = "~";

/** What a rewriting needs of the world: a timeline to decide on, its clock, and how an answer looks when compared. */
export interface RewritingWorld<S extends object, M extends object> {
  readonly original: Timeline<S, M>;
  readonly clockOf: (timeline: Timeline<S, M>) => VirtualClock<S, M>;
  readonly shown: (outcome: Outcome<unknown>) => unknown;
}

/**
 * Decides a history again with changes in its past, on a branch from just before the first of them.
 *
 * 1. Commands of callers keep their order in time; what the clock fired is not copied but fires again by itself.
 * 2. A command draws from the stream that it drew from in the original, and so does a timer that fires for the same reason at the
 *    same instant: ids and passwords stay what they were, so that only what the edits changed is reported.
 * 3. All others draw from streams of their own.
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
  const answers = answersOf(original.branch(base), rest, shown);

  const timeline = original.branch(base);
  const clock = clockOf(timeline);
  timeline.drawAs(new TimerStreams(rest).streamOf, FRESH_STREAMS);
  const after = new Map<LogPosition, unknown>();
  for (const { from, atMs, command } of planned(rest, edits)) {
    if (atMs > timeline.nowMs) clock.advanceTo(atMs);
    after.set(from, shown(timeline.execute(command)));
    clock.fireDue();
  }
  if (original.nowMs > timeline.nowMs) clock.advanceTo(original.nowMs);
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
  shown: (outcome: Outcome<unknown>) => unknown,
): ReadonlyMap<LogPosition, unknown> {
  const answers = new Map<LogPosition, unknown>();
  for (const { position, atMs, command } of commits) {
    branch.moveTo(atMs);
    const answer = shown(branch.execute(command));
    if (!isTimer(command)) answers.set(position, answer);
  }
  return answers;
}

/** The commands of callers as the edits want them, in the order of their instants, ties as they were. */
function planned(commits: readonly Commit[], edits: readonly PlannedEdit[]): readonly Planned[] {
  let plan: Planned[] = commits
    .filter(({ command }) => !isTimer(command))
    .map(({ position, atMs, command }) => ({
      from: position,
      atMs,
      command: { ...command, stream: streamOf(position, command) },
    }));
  for (const edit of edits) plan = edited(plan, edit);
  return plan
    .map((entry, order) => ({ entry, order }))
    .sort(byInstant)
    .map(({ entry }) => entry);
}

function byInstant(
  left: { readonly entry: Planned; readonly order: number },
  right: { readonly entry: Planned; readonly order: number },
): number {
  return left.entry.atMs - right.entry.atMs || left.order - right.order;
}

function edited(plan: readonly Planned[], edit: PlannedEdit): Planned[] {
  const others = plan.filter(({ from }) => from !== edit.position);
  const target = plan.find(({ from }) => from === edit.position);
  if (target === undefined) return others;
  switch (edit.kind) {
    case "drop":
      return others;
    case "delay":
      return plan.map((entry) => (entry === target ? { ...entry, atMs: epochMs(entry.atMs + edit.byMs) } : entry));
    case "replace":
      return plan.map((entry) =>
        entry === target ? { ...entry, command: { ...entry.command, input: edit.input } } : entry,
      );
    case "move": {
      const place = others.findIndex(({ from }) => from >= edit.to);
      const at = place < 0 ? others.length : place;
      const neighbour = others[at] ?? others.at(-1) ?? target;
      return [...others.slice(0, at), { ...target, atMs: neighbour.atMs }, ...others.slice(at)];
    }
    default:
      return edit satisfies never;
  }
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
