import type { FailedTest } from "../../explore/kept-files.ts";
import type { Pending, Simulator } from "../../index.ts";
import type { JournalEntry } from "../../kernel/journal.ts";
import type { WaitingReader } from "../../kernel/waiting.ts";
import { requestLine } from "../../programs/request-line.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import { linesOfLog } from "../../simulator/log.ts";
import { dropKept, type KeptLog, keepLog } from "./log-of-failure.ts";
import { keepPage } from "./page-of-failure.ts";

/** What stands in the `meta` of a failed test, for reporters. */
export interface FailedSimulation {
  readonly seed: number | string;
  /** The position of the last commit. */
  readonly position: number;
  /** The file that holds the log. */
  readonly file?: string;
  /** The file that holds the page of the run. */
  readonly page?: string;
  /** The log itself, where there are no files to write it to. */
  readonly log?: string;
}

/** What of the runner's test is looked at, and what is told there. */
export interface WatchedTest extends Omit<FailedTest, "retries" | "repeats"> {
  /** Whether it is meant to fail. */
  readonly fails?: boolean | undefined;
  readonly meta: { hindcast?: FailedSimulation };
  readonly result?:
    | {
        readonly retryCount?: number | undefined;
        readonly repeatCount?: number | undefined;
        readonly errors?: ToldError[] | undefined;
      }
    | undefined;
}

/** An error as reporters get it. */
interface ToldError {
  message: string;
  stack?: string | undefined;
  readonly diff?: string | undefined;
}

/** So many readers that wait are told. */
const READERS_TOLD = 3;

/** Which tests leave a page. */
export type Traces = "on-failure" | "always" | "never";

/** Where the runs of tests are kept, and as what. */
export interface Keeping {
  readonly folder: string | false;
  readonly traces: Traces;
}

/** Watches the simulator of one try of a test. */
export class Watch {
  readonly #test: WatchedTest;
  readonly #keeping: Keeping;
  readonly #inside: Pick<ReturnType<typeof LiveSimulator.insideOf>, "timeline" | "settings" | "host">;
  /** The errors of the tries before: the runner keeps them. */
  readonly #errorsBefore: number;
  readonly #sim: Simulator;
  #waiting: readonly WaitingReader[] = [];
  #pending: readonly Pending[] = [];

  constructor(test: WatchedTest, sim: Simulator, keeping: Keeping) {
    this.#test = test;
    this.#keeping = keeping;
    this.#inside = LiveSimulator.insideOf(sim);
    this.#sim = sim;
    this.#errorsBefore = test.result?.errors?.length ?? 0;
  }

  /** Looks once more before the simulator is disposed of: then nobody waits any longer, and no timer is armed. */
  ending(): void {
    this.#waiting = this.#inside.timeline.waiting.readers();
    this.#pending = this.#sim.clock.pending();
  }

  /** Keeps the log and the page of a test that failed, and says in its error how to replay it. */
  async failed(): Promise<void> {
    const error = this.#test.result?.errors?.[this.#errorsBefore];
    // A test that is meant to fail leaves nothing, and neither does a good repetition after a bad one.
    if (error === undefined || this.#test.fails) return;
    const { folder, traces } = this.#keeping;
    const { timeline, settings, host } = this.#inside;
    const kept = folder === false ? undefined : keepLog(this.#try, folder, () => this.#lines());
    const page = folder === false || traces === "never" ? undefined : await this.#keepPage(folder, error);
    const { seed } = settings;
    const pagePart = page === undefined ? {} : { page };
    this.#test.meta.hindcast = { seed, position: timeline.position, ...keptPart(kept), ...pagePart };
    const told = [`seed ${JSON.stringify(seed)}, at #${timeline.position}, ${new Date(timeline.nowMs).toISOString()}`];
    const requests = requestTexts(host.journal.entries());
    append(error, [...told, ...requests, ...waitingTexts(this.#waiting), ...keptTexts(kept), ...(page ? [page] : [])]);
  }

  /** What earlier runs left tells of what is no longer so. */
  async ended(): Promise<void> {
    const { folder, traces } = this.#keeping;
    const isGood = (this.#test.result?.errors ?? []).length === this.#errorsBefore;
    if (folder === false) return;
    dropKept(this.#try, folder, isGood);
    if (isGood && traces === "always") await this.#keepPage(folder);
  }

  #keepPage(folder: string, error?: ToldError): Promise<string | undefined> {
    return keepPage(this.#try, folder, () => this.#lines(), error, this.#pending);
  }

  #lines(): Iterable<string> {
    const { timeline, settings, host } = this.#inside;
    return linesOfLog(timeline, settings, host.journal.entries());
  }

  get #try(): FailedTest {
    const { id, name, file, result } = this.#test;
    return { id, name, file, retries: result?.retryCount ?? 0, repeats: result?.repeatCount ?? 0 };
  }
}

function keptPart(kept: KeptLog | undefined): Partial<FailedSimulation> {
  if (kept === undefined) return {};
  if ("file" in kept) return { file: kept.file };
  return "text" in kept ? { log: kept.text } : {};
}

function keptTexts(kept: KeptLog | undefined): string[] {
  if (kept === undefined) return [];
  if ("file" in kept) return [`npx hindcast replay ${quoted(kept.shown)}`];
  if ("text" in kept) return [`replay(task.meta.hindcast.log): the log is in the report, ${kept.why}`];
  return [`the log is lost: ${kept.why}`];
}

/** As shells take it. */
function quoted(file: string): string {
  return /^[\p{L}\p{N}\w./\\:-]+$/u.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}

/** So many requests are told. */
const REQUESTS_TOLD = 10;

function requestTexts(journal: readonly JournalEntry[]): string[] {
  return journal
    .filter((entry) => entry.kind === "request")
    .slice(-REQUESTS_TOLD)
    .map(requestLine);
}

function waitingTexts(readers: readonly WaitingReader[]): string[] {
  const told = readers.slice(0, READERS_TOLD).map(({ request, untilMs }) => {
    const until = Number.isFinite(untilMs) ? ` until ${new Date(untilMs).toISOString()}` : "";
    return `${request} waited${until}`;
  });
  return readers.length > told.length ? [...told, `${readers.length - told.length} more waited`] : told;
}

/** Reporters show the message, the stack, or both. */
function append(error: ToldError, lines: readonly string[]): void {
  const { message, stack = "" } = error;
  const told = lines.map((line, index) => `${index === 0 ? "hindcast" : "        "}  ${line}`).join("\n");
  error.message = `${message}\n\n${told}`;
  if (stack.includes(message)) error.stack = stack.replace(message, () => error.message);
  // That of a test which ran out of time begins otherwise.
  else error.stack = stack.replace(/(?=\n\s+at )/, () => `\n\n${told}`);
}
