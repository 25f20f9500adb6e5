import { changesOf } from "../../kernel/blame.ts";
import type { Difference } from "../../kernel/diff.ts";
import { parsePath, valueAt } from "../../kernel/state-path.ts";
import { isObject } from "../../languages/objects.ts";
import { shortName } from "../../scenario/words.ts";
import type { WorldTimeline } from "../../simulator/world.ts";
import type { Writer } from "../protocol.ts";
import { TOLD, textShown } from "./shown-values.ts";

type WorldHistory = WorldTimeline["history"];

/** Who wrote a value up to a position, the last first. @throws TypeError for a path that is none */
export function writersOf(history: WorldHistory, path: string, position: number): Writer[] {
  const writers: Writer[] = [];
  for (const { position: at, value } of valuesOf(history, path, 0, position)) {
    const { atMs, command } = history.commitAt(at);
    const shown = value === undefined ? {} : { value: textShown(JSON.stringify(value)) };
    if (writers.push({ position: at, atMs, name: shortName(command.name), ...shown }) === TOLD) break;
  }
  return writers;
}

/** The values that a path had between two positions, the last first: each with the commit that wrote it. */
export function* valuesOf(
  history: WorldHistory,
  path: string,
  after: number,
  upTo: number,
): Generator<{ readonly position: number; readonly value: unknown }> {
  const names = parsePath(path);
  const look = (state: object) => valueAt(state, names);
  for (const { position, after: state } of changesOf(history, look, after, upTo)) {
    yield { position, value: look(state).value };
  }
}

/** What moved from one state of a chart to another: what changed has it as a member, before or behind. */
export function objectPart(changes: readonly Difference[], from: unknown, to: unknown): { readonly object?: string } {
  for (const { path, before, after } of changes) {
    if (before === from && after === to) return { object: path.slice(0, path.lastIndexOf(".")) };
    if (holds(before, from) || holds(after, to)) return { object: path };
  }
  return {};
}

function holds(value: unknown, state: unknown): boolean {
  return isObject(value) && Object.values(value).includes(state);
}
