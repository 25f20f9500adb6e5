import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { replay, type Simulator } from "../../../src/index.ts";
import { foldCommit } from "../../../src/kernel/fold.ts";
import { worldModel } from "../../../src/simulator/services.ts";
import { Dice, heapBytes, microsecondsEach, perSecond, seconds } from "../harness/measure.ts";
import { type Effort, type Family, type Row, row, shared } from "../harness/row.ts";
import { LendingWorld } from "./lending-world.ts";
import { seeking } from "./seeking.ts";

const SMALL = 10_000;
const LARGE = 1_000_000;
/** So many exceed Node's heap; the harness gives its processes more. They are measured when a row is asked for by name. */
const HUGE = 5_000_000;

/** A history of so many commits, with what it takes in memory and as a file. */
interface Written {
  readonly sim: Simulator;
  readonly megabytes: number;
  readonly bytesPerCommit: number;
}

const written = new Map<number, (effort: Effort) => Written>();

function writtenOf(commits: number): (effort: Effort) => Written {
  const known = written.get(commits) ?? shared((effort: Effort) => write(effort.size(commits)));
  written.set(commits, known);
  return known;
}

/** Writes a history of so many commits. */
export function write(commits: number): Written {
  const world = new LendingWorld({ accounts: 1_000, accountsPerSet: 100 });
  const [begin, before] = [world.sim.position, heapBytes()];
  while (world.sim.position < commits) world.turns(Math.ceil(Math.min(100_000, commits - world.sim.position) / 2));
  const bytesPerCommit = (heapBytes() - before) / (world.sim.position - begin);
  let characters = 0;
  for (const commit of world.sim.log.commits()) characters += JSON.stringify(commit).length + 1;
  return { sim: world.sim, megabytes: characters / 1_000_000, bytesPerCommit };
}

/** The log as a file, and what differs between two places. */
export const logs: Family = {
  name: "logs",
  rows: [SMALL, LARGE].flatMap((commits) => [...fileRows(commits), ...travelRows(commits), ...diffRows(commits)]),
};

/** The same at the size that a heap of its own and minutes are needed for: `npm run bench -- --only '*@5000000*'`. */
export const hugeLogs: Family = {
  name: "huge logs",
  onlyByName: true,
  rows: [...fileRows(HUGE), ...travelRows(HUGE), ...diffRows(HUGE)],
};

/** A round of the large sizes takes minutes. */
function few(commits: number): Pick<Row, "rounds" | "warmUps"> {
  return commits < HUGE ? { rounds: 3 } : { rounds: 1, warmUps: 0 };
}

// --- the file -------------------------------------------------------------------------------------------------------

function fileRows(commits: number): Row[] {
  const of = writtenOf(commits);
  const more = { process: `log of ${commits}`, collects: false, ...few(commits), unit: "MB/s" } as const;
  const words = `${commits.toLocaleString("en-US")} commits`;
  return [
    row({
      id: `json-stringify-mb-per-second@${commits}`,
      ...more,
      prepare: (effort) => {
        const { sim, megabytes } = of(effort);
        const kept = sim.log.commits();
        return () => megabytes / seconds(() => kept.forEach((commit) => void JSON.stringify(commit)));
      },
      note: `${words}, one by one`,
    }),
    row({
      id: `export-mb-per-second@${commits}`,
      ...more,
      comparedWith: `json-stringify-mb-per-second@${commits}`,
      prepare: (effort) => {
        const { sim, megabytes } = of(effort);
        return async () => {
          const before = performance.now();
          let length = 0;
          for await (const line of sim.log.lines()) length += line.length;
          if (length < megabytes * 1_000_000) throw new Error("the log is shorter than its commits");
          return (megabytes * 1_000) / (performance.now() - before);
        };
      },
      note: `${words}, sim.log.lines()`,
    }),
    row({
      id: `json-parse-mb-per-second@${commits}`,
      ...more,
      prepare: (effort) => {
        const { sim, megabytes } = of(effort);
        // As many lines as fit well into one heap; the rate is what counts.
        const lines = sim.log
          .commits()
          .slice(-100_000)
          .map((commit) => JSON.stringify(commit));
        const share = lines.reduce((sum, line) => sum + line.length + 1, 0) / 1_000_000;
        return () => Math.min(share, megabytes) / seconds(() => lines.forEach((line) => void JSON.parse(line)));
      },
      note: "the last 100,000 of them",
    }),
    row({
      id: `import-mb-per-second@${commits}`,
      ...more,
      // The simulator that wrote the file is gone when the file is read: two of five million commits exceed the heap.
      process: `file of ${commits}`,
      comparedWith: `json-parse-mb-per-second@${commits}`,
      prepare: async (effort) => {
        const file = await fileOf(write(effort.size(commits)).sim);
        const megabytes = statSync(file).size / 1_000_000;
        return async () => {
          const before = performance.now();
          const { position } = await replay(createReadStream(file, "utf8"));
          const tookMs = performance.now() - before;
          return {
            value: (megabytes * 1_000) / tookMs,
            detail: `${Math.round(position / tookMs)} thousand commits a second`,
          };
        };
      },
      note: `${words}, replay() of a stream of the file`,
    }),
  ];
}

