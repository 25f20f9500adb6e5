import fc from "fast-check";
import { rehearse, replay, type Simulator, type SimulatorOptions } from "../../src/index.ts";
import { isConnected } from "../../src/services/secrets/replication/connections.ts";
import type { Door } from "./failover-acting.ts";
import { aptStep } from "./failover-aptness.ts";
import { CLIENT_MOVES, type MoveName, NETWORK_MOVES, OPERATOR_MOVES, TIME_MOVES } from "./failover-moves.ts";
import { begun, isPossible, type StoryStep, scenarioText, taken } from "./failover-story.ts";
import { requestsOf } from "./journal.ts";
import { ReplicationChecker } from "./replication-checker.ts";
import { indexFaults, thawedPlaces } from "./world-checks.ts";

// Operators, clients, networks and clocks at random, over two to five clusters: the checker of histories is the model.

interface Model {
  readonly checker: ReplicationChecker;
  /** What was done so far. */
  readonly steps: StoryStep[];
}

interface Real {
  readonly sim: Simulator;
}

class Move implements fc.AsyncCommand<Model, Real> {
  readonly step: StoryStep;
  readonly #isApt: boolean;

  /** @param isApt clusters for which the move makes sense are looked for, when it is made: else most moves would be refused */
  constructor(step: StoryStep, isApt: boolean) {
    this.step = step;
    this.#isApt = isApt;
  }

  check(): boolean {
    return true;
  }

  async run({ checker, steps }: Model, { sim }: Real): Promise<void> {
    const step = this.#isApt ? aptStep(sim, this.step) : this.step;
    if (!isPossible(sim, step)) return;
    steps.push(step);
    await taken(sim, step);
    clean(checker.faults());
  }

  toString(): string {
    const { move, on, other, n, through = "call" } = this.step;
    return `${move}(${on}, ${other}, ${n}, ${through})`;
  }
}

