import type { PendingDeadline } from "../../kernel/clock.ts";
import type { Commit } from "../../kernel/commit.ts";
import type { JournalEntry } from "../../kernel/journal.ts";
import type { LogHeader } from "../../kernel/log-format.ts";
import { outcomeOf } from "../../programs/request-line.ts";
import type { LogOutcome, LogWitness } from "../../simulator/log.ts";
import { Bins } from "./bins.ts";

/** A part of a log's time: both ends are in it. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

export const ALL_TIME: Stretch = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

/** What a picture of a log is made of. */
export class Survey implements LogWitness {
  seed: number | string = "";
  startMs = 0;
  lastMs = 0;
  commits = 0;
  facts = 0;
  past = new Bins(0);
  /** Requests by their program and what came of them. */
  requests = new Bins(0);
  readonly stretch: Stretch;

  constructor(stretch = ALL_TIME) {
    this.stretch = stretch;
  }

  begin({ seed, startAtMs }: LogHeader): void {
    this.seed = seed;
    this.startMs = Math.max(startAtMs, this.stretch.fromMs);
    this.lastMs = this.startMs;
    this.past = new Bins(this.startMs);
    this.requests = new Bins(this.startMs);
  }

  commit({ atMs, events }: Commit): void {
    if (!isWithin(this.stretch, atMs)) return;
    this.commits += 1;
    this.facts += events.length;
    this.lastMs = atMs;
    for (const { type } of events) this.past.add(type, atMs);
  }

  entry(entry: JournalEntry): void {
    if (entry.kind !== "request" || !isWithin(this.stretch, entry.atMs)) return;
    this.requests.add(`${entry.program}: ${outcomeOf(entry)}`, entry.atMs);
  }
}

export function isWithin({ fromMs, toMs }: Stretch, atMs: number): boolean {
  return fromMs <= atMs && atMs <= toMs;
}

/** The deadlines of a stretch that lie ahead of a log's end, counted in the same way. */
export function aheadOf(nowMs: number, { toMs }: Stretch, pending: readonly PendingDeadline[]) {
  const bins = new Bins(nowMs);
  const within = pending.filter(({ dueAtMs }) => dueAtMs <= toMs);
  for (const { command, dueAtMs } of within) bins.add(command, Math.max(dueAtMs, nowMs));
  return { bins, lastMs: Math.max(nowMs, within.at(-1)?.dueAtMs ?? nowMs) };
}

/** Where a picture's past ends: at the present instant, of a log that was torn off at its last commit, or where its stretch does. */
export function presentOf({ lastMs, stretch, startMs }: Survey, { end }: LogOutcome): number {
  return Math.max(startMs, Math.min(stretch.toMs, end?.nowMs ?? lastMs));
}
