/** One line of the comparison: work that all contestants of its section do. */
export interface Contest {
  readonly id: string;
  /** The work, for readers of the table. */
  readonly what: string;
  readonly unit: string;
  readonly better: "higher" | "lower";
}

/** Contests with the same contestants. The first of these is the one that all are compared with. */
export interface Section {
  readonly title: string;
  readonly contestants: readonly string[];
  readonly contests: readonly Contest[];
  /** What a reader has to know to judge whether the work is the same. */
  readonly remark: string;
}

export const SIZES = [100, 10_000, 1_000_000] as const;

export type Size = (typeof SIZES)[number];

const sized = (size: Size): string => size.toLocaleString("en-US");

const rates = (id: string, whatOf: (count: string) => string): Contest[] =>
  SIZES.map((size) => ({ id: `${id}@${size}`, what: whatOf(sized(size)), unit: "1/s", better: "higher" }));

/** A stand-in for the service, as the code under test meets it. */
export const backends: Section = {
  title: "A fake backend",
  contestants: ["hindcast", "msw", "nock", "hono"],
  contests: [
    { id: "start", what: "import and first answer", unit: "ms", better: "lower" },
    ...rates("read", (count) => `reads, ${count} secrets`),
    ...rates("write", (count) => `writes, ${count} secrets`),
    ...rates("list", (count) => `lists of a folder of 100, ${count} secrets`),
  ],
  remark:
    "Requests as a client makes them, one after another, each answer's JSON read: to `sim.fetch`, to the global `fetch` under msw and " +
    "nock, and to the app itself (hono). The handlers of these three are written by hand: a Map of folders, one token. hindcast checks " +
    "policies, and each write is a commit that stays in its history. A start is a fresh process, less one that imports nothing.",
};

/** What keeps state: a decider, and what became of its decisions. */
export const engines: Section = {
  title: "A state engine",
  contestants: ["hindcast's kernel", "emmett", "redux toolkit", "xstate actors"],
  contests: [
    ...rates("commits", (count) => `commits, ${count} accounts`),
    ...SIZES.map(
      (size): Contest => ({
        id: `bytes-per-commit@${size}`,
        what: `memory of a commit, ${sized(size)} accounts`,
        unit: "bytes",
        better: "lower",
      }),
    ),
  ],
  remark:
    "One decider of 30 lines lends accounts picked at random. hindcast's kernel keeps every commit, a draw for each, and a state at every " +
    "32nd; emmett keeps a stream of events for each account, in memory; redux and xstate keep the list of their actions or events, from " +
    "which a state can be had again. Redux runs without its checks for development. Out of reach are a million of emmett's streams, " +
    "as each append counts the events of all of them, and the weight of redux's commits there, as each takes seconds.",
};

/** Time that somebody moves. */
export const times: Section = {
  title: "Time",
  contestants: ["hindcast", "fake-timers"],
  contests: [
    { id: "timers", what: "1,000,000 timers armed and fired", unit: "1,000/s", better: "higher" },
    { id: "year", what: "a year of 1,000 daily rotations, hourly snapshots", unit: "s", better: "lower" },
  ],
  remark:
    "Timers on hindcast's kernel are commits, two for each, and stay in its history. The year is hindcast's directory engine (374,000 " +
    "commits), and beside it 60 lines by hand under fake timers: a Map of passwords, copied by `structuredClone` at each snapshot.",
};

/** Moving in what has been. */
export const travels: Section = {
  title: "Travel",
  contestants: ["hindcast's kernel", "redux toolkit"],
  contests: [
    { id: "seek", what: "the state at one of 1,000,000 commits", unit: "ms", better: "lower" },
    { id: "diff", what: "what differs between two of them", unit: "ms", better: "lower" },
    { id: "fork", what: "a fork at the head of them", unit: "us", better: "lower" },
    { id: "fork-sharing", what: "the same, sharing the state", unit: "us", better: "lower" },
    { id: "fork@100000", what: "a fork of 100,000 accounts", unit: "us", better: "lower" },
  ],
  remark:
    "The engines of above, 100 accounts, places picked at random. Redux replays its actions from the start, and compares two states " +
    "account by account; its fork is a `structuredClone` of the state, or another store that is given the state as it is.",
};

export const sections: readonly Section[] = [backends, engines, times, travels];

/** What a contestant's part of a contest is called in `--only`, in progress and in the file. */
export const entryId = (contest: string, contestant: string): string =>
  `${contest}/${contestant.replaceAll(/[^a-z0-9]+/g, "-")}`;