function clean(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

/** What worlds differ in. */
const VARIANTS: readonly NonNullable<SimulatorOptions["secrets"]>[] = [
  { clusters: ["a", "b", "c"] },
  { clusters: ["a", "b", "c", "d"], syncDurations: { diff: "1s", sync: "1s" }, walBuffer: 3 },
  { clusters: ["a", "b"], nodes: 2, merkleCheckEvery: "5m", walBuffer: 2, roleChangeOutage: "2s" },
  { clusters: ["a", "b", "c", "d", "e"], reindexDuration: "3s", flushDuration: "2s" },
];

const worlds: readonly SimulatorOptions[] = VARIANTS.map((secrets) => ({ seed: 8, secrets }));

const joinsDr = (on: string, other: string): StoryStep => ({ move: "join", on, other, n: 0 });
const joinsPerformance = (on: string, other: string): StoryStep => ({ move: "join", on, other, n: 1 });

const lags = (on: string, other: string): StoryStep => ({ move: "lag", on, other, n: 6 });

/** How stories begin; those whose clusters are not there begin with less. */
const OPENINGS: readonly (readonly StoryStep[])[] = [
  [],
  [joinsDr("b", "a")],
  [joinsPerformance("b", "a")],
  [joinsDr("b", "a"), joinsPerformance("c", "a")],
  [joinsPerformance("c", "a"), joinsDr("d", "c"), joinsDr("b", "a")],
  [joinsPerformance("b", "a"), joinsPerformance("c", "b"), joinsDr("d", "a"), joinsDr("e", "a")],
  [joinsDr("b", "a"), joinsPerformance("c", "a"), lags("a", "b"), lags("a", "c")],
  [joinsPerformance("b", "a"), joinsDr("c", "b"), lags("a", "b"), lags("b", "c")],
  // A performance switch while an account is lent.
  [
    joinsPerformance("b", "a"),
    { move: "checkOut", on: "a", other: "b", n: 9 },
    { move: "primaryDemote", on: "a", other: "b", n: 1 },
    { move: "promote", on: "b", other: "a", n: 1 },
    { move: "attach", on: "a", other: "b", n: 1 },
  ],
];

const oneOf = (moves: readonly MoveName[]): fc.Arbitrary<MoveName> => fc.constantFrom(...moves);

const move: fc.Arbitrary<Move> = fc
  .record({
    move: fc.oneof(
      { weight: 7, arbitrary: oneOf(OPERATOR_MOVES) },
      { weight: 8, arbitrary: oneOf(CLIENT_MOVES) },
      { weight: 4, arbitrary: oneOf(NETWORK_MOVES) },
      { weight: 2, arbitrary: oneOf(["write", "token", "policy", "mount"]) },
      { weight: 2, arbitrary: oneOf(["seconds"]) },
      { weight: 1, arbitrary: oneOf(["healAll", "start", "unseal", "attach", "promote", "join"]) },
      { weight: 4, arbitrary: oneOf(TIME_MOVES) },
    ),
    on: fc.constantFrom("a", "a", "b", "b", "c", "c", "d", "e"),
    other: fc.constantFrom("a", "a", "b", "b", "c", "d", "e"),
    n: fc.nat(9),
    through: fc.constantFrom<Door>("call", "http"),
    isApt: fc.constantFrom(true, true, true, false),
  })
  .map(({ isApt, ...step }) => new Move(step, isApt));

const schedules = fc.tuple(
  fc.nat(OPENINGS.length - 1),
  fc.nat(worlds.length - 1),
  fc.commands([move], { maxCommands: 50, size: "max" }),
);

/** How a run goes. */
export interface FailoverRun {
  readonly seed: number;
  readonly numRuns: number;
  /** No schedule is begun after so long. */
  readonly timeLimitMs?: number;
}

/** What came of it. */
export interface Played {
  readonly played: number;
  /** By the names of operations: `secrets.kv.write`. */
  readonly answered: ReadonlySet<string>;
}

/**
 * Plays schedules at random. What fails is shrunk, and thrown with the text of a scenario in which it happens.
 *
 * @returns how many were played, and the calls that were answered well in them
 */
export async function playSchedules({ seed, numRuns, timeLimitMs }: FailoverRun): Promise<Played> {
  let played = 0;
  const answered = new Set<string>();
  const beginnings = await Promise.all(worlds.map(begun));
  const property = fc.asyncProperty(schedules, async ([opening, which, story]) => {
    const [world, beginning] = [worlds[which], beginnings[which]];
    if (world === undefined || beginning === undefined) throw new Error(`there is no world ${which}`);
    const sim = beginning.fork();
    const model: Model = {
      checker: new ReplicationChecker(sim),
      steps: [],
    };
    played += 1;
    try {
      for (const step of OPENINGS[opening] ?? []) await new Move(step, false).run(model, { sim });
      await fc.asyncModelRun(() => ({ model, real: { sim } }), story);
      if (model.steps.length % 4 === 0) await repeats(sim);
      await heals(sim, model.checker);
      clean(indexFaults(sim.state));
      clean(thawedPlaces(sim.state, new WeakSet()));
      for (const { operation, response } of requestsOf(sim))
        if (operation && response && response.status < 400) answered.add(operation);
    } catch (error) {
      const text = scenarioText({ world, steps: model.steps });
      throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${text}\n`, { cause: error });
    }
  });
  await fc.assert(property, {
    seed,
    numRuns,
    ...(timeLimitMs === undefined ? {} : { interruptAfterTimeLimit: timeLimitMs, markInterruptAsFailure: false }),
  });
  return { played, answered };
}

/** The log tells all of it, and whoever decides it again decides the same. */
async function repeats(sim: Simulator): Promise<void> {
  const text = sim.log.toNdjson();
  if (replay(text).stateHash() !== sim.stateHash()) throw new Error("a replay leads to another state");
  const rehearsed = await rehearse(text);
  if (!rehearsed.ok) throw new Error(`a rehearsal differs: ${JSON.stringify(rehearsed)}`);
}

/** Once nothing is in the way any more, all that is connected arrives, and nothing acknowledged is lost. */
async function heals(sim: Simulator, checker: ReplicationChecker): Promise<void> {
  sim.network.heal();
  const clusters = Object.keys(sim.state.secrets).map((name) => sim.secrets.cluster(name));
  for (const cluster of clusters) {
    sim.network.start(cluster);
    cluster.unseal();
  }
  sim.settle();
  clean(checker.faultsAtEnd());
  for (const cluster of clusters) {
    const { links } = sim.state.secrets[cluster.name]?.ignored ?? {};
    for (const link of [links?.dr, links?.performance]) {
      if (!isConnected(link)) continue;
      const last = sim.state.secrets[link.upstream]?.ignored.walIndex;
      if (link.applied !== last) throw new Error(`${cluster.name} has ${link.applied} of ${link.upstream}'s ${last}`);
    }
  }
}
