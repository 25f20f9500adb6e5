import type { Via } from "../kernel/commit.ts";

/**
 * A row of the list: the position of a commit, or, below zero, an entry of the journal that is no request of a commit, counted from -1.
 */
export type RowId = number;

/** What the page asks its worker, by name. Positions are those of the log; 0 is the world before the first commit. */
export interface Calls {
  /** Begins to read a log, and gives what is there of it soon; what comes later is said. */
  open(source: Source): Promise<Opened>;
  /** What a filter finds, in order or in groups. @throws TypeError for a filter that cannot be read */
  find(filter: string, grouping: Grouping): Found;
  /** The conditions that something in the log fulfils, for whoever types a filter. */
  conditions(): string[];
  /** Rows as the list shows them. */
  rows(ids: readonly RowId[]): Row[];
  /** What clusters and regions were in a stretch of the log, and what stood at paths of the state. */
  lanes(from: number, to: number, paths: readonly string[]): Lane[];
  /** All about a row, and the state at its position, 0 being the beginning; and who stands where, if that is asked for. */
  moment(row: RowId, open: readonly string[], withTopology: boolean): Moment;
  /** What differs between the states at two positions. */
  between(from: number, to: number): Changed;
  /** Who wrote a value up to a position, the last first. */
  writers(path: string, position: number): Writer[];
  /** The picture of a chart, as SVG; undefined for what has none. */
  picture(machine: string): string | undefined;
  /** The hash of the state at a position. The first ones of a log take a while. */
  stateHash(position: number): string;
  /** What can be asked and done on a branch. */
  offers(): Offers;
  /** Begins a branch: at a position, with another past, or as another log says. */
  begin(from: Beginning): Promise<BranchShown[]>;
  /** Does something on a branch. */
  act(branch: number, deed: Deed): Promise<BranchShown[]>;
  compare(one: number, other: number): Comparison;
  /** What was done on a branch, as text to be run elsewhere. */
  copied(branch: number, form: CopyForm): string;
  /** The position of the commit that last wrote a value, as of a position; undefined where nobody did. */
  blame(path: string, position: number): number | undefined;
}

/** What rows can be grouped by. */
export const GROUPINGS = ["time", "step", "program", "object"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Rows that were found. By time there are no groups. */
export interface Found {
  readonly rows: Int32Array<ArrayBuffer>;
  /** In the order of their first rows. */
  readonly groups: readonly Group[];
}

export interface Group {
  readonly name: string;
  /** Where its rows begin, and how many there are. */
  readonly start: number;
  readonly count: number;
}

/** Where a log is: in the page, by gzip, or at a listener, where it goes on. */
export type Source =
  | { readonly kind: "held"; readonly bytes: ArrayBuffer }
  | { readonly kind: "live"; readonly url: string; readonly secret: string };

/** What can be done on a branch. Places are those of the topology, by their ids. */
export type Deed =
  | { readonly kind: "advance"; readonly by: string }
  | { readonly kind: "cut" | "heal"; readonly a: string; readonly b: string }
  | { readonly kind: "stop" | "start" | "seal" | "unseal" | "promote"; readonly cluster: string }
  | {
      readonly kind: "send";
      readonly program: string;
      readonly method: string;
      readonly url: string;
      readonly headers: { readonly [name: string]: string };
      readonly body: string;
    };

/** How a branch begins. A log is text, or the same by gzip, or a page that holds one. */
export type Beginning =
  | { readonly at: number }
  | { readonly edit: PastEdit }
  | { readonly log: { readonly name: string; readonly bytes: ArrayBuffer } };

/** A change of the past. The input is JSON. */
export type PastEdit =
  | { readonly drop: number }
  | { readonly delay: number; readonly by: string }
  | { readonly replace: number; readonly input: string };

export const COPY_FORMS = ["test", "scenario", "curl"] as const;
export type CopyForm = (typeof COPY_FORMS)[number];

export interface DeedShown {
  readonly text: string;
  readonly answer: string;
}

export interface BranchShown {
  readonly id: number;
  readonly name: string;
  readonly position: number;
  readonly atMs: number;
  readonly stateHash: string;
  readonly deeds: readonly DeedShown[];
  /** The answers of the log that are others with this past. */
  readonly changed: readonly { readonly position: number; readonly before: string; readonly after: string }[];
}

/** What differs between two states: the first paths, and how many there are. */
export interface Changed {
  readonly changes: readonly ChangeShown[];
  readonly changeCount: number;
}

/** A commit that wrote a value. */
export interface Writer {
  readonly position: number;
  readonly atMs: number;
  readonly name: string;
  /** What it wrote; absent where it took the value away. */
  readonly value?: string;
}

/** Two branches beside each other. */
export interface Comparison extends Changed {
  /** Where they part, unless they are alike. */
  readonly parting?: PartingShown;
  /** Of the one, and of the other. */
  readonly losses: readonly [readonly Losses[], readonly Losses[]];
}

/** Where two runs part, and what followed in each. */
export interface PartingShown {
  readonly position: number;
  readonly by: "instant" | "command" | "outcome" | "end";
  readonly followed: readonly [Followed, Followed];
}

/** The first rows of what followed, and how many commits there are. */
export interface Followed {
  readonly rows: readonly Row[];
  readonly count: number;
}

/** What one cluster acknowledged and another one lacks. */
export interface Losses {
  readonly from: string;
  readonly to: string;
  readonly rows: readonly string[];
}

export interface Offers {
  readonly clusters: readonly string[];
  readonly regions: readonly string[];
  readonly programs: readonly string[];
  readonly operations: readonly OperationOffered[];
  readonly origins: readonly OriginOffered[];
}

export interface OperationOffered {
  readonly name: string;
  readonly service: string;
  readonly method: string;
  /** With its captures in braces. */
  readonly path: string;
  readonly fields: readonly string[];
}

export interface OriginOffered {
  readonly service: string;
  readonly name: string;
  readonly url: string;
  /** By which a caller shows who it is. */
  readonly header: string;
}

export type Question = {
  [M in keyof Calls]: { readonly id: number; readonly method: M; readonly args: Parameters<Calls[M]> };
}[keyof Calls];

/** What the worker says: an answer to a question, or what is there of the log now. */
export type Said =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly grown: Opened };

