import type { Via } from "../kernel/commit.ts";

/** What the page asks its worker, by name. Positions are those of the log; 0 is the world before the first commit. */
export interface Calls {
  /** Reads the log, compressed as the page holds it. */
  open(log: ArrayBuffer): Promise<Opened>;
  /** The positions of the commits that a filter finds, in order. @throws TypeError for a filter that cannot be read */
  find(filter: string): Uint32Array<ArrayBuffer>;
  /** Commits as the list shows them. */
  rows(positions: readonly number[]): Row[];
  /** What clusters and regions were in a stretch of the log. */
  lanes(from: number, to: number): Lane[];
  moment(position: number, open: readonly string[]): Moment;
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
}

export interface Mark {
  readonly name: string;
  readonly position: number;
  readonly atMs: number;
}

export interface Row {
  readonly position: number;
  readonly atMs: number;
  readonly name: string;
  /** Its facts, in words. */
  readonly detail: string;
  readonly kind: Kind;
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

/** Everything about a position. Values are shown as JSON. */
export interface Moment {
  readonly position: number;
  readonly atMs: number;
  readonly stateHash: string;
  /** How the commit came about; absent at position 0. */
  readonly commit?: CommitShown;
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
