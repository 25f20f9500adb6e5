import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { OpenLogLines } from "../../kernel/log-format.ts";
import { shown } from "../../languages/shown.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { Simulator } from "../../simulator/types.ts";
import type { WorldTimeline } from "../../simulator/world.ts";
import { FileLock } from "./file-lock.ts";
import { DiskFile, type GrowingFile } from "./growing-file.ts";
import { fileTrouble, LivingLogError } from "./living-log-error.ts";
import { findLog, simulatorOf } from "./load-log.ts";
import { Telling } from "./telling.ts";

/**
 * When an answer may be sent: `commit` when the disk has what it tells of, `none` at once. A process that is killed loses nothing
 * with `commit`; with `none` it may lose what was answered in its last moments.
 */
export type Durability = "commit" | "none";

export interface LivingLogOptions {
  /** Default `"commit"`. */
  readonly durability?: Durability;
  /**
   * Whether the journal stands in it, too. Default false; a log that holds one goes on with it. Nobody's answer waits for it, so a process
   * that is killed may lose the last entries.
   */
  readonly journal?: boolean;
}

/** A simulator that was brought back, and the log that it goes on in. */
export interface ResumedLog {
  readonly sim: Simulator;
  readonly log: LivingLog;
  /** Bytes that were cut off: what a process was writing when it was killed. */
  readonly tornBytes: number;
}

/**
 * Writes the log of a simulator to a new file, as it happens.
 *
 * @throws LivingLogError `held`, `not_empty`, `not_writable`, `write_failed`; TypeError for a wrong option
 * @example
 * const log = await keepLog(sim, "run.ndjson");
 * const server = await listen(sim, { log });
 */
export async function keepLog(sim: Simulator, file: string, options: LivingLogOptions = {}): Promise<LivingLog> {
  return LivingLog.begin(sim, file, options);
}

/**
 * Brings a simulator back from the file of a living log, torn tail included, and goes on in the file.
 *
 * @throws LivingLogError `held`, `ended`, `not_writable`, `write_failed`; LogError for a log that is damaged; TypeError for a wrong option
 * @example
 * const { sim, log } = await resumeLog("run.ndjson");
 */
export async function resumeLog(file: string, options: LivingLogOptions = {}): Promise<ResumedLog> {
  return LivingLog.resume(file, options);
}

/** How long an instant may go unwritten that nobody was told of. */
const INSTANT_DELAY_MS = 1000;

/**
 * A log that is written as it happens: each commit is a line, and so is where the clock was put and each mark. What waits is written
 * together, so that requests that come at once share one way to the disk.
 */
export class LivingLog {
  readonly file: string;
  readonly durability: Durability;
  readonly #lock: FileLock;
  #disk: GrowingFile;
  #timeline: WorldTimeline;
  #unobserve: () => void = () => undefined;
  /** What it has told was written, or stands in `#unwritten`. */
  #telling: Telling;
  /** Lines that a failed write has left: their sums are made, so they are written as they are. */
  #unwritten = "";

  /** Counts what has to be written; what was written is told by the count at which it was taken. */
  #version = 0;
  #written = 0;
  #writing: Batch | undefined;
  #next: Batch | undefined;
  #running: Promise<void> | undefined;
  /** How many wait for the file to be replaced: nothing is written to the old one any more. */
  #restarting = 0;
  #tellsInstant = false;
  #instantTimer: NodeJS.Timeout | undefined;
  #failure: LivingLogError | undefined;
  #closed = false;

  private constructor(sources: {
    readonly file: string;
    readonly durability: Durability;
    readonly lock: FileLock;
    readonly disk: GrowingFile;
    readonly telling: Telling;
    readonly timeline: WorldTimeline;
  }) {
    this.file = sources.file;
    this.durability = sources.durability;
    this.#lock = sources.lock;
    this.#disk = sources.disk;
    this.#timeline = sources.timeline;
    this.#telling = sources.telling;
    this.#unobserve = this.#follow(sources.timeline);
    this.#feed();
  }

  static async begin(sim: Simulator, path: string, options: LivingLogOptions): Promise<LivingLog> {
    const { timeline } = LiveSimulator.insideOf(sim);
    const { durability, journal } = optionsIn(options);
    return withLock(path, async (file, lock) => {
      if (await holdsSomething(file)) {
        throw new LivingLogError(
          "not_empty",
          file,
          "it holds something already: load it, or give the log another file",
        );
      }
      const begun = await beginFile(sim, file, durability, journal);
      const log = new LivingLog({ file, durability, lock, timeline, ...begun });
      // What has happened while the file was made.
      log.#changed();
      return log;
    });
  }

