import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { messageOf } from "../../scenario/message.ts";
import type { Simulator } from "../../simulator/types.ts";
import { usageError } from "../exit.ts";

const PIECE_CHARACTERS = 1 << 18;

/**
 * Writes a log. The file appears when it is whole: whoever is interrupted meanwhile keeps the one before.
 *
 * @throws CommandError for a file that cannot be written
 */
export async function writeLog(file: string, sim: Simulator): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString("hex")}.part`;
  try {
    await pipeline(inPieces(sim.log.lines()), createWriteStream(draft, { flags: "wx" }));
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw usageError(`the log cannot be written to ${file}: ${messageOf(error)}`);
  }
}

async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = "";
  for await (const line of lines) {
    piece += line;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}
