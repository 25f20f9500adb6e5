import { createReadStream, statSync } from "node:fs";
import { LogError } from "../../kernel/log-error.ts";
import type { Moment } from "../../kernel/timeline.ts";
import { messageOf } from "../../scenario/message.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import { readLogInPieces } from "../../simulator/log.ts";
import { worldModel } from "../../simulator/services.ts";
import type { Simulator } from "../../simulator/types.ts";
import { CommandError, EXIT } from "../exit.ts";
import { ProgressOfPieces } from "../terminal/progress.ts";

const PIECE_BYTES = 1 << 18;

/** How a log is read. */
export interface LogOptions {
  /** Of a torn or damaged log, take the commits before the fault. */
  readonly acceptPrefix: boolean;
}

/** A log that was read: its simulator, and the names that moments of it have. */
export interface OpenLog {
  readonly file: string;
  readonly sim: Simulator;
  readonly seed: number | string;
  readonly startAtMs: number;
  readonly marks: ReadonlyMap<string, Moment>;
}

/** Reads a log's file. @throws CommandError for one that cannot be read */
export async function openLog(file: string, options: LogOptions): Promise<OpenLog> {
  return readable(file, async () => {
    const rebuilt = await readLogInPieces(worldModel, piecesOf(file, "reading"), options);
    const { timeline, settings } = rebuilt;
    const { seed, startAtMs } = settings;
    return { file, sim: LiveSimulator.rebuilt(rebuilt), seed, startAtMs, marks: timeline.marks };
  });
}

/** How a log is read, as the words of a command say it. */
export function logOptions(args: { readonly "accept-prefix"?: boolean | undefined }): LogOptions {
  return { acceptPrefix: args["accept-prefix"] === true };
}

/** The size of a log's file. @throws CommandError for what is no file */
export function bytesOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) {
    throw unreadable(`there is no file ${file}`, "hindcast run <scenario> --log <file>   writes one");
  }
  if (found.isDirectory()) throw unreadable(`${file} is a folder, and no log`);
  return found.size;
}

/** The text of a log, piece by piece. */
export async function* piecesOf(file: string, what: string): AsyncGenerator<string> {
  const progress = new ProgressOfPieces(`${what} ${file}`, bytesOf(file));
  const stream = createReadStream(file, { encoding: "utf8", highWaterMark: PIECE_BYTES });
  try {
    for await (const piece of stream) {
      yield piece as string;
      progress.done(stream.bytesRead);
    }
  } finally {
    progress.end();
  }
}

/** Does what a log is read for; a fault of the log says what can be done about it. */
export async function readable<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LogError) throw unreadable(`${file}: ${error.message}`, ...waysOn(error));
    if (isSystemError(error)) throw unreadable(`${file} cannot be read: ${messageOf(error)}`);
    throw error;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function unreadable(message: string, ...next: string[]): CommandError {
  return new CommandError(EXIT.unreadable, message, next);
}

function waysOn({ fault, line }: LogError): string[] {
  switch (fault) {
    case "no_header":
      return ["a log is what hindcast run --log or sim.log.toNdjson() writes"];
    case "newer_format":
    case "unknown_option":
    case "unknown_event":
      return ["a newer version of hindcast may know it: npm install --save-dev hindcast@latest"];
    case "damaged":
    case "out_of_order":
    case "torn":
    case "trailing":
      return line > 1 ? ["with --accept-prefix the commits before that line are taken"] : [];
  }
}