  static async resume(path: string, options: LivingLogOptions): Promise<ResumedLog> {
    const { durability, journal } = optionsIn(options);
    return withLock(path, async (file, lock) => {
      const { rebuilt, wholeBytes, tornBytes } = await findLog(file);
      const { openSum, timeline } = rebuilt;
      if (openSum === undefined) {
        throw new LivingLogError(
          "ended",
          file,
          "this log has ended: load it, and give the log that goes on another file",
        );
      }
      const disk = await writable(file, () => DiskFile.goOn(file, wholeBytes, durability === "commit"));
      const telling = new Telling(timeline, new OpenLogLines(openSum));
      const log = new LivingLog({ file, durability, lock, disk, telling, timeline });
      try {
        const sim = simulatorOf(rebuilt);
        if (journal || rebuilt.journal.length > 0) {
          telling.addJournal(sim);
          log.#feed();
        }
        // Tells at the start whether it can be written at all.
        log.#owe(true);
        await log.#inFile();
        return { sim, log, tornBytes };
      } catch (error) {
        await log.close().catch(() => undefined);
        throw error;
      }
    });
  }

  /** Why the last write failed; undefined when it did not. While it lasts nothing may be answered for. */
  get failure(): LivingLogError | undefined {
    return this.#failure;
  }

  /**
   * Waits until everything that was committed, and every mark, is in the file; with `instant`, where the clock stands too. With
   * durability `none` nothing is waited for unless the last write has failed. After a failure it tries again.
   *
   * @throws LivingLogError `write_failed`: what was committed is not in the file, and must not be answered for; `closed`
   */
  flushed({ instant = false }: { readonly instant?: boolean } = {}): Promise<void> {
    return this.acknowledged(instant) ?? DONE;
  }

