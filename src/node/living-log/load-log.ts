import { createReadStream } from "node:fs";
import { LogError } from "../../kernel/log-error.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import { type Rebuilt, readLogInPieces } from "../../simulator/log.ts";
import { worldModel } from "../../simulator/services.ts";
import type { Simulator } from "../../simulator/types.ts";

/** What a file of a log brought back. */
export interface LoadedLog {
  readonly sim: Simulator;
  /** Bytes behind the last whole line: what a process was writing when it was killed. They were never answered for. */
  readonly tornBytes: number;
}

/** As `LoadedLog`, with what is needed to go on in the file. */
export interface FoundLog {
  readonly rebuilt: Rebuilt;
  readonly wholeBytes: number;
  readonly tornBytes: number;
}

/**
 * Brings a simulator back from the file of a log, whether the log goes on, has ended, or was torn in its last line.
 *
 * @throws LogError with the line for a log that is damaged otherwise; what opening the file throws
 * @example
 * const { sim } = await loadLog("run.ndjson");
 */
export async function loadLog(file: string): Promise<LoadedLog> {
  const { rebuilt, tornBytes } = await findLog(file);
  return { sim: simulatorOf(rebuilt), tornBytes };
}

export function simulatorOf(rebuilt: Rebuilt): Simulator {
  const sim = LiveSimulator.rebuilt(rebuilt);
  // What was due at the last instant may have been torn off with it.
  sim.clock.advance(0);
  return sim;
}

export async function findLog(file: string): Promise<FoundLog> {
  const lines = new WholeLines(file);
  try {
    return { rebuilt: await readLogInPieces(worldModel, lines.read(), {}), ...lines.bytes };
  } catch (error) {
    // Of a log that has to have a last line, and has none, all else is there.
    if (!(error instanceof LogError) || error.fault !== "torn") throw error;
    return { rebuilt: await readLogInPieces(worldModel, lines.read(), { acceptPrefix: true }), ...lines.bytes };
  }
}

/** Reads a file up to its last line end. */
class WholeLines {
  readonly #file: string;
  #whole = 0;
  #torn = 0;

  constructor(file: string) {
    this.#file = file;
  }

  get bytes(): { readonly wholeBytes: number; readonly tornBytes: number } {
    return { wholeBytes: this.#whole, tornBytes: this.#torn };
  }

  async *read(): AsyncGenerator<string, void> {
    this.#whole = 0;
    let begun: Buffer[] = [];
    for await (const piece of createReadStream(this.#file) as AsyncIterable<Buffer>) {
      const end = piece.lastIndexOf(LINE_END) + 1;
      if (end > 0) {
        const lines = Buffer.concat([...begun, piece.subarray(0, end)]);
        begun = [];
        this.#whole += lines.length;
        yield lines.toString("utf8");
      }
      if (end < piece.length) begun.push(piece.subarray(end));
    }
    this.#torn = begun.reduce((sum, { length }) => sum + length, 0);
  }
}

const LINE_END = 10;
