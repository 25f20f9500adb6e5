import { type LogPosition, logPosition } from "./brand.ts";
import type { Commit } from "./commit.ts";
import { differences } from "./diff.ts";
import type { History } from "./history.ts";
import { parsePath, valueAt } from "./state-path.ts";
import { Table } from "./table.ts";
import type { Timeline } from "./timeline.ts";

/**
 * The commit that last changed what stands at a path; undefined when nothing ever did.
 *
 * @throws TypeError for text that is no path
 */
export function blame<S extends object, M extends object>(timeline: Timeline<S, M>, path: string): Commit | undefined {
  const names = parsePath(path);
  const look = (state: S): Seen => (names.length === 0 ? { value: state, holder: state } : valueAt(state, names));
  for (const { position, before, after } of changesOf(timeline.history, look, 0, timeline.position)) {
    if (differences(look(before).value, look(after).value).length > 0) return timeline.history.commitAt(position);
  }
  return undefined;
}

/** A value, and the object that holds it. */
interface Seen {
  readonly value: unknown;
  readonly holder: unknown;
}

/** A commit that changed what is looked at: the states before and after it. */
export interface Change<S> {
  readonly position: LogPosition;
  readonly before: S;
  readonly after: S;
}

/**
 * The commits after one position, up to another, that changed a value of the state, the last first.
 *
 * States share what did not change, so that a stretch of commits in which the value stayed the same object is passed in a single look:
 * k changes among n commits take O(k log n) looks at states that are kept. It is looked through all the same where a value may have
 * been away between: texts, numbers, no value and the empty table come back by themselves, and some events put back what was there earlier, as the model
 * says.
 */
export function* changesOf<S extends object, M extends object>(
  history: History<S, M>,
  look: (state: S) => Seen,
  after: number,
  upTo: number,
): Generator<Change<S>> {
  const at = (position: number): At<S> => ({ position: position as LogPosition, state: history.stateAt(position) });
  if (upTo > after) yield* changesBetween(history, look, at(after), at(upTo));
}

/** A state with its position: those at both ends of a stretch need not be kept ones, and are folded once. */
interface At<S> {
  readonly position: LogPosition;
  readonly state: S;
}

function* changesBetween<S extends object, M extends object>(
  history: History<S, M>,
  look: (state: S) => Seen,
  first: At<S>,
  last: At<S>,
): Generator<Change<S>> {
  if (!history.putsBackBetween(first.position, last.position) && stayed(look(first.state), look(last.state))) return;
  const every = history.checkpointEvery;
  if (last.position - first.position <= every) {
    yield* foldedChanges(history, look, first, last);
    return;
  }
  const half = Math.floor((first.position + last.position) / 2 / every) * every;
  const position = (half > first.position ? half : half + every) as LogPosition;
  const middle = { position, state: history.stateAt(position) };
  yield* changesBetween(history, look, middle, last);
  yield* changesBetween(history, look, first, middle);
}

function stayed(first: Seen, last: Seen): boolean {
  if (first.value === last.value && isObject(first.value) && !isEmptyTable(first.value)) return true;
  return first.holder === last.holder && first.holder !== undefined && !isEmptyTable(first.holder);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function isEmptyTable(value: unknown): boolean {
  return value instanceof Table && value.size === 0;
}

function foldedChanges<S extends object, M extends object>(
  history: History<S, M>,
  look: (state: S) => Seen,
  first: At<S>,
  last: At<S>,
): Change<S>[] {
  const changes: Change<S>[] = [];
  let before = first.state;
  // Where all states are kept nothing is to be folded; of others, only those of one folding share what did not change.
  const states =
    history.checkpointEvery === 1 ? [last] : history.statesAfter(first.position, first.state, last.position);
  for (const { position, state } of states) {
    if (!Object.is(look(before).value, look(state).value)) changes.push({ position, before, after: state });
    before = state;
  }
  return changes.reverse();
}

/**
 * The first position at which a predicate holds, for one that stays true once it is; undefined when it does not hold at the end.
 * It looks at O(log n) positions.
 */
export function bisect(head: number, holdsAt: (position: number) => boolean): LogPosition | undefined {
  if (!holdsAt(head)) return undefined;
  let low = 0;
  let high = head;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holdsAt(middle)) high = middle;
    else low = middle + 1;
  }
  return logPosition(low);
}
