import { Worker } from "node:worker_threads";
import { LogError } from "../../kernel/log-error.ts";
import type { SumFault, SumTrust } from "../../kernel/log-reader.ts";
import { type LogOutcome, type LogWitness, witnessLogOf } from "../../simulator/log.ts";
import { worldModel } from "../../simulator/services.ts";
import { fileIn } from "../package-files.ts";
import { bytesOf, type LogOptions, piecesOf, readable } from "./read-log.ts";

/** Below this a second thread costs more than it saves. */
const LARGE_BYTES = 8 << 20;

/**
 * Reads a log of any length in little memory: who witnesses it is told of each commit, and nothing is kept.
 *
 * @throws CommandError for one that cannot be read
 */
export async function witnessFile(file: string, witness: LogWitness, options: LogOptions): Promise<LogOutcome> {
  return readable(file, async () => {
    // Where a prefix is enough, nothing may be folded that lies behind a wrong sum.
    const isShared = bytesOf(file) >= LARGE_BYTES && !options.acceptPrefix;
    return isShared
      ? inTwoThreads(file, witness)
      : witnessLogOf(worldModel, piecesOf(file, "reading"), witness, options);
  });
}

/** It holds a piece of the file at a time: what is garbage is not to pile up beside the other thread's. */
const SMALL_HEAP = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 64 };

async function inTwoThreads(file: string, witness: LogWitness): Promise<LogOutcome> {
  const worker = new Worker(fileIn("src/node", "log-sums-worker"), { workerData: file, resourceLimits: SMALL_HEAP });
  const sums = faultFrom(worker);
  // It is awaited below, whatever comes first.
  sums.catch(() => undefined);
  const trust: SumTrust = { line: 0 };
  const checked = async (): Promise<void> => {
    const fault = await sums;
    if (fault !== null && fault.line <= trust.line) throw new LogError("damaged", fault.line, fault.what);
  };
  try {
    const outcome = await witnessLogOf(worldModel, piecesOf(file, "reading"), witness, { trust });
    await checked();
    return outcome;
  } catch (error) {
    // The first fault of a log is the one that is told.
    if (error instanceof LogError) await checked();
    throw error;
  } finally {
    await worker.terminate();
  }
}

function faultFrom(worker: Worker): Promise<SumFault | null> {
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}
