import { measuredJson } from "../languages/json-measure.ts";
import { isObject } from "../languages/objects.ts";
import type { Behind } from "./behind.ts";
import type { EpochMs, LogPosition } from "./brand.ts";
import { deepFreeze, type Plain } from "./plain.ts";
import type { Moment } from "./timeline.ts";

/** A place in the source of a program. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly function?: string;
}

/** What was asked: as it came, or, of a typed call, as the wire would have it. */
export interface JournalRequest {
  readonly method: string;
  readonly url: string;
  /** By lower-case names; none of a typed call. */
  readonly headers: { readonly [name: string]: string };
  /** What the JSON of the body says, else its text; of a typed call its argument. Absent where it is empty. */
  readonly body?: Plain;
}

/** What was answered. */
export interface JournalResponse {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body?: Plain;
}

/** A request, or a typed call. */
export interface RequestEntry {
  readonly kind: "request";
  /** Requests are counted from 1, from the beginning of the world on. */
  readonly n: number;
  /** When it came, in virtual time. */
  readonly atMs: EpochMs;
  /** When it was answered. Absent for one that was not. */
  readonly answeredAtMs?: EpochMs;
  /** The position of the log at which it was served, that of its own commit if it made one; of one without an answer, at which it came. */
  readonly position: LogPosition;
  readonly program: string;
  readonly request: JournalRequest;
  readonly response?: JournalResponse;
  /** The operation that answered. Absent where no route fitted. */
  readonly operation?: string;
  /** Why it was refused, when it was. */
  readonly refusal?: { readonly code: string; readonly why: string };
  /**
   * What happened to it on its way: what a rule did (`lose-answer`), or the line that is cut (`cut: shop, east`); else why it has no answer,
   * in a word (`ECONNREFUSED`, `aborted`).
   */
  readonly fault?: string;
  /** Who sent it, where `history.callSites` is true. */
  readonly where?: SourcePlace;
  /** The trace that it belongs to: what its header `traceparent` says. */
  readonly trace?: string;
  /** The test that it belongs to: what its header `X-Hindcast-Test` says. */
  readonly test?: string;
  /** Known routes like the one asked for, where no route fitted. */
  readonly nearest?: readonly string[];
}

/** What happened besides commits and requests. */
type Deed =
  /** What the test or a program believes. */
  | { readonly kind: "note"; readonly program: string; readonly data: Plain }
  /** The clock was moved: to the instant of the entry. */
  | { readonly kind: "clock"; readonly fromMs: EpochMs; readonly by: ClockMove }
  | { readonly kind: "mark"; readonly name: string }
  /** A step of a scenario began. */
  | { readonly kind: "step"; readonly title: string };

export type ClockMove = "advance" | "advanceTo" | "next" | "run" | "settle" | "follow";

/** An entry of the journal. It stands beside the log and never influences anything. */
export type JournalEntry = RequestEntry | (Deed & { readonly atMs: EpochMs });

/** What is known of a request when it comes. What takes work is done when somebody looks. */
export interface Came {
  readonly program: string;
  readonly trace?: string | null;
  readonly test?: string | null;
  readonly request: () => JournalRequest;
}

/** What came of a request. */
export interface Answer {
  readonly position: LogPosition;
  readonly operation?: string | undefined;
  readonly refused?: Behind | undefined;
  readonly nearest?: readonly string[] | undefined;
  readonly response: () => JournalResponse;
}

/** Where a journal learns what it cannot know by itself. */
export interface Surroundings {
  readonly nowMs: EpochMs;
  readonly position: LogPosition;
}

/** What a journal asks when somebody looks at an entry. */
export interface Readers {
  /** Places in the source, where they are wanted. */
  readonly sites?: CallSites | undefined;
  /** Why something was refused. */
  readonly why: (refused: Behind) => string;
}

/** How places in the source are found: taking one is quick, reading it is not. */
export interface CallSites {
  readonly take: () => { readonly stack?: string };
  readonly read: (site: { readonly stack?: string }) => SourcePlace | undefined;
}

/** A request whose answer is noted when it is there. */
export interface Noted {
  /** Something happened to it on its way. */
  met(fault: string): void;
  answered(answer: Answer): void;
  /** There is no answer. `fault` tells why, unless what it met does. */
  failed(fault: string): void;
}

/** What stands behind entries that are refusals. A log does not carry it. */
const refusals = new WeakMap<JournalEntry, Behind>();

/** What stands behind an entry, where it is a refusal that was made here. */
export function behindEntry(entry: JournalEntry): Behind | undefined {
  return refusals.get(entry);
}

/** An entry, or what one is made of. */
type Kept = JournalEntry | UnreadRequest;