/** Writes a log to a file that is gone when the process ends. */
export async function fileOf(sim: Simulator): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "hindcast-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "log.ndjson");
  await pipeline(sim.log.lines(), createWriteStream(file));
  return file;
}

// --- travel and differences -----------------------------------------------------------------------------------------

function travelRows(commits: number): Row[] {
  const of = writtenOf(commits);
  const more = { process: `log of ${commits}`, collects: false, ...few(commits) } as const;
  const words = `${commits.toLocaleString("en-US")} commits, 1,000 accounts`;
  return [
    row({
      id: `bytes-per-commit@${commits}-commits`,
      ...more,
      unit: "bytes",
      rounds: 1,
      warmUps: 0,
      prepare: (effort) => {
        const { bytesPerCommit } = of(effort);
        return () => bytesPerCommit;
      },
      note: words,
    }),
    row({
      id: `replay-events-per-second@${commits}-commits`,
      ...more,
      unit: "events/s",
      prepare: (effort) => {
        const { sim } = of(effort);
        const kept = sim.log.commits();
        const initial = sim.at(0).state;
        const events = kept.reduce((sum, commit) => sum + commit.events.length, 0);
        return () =>
          perSecond(events, () => {
            let state = initial;
            for (const commit of kept) state = foldCommit(worldModel, state, commit);
          });
      },
      note: `${words}, folded commit by commit`,
    }),
    row({
      id: `seek-p99-ms@${commits}`,
      ...more,
      unit: "ms",
      prepare: (effort) => seeking(of(effort).sim, effort.count(2_000)),
      note: words,
    }),
    row({
      id: `fork-us@${commits}`,
      ...more,
      unit: "us",
      prepare: (effort) => {
        const { sim } = of(effort);
        const times = effort.count(200_000);
        return () =>
          microsecondsEach(times, () => {
            for (let time = 0; time < times; time++) sim.fork();
          });
      },
      note: words,
    }),
  ];
}

function diffRows(commits: number): Row[] {
  const of = writtenOf(commits);
  const more = { process: `log of ${commits}`, collects: false, ...few(commits), unit: "ms" } as const;
  const words = `${commits.toLocaleString("en-US")} commits, 1,000 accounts`;
  return [
    row({
      id: commits === LARGE ? "diff-ms" : `diff-ms@${commits}`,
      ...more,
      prepare: (effort) => diffing(of(effort).sim, 1, effort.count(500)),
      note: `one commit, anywhere in ${words}`,
    }),
    row({
      id: commits === LARGE ? "diff-ms@over-10000" : `diff-ms@${commits}-over-10000`,
      ...more,
      prepare: (effort) => diffing(of(effort).sim, effort.size(Math.min(10_000, commits - 1_000)), effort.count(20)),
      note: `10,000 commits (9,000 where there are no more), anywhere in ${words}`,
    }),
  ];
}

function diffing(sim: Simulator, commits: number, times: number): () => number {
  const dice = new Dice(3);
  return () => {
    let found = 0;
    const took = seconds(() => {
      for (let time = 0; time < times; time++) {
        const from = dice.below(sim.position - commits);
        found += sim.diff(from, from + commits).length;
      }
    });
    if (found === 0) throw new Error("nothing differed");
    return (took * 1_000) / times;
  };
}
