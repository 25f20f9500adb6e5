import type { Via } from "../kernel/commit.ts";

/**
 * A row of the list: the position of a commit, or, below zero, an entry of the journal that is no request of a commit, counted from -1.
 */
export type RowId = number;

/** What the page asks its worker, by name. Positions are those of the log; 0 is the world before the first commit. */
export interface Calls {
  /** Reads the log, compressed as the page holds it. */
  open(log: ArrayBuffer): Promise<Opened>;
  /** What a filter finds, in order. @throws TypeError for a filter that cannot be read */
  find(filter: string): Int32Array<ArrayBuffer>;
  /** Rows as the list shows them. */
  rows(ids: readonly RowId[]): Row[];
  /** What clusters and regions were in a stretch of the log. */
  lanes(from: number, to: number): Lane[];
  /** All about a row, and the state at its position: 0 is the beginning. */
  moment(row: RowId, open: readonly string[]): Moment;
  /** The position of the commit that last wrote a value, as of a position; undefined where nobody did. */
  blame(path: string, position: number): number | undefined;
}

export type Question = {
  [M in keyof Calls]: { readonly id: number; readonly method: M; readonly args: Parameters<Calls[M]> };
}[keyof Calls];

/** What the worker says: an answer to a question, or how much of the log is read. */
export type Said =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly progress: number };

/** What kind of commit stands at a position. */
export const KINDS = ["request", "control", "timer", "fault", "failed"] as const;
export type Kind = (typeof KINDS)[number];

/** What came of a request. */
export const OUTCOMES = ["answered", "refused", "lost"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A log that was opened. */
export interface Opened {
  readonly seed: string;
  readonly startAtMs: number;
  readonly nowMs: number;
  /** When each commit was made: that of position n stands at n - 1. */
  readonly times: Float64Array<ArrayBuffer>;
  /** Its kind, as an index of `KINDS`. */
  readonly kinds: Uint8Array<ArrayBuffer>;
  readonly marks: readonly Mark[];
  /** All rows in their order; absent where there are only commits. */
  readonly order?: Int32Array<ArrayBuffer>;
  /** At which positions entries of the journal stand, and when they were: those of row -n at n - 1. */
  readonly entryPositions: Int32Array<ArrayBuffer>;
  readonly entryTimes: Float64Array<ArrayBuffer>;
  /** The requests that the journal holds, by program. */
  readonly programs: readonly ProgramDeeds[];
}

/** The requests of a program, in their order. */
export interface ProgramDeeds {
  readonly name: string;
  readonly times: Float64Array<ArrayBuffer>;
  readonly positions: Int32Array<ArrayBuffer>;
  /** What came of each, as an index of `OUTCOMES`. */
  readonly outcomes: Uint8Array<ArrayBuffer>;
}

export interface Mark {
  readonly name: string;
  readonly position: number;
  readonly atMs: number;
}

export interface Row {
  readonly id: RowId;
  readonly atMs: number;
  readonly name: string;
  /** The facts of a commit, in words; what came of a request. */
  readonly detail: string;
  readonly kind: Kind | Outcome | "note" | "mark" | "step";
}

/** A cluster or a region over time. */
export interface Lane {
  readonly kind: "cluster" | "region";
  readonly name: string;
  readonly spans: readonly Span[];
}

/** From one position to the next span's, a place was the same. */
export interface Span {
  readonly from: number;
  readonly role: string;
  readonly state: string;
  readonly isUp: boolean;
}

/** Everything about a row. Values are shown as JSON. */
export interface Moment {
  readonly row: RowId;
  readonly position: number;
  readonly atMs: number;
  readonly stateHash: string;
  /** How the commit came about; absent at position 0. */
  readonly commit?: CommitShown;
  /** The entry of the journal, or the request that the commit was made by. */
  readonly entry?: EntryShown;
  /** The deadlines that lay ahead, the next ones first. */
  readonly pending: readonly { readonly dueAtMs: number; readonly command: string; readonly owner: string }[];
  readonly pendingCount: number;
  readonly tree: readonly TreeRow[];
}

export interface CommitShown {
  readonly name: string;
  readonly via: Via;
  readonly program: string;
  readonly route?: string;
  readonly evidence?: string;
  readonly failed?: string;
  /** Of a timer: the position of the commit that armed it. */
  readonly armedAt?: number;
  readonly input: string;
  readonly caller: string;
  readonly moves: readonly MoveShown[];
  readonly facts: readonly { readonly type: string; readonly words: string; readonly data: string }[];
  readonly changes: readonly { readonly path: string; readonly before?: string; readonly after?: string }[];
  readonly changeCount: number;
  readonly answer?: string;
}

/** An entry of the journal. */
export interface EntryShown {
  /** In a line, as `hindcast log` tells it. */
  readonly line: string;
  readonly title: string;
  readonly program?: string;
  readonly where?: string;
  readonly refusal?: { readonly code: string; readonly why: string };
  readonly fault?: string;
  /** What was asked, and what was answered, as on the wire. */
  readonly asked?: string;
  readonly answered?: string;
  /** What was noted. */
  readonly note?: string;
}

export interface MoveShown {
  readonly machine: string;
  readonly from: string;
  readonly to: string;
  readonly event: string;
  readonly description?: string;
}

/** A row of the tree of the state. */
export interface TreeRow {
  /** As `sim.blame` takes it; "" for the row that counts what is not shown. */
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  /** The value, or how many there are in it. */
  readonly text: string;
  readonly isOpen?: boolean;
  readonly isChanged: boolean;
}
