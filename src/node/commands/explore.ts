import { availableParallelism } from "node:os";
import { defineCommand, JSON_OPTION, seedIn } from "../command.ts";
import { EXIT, type ExitCode, usageError } from "../exit.ts";
import { explorationOf, sumOf } from "../explore/file.ts";
import { ProgressLine, reportLines } from "../explore/report.ts";
import { Threads } from "../explore/threads.ts";
import { quotedWord } from "../terminal/quoted.ts";

/** Plays schedules against programs. */
export const explore = defineCommand({
  name: "explore",
  about:
    "Plays schedules of faults against the programs of an exploration, and looks for one in which something does not hold. " +
    "What fails is shrunk, and leaves a scenario, a log and a page.",
  args: {
    file: { type: "positional", description: "a file whose default export defineExploration made", required: true },
    workers: { type: "string", description: "threads that play; one a core unless told", valueHint: "n" },
    schedules: { type: "string", description: "how many schedules are played, in place of the file's", valueHint: "n" },
    seed: { type: "string", description: "in place of the file's seed", valueHint: "n" },
    budget: {
      type: "string",
      description: "ends after so much real time; it plays on until then, unless --schedules says less",
      valueHint: "1h",
    },
    shard: {
      type: "string",
      description: "plays the i-th of n shares, counted from 1: for builds that run side by side",
      valueHint: "i/n",
    },
    schedule: { type: "string", description: "plays one schedule alone", valueHint: "text" },
    queue: {
      type: "string",
      description: "lets explore-worker play, from a queue in Redis or Valkey",
      valueHint: "redis://host",
    },
    out: {
      type: "string",
      description: "the folder for what failures leave; hindcast-failures unless told",
      valueHint: "folder",
    },
    ...JSON_OPTION,
  },
  run: async (args, { print, printJson }): Promise<ExitCode> => {
    const { file } = args;
    const workers = wholeIn("workers", args.workers) ?? availableParallelism();
    const { name, options } = await explorationOf(file);
    const [{ explored }, { readSettings }, { Prepared }] = await Promise.all([
      import("../../explore/explore.ts"),
      import("../../explore/options.ts"),
      import("../../explore/prepared.ts"),
    ]);
    const shard = shardIn(args.shard);
    const seed = seedIn(args.seed) ?? options.seed ?? 1;
    const schedules =
      wholeIn("schedules", args.schedules) ?? (args.budget === undefined ? options.schedules : Number.MAX_SAFE_INTEGER);
    const settings = understood(() =>
      readSettings("explore", {
        ...options,
        seed: shard === undefined ? seed : `${seed} ${shard.i}/${shard.n}`,
        ...(schedules === undefined ? {} : { schedules: shareOf(schedules, shard) }),
        ...(args.budget === undefined ? {} : { budget: args.budget }),
        ...(args.schedule === undefined ? {} : { only: args.schedule }),
        ...(args.out === undefined ? {} : { folder: args.out }),
      }),
    );
    const prepared = await Prepared.of(file, settings);
    const progress = new ProgressLine();
    const interrupted = interruption();
    const { players, end, breakOff } = await playersOf({ file, name, workers, queue: args.queue });
    try {
      const again = (schedule: unknown): string =>
        `npx hindcast explore ${quotedWord(file)} --schedule ${quotedWord(String(schedule))}`;
      const exploring = explored(name, prepared, players, { again, onProgress: progress.show });
      const report = await Promise.race([exploring, interrupted]);
      progress.end();
      if (report === undefined) {
        exploring.catch(() => undefined);
        await breakOff();
        return EXIT.interrupted;
      }
      await end();
      if (args.json) printJson({ name, ...report, ...(shard === undefined ? {} : { shard: `${shard.i}/${shard.n}` }) });
      else print(reportLines(name, report));
      return report.ok ? EXIT.held : EXIT.failed;
    } catch (error) {
      progress.end();
      await breakOff();
      throw error;
    }
  },
});

/** Who plays, what is done when all was played, and what when somebody breaks it off. */
async function playersOf({
  file,
  name,
  workers,
  queue,
}: {
  readonly file: string;
  readonly name: string;
  readonly workers: number;
  readonly queue: string | undefined;
}) {
  if (queue !== undefined) {
    const { QueuedPlayers } = await import("../explore/queue.ts");
    const queued = await QueuedPlayers.begin({ url: queue, name, sum: sumOf(file) });
    return { players: queued.players, end: () => queued.end(), breakOff: () => queued.close() };
  }
  const threads = new Threads(file, workers);
  return { players: threads.players, end: () => threads.end(), breakOff: () => threads.end() };
}

/** Comes when the person at the keyboard has had enough. */
function interruption(): Promise<undefined> {
  return new Promise((resolve) => void process.once("SIGINT", () => resolve(undefined)));
}

/** Options that are wrong are told as words of the command line are. */
function understood<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof TypeError ? usageError(error.message) : error;
  }
}

export function wholeIn(name: string, word: string | undefined): number | undefined {
  if (word === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(word)) return Number(word);
  throw usageError(`--${name} is ${word}: it is a whole number from 1 on`);
}

interface Shard {
  readonly i: number;
  readonly n: number;
}

function shardIn(word: string | undefined): Shard | undefined {
  if (word === undefined) return undefined;
  const [, i, n] = /^(\d{1,6})\/(\d{1,6})$/.exec(word) ?? [];
  const shard = { i: Number(i), n: Number(n) };
  if (shard.i >= 1 && shard.i <= shard.n) return shard;
  throw usageError(`--shard is ${word}: it is 1/4 for the first of four`);
}

/** The first shares have one more where it does not come out even. */
function shareOf(schedules: number, shard: Shard | undefined): number {
  if (shard === undefined || schedules === Number.MAX_SAFE_INTEGER) return schedules;
  const { i, n } = shard;
  return Math.max(1, Math.floor(schedules / n) + (i <= schedules % n ? 1 : 0));
}
