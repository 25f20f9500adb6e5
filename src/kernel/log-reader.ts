import { isObject } from "../languages/objects.ts";
import { epochMs } from "./brand.ts";
import type { Commit, RecordedEvent } from "./commit.ts";
import { type JournalEntry, journalEntryOf } from "./journal.ts";
import { LogError } from "./log-error.ts";
import {
  commitOf,
  endOf,
  formatOf,
  headerOf,
  LOG_FORMAT,
  type LogEnd,
  type LogHeader,
  LogSum,
  momentIn,
  OPEN_LOG_FORMAT,
  REPLACEMENT_CHARACTER,
  SUM_DIGITS,
} from "./log-format.ts";
import { deepFreeze } from "./plain.ts";
import type { Moment } from "./timeline.ts";

/** Who is told what a log holds, in its order. What a listener throws is a fault of the line. */
export interface LogListener {
  header(header: LogHeader): void;
  commit(commit: Commit): void;
  /** An entry of the journal, of a log that carries one. */
  entry?(entry: JournalEntry): void;
  /** Where the clock stands, and the marks so far, of a log that goes on. */
  moment?(moment: LogEnd): void;
}

export interface LogReading {
  /** The version of this library, for messages about newer formats. */
  readonly version: string;
  /** Facts as they are folded now, from facts as they were written; throws for those that nothing folds. */
  readonly upcast: (event: RecordedEvent) => RecordedEvent;
  /** Takes what comes before the first fault, instead of refusing the log. */
  readonly acceptPrefix: boolean;
  /** Who listens keeps no commit: then they are not frozen, which takes an eighth of the time. */
  readonly keepsNothing?: boolean;
  /** Where somebody else checks the sums of lines with a `SumReader`: the reader takes them on trust, and says how far. */
  readonly trust?: SumTrust;
}

/** How far the sums of a log were taken on trust. A sum that does not fit counts up to there; behind it the reader's own fault does. */
export interface SumTrust {
  line: number;
}

/** What is told of a line whose sum does not fit. */
const SUM_FAULT = "its sum does not fit: the line was changed, or one before it is missing";
const DIGEST_FAULT = "the digest of the log does not fit";

const SUM_HEAD = ',"sum":"';
const DIGEST_HEAD = ',"digest":"';
const DIGEST_DIGITS = 32;

const NO_HEADER = "no header of a hindcast log";

/** How every header begins. */
const HEADER_BEGINS = '{"hindcast":"log"';

/** Whether a line without an end can be that of a header. */
function beginsLog(line: string): boolean {
  return line !== "" && (line.startsWith(HEADER_BEGINS) || HEADER_BEGINS.startsWith(line));
}
const TRAILING = "something comes after the last line";

/**
 * Reads a log from text that comes in any pieces. Everything is checked on the way; the first fault ends it with an error that
 * names the line, or, when a prefix is enough, ends the reading there.
 */
export class LogReader {
  readonly #reading: LogReading;
  readonly #listener: LogListener;
  readonly #sum = new LogSum();
  #rest = "";
  #lines = 0;
  #commits = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  #begun = false;
  /** Whether it goes on: it then has no last line. */
  #open = false;
  readonly #marks = new Map<string, Moment>();
  #end: LogEnd | undefined;
  #stopped = false;

  constructor(listener: LogListener, reading: LogReading) {
    this.#listener = listener;
    this.#reading = reading;
  }

