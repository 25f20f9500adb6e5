import { optionsAt } from "../kernel/arguments.ts";
import { type PendingDeadline, pendingDeadlines, VirtualClock } from "../kernel/clock.ts";
import type { Commit } from "../kernel/commit.ts";
import { foldCommit } from "../kernel/fold.ts";
import type { LiveHost } from "../kernel/host.ts";
import type { JournalEntry } from "../kernel/journal.ts";
import { LOG_FORMAT, type LogEnd, type LogHeader, type LogSum, logLines } from "../kernel/log-format.ts";
import { type LogListener, LogReader, type LogReading } from "../kernel/log-reader.ts";
import { type Rehearsal, Rehearsing } from "../kernel/rehearse.ts";
import { upcast } from "../kernel/upcast.ts";
import { shown } from "../languages/shown.ts";
import { loggedOptions, readLoggedOptions } from "./logged-options.ts";
import { beginWorldOf, servicesOf, type WorldModel, type WorldService } from "./model.ts";
import type { Log, LogOptions } from "./types.ts";
import { VERSION } from "./version.ts";
import type { Settings, World, WorldEvents, WorldTimeline } from "./world.ts";

/** Options of `replay`. */
export interface ReplayOptions {
  /** Of a log that is torn or damaged, take the commits before the fault. Default false: such a log is refused. */
  readonly acceptPrefix?: boolean;
}

/** A simulator's time, rebuilt. */
export interface Rebuilt {
  readonly timeline: WorldTimeline;
  readonly settings: Settings;
  /** What the log carried of a journal. */
  readonly journal: readonly JournalEntry[];
  /** The sum of the lines that were read, of a log that goes on. */
  readonly openSum?: LogSum | undefined;
}

/** The log of a simulator. */
export function simulatorLog(timeline: WorldTimeline, settings: Settings, host: LiveHost<World, WorldEvents>): Log {
  const commits = (): Generator<Commit> => {
    host.refuseDisposed();
    return timeline.history.commits(1, timeline.position);
  };
  const lines = (call: string, options: LogOptions = {}): Generator<string> => {
    host.refuseDisposed();
    const { journal = false } = optionsAt(call, options, ["journal"]);
    if (typeof journal !== "boolean") throw new TypeError(`${call}: journal is ${shown(journal)}: it is true or false`);
    return linesOfLog(timeline, settings, journal ? host.journal.entries() : []);
  };
  return Object.freeze({
    commits: () => [...commits()],
    events: () =>
      [...commits()].flatMap(({ position, atMs, events }) => events.map((event) => ({ position, atMs, ...event }))),
    toNdjson: (options) => [...lines("toNdjson", options)].join(""),
    lines: (options) => oneByOne(lines("lines", options)),
  } satisfies Log);
}

/** The lines of the log of a simulator, also of one that was disposed of. */
export function linesOfLog(
  timeline: WorldTimeline,
  settings: Settings,
  journal: readonly JournalEntry[] = [],
): Generator<string> {
  // A copy: whoever takes the lines one by one may set marks in between.
  const { nowMs, marks, programs } = timeline;
  const end = { nowMs, marks: new Map(marks), programs: new Set(programs) };
  const commits = timeline.history.commits(1, timeline.position);
  return logLines(headerOfLog(servicesOf(timeline), settings, timeline.streams), commits, end, journal);
}

async function* oneByOne(lines: Iterable<string>): AsyncGenerator<string, void> {
  yield* lines;
}

/** The header of a log that has ended; one that goes on has another format. */
export function headerOfLog(services: readonly WorldService[], settings: Settings, streams: string): LogHeader {
  const { seed, startAtMs } = settings;
  return { format: LOG_FORMAT, version: VERSION, seed, startAtMs, streams, options: loggedOptions(services, settings) };
}

/** Rebuilds a simulator's time from the whole text of a log. */
export function readLog(model: WorldModel, text: string, options: ReplayOptions): Rebuilt {
  const rebuilding = new Rebuilding(model);
  const reader = readerFor(model, rebuilding, options);
  reader.add(text);
  return rebuilding.finish(reader.finish());
}

/** Options of who reads a log in pieces. */
interface PiecesOptions extends ReplayOptions, Pick<ReadingOptions, "trust"> {
  /** Is told behind each piece what was read so far, which grows. The next piece waits for it. */
  readonly soFar?: (rebuilt: Rebuilt) => Promise<void>;
}

/** Rebuilds a simulator's time from the pieces of a log, wherever they were cut. */
export async function readLogInPieces(
  model: WorldModel,
  pieces: AsyncIterable<string>,
  { soFar, ...options }: PiecesOptions,
): Promise<Rebuilt> {
  const rebuilding = new Rebuilding(model);
  const reader = readerFor(model, rebuilding, options);
  for await (const piece of pieces) {
    reader.add(textOf(piece));
    if (rebuilding.rebuilt !== undefined) await soFar?.(rebuilding.rebuilt);
  }
  const rebuilt = rebuilding.finish(reader.finish());
  return { ...rebuilt, openSum: reader.openSum };
}

