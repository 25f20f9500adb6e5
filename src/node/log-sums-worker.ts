import { createReadStream } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { type SumFault, SumReader } from "../kernel/log-reader.ts";

// A thread that checks the sums of a log while another one folds its facts: each takes about half of the time.

const reader = new SumReader();
for await (const piece of createReadStream(workerData as string, { encoding: "utf8", highWaterMark: 1 << 18 })) {
  if (!reader.add(piece as string)) break;
}
parentPort?.postMessage((reader.fault ?? null) satisfies SumFault | null);