  /** Takes the next piece of text. */
  add(text: string): void {
    if (this.#stopped) return;
    if (!text.includes("\n")) {
      this.#rest += text;
      return;
    }
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#guarded(() => this.#line(line));
  }

  /** The sum of the lines so far, of a log that goes on; undefined for one that has ended, or that holds more than was taken. */
  get openSum(): LogSum | undefined {
    return this.#open && !this.#stopped && this.#reading.trust === undefined ? this.#sum : undefined;
  }

  /** Ends the reading. @returns where the world stands; undefined when only a prefix of a log that ended was there. */
  finish(): LogEnd | undefined {
    this.#guarded(() => {
      if (this.#lines === 0 && !beginsLog(this.#rest)) throw this.#fault("no_header", NO_HEADER, 1);
      if (this.#rest !== "" && this.#end !== undefined) throw this.#fault("trailing", TRAILING, 1);
      if (this.#rest !== "") throw this.#fault("torn", "the line has no end: the log was torn off here", 1);
      if (this.#end === undefined && !this.#open) {
        throw this.#fault("torn", "the log ends here, without its last line", 1);
      }
    });
    return this.#open ? { nowMs: epochMs(this.#lastMs), marks: this.#marks } : this.#end;
  }

  /** Does the work unless the reading has stopped; a fault ends it one way or the other. */
  #guarded(work: () => void): void {
    if (this.#stopped) return;
    try {
      work();
    } catch (error) {
      // Without a header there is nothing to go on from.
      if (!(error instanceof LogError) || !this.#reading.acceptPrefix || !this.#begun) throw error;
      this.#stopped = true;
    }
  }

  #line(line: string): void {
    this.#lines += 1;
    if (this.#end !== undefined) throw this.#fault("trailing", TRAILING);
    if (line.endsWith("\r")) {
      throw this.#fault("damaged", "it ends with CR LF, and a log has LF alone: something has changed its line ends");
    }
    if (line.includes(REPLACEMENT_CHARACTER)) {
      throw this.#fault("damaged", "it holds U+FFFD, and a log never does: bytes that are no UTF-8 were read as text");
    }
    if (this.#lines === 1) this.#header(line);
    else if (this.#open && line.startsWith('{"now":')) this.#moment(line);
    else if (!this.#open && line.startsWith('{"end":')) this.#last(line);
    else if (line.startsWith('{"journal":')) this.#entry(line);
    else this.#commit(line);
  }

  #header(line: string): void {
    // A newer format may close and fill its lines in other ways: nothing else of it is looked at.
    const { format, version } = formatOf(parsed(line)) ?? { format: LOG_FORMAT, version: "" };
    if (format > OPEN_LOG_FORMAT) {
      throw this.#fault(
        "newer_format",
        `the log has format ${format}, written by version ${version}; ` +
          `version ${this.#reading.version} reads formats up to ${OPEN_LOG_FORMAT}`,
      );
    }
    const content = contentOf(line, SUM_HEAD, SUM_DIGITS);
    const header = content === undefined ? undefined : headerOf(parsed(content.text));
    if (content === undefined || header === undefined) throw this.#fault("no_header", NO_HEADER);
    this.#checkSum(content.text, content.sum);
    this.#told("unknown_option", `version ${version} wrote it, this is ${this.#reading.version}: `, () =>
      this.#listener.header(deepFreeze(header)),
    );
    this.#lastMs = header.startAtMs;
    this.#begun = true;
    this.#open = header.format === OPEN_LOG_FORMAT;
  }

  #moment(line: string): void {
    const content = contentOf(line, SUM_HEAD, SUM_DIGITS);
    const moment = content === undefined ? undefined : momentIn(parsed(content.text));
    if (content === undefined || moment === undefined) {
      throw this.#fault("damaged", "no instant: the line was cut or changed");
    }
    this.#checkSum(content.text, content.sum);
    if (moment.nowMs < this.#lastMs) throw this.#fault("out_of_order", "its instant lies before the line before it");
    for (const [name, mark] of moment.marks) this.#marks.set(name, mark);
    this.#lastMs = moment.nowMs;
    this.#listener.moment?.({ nowMs: moment.nowMs, marks: this.#marks });
  }

  #entry(line: string): void {
    const content = contentOf(line, SUM_HEAD, SUM_DIGITS);
    const said = content === undefined ? undefined : parsed(content.text);
    const entry = isObject(said) ? journalEntryOf(said["journal"]) : undefined;
    if (content === undefined || entry === undefined)
      throw this.#fault("damaged", "no entry of a journal: the line was cut or changed");
    this.#checkSum(content.text, content.sum);
    this.#listener.entry?.(deepFreeze(entry));
  }

  #commit(line: string): void {
    const content = contentOf(line, SUM_HEAD, SUM_DIGITS);
    const commit = content === undefined ? undefined : commitOf(parsed(content.text));
    if (content === undefined || commit === undefined)
      throw this.#fault("damaged", "no commit: the line was cut or changed");
    if (commit.position !== this.#commits + 1) {
      throw this.#fault("out_of_order", `commit ${commit.position} stands where commit ${this.#commits + 1} belongs`);
    }
    this.#checkSum(content.text, content.sum);
    if (commit.atMs < this.#lastMs)
      throw this.#fault("out_of_order", `commit ${commit.position} lies before the one before it`);
    const events = this.#told("unknown_event", "", () => commit.events.map(this.#reading.upcast));
    this.#told("damaged", "its facts cannot be folded: ", () => {
      const whole = { ...commit, events };
      this.#listener.commit(this.#reading.keepsNothing === true ? whole : deepFreeze(whole));
    });
    this.#commits += 1;
    this.#lastMs = commit.atMs;
  }

