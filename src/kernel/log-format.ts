import { isObject } from "../languages/objects.ts";
import { type EpochMs, epochMs, type LogPosition } from "./brand.ts";
import type { Commit } from "./commit.ts";
import { hexOf, RunningHash } from "./hash.ts";
import type { JournalEntry } from "./journal.ts";
import type { Plain } from "./plain.ts";
import type { Moment } from "./timeline.ts";

/** The version of the format of a log that has ended. */
export const LOG_FORMAT = 1;

/**
 * That of a log that goes on: it has no last line, and where the clock stands and which marks were set is told among its commits. The
 * newest that this library reads.
 */
export const OPEN_LOG_FORMAT = 2;

/** The first line of a log: what its world begins with. */
export interface LogHeader {
  readonly format: number;
  /** The version of the library that wrote it. */
  readonly version: string;
  readonly seed: number | string;
  readonly startAtMs: EpochMs;
  /** The prefix of the streams of commits to come, in a history that was rewritten; else empty. */
  readonly streams: string;
  /** Options of the simulator; functions stand as what they returned. */
  readonly options: Plain;
}

/** Where the world of a log stands: told by its last line, or, while it goes on, whenever that changes by itself. */
export interface LogEnd {
  readonly nowMs: EpochMs;
  readonly marks: ReadonlyMap<string, Moment>;
  /** Who has asked besides the test author. What goes on knows them from its commits. */
  readonly programs?: Iterable<string>;
}

/** Hexadecimal digits of the sum that closes a line: enough to name the line that was damaged. */
export const SUM_DIGITS = 16;

/**
 * Sums up a log line by line. The sum of a line covers all before it, so a line that was changed, lost or moved does not fit;
 * the digest at the end is the whole hash.
 */
export class LogSum {
  readonly #hash = new RunningHash();

