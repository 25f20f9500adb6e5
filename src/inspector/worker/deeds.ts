import type { JournalEntry, RequestEntry } from "../../kernel/journal.ts";
import { outcomeOf } from "../../programs/request-line.ts";
import { hasMade, lineOf, PlacesOfEntries } from "../../scenario/log-rows.ts";
import type { WorldTimeline } from "../../simulator/world.ts";
import {
  type EntryShown,
  type Opened,
  OUTCOMES,
  type Outcome,
  type ProgramDeeds,
  type Row,
  type RowId,
} from "../protocol.ts";
import { jsonShown, textShown } from "./shown-values.ts";

/** Moves of the clock are seen from the instants of the rows around them. */
type Deed = Exclude<JournalEntry, { readonly kind: "clock" }>;

/** An entry of the journal, and the position at which it stands. */
export interface Placed {
  readonly entry: Deed;
  readonly position: number;
}

/** What programs did, as the journal of a log tells it. */
export class Deeds {
  /** The rows that are no commits: row -n at n - 1. */
  readonly placed: Placed[] = [];
  readonly #timeline: WorldTimeline;
  readonly #places = new PlacesOfEntries();
  readonly #requests: RequestEntry[] = [];
  readonly #own = new Map<number, RequestEntry>();
  readonly #order: RowId[] = [];
  /** How many commits stand in the order. */
  #ordered = 0;

  constructor(timeline: WorldTimeline) {
    this.#timeline = timeline;
  }

  /** All rows in their order; undefined where there are only commits. */
  get order(): readonly RowId[] | undefined {
    return this.placed.length === 0 ? undefined : this.#order;
  }

  /** Takes what has come since. Rows that are there keep their numbers. */
  grow(entries: readonly JournalEntry[]): void {
    if (entries.length === 0 && this.placed.length === 0) return;
    const { history, position: last } = this.#timeline;
    for (const commit of history.commits(this.#ordered + 1, last)) {
      this.#places.commit(commit);
      this.#order.push(commit.position);
    }
    this.#ordered = last;
    for (const entry of entries) {
      const position = this.#places.entry(entry);
      if (entry.kind === "clock" || this.#isOwn(entry)) continue;
      this.#order.push(-this.placed.push({ entry, position }));
    }
    // What a program asked is told when it was answered, and a log that has ended tells it behind all commits.
    if (entries.length > 0) this.#order.sort((one, other) => this.#compare(one, other));
  }

  /** Whether it is the request of a commit, and then keeps it. */
  #isOwn(entry: Deed): boolean {
    if (entry.kind !== "request") return false;
    this.#requests.push(entry);
    const { position } = entry;
    if (position === 0 || this.#own.has(position)) return false;
    if (!hasMade(entry, this.#timeline.history.commitAt(position))) return false;
    this.#own.set(position, entry);
    return true;
  }

  #compare(one: RowId, other: RowId): number {
    const [left, right] = [this.#momentOf(one), this.#momentOf(other)];
    return left.atMs - right.atMs || left.position - right.position;
  }

  #momentOf(row: RowId): { readonly atMs: number; readonly position: number } {
    return this.placeOf(row) ?? this.#timeline.history.commitAt(row);
  }

  overview(): Pick<Opened, "order" | "entryPositions" | "entryTimes" | "programs"> {
    return {
      ...(this.order === undefined ? {} : { order: Int32Array.from(this.order) }),
      entryPositions: Int32Array.from(this.placed, ({ position }) => position),
      entryTimes: Float64Array.from(this.placed, ({ entry }) => entry.atMs),
      programs: [...new Set(this.#requests.map(({ program }) => program))].map((name) =>
        deedsOf(
          name,
          this.#requests.filter(({ program }) => program === name),
        ),
      ),
    };
  }

  /** Where and when the entry of a row is; undefined for what is none. */
  placeOf(row: RowId): { readonly position: number; readonly atMs: number } | undefined {
    if (row >= 0) return undefined;
    const { position, entry } = this.#at(row);
    return { position, atMs: entry.atMs };
  }

  /** The entry of a row, or the request that its commit was made by. */
  shown(row: RowId): EntryShown | undefined {
    const entry = row < 0 ? this.#at(row).entry : this.#own.get(row);
    return entry === undefined ? undefined : entryShown(entry);
  }

  /** The request that a row is, or that made its commit. */
  request(row: RowId): RequestEntry | undefined {
    const entry = row < 0 ? this.#at(row).entry : this.#own.get(row);
    return entry?.kind === "request" ? entry : undefined;
  }

  row(id: RowId): Row {
    const { entry } = this.#at(id);
    const { atMs } = entry;
    switch (entry.kind) {
      case "request": {
        const detail = `${entry.program}: ${outcomeOf(entry)}${entry.refusal === undefined ? "" : `, ${entry.refusal.why}`}`;
        return {
          id,
          label: `r${entry.n}`,
          atMs,
          name: titleOf(entry),
          detail: textShown(detail),
          kind: OUTCOMES[outcomeIn(entry)] ?? "answered",
        };
      }
      case "note":
        return {
          id,
          label: "",
          atMs,
          name: `note of ${entry.program}`,
          detail: textShown(JSON.stringify(entry.data)),
          kind: "note",
        };
      case "mark":
        return { id, label: "", atMs, name: entry.name, detail: "", kind: "mark" };
      case "step":
        return { id, label: "", atMs, name: entry.title, detail: "", kind: "step" };
      default:
        return entry satisfies never;
    }
  }

  #at(row: RowId): Placed {
    const placed = this.placed[-row - 1];
    if (placed === undefined) throw new RangeError(`the journal has no row ${row}`);
    return placed;
  }
}

function deedsOf(name: string, requests: readonly RequestEntry[]): ProgramDeeds {
  return {
    name,
    times: Float64Array.from(requests, ({ atMs }) => atMs),
    positions: Int32Array.from(requests, ({ position }) => position),
    outcomes: Uint8Array.from(requests, outcomeIn),
  };
}

function outcomeIn({ response, refusal, fault }: RequestEntry): number {
  const outcome: Outcome =
    response === undefined || fault !== undefined ? "lost" : refusal === undefined ? "answered" : "refused";
  return OUTCOMES.indexOf(outcome);
}

function titleOf({ request: { method, url } }: RequestEntry): string {
  const { pathname, search } = new URL(url);
  return `${method} ${pathname}${search}`;
}

function entryShown(entry: Deed): EntryShown {
  const line = lineOf({ row: entry, atMs: entry.atMs, position: 0 });
  if (entry.kind === "note") {
    return { line, title: `Note of ${entry.program}`, program: entry.program, note: jsonShown(entry.data) };
  }
  if (entry.kind !== "request") return { line, title: line };
  const { program, where, refusal, fault, request, response } = entry;
  return {
    line,
    title: titleOf(entry),
    program,
    ...(where === undefined ? {} : { where: `${where.file}:${where.line}:${where.column}` }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(fault === undefined ? {} : { fault }),
    asked: wireOf(`${request.method} ${request.url}`, request),
    ...(response === undefined ? {} : { answered: wireOf(`${response.status}`, response) }),
  };
}

/** A message as on the wire: its first line, its headers, its body. */
function wireOf(first: string, { headers, body }: Pick<RequestEntry["request"], "headers" | "body">): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [first, ...lines, ...(body === undefined ? [] : ["", typeof body === "string" ? body : jsonShown(body)])].join(
    "\n",
  );
}