interface UnreadRequest {
  readonly kind: "unread";
  readonly n: number;
  readonly atMs: EpochMs;
  readonly position: LogPosition;
  readonly came: Came;
  readonly site: ReturnType<CallSites["take"]> | undefined;
  /** How often its journal had been shared when it was made: one that a fork has, too, is copied before it changes. */
  readonly shares: number;
  answeredAtMs: EpochMs | undefined;
  answer: Answer | undefined;
  fault: string | undefined;
  hasEnded: boolean;
}

/**
 * The last entries, oldest first; older ones make room. A journal and its forks share what was noted before they parted: entries are put
 * behind the others of an array, of which each knows how far it is its own.
 */
export class Journal {
  #size: number;
  readonly #readers: Readers;
  readonly #around: Surroundings;
  #kept: Kept[] = [];
  #length = 0;
  /** Whether the array is another's, too: then it is copied before anything in it changes. */
  #isShared = false;
  #shares = 0;
  #requests = 0;
  readonly #observers = new Set<(entry: () => JournalEntry) => void>();

  constructor(size: number, around: Surroundings, readers: Readers) {
    this.#size = size;
    this.#around = around;
    this.#readers = readers;
  }

  /** Keeps so many entries at least from now on: who judges by what programs did needs all of it. */
  keepAtLeast(entries: number): void {
    this.#size = Math.max(this.#size, entries);
  }