  /** Takes a line, without what closes it, and gives its sum. */
  line(content: string): string {
    this.#hash.add(content);
    this.#hash.add("\n");
    return hexOf(this.#hash.value()).slice(0, SUM_DIGITS);
  }

  /** Takes the last line, and gives the digest of everything. */
  digest(content: string): string {
    this.#hash.add(content);
    return hexOf(this.#hash.value());
  }
}

/** Writes a log that goes on, line by line, each with its line end. */
export class OpenLogLines {
  readonly #sum: LogSum;

  /** @param sum that of the lines that are there already */
  constructor(sum = new LogSum()) {
    this.#sum = sum;
  }

  header(header: Omit<LogHeader, "format">): string {
    return closed(headerText({ ...header, format: OPEN_LOG_FORMAT }), this.#sum);
  }

  commit(commit: Commit): string {
    return closed(jsonText(commit), this.#sum);
  }

  entry(entry: JournalEntry): string {
    return closed(jsonText({ journal: entry }), this.#sum);
  }

  /** Where the clock stands, and the marks that were set since this was last told. */
  moment({ nowMs, marks }: LogEnd): string {
    return closed(jsonText({ now: isoText(nowMs), marks: placesOf(marks) }), this.#sum);
  }
}

/** The lines of a log, each with its line end. The journal, where one is wanted, stands behind the commits. */
export function* logLines(
  header: LogHeader,
  commits: Iterable<Commit>,
  end: LogEnd,
  journal: Iterable<JournalEntry> = [],
): Generator<string> {
  const sum = new LogSum();
  yield closed(headerText(header), sum);
  let count = 0;
  for (const commit of commits) {
    count += 1;
    yield closed(jsonText(commit), sum);
  }
  for (const entry of journal) yield closed(jsonText({ journal: entry }), sum);
  const last = endText(end, count);
  yield `${last.slice(0, -1)},"digest":"${sum.digest(last)}"}\n`;
}

function closed(content: string, sum: LogSum): string {
  return `${content.slice(0, -1)},"sum":"${sum.line(content)}"}\n`;
}

function headerText({ format, version, seed, startAtMs, streams, options }: LogHeader): string {
  const rewritten = streams === "" ? {} : { streams };
  return jsonText({ hindcast: "log", format, version, seed, startAt: isoText(startAtMs), ...rewritten, options });
}

function endText({ nowMs, marks, programs = [] }: LogEnd, commits: number): string {
  const names = [...programs];
  const known = names.length === 0 ? {} : { programs: names };
  return jsonText({ end: "log", now: isoText(nowMs), marks: placesOf(marks), ...known, commits });
}

function placesOf(marks: LogEnd["marks"]): Plain {
  return [...marks].map(([name, { position, atMs }]) => ({ name, position, at: isoText(atMs) }));
}

/** What bytes that are no UTF-8 are read as. */
export const REPLACEMENT_CHARACTER = "\ufffd";

/** JSON in which the replacement character is escaped: a log that shows it has been through bytes that are no UTF-8. */
function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes(REPLACEMENT_CHARACTER) ? text.replaceAll(REPLACEMENT_CHARACTER, "\\ufffd") : text;
}

function isoText(ms: EpochMs): string {
  return new Date(ms).toISOString();
}

// --- reading one line -----------------------------------------------------------------------------------------------

/** The header in a parsed first line; undefined when it is none. */
export function headerOf(value: unknown): LogHeader | undefined {
  if (!isObject(value) || value["hindcast"] !== "log") return undefined;
  const { format, version, seed, startAt, streams = "", options } = value;
  const startAtMs = instantOf(startAt);
  if (!isCount(format) || format < 1 || typeof version !== "string" || startAtMs === undefined) return undefined;
  if ((typeof seed !== "number" && typeof seed !== "string") || typeof streams !== "string") return undefined;
  return { format, version, seed, startAtMs, streams, options: (options ?? null) as Plain };
}

/** The format and the version of a header that may be newer than all that we know of headers; undefined when it is none. */
export function formatOf(value: unknown): { readonly format: number; readonly version: string } | undefined {
  if (!isObject(value) || value["hindcast"] !== "log") return undefined;
  const { format, version } = value;
  return typeof format === "number" && typeof version === "string" ? { format, version } : undefined;
}

/** The end in a parsed last line, with the number of commits that it counts; undefined when it is none. */
export function endOf(value: unknown): (LogEnd & { readonly commits: number }) | undefined {
  if (!isObject(value) || value["end"] !== "log") return undefined;
  const { commits, programs = [] } = value;
  const moment = momentIn(value);
  if (moment === undefined || typeof commits !== "number" || !Array.isArray(programs)) return undefined;
  return { ...moment, commits, programs: programs.filter((name) => typeof name === "string") };
}

/** Where the clock stands and the marks in a parsed line that tells them; undefined when it does not. */
export function momentIn(value: unknown): LogEnd | undefined {
  if (!isObject(value) || !Array.isArray(value["marks"])) return undefined;
  const nowMs = instantOf(value["now"]);
  if (nowMs === undefined) return undefined;
  const marks = new Map<string, Moment>();
  for (const mark of value["marks"] as readonly unknown[]) {
    const atMs = isObject(mark) ? instantOf(mark["at"]) : undefined;
    if (!isObject(mark) || atMs === undefined) return undefined;
    const { name, position } = mark;
    if (typeof name !== "string" || !isPosition(position)) return undefined;
    marks.set(name, { position, atMs });
  }
  return { nowMs, marks };
}

/** The commit in a parsed line; undefined when it is none. */
export function commitOf(value: unknown): Commit | undefined {
  if (!isObject(value)) return undefined;
  const { position, atMs, command, events, failed } = value;
  if (!isPosition(position) || !isCount(atMs) || !isObject(command) || !Array.isArray(events)) return undefined;
  const { name, caller } = command;
  if (typeof name !== "string" || (caller !== null && !isObject(caller))) return undefined;
  if (failed !== undefined && typeof failed !== "string") return undefined;
  const factsAreWhole = (events as readonly unknown[]).every(
    (event) => isObject(event) && typeof event["type"] === "string" && typeof event["v"] === "number",
  );
  return factsAreWhole ? (value as unknown as Commit) : undefined;
}

function isPosition(value: unknown): value is LogPosition {
  return isCount(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function instantOf(value: unknown): EpochMs | undefined {
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : epochMs(ms);
}
