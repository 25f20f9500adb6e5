import { Worker } from "node:worker_threads";
import { LogError } from "../../kernel/log-error.ts";
import type { SumFault } from "../../kernel/log-reader.ts";
import { type LogOutcome, type LogWitness, witnessLog } from "../../simulator/log.ts";
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
    return isShared ? inTwoThreads(file, witness) : witnessLog(piecesOf(file, "reading"), witness, options);
  });
}

async function inTwoThreads(file: string, witness: LogWitness): Promise<LogOutcome> {
  const worker = new Worker(fileIn("src/node", "log-sums-worker"), { workerData: file });
  const sums = faultFrom(worker);
  // It is awaited below, whatever comes first.
  sums.catch(() => undefined);
  try {
    const outcome = await witnessLog(piecesOf(file, "reading"), witness, { sumsAreCheckedElsewhere: true });
    const fault = await sums;
    if (fault !== null) throw errorOf(fault);
    return outcome;
  } catch (error) {
    const fault = error instanceof LogError ? await sums : null;
    // The first fault of a log is the one that is told.
    if (fault !== null && error instanceof LogError && fault.line < error.line) throw errorOf(fault);
    throw error;
  } finally {
    await worker.terminate();
  }
}

function errorOf({ line, what }: SumFault): LogError {
  return new LogError("damaged", line, what);
}

function faultFrom(worker: Worker): Promise<SumFault | null> {
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}
