import { replay, type Simulator } from "../../../src/index.ts";
import { Dice, seconds } from "../harness/measure.ts";
import { atMost, type Effort, type Family, type Row, row, shared } from "../harness/row.ts";
import { LendingWorld } from "./lending-world.ts";

const SMALL = 10_000;
const LARGE = 1_000_000;
/** So many exceed Node's heap; the harness gives its processes more. They are measured when a row is asked for by name. */
const HUGE = 5_000_000;

/** A history of so many commits, and its commits as bare objects. */
interface Written {
  readonly sim: Simulator;
  readonly megabytes: number;
}

const written = new Map<number, (effort: Effort) => Written>();

function writtenOf(commits: number): (effort: Effort) => Written {
  const known = written.get(commits) ?? shared((effort: Effort) => write(effort.size(commits)));
  written.set(commits, known);
  return known;
}

function write(commits: number): Written {
  const world = new LendingWorld({ accounts: 1_000, accountsPerSet: 100 });
  while (world.sim.position < commits) world.turns(Math.ceil(Math.min(100_000, commits - world.sim.position) / 2));
  let characters = 0;
  for (const commit of world.sim.log.commits()) characters += JSON.stringify(commit).length + 1;
  return { sim: world.sim, megabytes: characters / 1_000_000 };
}

/** The log as a file, and what differs between two places. */
export const logs: Family = {
  name: "logs",
  rows: [...fileRows(SMALL), ...fileRows(LARGE), ...diffRows(LARGE)],
};

/** The same at the size that a heap of its own and minutes are needed for: `npm run bench -- --only huge*`. */
export const hugeLogs: Family = {
  name: "huge logs",
  onlyByName: true,
  rows: [...fileRows(HUGE), ...travelRows(HUGE)].map((declared) =>
    row({
      ...declared,
      id: huge(declared.id),
      ...(declared.comparedWith === undefined ? {} : { comparedWith: huge(declared.comparedWith) }),
    }),
  ),
};

function huge(id: string): string {
  return `huge-${id}`;
}

// --- the file -------------------------------------------------------------------------------------------------------

function fileRows(commits: number): Row[] {
  const of = writtenOf(commits);
  const more = { process: `log of ${commits}`, collects: false, rounds: 3, unit: "MB/s" } as const;
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
      comparedWith: `json-parse-mb-per-second@${commits}`,
      prepare: (effort) => {
        const { sim, megabytes } = of(effort);
        return async () => {
          const before = performance.now();
          const { position } = await replay(sim.log.lines());
          const detail = `${Math.round(position / (performance.now() - before))} thousand commits a second`;
          // The pieces are written while they are read: what writing takes is in the row above.
          return { value: (megabytes * 1_000) / (performance.now() - before), detail };
        };
      },
      note: `${words}, replay(sim.log.lines()), writing included`,
    }),
  ];
}

// --- differences and travel -----------------------------------------------------------------------------------------

function diffRows(commits: number): Row[] {
  const of = writtenOf(commits);
  const more = { process: `log of ${commits}`, collects: false, unit: "ms" } as const;
  return [
    row({
      id: "diff-ms",
      ...more,
      prepare: (effort) => diffing(of(effort).sim, 1, effort.count(500)),
      note: "one commit, anywhere in 1,000,000",
    }),
    row({
      id: "diff-ms@10000-commits",
      ...more,
      prepare: (effort) => diffing(of(effort).sim, effort.size(10_000), effort.count(20)),
      note: "10,000 commits, anywhere in 1,000,000",
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

function travelRows(commits: number): Row[] {
  const of = writtenOf(commits);
  const more = { process: `log of ${commits}`, collects: false, rounds: 3 } as const;
  return [
    row({
      id: "seek-ms",
      ...more,
      unit: "ms",
      goal: atMost(1),
      prepare: (effort) => {
        const { sim } = of(effort);
        const dice = new Dice(5);
        const times = effort.count(1_000);
        return () =>
          (seconds(() => {
            for (let time = 0; time < times; time++) void sim.at(dice.below(sim.position)).state;
          }) *
            1_000) /
          times;
      },
      note: "mean of 1,000 positions",
    }),
    row({
      id: "fork-us",
      ...more,
      unit: "us",
      goal: atMost(5),
      prepare: (effort) => {
        const { sim } = of(effort);
        const times = effort.count(200_000);
        return () =>
          (seconds(() => {
            for (let time = 0; time < times; time++) sim.fork();
          }) *
            1_000_000) /
          times;
      },
    }),
  ];
}
