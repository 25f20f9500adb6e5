import { availableParallelism } from "node:os";
import { durationMs } from "../../languages/duration.ts";
import { defineCommand, JSON_OPTION } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { explorationOf, sumOf } from "../explore/file.ts";
import { workAt } from "../explore/queue.ts";
import { Threads } from "../explore/threads.ts";
import { counted } from "../terminal/counted.ts";
import { wholeIn } from "./explore.ts";

/** Plays what an exploration elsewhere has put into a queue. */
export const exploreWorker = defineCommand({
  name: "explore-worker",
  about:
    "Plays what `hindcast explore <file> --queue` has put into a queue, until that is over. It needs the same file and the same version, " +
    "and may be killed at any time: what it had in hand goes to another.",
  args: {
    file: { type: "positional", description: "the file that is explored", required: true },
    queue: { type: "string", description: "where the queue is, in Redis or Valkey", valueHint: "redis://host" },
    workers: { type: "string", description: "threads that play; one a core unless told", valueHint: "n" },
    wait: {
      type: "string",
      description: "how long it waits for an exploration to begin; 10m unless told",
      valueHint: "10m",
    },
    ...JSON_OPTION,
  },
  run: async ({ file, queue, workers, wait = "10m", json }, { print, printJson }) => {
    if (queue === undefined)
      throw usageError("explore-worker needs --queue", "hindcast explore-worker <file> --queue redis://localhost");
    const count = wholeIn("workers", workers) ?? availableParallelism();
    const { name } = await explorationOf(file);
    const giveUp = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => giveUp.abort(signal));
    const threads = new Threads(file, count);
    let played = 0;
    const telling = {
      onBegin: () => void (json || print([`plays for ${name}`])),
      onRange: (schedules: number) => {
        played += schedules;
      },
    };
    try {
      const place = { url: queue, name, sum: sumOf(file) };
      const work = { count, waitMs: waitIn(wait), signal: giveUp.signal };
      const begun = await workAt(place, threads, work, telling);
      if (json) printJson({ name, begun, schedules: played });
      else print([begun ? `played ${counted(played, "schedule")}` : `no exploration began within ${wait}`]);
      return giveUp.signal.reason === "SIGINT" ? EXIT.interrupted : EXIT.held;
    } finally {
      await threads.end();
    }
  },
});

function waitIn(word: string): number {
  try {
    return durationMs(word);
  } catch {
    throw usageError(`--wait is ${word}: it is a duration, such as 10m`);
  }
}