/** How far a log is read: all of it, a share, as far as it goes on, or up to where its listener has gone. */
export type Reading =
  | { readonly kind: "whole" }
  | { readonly kind: "share"; readonly share: number }
  | { readonly kind: "live" }
  | { readonly kind: "broken"; readonly message: string };

/** What kind of commit stands at a position. */
export const KINDS = ["request", "control", "timer", "fault", "failed"] as const;
export type Kind = (typeof KINDS)[number];

/** What came of a request. */
export const OUTCOMES = ["answered", "refused", "lost"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A log that was opened, or what was read of it. */
export interface Opened {
  readonly reading: Reading;
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
  /** `#12` of a commit, `r7` of a request, as other places name them; else empty. */
  readonly label: string;
  readonly atMs: number;
  readonly name: string;
  /** The facts of a commit, in words; what came of a request. */
  readonly detail: string;
  readonly kind: Kind | Outcome | "note" | "mark" | "step";
}

/** A cluster, a region, or what stands at a path of the state, over time. */
export interface Lane {
  readonly kind: "cluster" | "region" | "path";
  readonly name: string;
  readonly spans: readonly Span[];
}

/** From one position to the next span's, a place was the same. What stands at a path has a state only. */
export interface Span {
  readonly from: number;
  readonly role: string;
  readonly state: string;
  /** That of the last write when it began. */
  readonly index?: number;
  readonly isUp: boolean;
}

/** Everything about a row. Values are shown as JSON. */
export interface Moment {
  readonly row: RowId;
  readonly position: number;
  readonly atMs: number;
  /** How the commit came about; absent at position 0. */
  readonly commit?: CommitShown;
  /** The entry of the journal, or the request that the commit was made by. */
  readonly entry?: EntryShown;
  /** The deadlines that lay ahead, the next ones first. */
  readonly pending: readonly { readonly dueAtMs: number; readonly command: string; readonly owner: string }[];
  readonly pendingCount: number;
  readonly tree: readonly TreeRow[];
  readonly topology?: Topology;
}

/** Who stands where, and what goes between them. */
export interface Topology {
  readonly nodes: readonly NodeShown[];
  readonly lines: readonly TopologyLine[];
}

/** A program, a cluster, a region or the run service. */
export interface NodeShown {
  /** Kind and name: `cluster east`. */
  readonly id: string;
  readonly role: string;
  readonly state: string;
  readonly isUp: boolean;
}

export interface TopologyLine {
  /** Nodes, by their ids. */
  readonly from: string;
  readonly to: string;
  readonly kind: "shipping" | "cut" | "request";
  readonly isUp: boolean;
  readonly text: string;
  /** What is on its way. */
  readonly flights: readonly { readonly sentAtMs: number; readonly arrivesAtMs: number }[];
}

export interface CommitShown extends Changed {
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
  readonly answer?: string;
}

/** A path of the state, before and after. */
export interface ChangeShown {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
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
  /** The path of what moved, where that is seen from what changed. */
  readonly object?: string;
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
