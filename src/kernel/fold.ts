import type { EpochMs, LogPosition } from "./brand.ts";
import { type DeadlineKey, disarm } from "./calendar.ts";
import type { Caller, Commit, RecordedEvent } from "./commit.ts";
import { type Draft, produce } from "./draft.ts";
import type { Evolver, FoldMeta } from "./evolvers.ts";
import type { Model } from "./model.ts";

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

/** The state after a commit: its facts folded in one recipe, then what follows by itself. */
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
  if (events.length === 0 && fired === undefined) return before;
  return produce(before, (draft) => {
    if (fired !== undefined) disarmFired(model, draft, caller as NonNullable<Caller>, fired as DeadlineKey);
    for (const event of events) fold(model, draft, event, pass);
  });
}

function disarmFired<S extends object, M extends object>(
  model: Model<S, M>,
  draft: Draft<S>,
  caller: NonNullable<Caller>,
  fired: DeadlineKey,
): void {
  const holder = model.calendarAt(draft, caller);
  if (holder !== undefined) disarm(holder, fired);
}

function fold<S extends object, M extends object>(
  model: Model<S, M>,
  draft: Draft<S>,
  event: RecordedEvent,
  pass: FoldPass,
): void {
  const evolvers = model.evolvers as { readonly [type: string]: Evolver<S, unknown> };
  const evolver = Object.hasOwn(evolvers, event.type) ? evolvers[event.type] : undefined;
  if (evolver === undefined) throw new TypeError(`no evolver folds ${event.type}`);
  evolver(draft, event.data, pass);
}

export function settled<S extends object, M extends object>(
  model: Model<S, M>,
  before: S,
  after: S,
  pass: FoldPass,
): S {
  return model.settle === undefined || before === after ? after : model.settle(before, after, pass);
}