  /** Begins with what another one had noted up to a moment. */
  inherit(other: Journal, moment: Moment): void {
    this.#requests = other.#requests;
    other.#shares += 1;
    const { nowMs, position } = other.#around;
    if (moment.atMs === nowMs && moment.position === position) {
      this.#kept = other.#kept;
      this.#length = other.#length;
      this.#isShared = true;
      other.#isShared = true;
      return;
    }
    const isIn = (kept: Kept): boolean =>
      kept.atMs <= moment.atMs && (!("n" in kept) || servedAt(kept) <= moment.position);
    // Who waited is passed over: behind it stands what happened meanwhile.
    const later = other.#kept.findIndex(
      (kept, index) => index >= other.#length || (!isIn(kept) && (kept.atMs > moment.atMs || !hasWaited(kept))),
    );
    this.#kept = other.#kept.slice(0, later < 0 ? other.#length : later).filter(isIn);
    this.#length = this.#kept.length;
    this.#requests = this.#kept.reduce((count, kept) => ("n" in kept ? Math.max(count, kept.n) : count), 0);
  }

  /** Takes the entries of a log. */
  restore(entries: readonly JournalEntry[]): void {
    const inOrder: JournalEntry[] = [];
    for (const entry of entries) {
      let index = inOrder.length;
      // A log that goes on has a request where it was answered.
      while (index > 0 && comesBefore(entry, inOrder[index - 1] as JournalEntry)) index -= 1;
      inOrder.splice(index, 0, entry);
      if (entry.kind === "request") this.#requests = Math.max(this.#requests, entry.n);
    }
    for (const entry of inOrder) this.#add(entry);
  }

  /** Notes what happened besides requests. */
  add(deed: Deed): void {
    const entry = deepFreeze({ atMs: this.#around.nowMs, ...deed });
    this.#add(entry);
    this.#tell(() => entry);
  }

  /** Notes a request that has come. */
  begin(came: Came): Noted {
    const { nowMs: atMs, position } = this.#around;
    this.#requests += 1;
    if (this.#size === 0 && this.#observers.size === 0) return NOT_NOTED;
    let kept: UnreadRequest = {
      kind: "unread",
      n: this.#requests,
      atMs,
      position,
      came,
      site: this.#readers.sites?.take(),
      shares: this.#shares,
      answeredAtMs: undefined,
      answer: undefined,
      fault: undefined,
      hasEnded: false,
    };
    this.#add(kept);
    const own = (): UnreadRequest => {
      if (kept.shares !== this.#shares) {
        const before = kept;
        kept = { ...before, shares: this.#shares };
        this.#replace(before, kept);
      }
      return kept;
    };
    const ended = (): void => {
      kept.hasEnded = true;
      const whole = kept;
      this.#tell(() => this.#read(whole));
    };
    return {
      met: (fault) => {
        own().fault = fault;
      },
      answered: (answer) => {
        own().answer = answer;
        kept.answeredAtMs = this.#around.nowMs;
        ended();
      },
      failed: (fault) => {
        own().fault ??= fault;
        ended();
      },
    };
  }

  entries(): readonly JournalEntry[] {
    const first = Math.max(0, this.#length - this.#size);
    const entries: JournalEntry[] = [];
    for (let index = first; index < this.#length; index++) {
      const kept = this.#kept[index] as Kept;
      entries.push(kept.kind === "unread" ? this.#read(kept) : kept);
    }
    return entries;
  }

  /** Tells each entry when it is whole: a request when it was answered. @returns what ends it */
  observe(observer: (entry: () => JournalEntry) => void): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  #tell(entry: () => JournalEntry): void {
    for (const observer of this.#observers) observer(entry);
  }

  /** An entry takes the place of what it is made of: it is read once. */
  #read(kept: UnreadRequest): JournalEntry {
    const entry = deepFreeze(requestEntry(kept, this.#readers));
    if (kept.answer?.refused !== undefined) refusals.set(entry, kept.answer.refused);
    this.#replace(kept, isPending(kept) ? kept : entry);
    return entry;
  }

  #add(kept: Kept): void {
    if (this.#size === 0) return;
    // Room is made for many at a time.
    if (this.#length >= 2 * this.#size) this.#own(this.#length - this.#size);
    else if (this.#isShared) this.#own(0);
    this.#kept.push(kept);
    this.#length += 1;
  }

  #replace(before: Kept, after: Kept): void {
    if (before === after) return;
    const index = this.#kept.lastIndexOf(before, this.#length - 1);
    if (index < 0 || this.#length === 0) return;
    if (this.#isShared) this.#own(0);
    this.#kept[index] = after;
  }

  #own(from: number): void {
    this.#kept = this.#kept.slice(from, this.#length);
    this.#length = this.#kept.length;
    this.#isShared = false;
  }
}

/** A request of which nobody keeps anything. */
const NOT_NOTED: Noted = Object.freeze({ met: () => undefined, answered: () => undefined, failed: () => undefined });

function servedAt(kept: RequestEntry | UnreadRequest): LogPosition {
  return (kept.kind === "unread" ? kept.answer?.position : undefined) ?? kept.position;
}

function hasWaited(kept: Kept): boolean {
  return "answeredAtMs" in kept && kept.answeredAtMs !== undefined && kept.answeredAtMs !== kept.atMs;
}

function comesBefore(entry: JournalEntry, other: JournalEntry): boolean {
  return entry.kind === "request" && (other.kind === "request" ? entry.n < other.n : entry.atMs < other.atMs);
}

/** Whether a request may still be answered. */
function isPending(kept: Kept): boolean {
  return kept.kind === "unread" && !kept.hasEnded;
}

function requestEntry(
  { n, atMs, position, came, site, ...ended }: UnreadRequest,
  { sites, why }: Readers,
): RequestEntry {
  const { answer, answeredAtMs, fault } = ended;
  const { refused } = answer ?? {};
  const where = site && sites?.read(site);
  return {
    kind: "request",
    n,
    atMs,
    ...(answeredAtMs === undefined ? {} : { answeredAtMs }),
    position: answer?.position ?? position,
    program: came.program,
    request: came.request(),
    ...(answer === undefined ? {} : { response: answer.response() }),
    ...(answer?.operation === undefined ? {} : { operation: answer.operation }),
    ...(refused === undefined ? {} : { refusal: { code: refused.refusal.code, why: why(refused) } }),
    ...(fault === undefined ? {} : { fault }),
    ...(where === undefined ? {} : { where }),
    ...(came.trace ? { trace: came.trace } : {}),
    ...(came.test ? { test: came.test } : {}),
    ...(answer?.nearest === undefined ? {} : { nearest: answer.nearest }),
  };
}

/** Bodies that nest deeper are kept as their text. */
const MAX_BODY_DEPTH = 1_000;

/** What a body says: the JSON that it is, else its text; absent where it is empty. */
export function bodySaid(body: Uint8Array | string | null): { readonly body?: Plain } {
  if (body === null || body.length === 0) return {};
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  if (!/^\s*[[{"]/.test(text)) return { body: text };
  const { depth, isExact } = measuredJson(text);
  if (depth > MAX_BODY_DEPTH) return { body: text };
  try {
    const body = JSON.parse(text) as Plain;
    // What a log gives back is what JSON can say: no number beyond all measure.
    return { body: isExact ? body : (JSON.parse(JSON.stringify(body)) as Plain) };
  } catch {
    return { body: text };
  }
}

/** The entry in a parsed line of a log; undefined when it is none. */
export function journalEntryOf(value: unknown): JournalEntry | undefined {
  if (!isObject(value) || !Number.isSafeInteger(value["atMs"])) return undefined;
  const { kind, n, position, program, request, response } = value;
  const isEntry =
    kind === "request"
      ? Number.isSafeInteger(n) &&
        Number.isSafeInteger(position) &&
        typeof program === "string" &&
        isObject(request) &&
        (response === undefined || isObject(response))
      : OTHER_KINDS.has(kind);
  return isEntry ? (value as unknown as JournalEntry) : undefined;
}

const OTHER_KINDS: ReadonlySet<unknown> = new Set<Deed["kind"]>(["note", "clock", "mark", "step"]);
