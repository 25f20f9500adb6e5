import type { PendingDeadline } from "../../kernel/clock.ts";
import type { Commit } from "../../kernel/commit.ts";
import type { LogHeader } from "../../kernel/log-format.ts";
import type { LogOutcome, LogWitness } from "../../simulator/log.ts";
import { Bins } from "./bins.ts";

/** What a picture of a log is made of. */
export class Survey implements LogWitness {
  seed: number | string = "";
  startMs = 0;
  lastMs = 0;
  commits = 0;
  facts = 0;
  past = new Bins(0);

  begin({ seed, startAtMs }: LogHeader): void {
    this.seed = seed;
    this.startMs = startAtMs;
    this.lastMs = startAtMs;
    this.past = new Bins(startAtMs);
  }

  commit({ atMs, events }: Commit): void {
    this.commits += 1;
    this.facts += events.length;
    this.lastMs = atMs;
    for (const { type } of events) this.past.add(type, atMs);
  }
}

/** The deadlines that lie ahead of a log's end, counted in the same way. */
export function aheadOf(nowMs: number, pending: readonly PendingDeadline[]): { bins: Bins; lastMs: number } {
  const bins = new Bins(nowMs);
  for (const { command, dueAtMs } of pending) bins.add(command, Math.max(dueAtMs, nowMs));
  return { bins, lastMs: Math.max(nowMs, pending.at(-1)?.dueAtMs ?? nowMs) };
}

/** The present instant of a log: of one that was torn off, that of its last commit. */
export function presentOf({ lastMs }: Survey, { end }: LogOutcome): number {
  return end?.nowMs ?? lastMs;
}
