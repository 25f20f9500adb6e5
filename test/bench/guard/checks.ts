import { spawnSync } from "node:child_process";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { foldCommit } from "../../../src/kernel/fold.ts";
import { worldModel } from "../../../src/simulator/services.ts";
import { http } from "../families/http.ts";
import { LendingWorld } from "../families/lending-world.ts";
import { listener } from "../families/listener.ts";
import { Dice, heapBytes } from "../harness/measure.ts";
import { atLeast, atMost, Effort, type Family } from "../harness/row.ts";
import type { Check } from "./guard.ts";
import { cpuTime, timesAsLong, wallTime } from "./side-by-side.ts";

// Each pair is a hundred times apart: what has become linear is beyond its bound by far.
const FEW = 100;
const MANY = 30_000;
const SHORT = 200;
const LONG = 20_000;

const lendingOf = once((accounts: number) => new LendingWorld({ accounts, accountsPerSet: 100 }));
const secretsOf = once((count: number) => new Secrets(count));
const lentFor = once((commits: number) => {
  const world = new LendingWorld({ accounts: FEW, accountsPerSet: FEW });
  world.turns((commits + SET_UP) / 2, "any");
  return world.sim;
});

/**
 * What the design promises, each against the same in a small world or a short history, or against what does the least that can be
 * done. Values of a machine at rest are between 1 and 3.
 */
export const checks: readonly Check[] = [
  {
    id: "commands",
    what: "a check-out and a check-in among 30,000 accounts, against 100",
    bound: atMost(10),
    measure: () => {
      const [many, few] = [lendingOf(MANY).turnsOnFork("any"), lendingOf(FEW).turnsOnFork("any")];
      return timesAsLong(
        () => many(1),
        () => few(1),
      );
    },
  },
  {
    id: "writes",
    what: "a kv write among 30,000, against 100",
    bound: atMost(10),
    measure: () => timesAsLong(secretsOf(MANY).write, secretsOf(FEW).write),
  },
  {
    id: "lists",
    what: "a list of a folder of 100 among 30,000, against 100",
    bound: atMost(10),
    measure: () => timesAsLong(secretsOf(MANY).list, secretsOf(FEW).list),
  },
  {
    id: "hashes",
    what: "a kv write and the state's hash among 30,000, against 100",
    bound: atMost(10),
    measure: () => timesAsLong(secretsOf(MANY).writeAndHash, secretsOf(FEW).writeAndHash),
  },
  {
    id: "diffs",
    what: "what a commit changed among 30,000, against 100",
    bound: atMost(10),
    measure: () => timesAsLong(secretsOf(MANY).diff, secretsOf(FEW).diff),
  },
  {
    id: "seeks",
    what: "the state at a position of 20,000, against 200",
    bound: atMost(5),
    measure: () => timesAsLong(seekIn(lentFor(LONG)), seekIn(lentFor(SHORT))),
  },
  {
    id: "forks",
    what: "a fork at the head of 20,000 commits, against 200",
    bound: atMost(5),
    measure: () =>
      timesAsLong(
        () => lentFor(LONG).fork(),
        () => lentFor(SHORT).fork(),
      ),
  },
  {
    id: "replay",
    what: "a commit of 20,000 folded from the first on, against one of 200",
    bound: atMost(5),
    measure: () => timesAsLong(fold(lentFor(LONG), LONG), fold(lentFor(LONG), SHORT)),
  },
  {
    id: "deadlines",
    what: "a deadline of 10,000 fired, against one of 100",
    bound: atMost(5),
    measure: () => {
      firing(DEADLINES);
      return firing(DEADLINES) / firing(100);
    },
  },
  {
    id: "memory",
    what: "bytes of a commit in memory, against those of its line in the log",
    bound: atMost(15),
    measure: bytesToBytes,
  },
  {
    id: "fetch",
    what: "sim.fetch of a read, against a bare handler of the same request and answer",
    bound: atMost(10),
    measure: () => roundOf(http, "fetch-ratio", new Effort(false)),
  },
  {
    id: "listener",
    what: "requests to the listener, against a bare server of the same answers",
    bound: atLeast(0.08),
    measure: () => roundOf(listener, "listener-ratio", new Effort(true)),
  },
  {
    id: "import",
    what: "a process that imports the package, against one that imports nothing",
    bound: atMost(12),
    measure: () => {
      const [imports, nothing] = [`import ${JSON.stringify(import.meta.resolve("hindcast"))};`, ""];
      return timesAsLong(
        () => run(imports),
        () => run(nothing),
        { batches: 5, stopwatch: wallTime },
      );
    },
  },
];

