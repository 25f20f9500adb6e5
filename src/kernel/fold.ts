import type { EpochMs, LogPosition } from "./brand.ts";
import type { DeadlineKey } from "./calendar.ts";
import type { Caller, Commit, RecordedEvent } from "./commit.ts";
import type { Fold, FoldMeta } from "./evolvers.ts";
import type { Model } from "./model.ts";
import { deepFreeze } from "./plain.ts";

/** Where a fold stands: deciding and replay count the same way, so they arm deadlines under the same keys. */
export class FoldPass implements FoldMeta {
  readonly position: LogPosition;
  readonly atMs: EpochMs;
  /** How many deadlines were armed so far. */
  ordinal = 0;

  constructor(position: LogPosition, atMs: EpochMs) {
    this.position = position;
    this.atMs = atMs;
  }

  nextOrdinal(): number {
    return this.ordinal++;
  }
}

/** The state after a commit: its facts folded, then what follows by itself. */
export function foldCommit<S extends object, M extends object>(model: Model<S, M>, before: S, commit: Commit): S {
  const pass = new FoldPass(commit.position, commit.atMs);
  return settled(model, before, foldEvents(model, before, commit.events, commit.command.caller, pass), pass);
}

/**
 * Folds facts into a state, and takes away the deadline that fired: a timer's caller names it, and it is used up whatever
 * was decided.
 */
export function foldEvents<S extends object, M extends object>(
  model: Model<S, M>,
  before: S,
  events: readonly RecordedEvent[],
  caller: Caller,
  pass: FoldPass,
): S {
  const fired = caller?.["deadline"];
  let state = before;
  if (caller !== null && fired !== undefined) {
    state = model.withCalendar(state, caller, (calendar) => calendar.delete(fired as DeadlineKey));
  }
  for (const event of events) state = fold(model, state, event, pass);
  return deepFreeze(state);
}

function fold<S extends object, M extends object>(
  model: Model<S, M>,
  state: S,
  event: RecordedEvent,
  pass: FoldPass,
): S {
  const folds = model.folds as { readonly [type: string]: Fold<S, unknown> };
  const folded = Object.hasOwn(folds, event.type) ? folds[event.type] : undefined;
  if (folded === undefined) throw new TypeError(`no evolver folds ${event.type}`);
  return folded(state, event.data, pass);
}

export function settled<S extends object, M extends object>(
  model: Model<S, M>,
  before: S,
  after: S,
  pass: FoldPass,
): S {
  return model.settle === undefined || before === after ? after : model.settle(before, after, pass);
}
