import type { EpochMs } from "../../kernel/brand.ts";
import type { JournalEntry, RequestEntry } from "../../kernel/journal.ts";
import { OpenLogLines } from "../../kernel/log-format.ts";
import type { Moment } from "../../kernel/timeline.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import { headerOfLog } from "../../simulator/log.ts";
import { servicesOf } from "../../simulator/model.ts";
import type { Simulator } from "../../simulator/types.ts";
import type { WorldTimeline } from "../../simulator/world.ts";

const NO_MARKS: ReadonlyMap<string, Moment> = new Map();

/** Tells a log that goes on: all that there is, and then, whenever it is asked, what has come since. */
export class Telling {
  readonly #timeline: WorldTimeline;
  readonly #lines: OpenLogLines;
  readonly #marks: Set<string>;
  #position: number;
  #nowMs: EpochMs;
  /** What of the journal was not told; undefined where it does not stand in the log. */
  #fresh: FreshEntries | undefined;

  /** @param lines those of a log that tells all up to now already */
  constructor(timeline: WorldTimeline, lines = new OpenLogLines()) {
    this.#timeline = timeline;
    this.#lines = lines;
    this.#position = timeline.position;
    this.#nowMs = timeline.nowMs;
    this.#marks = new Set(timeline.marks.keys());
  }

  /** The lines of all that a simulator's log holds so far, and what tells the others when those were taken. */
  static begin(sim: Simulator, withJournal: boolean): { readonly telling: Telling; readonly lines: Iterable<string> } {
    const { timeline, settings, host } = LiveSimulator.insideOf(sim);
    const telling = new Telling(timeline);
    const { position, nowMs } = timeline;
    const marks = new Map(timeline.marks);
    // A request that is not answered yet is told when it is.
    const entries = withJournal
      ? host.journal.entries().filter((entry) => entry.kind !== "request" || isWhole(entry))
      : [];
    if (withJournal) telling.addJournal(sim);
    const own = telling.#lines;
    const lines = function* (): Generator<string> {
      yield own.header(headerOfLog(servicesOf(timeline), settings, timeline.streams));
      for (const commit of timeline.history.commits(1, position)) yield own.commit(commit);
      for (const entry of entries) yield own.entry(entry);
      yield own.moment({ nowMs, marks });
    };
    return { telling, lines: lines() };
  }

  /** From now on entries of the journal are told, too. */
  addJournal(sim: Simulator): void {
    this.#fresh = new FreshEntries(sim);
  }

  get hasJournal(): boolean {
    return this.#fresh !== undefined;
  }

  get hasFreshEntries(): boolean {
    return this.#fresh?.isEmpty === false;
  }

  onEntry(observer: () => void): void {
    this.#fresh?.onEntry(observer);
  }

  /** Entries of the journal are kept for it no longer. */
  end(): void {
    this.#fresh?.end();
  }

  /** Whether all commits and marks of a timeline were told. */
  hasTold({ position, marks }: WorldTimeline): boolean {
    return position === this.#position && marks.size === this.#marks.size;
  }

  /** Whether it was told where the clock of a timeline stands. */
  hasToldInstant({ nowMs }: WorldTimeline): boolean {
    return nowMs === this.#nowMs;
  }

  /** The lines of what has happened since they were last taken; with `instant`, where the clock stands, too. */
  take(instant: boolean): string {
    const { history, position, nowMs } = this.#timeline;
    let text = "";
    for (const commit of history.commits(this.#position + 1, position)) {
      text += this.#lines.commit(commit);
      this.#nowMs = commit.atMs;
    }
    this.#position = position;
    const marks = this.#freshMarks();
    if (marks.size > 0 || instant) {
      text += this.#lines.moment({ nowMs, marks });
      this.#nowMs = nowMs;
    }
    for (const entry of this.#fresh?.take() ?? []) text += this.#lines.entry(entry);
    return text;
  }

  #freshMarks(): ReadonlyMap<string, Moment> {
    const { marks } = this.#timeline;
    if (marks.size === this.#marks.size) return NO_MARKS;
    const fresh = new Map([...marks].filter(([name]) => !this.#marks.has(name)));
    for (const name of fresh.keys()) this.#marks.add(name);
    return fresh;
  }
}

function isWhole({ response, fault }: RequestEntry): boolean {
  return response !== undefined || fault !== undefined;
}

/** What of a simulator's journal was not told yet. */
class FreshEntries {
  #entries: (() => JournalEntry)[] = [];
  #onEntry: () => void = () => undefined;
  readonly end: () => void;

  constructor(sim: Simulator) {
    this.end = LiveSimulator.insideOf(sim).host.journal.observe((entry) => {
      this.#entries.push(entry);
      this.#onEntry();
    });
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  onEntry(observer: () => void): void {
    this.#onEntry = observer;
    if (!this.isEmpty) observer();
  }

  take(): readonly JournalEntry[] {
    const taken = this.#entries;
    this.#entries = [];
    return taken.map((entry) => entry());
  }
}