function once<K, V>(build: (key: K) => V): (key: K) => V {
  const built = new Map<K, V>();
  return (key) => {
    const known = built.get(key) ?? build(key);
    built.set(key, known);
    return known;
  };
}

/** Folders of 100 secrets. */
class Secrets {
  readonly #sim: Simulator = createSimulator();
  readonly #kv = this.#sim.secrets.cluster("main").as(this.#sim.secrets.cluster("main").rootToken).kv;
  readonly #dice = new Dice(1);
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
    for (let index = 0; index < count; index++) this.#kv.write({ path: pathOf(index), password: "first" });
  }

  readonly write = (): void => {
    this.#kv.write({ path: pathOf(this.#dice.below(this.#count)), password: `password ${this.#dice.below(1_000)}` });
  };

  readonly list = (): unknown => this.#kv.list({ prefix: `app/${this.#dice.below(this.#count / 100)}` });

  readonly writeAndHash = (): string => {
    this.write();
    return this.#sim.stateHash();
  };

  readonly diff = (): unknown => {
    this.write();
    return this.#sim.diff(this.#sim.position - 1, this.#sim.position);
  };
}

const pathOf = (index: number): string => `app/${Math.floor(index / 100)}/key-${index % 100}`;

/** What made the world of a history is no part of it: those commits are others. */
const SET_UP = 500;

function seekIn(sim: Simulator): () => unknown {
  const dice = new Dice(1);
  return () => sim.at(SET_UP + dice.below(sim.position - SET_UP)).state;
}

/** Folds so many commits of a history, one at a time, again and again. */
function fold(sim: Simulator, count: number): () => void {
  const commits = sim.log.commits().slice(SET_UP, SET_UP + count);
  const begin = sim.at(SET_UP).state;
  let state = begin;
  let next = 0;
  return () => {
    const commit = commits[next];
    if (commit === undefined) throw new RangeError("a log without commits");
    if (next === 0) state = begin;
    state = foldCommit(worldModel, state, commit);
    next = (next + 1) % commits.length;
  };
}

const DEADLINES = 10_000;

/** What firing takes: tokens that end, one after the other. As many in all, whatever the number that waits. */
function firing(count: number): number {
  const simulators = Array.from({ length: DEADLINES / count }, () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    for (let index = 1; index <= count; index++) main.createToken({ policies: ["default"], ttl: `${index}s` });
    return sim;
  });
  const took = cpuTime();
  for (const { clock } of simulators) clock.advance("5h");
  return took();
}

function bytesToBytes(): number {
  const world = new LendingWorld({ accounts: FEW, accountsPerSet: FEW });
  // Caches and the journal fill up first: they are no history.
  world.turns(1_500, "any");
  const [begin, before] = [world.sim.position, heapBytes()];
  world.turns(5_000, "any");
  const bytes = heapBytes() - before;
  const lines = world.sim.log.toNdjson().split("\n").slice(begin);
  return bytes / lines.reduce((sum, line) => sum + line.length, 0);
}

/** A row of the bench. */
async function roundOf({ rows }: Family, id: string, effort: Effort): Promise<number> {
  const round = await rows.find((row) => row.id === id)?.prepare(effort);
  if (typeof round !== "function") throw new TypeError(`the bench has no ${id}`);
  await round();
  const sample = await round();
  return typeof sample === "number" ? sample : sample.value;
}

function run(source: string): void {
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", source]);
  if (status !== 0) throw new Error(stderr.toString());
}
