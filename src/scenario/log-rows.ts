import type { Commit } from "../kernel/commit.ts";
import { programOf } from "../kernel/commit.ts";
import type { JournalEntry, RequestEntry } from "../kernel/journal.ts";
import { rfc3339 } from "../languages/instant.ts";
import { requestLine } from "../programs/request-line.ts";
import type { Simulator } from "../simulator/types.ts";

/** A commit, or an entry of the journal. */
export interface LogRow {
  readonly row: Commit | JournalEntry;
  readonly atMs: number;
  /** Entries of the journal that have none stand behind what they followed. */
  readonly position: number;
}

/** The requests that made commits, by the positions of those. */
export function requestsOfCommits(sim: Simulator): ReadonlyMap<number, RequestEntry> {
  const commits = new Map(sim.log.commits().map((commit) => [Number(commit.position), commit]));
  const requests = new Map<number, RequestEntry>();
  for (const entry of sim.journal) {
    if (entry.kind !== "request" || entry.response === undefined || requests.has(entry.position)) continue;
    const commit = commits.get(entry.position);
    if (commit === undefined || commit.command.name !== entry.operation) continue;
    if (entry.atMs <= commit.atMs && commit.atMs <= (entry.answeredAtMs ?? commit.atMs))
      requests.set(entry.position, entry);
  }
  return requests;
}

/** In the order of time: a request stands before its own commit, and else behind the one that it was served at. */
export function rowsOf(sim: Simulator): LogRow[] {
  const commits = sim.log.commits();
  const own = requestsOfCommits(sim);
  const timers = commits.filter(({ command }) => command.via === "timer");
  const fired = new Map(timers.map(({ position: last, atMs }) => [atMs, last]));
  let position = 0;
  const entries = sim.journal.map((entry): LogRow => {
    const { atMs } = entry;
    if (entry.kind !== "request") {
      // A move of the clock ends when the timers of its instant have fired.
      if (entry.kind !== "clock") position = Math.max(position, fired.get(atMs) ?? 0);
      return { row: entry, atMs, position };
    }
    position = Math.max(position, entry.position);
    return { row: entry, atMs, position: own.get(entry.position) === entry ? entry.position - 0.5 : entry.position };
  });
  return [...commits.map((commit) => ({ row: commit, atMs: commit.atMs, position: commit.position })), ...entries].sort(
    (one, other) => one.atMs - other.atMs || one.position - other.position,
  );
}

/** A row as people read it. */
export function lineOf({ row }: LogRow): string {
  if (!("kind" in row)) return commitLine(row);
  return row.kind === "request" ? requestLine(row) : deedLine(row);
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
