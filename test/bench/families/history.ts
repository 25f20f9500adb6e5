import type { Commit } from "../../../src/kernel/commit.ts";
import { foldCommit } from "../../../src/kernel/fold.ts";
import { worldModel } from "../../../src/simulator/services.ts";
import type { World } from "../../../src/simulator/world.ts";
import { heapBytes, microsecondsEach, perSecond } from "../harness/measure.ts";
import { atLeast, atMost, type Effort, type Family, type Row, row, shared } from "../harness/row.ts";
import { commandRate, LendingWorld, type Returned } from "./lending-world.ts";
import { seeking } from "./seeking.ts";

const LARGE_LOG = shared((effort) => logOf(effort, 100_000, 1_000_000));
const SMALL_LOG = shared((effort) => logOf(effort, 1_000, 100_000));

/** What a log is good for: replay, travelling, forks, and what it costs to keep. */
export const history: Family = {
  name: "history",
  rows: [
    row({
      id: "bytes-per-commit",
      unit: "bytes",
      goal: atMost(1_100),
      rounds: 1,
      warmUps: 0,
      prepare: (effort) => {
        const { bytesPerCommit } = historyOf(
          new LendingWorld({ accounts: 100, accountsPerSet: 100 }),
          effort.size(200_000),
        );
        return () => bytesPerCommit;
      },
      note: "first row, 100 accounts, 200,000 commits, a checkpoint every 32",
    }),
    onLargeHistory({
      id: "bytes-per-commit@100000",
      unit: "bytes",
      goal: atMost(4_200),
      rounds: 1,
      warmUps: 0,
      prepare: (effort) => {
        const { bytesPerCommit } = large(effort);
        return () => bytesPerCommit;
      },
      note: "100,000 accounts, borrowed and returned at random, 1,000,000 commits",
    }),
    replay(LARGE_LOG, { id: "replay-events-per-second@set-up", note: "what built the first row's world" }, "setUp"),
    replay(LARGE_LOG, { id: "replay-events-per-second@100000", goal: atLeast(150_000), rounds: 3 }, 100_000),
    replay(
      SMALL_LOG,
      { id: "replay-events-per-second@1000-accounts", process: "small log", goal: atLeast(300_000), rounds: 3 },
      100_000,
    ),
    replay(
      LARGE_LOG,
      {
        id: "replay-events-per-second",
        comparedWith: "replay-events-per-second@100000",
        ratioGoal: atLeast(0.8),
        rounds: 2,
        warmUps: 0,
        note: "1,000,000 events of the first row, folded commit by commit from the world before them",
      },
      1_000_000,
    ),
    onLargeHistory({
      id: "seek-p99-ms",
      unit: "ms",
      goal: atMost(6),
      prepare: (effort) => seeking(large(effort).world.sim, effort.count(2_000)),
      note: "2,000 positions a round, picked at random among 1,000,000",
    }),
    row({
      id: "fork-us@1000",
      unit: "us",
      prepare: (effort) =>
        forking(historyOf(new LendingWorld({ accounts: 100, accountsPerSet: 100 }), 1_000).world, effort),
    }),
    onLargeHistory({
      id: "fork-us",
      unit: "us",
      goal: atMost(1),
      comparedWith: "fork-us@1000",
      prepare: (effort) => forking(large(effort).world, effort),
      note: "at the head of 1,000,000 commits",
    }),
    onLargeHistory({
      id: "commands-per-second@long-history",
      unit: "commands/s",
      rounds: 3,
      comparedWith: "commands-per-second",
      prepare: (effort) => commandRate(large(effort).world, effort),
      note: "the first row after 1,000,000 commits",
    }),
  ],
};

// --- a long history -------------------------------------------------------------------------------------------------

/** A world that was lent from for a while, and what its history takes. */
interface KeptHistory {
  readonly world: LendingWorld;
  readonly bytesPerCommit: number;
}

function historyOf(world: LendingWorld, commands: number, returned?: Returned): KeptHistory {
  // Caches and the journal fill up first: they are no history.
  world.turns(1_000, returned);
  const [begin, before] = [world.sim.position, heapBytes()];
  world.turns(commands / 2, returned);
  return { world, bytesPerCommit: (heapBytes() - before) / (world.sim.position - begin) };
}

const large = shared((effort: Effort) =>
  historyOf(new LendingWorld({ accounts: effort.size(100_000), accountsPerSet: 100 }), effort.size(1_000_000), "any"),
);

function onLargeHistory(declared: Row): Row {
  return row({ process: "large history", collects: false, ...declared });
}

function forking({ sim }: LendingWorld, effort: Effort): () => number {
  const count = effort.count(200_000);
  return () =>
    microsecondsEach(count, () => {
      for (let fork = 0; fork < count; fork++) sim.fork();
    });
}

// --- replay ---------------------------------------------------------------------------------------------------------

/** A log as a replay meets it: without the simulator that wrote it. */
interface Log {
  readonly initial: World;
  readonly setUp: readonly Commit[];
  /** The world in which lending begins. */
  readonly built: World;
  readonly lending: readonly Commit[];
}

function logOf(effort: Effort, accounts: number, events: number): Log {
  const world = new LendingWorld({ accounts: effort.size(accounts), accountsPerSet: 100 });
  const { sim } = world;
  const begin = sim.position;
  // Two events at each check-out, three at each check-in.
  world.turns(Math.ceil(effort.size(events) / 5));
  const commits = sim.log.commits();
  return {
    initial: sim.at(0).state,
    setUp: commits.slice(0, begin),
    built: sim.at(begin).state,
    lending: commits.slice(begin),
  };
}

function replay(log: (effort: Effort) => Log, declared: Omit<Row, "unit" | "prepare">, events: number | "setUp"): Row {
  return row({
    process: "log",
    unit: "events/s",
    ...declared,
    prepare: (effort) => {
      const { initial, setUp, built, lending } = log(effort);
      const begin = events === "setUp" ? initial : built;
      const commits = events === "setUp" ? setUp : firstEvents(lending, effort.size(events));
      const count = commits.reduce((sum, commit) => sum + commit.events.length, 0);
      return () =>
        perSecond(count, () => {
          let state = begin;
          for (const commit of commits) state = foldCommit(worldModel, state, commit);
        });
    },
  });
}

function firstEvents(commits: readonly Commit[], wanted: number): readonly Commit[] {
  let events = 0;
  const end = commits.findIndex((commit) => {
    events += commit.events.length;
    return events >= wanted;
  });
  return end < 0 ? commits : commits.slice(0, end + 1);
}
