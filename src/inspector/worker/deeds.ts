import type { Simulator } from "../../index.ts";
import type { JournalEntry, RequestEntry } from "../../kernel/journal.ts";
import { outcomeOf } from "../../programs/request-line.ts";
import { lineOf, requestsOfCommits, rowsOf } from "../../scenario/log-rows.ts";
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
interface Placed {
  readonly entry: Deed;
  readonly position: number;
}

/** What programs did, as the journal of a log tells it. */
export class Deeds {
  /** The rows that are no commits: row -n at n - 1. */
  readonly placed: readonly Placed[];
  /** All rows in their order; undefined where there are only commits. */
  readonly order: Int32Array<ArrayBuffer> | undefined;
  readonly #requests: readonly RequestEntry[];
  readonly #own: ReadonlyMap<number, RequestEntry>;

  constructor(sim: Simulator) {
    const { journal } = sim;
    this.#requests = journal.filter((entry) => entry.kind === "request");
    this.#own = journal.length === 0 ? new Map() : requestsOfCommits(sim);
    const isOwn = new Set<JournalEntry>(this.#own.values());
    const placed: Placed[] = [];
    const order: RowId[] = [];
    for (const { row, position } of journal.length === 0 ? [] : rowsOf(sim)) {
      if (!("kind" in row)) order.push(row.position);
      else if (row.kind !== "clock" && !isOwn.has(row))
        order.push(-placed.push({ entry: row, position: Math.ceil(position) }));
    }
    this.placed = placed;
    this.order = placed.length === 0 ? undefined : Int32Array.from(order);
  }

  overview(): Pick<Opened, "order" | "entryPositions" | "entryTimes" | "programs"> {
    return {
      ...(this.order === undefined ? {} : { order: this.order }),
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

  row(id: RowId): Row {
    const { entry } = this.#at(id);
    const { atMs } = entry;
    switch (entry.kind) {
      case "request": {
        const detail = `${entry.program}: ${outcomeOf(entry)}${entry.refusal === undefined ? "" : `, ${entry.refusal.why}`}`;
        return {
          id,
          atMs,
          name: titleOf(entry),
          detail: textShown(detail),
          kind: OUTCOMES[outcomeIn(entry)] ?? "answered",
        };
      }
      case "note":
        return {
          id,
          atMs,
          name: `note of ${entry.program}`,
          detail: textShown(JSON.stringify(entry.data)),
          kind: "note",
        };
      case "mark":
        return { id, atMs, name: entry.name, detail: "", kind: "mark" };
      case "step":
        return { id, atMs, name: entry.title, detail: "", kind: "step" };
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