/** Who is told what a log holds while it is read. No history is kept: a state is gone when the next one comes. */
export interface LogWitness {
  /** What the log begins with. */
  begin(header: LogHeader): void;
  /** A commit of the log. */
  commit(commit: Commit): void;
  /** An entry of the journal, of a log that carries one. */
  entry?(entry: JournalEntry): void;
}

/** How a log ends: its last line, unless only a prefix was there, and the deadlines that lie ahead. */
export interface LogOutcome {
  readonly end: LogEnd | undefined;
  readonly pending: readonly PendingDeadline[];
}

type ReadingOptions = Pick<LogReading, "trust" | "keepsNothing">;

/** Reads and folds a log of any length without keeping it. */
export async function witnessLogOf(
  model: WorldModel,
  pieces: AsyncIterable<string>,
  witness: LogWitness,
  options: ReplayOptions & ReadingOptions,
): Promise<LogOutcome> {
  let state: World | undefined;
  const folding: LogListener = {
    header: (header) => {
      state = beginWorldOf(model, settingsOf(model, header)).state;
      witness.begin(header);
    },
    commit: (commit) => {
      if (state !== undefined) state = foldCommit(model, state, commit);
      witness.commit(commit);
    },
    entry: (entry) => witness.entry?.(entry),
  };
  const reader = readerFor(model, folding, { ...options, keepsNothing: true });
  for await (const piece of pieces) reader.add(textOf(piece));
  const end = reader.finish();
  return { end, pending: state === undefined ? [] : pendingDeadlines(model, state) };
}

/** Decides a log's commands again. */
export async function rehearseLog(model: WorldModel, log: string | AsyncIterable<string>): Promise<Rehearsal> {
  const again = new DecidingAgain(model);
  const reader = readerFor(model, again, {});
  if (typeof log === "string") reader.add(log);
  else for await (const piece of log) reader.add(textOf(piece));
  const end = reader.finish();
  return again.finish(end);
}

/** A stream of a file gives bytes unless it is told an encoding, and they can be cut in the middle of a character. */
function textOf(piece: unknown): string {
  if (typeof piece === "string") return piece;
  throw new TypeError(`a piece of a log is text, and not ${shown(piece)}: a stream needs an encoding, such as "utf8"`);
}

function readerFor(
  model: WorldModel,
  listener: LogListener,
  { acceptPrefix = false, ...reading }: ReplayOptions & ReadingOptions,
): LogReader {
  return new LogReader(listener, {
    version: VERSION,
    upcast: (event) => upcast(model, event),
    acceptPrefix,
    ...reading,
  });
}

/** Folds what a log holds. */
class Rebuilding implements LogListener {
  readonly #model: WorldModel;
  readonly #journal: JournalEntry[] = [];
  rebuilt: Rebuilt | undefined;

  constructor(model: WorldModel) {
    this.#model = model;
  }

  header(header: LogHeader): void {
    const settings = settingsOf(this.#model, header);
    const timeline = beginWorldOf(this.#model, settings);
    timeline.drawAs(header.streams);
    this.rebuilt = { timeline, settings, journal: this.#journal };
  }

  commit(commit: Commit): void {
    this.rebuilt?.timeline.replay(commit);
  }

  entry(entry: JournalEntry): void {
    this.#journal.push(entry);
  }

  moment(moment: LogEnd): void {
    this.rebuilt?.timeline.restore(moment);
  }

  finish(end: LogEnd | undefined): Rebuilt {
    if (this.rebuilt === undefined) throw new Error("a log was read without its header");
    if (end !== undefined) this.rebuilt.timeline.restore(end);
    return this.rebuilt;
  }
}

/** Decides what a log holds once more. */
class DecidingAgain implements LogListener {
  readonly #model: WorldModel;
  #rehearsing: Rehearsing<World, WorldEvents> | undefined;

  constructor(model: WorldModel) {
    this.#model = model;
  }

  header(header: LogHeader): void {
    const settings = settingsOf(this.#model, header);
    const timeline = beginWorldOf(this.#model, settings);
    this.#rehearsing = new Rehearsing(timeline, new VirtualClock(timeline, settings.firingsPerAdvance));
  }

  commit(commit: Commit): void {
    this.#rehearsing?.commit(commit);
  }

  finish(end: LogEnd | undefined): Rehearsal {
    if (this.#rehearsing === undefined || end === undefined) throw new Error("a log was read without its ends");
    return this.#rehearsing.finish(end.nowMs);
  }
}

function settingsOf({ services }: WorldModel, { seed, startAtMs, options }: LogHeader): Settings {
  return { ...readLoggedOptions(services, options), seed, startAtMs };
}