  /** Does what the line is for; an error on the way is a fault of the line. */
  #told<T>(fault: LogError["fault"], what: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#fault(fault, what + (error instanceof Error ? error.message : String(error)), 0, { cause: error });
    }
  }

  #last(line: string): void {
    const content = contentOf(line, DIGEST_HEAD, DIGEST_DIGITS);
    const end = content === undefined ? undefined : endOf(parsed(content.text));
    if (content === undefined || end === undefined) throw this.#fault("damaged", "no last line: it was cut or changed");
    if (end.commits !== this.#commits) {
      throw this.#fault("out_of_order", `the log counts ${end.commits} commits, and holds ${this.#commits}`);
    }
    if (!this.#trusts() && this.#sum.digest(content.text) !== content.sum) throw this.#fault("damaged", DIGEST_FAULT);
    if (end.nowMs < this.#lastMs) throw this.#fault("out_of_order", "its present lies before its last commit");
    this.#end = end;
  }

  #checkSum(content: string, sum: string): void {
    if (!this.#trusts() && this.#sum.line(content) !== sum) throw this.#fault("damaged", SUM_FAULT);
  }

  /** Whether the sum of this line is somebody else's. */
  #trusts(): boolean {
    const { trust } = this.#reading;
    if (trust !== undefined) trust.line = this.#lines;
    return trust !== undefined;
  }

  #fault(fault: LogError["fault"], what: string, ahead = 0, options?: ErrorOptions): LogError {
    return new LogError(fault, this.#lines + ahead, what, options);
  }
}

/** What a line says without what closes it; undefined when nothing closes it as it should. */
function contentOf(
  line: string,
  head: string,
  digits: number,
): { readonly text: string; readonly sum: string } | undefined {
  const tail = head.length + digits + 2;
  const sum = line.slice(-digits - 2, -2);
  if (line.length < tail || !line.endsWith('"}') || line.slice(-tail, -digits - 2) !== head) return undefined;
  return /^[0-9a-f]+$/.test(sum) ? { text: `${line.slice(0, -tail)}}`, sum } : undefined;
}

/** A line whose sum does not fit, as a message from another thread can carry it. */
export interface SumFault {
  readonly line: number;
  readonly what: string;
}

/**
 * Checks nothing but the sums of a log, for who reads it in two threads. It ends at the first line that is not closed as a line
 * should be: that is a fault which the `LogReader` tells, and none of a sum.
 */
export class SumReader {
  readonly #sum = new LogSum();
  #rest = "";
  #lines = 0;
  #ended = false;
  #fault: SumFault | undefined;

  /** The first line whose sum does not fit; undefined when there is none. */
  get fault(): SumFault | undefined {
    return this.#fault;
  }

  /** Takes the next piece of text. @returns whether there is more to check */
  add(text: string): boolean {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (this.#ended) break;
      this.#line(line);
    }
    return !this.#ended;
  }

  #line(line: string): void {
    this.#lines += 1;
    const isLast = line.startsWith('{"end":');
    const content = isLast ? contentOf(line, DIGEST_HEAD, DIGEST_DIGITS) : contentOf(line, SUM_HEAD, SUM_DIGITS);
    const fits =
      content !== undefined && content.sum === (isLast ? this.#sum.digest(content.text) : this.#sum.line(content.text));
    if (fits && !isLast) return;
    this.#ended = true;
    if (content === undefined || fits) return;
    this.#fault = { line: this.#lines, what: isLast ? DIGEST_FAULT : SUM_FAULT };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