  /** As `flushed`; undefined where nothing has to be waited for. */
  acknowledged(instant = false): Promise<void> | undefined {
    if (this.#closed) return Promise.reject(new LivingLogError("closed", this.file, "the log was closed"));
    if (instant && !this.#telling.hasToldInstant(this.#timeline)) this.#owe(true);
    const isWhole = this.#restarting === 0 && this.#written === this.#version;
    return (isWhole || this.durability === "none") && this.#failure === undefined ? undefined : this.#inFile();
  }

  /** When all that is owed now is in the file. */
  #inFile(): Promise<void> {
    if (this.#restarting === 0 && this.#writing?.version === this.#version) return this.#writing.done;
    this.#next ??= new Batch();
    const { done } = this.#next;
    this.#start();
    return done;
  }

  /**
   * Goes on with another simulator, such as one that was reset: the file then holds the log of that one. It is replaced as a whole, so
   * a process that is killed meanwhile leaves the log of the one or of the other.
   *
   * @throws LivingLogError `write_failed`, with the log of before still in place
   */
  async restart(sim: Simulator): Promise<void> {
    const { timeline } = LiveSimulator.insideOf(sim);
    this.#restarting += 1;
    while (this.#running !== undefined) await this.#running;
    const replacing = this.#replace(sim, timeline);
    const done = (): void => {
      this.#restarting -= 1;
      this.#ended();
    };
    this.#running = replacing.then(done, done);
    await replacing;
  }

  async #replace(sim: Simulator, timeline: WorldTimeline): Promise<void> {
    const before = this.#timeline;
    // Followed from now on: whoever is answered by it waits until the file is there.
    this.#unobserve();
    this.#unobserve = this.#follow(timeline);
    this.#version += 1;
    const version = this.#version;
    try {
      const { disk, telling } = await beginFile(sim, this.file, this.durability, this.#telling.hasJournal);
      const old = this.#disk;
      this.#disk = disk;
      this.#telling.end();
      this.#telling = telling;
      this.#feed();
      this.#unwritten = "";
      this.#failure = undefined;
      this.#written = version;
      await old.close();
    } catch (error) {
      this.#unobserve();
      this.#unobserve = this.#follow(before);
      const failure = this.#failedBy(error);
      this.#refuseNext(failure);
      throw failure;
    }
  }

  /** Writes what is left, and lets others have the file. */
  async close(): Promise<void> {
    if (this.#closed) return;
    try {
      if (!this.#telling.hasToldInstant(this.#timeline)) this.#owe(true);
      if (this.#owes) await this.#inFile();
      while (this.#running !== undefined) await this.#running;
    } finally {
      this.#closed = true;
      clearTimeout(this.#instantTimer);
      this.#unobserve();
      this.#telling.end();
      await this.#disk.close();
      await this.#lock.leave();
    }
  }

  // --- what has to be written --------------------------------------------------------------------------------------

  #follow(timeline: WorldTimeline): () => void {
    this.#timeline = timeline;
    return timeline.observe(() => this.#changed());
  }

  /** Entries are written with whatever comes next, and at the latest when this turn of the event loop is over. */
  #feed(): void {
    this.#telling.onEntry(() => this.#start());
  }

  /** Whether something is not in the file that should be. */
  get #owes(): boolean {
    return this.#written !== this.#version || this.#telling.hasFreshEntries;
  }

  #changed(): void {
    if (!this.#telling.hasTold(this.#timeline)) {
      this.#owe(false);
      return;
    }
    // The clock alone: a clock that follows the real one moves many times a second.
    this.#instantTimer ??= setTimeout(() => {
      this.#instantTimer = undefined;
      if (!this.#closed && !this.#telling.hasToldInstant(this.#timeline)) this.#owe(true);
    }, INSTANT_DELAY_MS).unref();
  }

  #owe(instant: boolean): void {
    this.#version += 1;
    if (instant) this.#tellsInstant = true;
    this.#start();
  }

  // --- writing -----------------------------------------------------------------------------------------------------

  /** Begins to write when this turn of the event loop is over: what it decides goes in one write. */
  #start(): void {
    if (this.#running !== undefined) return;
    this.#running = new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.#run())
      .finally(() => this.#ended());
  }

  #ended(): void {
    this.#running = undefined;
    if (this.#restarting > 0) return;
    // Something may have come while the last write was ending; what has failed is tried again when somebody asks.
    if (this.#next !== undefined || (this.#owes && this.#failure === undefined)) this.#start();
  }

  async #run(): Promise<void> {
    while (this.#restarting === 0 && (this.#owes || this.#next !== undefined)) {
      const batch = this.#next ?? new Batch();
      this.#next = undefined;
      batch.version = this.#version;
      this.#writing = batch;
      try {
        this.#unwritten += this.#telling.take(this.#tellsInstant);
        this.#tellsInstant = false;
        if (this.#unwritten !== "") await this.#disk.append(Buffer.from(this.#unwritten));
        this.#unwritten = "";
        this.#written = batch.version;
        this.#failure = undefined;
        batch.settle(undefined);
      } catch (error) {
        this.#failure = this.#failedBy(error);
        batch.settle(this.#failure);
        this.#refuseNext(this.#failure);
        return;
      } finally {
        this.#writing = undefined;
      }
    }
  }

  #refuseNext(failure: LivingLogError): void {
    this.#next?.settle(failure);
    this.#next = undefined;
  }

  #failedBy(error: unknown): LivingLogError {
    if (error instanceof LivingLogError) return error;
    return new LivingLogError("write_failed", this.file, `the log cannot be written: ${fileTrouble(error)}`, {
      cause: error,
    });
  }
}

const DONE: Promise<void> = Promise.resolve();

/** What goes to the disk together, and who waits for it. */
class Batch {
  /** Up to where it tells; known once it was taken. */
  version = -1;
  readonly done: Promise<void>;
  #resolve: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor() {
    this.done = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Nobody need wait for it.
    this.done.catch(() => undefined);
  }

  settle(failure: Error | undefined): void {
    if (failure === undefined) this.#resolve();
    else this.#reject(failure);
  }
}

function optionsIn({
  durability = "commit",
  journal = false,
  ...others
}: LivingLogOptions): Required<LivingLogOptions> {
  const [other] = Object.keys(others);
  if (other !== undefined) throw new TypeError(`a living log has no option ${other}: there is durability, journal`);
  if (durability !== "commit" && durability !== "none") {
    throw new TypeError(`durability is ${shown(durability)}: it is "commit" or "none"`);
  }
  if (typeof journal !== "boolean") throw new TypeError(`journal is ${shown(journal)}: it is true or false`);
  return { durability, journal };
}

/** Does what needs the lock of a file, and leaves it again if that fails. The work is given where the file really is. */
async function withLock<T>(path: string, work: (file: string, lock: FileLock) => Promise<T>): Promise<T> {
  if (typeof path !== "string" || path === "")
    throw new TypeError(`the file of a log is ${shown(path)}, and has to be a path`);
  const file = await writable(path, () => realPathOf(path));
  const lock = await FileLock.take(file);
  try {
    return await work(file, lock);
  } catch (error) {
    await lock.leave();
    throw error;
  }
}

/** Where a file is, whatever links lead there; for one that is not there yet, by way of its folder. */
async function realPathOf(path: string): Promise<string> {
  try {
    const file = await realpath(path);
    const found = await stat(file);
    // The lock stands beside one name only.
    if (found.isFile() && found.nlink > 1) {
      throw new LivingLogError(
        "not_writable",
        file,
        "it has other names (hard links), by which others could write to it",
      );
    }
    return file;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return join(await realpath(dirname(path)), basename(path));
  }
}

async function holdsSomething(file: string): Promise<boolean> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw new LivingLogError("not_writable", file, "it is no file");
    return found.size > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** A file with all that a simulator's log holds so far. */
async function beginFile(sim: Simulator, file: string, durability: Durability, withJournal: boolean) {
  const { telling, lines } = Telling.begin(sim, withJournal);
  try {
    return { telling, disk: await writable(file, () => DiskFile.replace(file, lines, durability === "commit")) };
  } catch (error) {
    telling.end();
    throw error;
  }
}

async function writable<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LivingLogError) throw error;
    const fault = FULL.has((error as NodeJS.ErrnoException).code ?? "") ? "write_failed" : "not_writable";
    throw new LivingLogError(fault, file, `the log cannot be written: ${fileTrouble(error)}`, { cause: error });
  }
}

const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EIO"]);
