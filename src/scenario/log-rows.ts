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
    if (entry.kind !== "request" || requests.has(entry.position)) continue;
    if (hasMade(entry, commits.get(entry.position))) requests.set(entry.position, entry);
  }
  return requests;
}

/** Whether a request made the commit that stands at its position. */
export function hasMade(
  { atMs, answeredAtMs, response, operation }: RequestEntry,
  commit: Commit | undefined,
): boolean {
  if (commit === undefined || response === undefined || commit.command.name !== operation) return false;
  return atMs <= commit.atMs && commit.atMs <= (answeredAtMs ?? commit.atMs);
}

/** Says where entries of a journal stand, which are told in their order, among commits that are told before them. */
export class PlacesOfEntries {
  /** The last timer of each instant. */
  readonly #fired = new Map<number, number>();
  #position = 0;

  commit({ command, atMs, position }: Commit): void {
    if (command.via === "timer") this.#fired.set(atMs, position);
  }

  /** The position that it stands behind. */
  entry(entry: JournalEntry): number {
    if (entry.kind === "request") {
      this.#position = Math.max(this.#position, entry.position);
      return entry.position;
    }
    // A move of the clock ends when the timers of its instant have fired.
    if (entry.kind !== "clock") this.#position = Math.max(this.#position, this.#fired.get(entry.atMs) ?? 0);
    return this.#position;
  }
}

/** In the order of time: a request stands before its own commit, and else behind the one that it was served at. */
export function rowsOf(sim: Simulator): LogRow[] {
  const commits = sim.log.commits();
  const own = requestsOfCommits(sim);
  const places = new PlacesOfEntries();
  for (const commit of commits) places.commit(commit);
  const entries = sim.journal.map((entry): LogRow => {
    const position = places.entry(entry);
    const isOwn = entry.kind === "request" && own.get(entry.position) === entry;
    return { row: entry, atMs: entry.atMs, position: isOwn ? position - 0.5 : position };
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
