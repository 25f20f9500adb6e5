import type { Commit } from "../../kernel/commit.ts";
import { programOf } from "../../kernel/commit.ts";
import type { JournalEntry, RequestEntry } from "../../kernel/journal.ts";
import { rfc3339 } from "../../languages/instant.ts";
import { requestLine } from "../../programs/request-line.ts";
import type { Simulator } from "../../simulator/types.ts";

/** A commit, or an entry of the journal. */
export interface Row {
  readonly text: string;
  readonly row: Commit | JournalEntry;
  readonly atMs: number;
  /** Entries of the journal that have none stand behind what they followed. */
  readonly position: number;
}

/** In the order of time: a request stands before its own commit, and else behind the one that it was served at. */
export function rowsOf(sim: Simulator): Row[] {
  const commits = sim.log.commits().map((commit) => ({ ...commit, row: commit, text: commitLine(commit) }));
  const own = ownCommits(sim);
  const timers = commits.filter(({ command }) => command.via === "timer");
  const fired = new Map(timers.map(({ position: last, atMs }) => [atMs, last]));
  let position = 0;
  const entries = sim.journal.map((entry): Row => {
    if (entry.kind !== "request") {
      // A move of the clock ends when the timers of its instant have fired.
      if (entry.kind !== "clock") position = Math.max(position, fired.get(entry.atMs) ?? 0);
      return { row: entry, atMs: entry.atMs, position, text: deedLine(entry) };
    }
    position = Math.max(position, entry.position);
    return {
      row: entry,
      atMs: entry.atMs,
      position: own.has(entry) ? entry.position - 0.5 : entry.position,
      text: requestLine(entry),
    };
  });
  return [...commits, ...entries].sort((one, other) => one.atMs - other.atMs || one.position - other.position);
}

/** The commits that requests made at the instant at which they came. Who only read at the position of another one's has none. */
export function ownCommits({ log, journal }: Simulator): ReadonlyMap<RequestEntry, Commit> {
  const free = new Map(log.commits().map((commit) => [commit.position, commit]));
  const own = new Map<RequestEntry, Commit>();
  for (const entry of journal) {
    const commit = entry.kind === "request" ? free.get(entry.position) : undefined;
    if (entry.kind !== "request" || commit === undefined) continue;
    if (entry.response === undefined || commit.atMs !== entry.atMs || commit.command.name !== entry.operation) continue;
    free.delete(entry.position);
    own.set(entry, commit);
  }
  return own;
}

function commitLine({ position, atMs, command, events, failed }: Commit): string {
  const facts = events.map(({ type }) => type).join(", ");
  const program = programOf(command);
  const by = program === "author" ? "" : `${program} `;
  return `#${position} ${rfc3339(atMs)} ${by}${command.name}: ${facts}${failed === undefined ? "" : ` (failed: ${failed})`}`;
}

function deedLine(entry: Exclude<JournalEntry, RequestEntry>): string {
  const at = rfc3339(entry.atMs);
  switch (entry.kind) {
    case "note":
      return `note ${at} ${entry.program}: ${JSON.stringify(entry.data)}`;
    case "clock":
      return `clock ${at} ${entry.by} from ${rfc3339(entry.fromMs)}`;
    case "mark":
      return `mark ${at} ${entry.name}`;
    case "step":
      return `step ${at} ${entry.title}`;
    default:
      return entry satisfies never;
  }
}
