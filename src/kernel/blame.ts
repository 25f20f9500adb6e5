import { type LogPosition, logPosition } from "./brand.ts";
import type { Commit } from "./commit.ts";
import { differences } from "./diff.ts";
import { parsePath, valueAt } from "./state-path.ts";
import { Table } from "./table.ts";
import type { Timeline } from "./timeline.ts";

/**
 * The commit that last changed what stands at a path; undefined when nothing ever did.
 *
 * It goes backward from checkpoint to checkpoint. States share what did not change, so an interval in which the object that
 * holds the value stayed the same one is passed in a single look. It is looked through all the same where an object may have been
 * away between: the empty table comes back by itself, and some events put back what was there earlier, as the model says.
 *
 * @throws TypeError for text that is no path
 */
export function blame<S extends object, M extends object>(timeline: Timeline<S, M>, path: string): Commit | undefined {
  const names = parsePath(path);
  const every = timeline.history.checkpointEvery;
  let end: number = timeline.position;
  while (end > 0) {
    const start = end - (end % every || every);
    const found = lastChangeBetween(timeline, names, start, end);
    if (found !== undefined) return timeline.history.commitAt(found);
    end = start;
  }
  return undefined;
}

/** The last position after `start`, up to `end`, whose commit changed the value. */
function lastChangeBetween<S extends object, M extends object>(
  timeline: Timeline<S, M>,
  names: readonly string[],
  start: number,
  end: number,
): LogPosition | undefined {
  const first = valueAt(timeline.history.stateAt(start), names);
  const last = valueAt(timeline.history.stateAt(end), names);
  const sameHolder = typeof first.holder === "object" && first.holder !== null && first.holder === last.holder;
  const comesBack = first.holder instanceof Table && first.holder.size === 0;
  const stayed = !timeline.history.putsBackBetween(start, end);
  if (stayed && ((sameHolder && !comesBack) || (names.length === 0 && first.value === last.value))) return undefined;
  let found: LogPosition | undefined;
  let before = first.value;
  let position = start;
  for (const state of timeline.history.states(start, end)) {
    const { value } = valueAt(state, names);
    if (position > start && isChanged(before, value)) found = logPosition(position);
    before = value;
    position += 1;
  }
  return found;
}

function isChanged(before: unknown, after: unknown): boolean {
  return !Object.is(before, after) && differences(before, after).length > 0;
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
