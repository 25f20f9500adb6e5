import fc from "fast-check";
import { createSimulator, type Simulator, type SimulatorOptions } from "../../src/index.ts";
import { aptStep } from "./failover-aptness.ts";
import type { MoveName } from "./failover-moves.ts";
import { isPossible, type StoryStep, taken } from "./failover-story.ts";
import { type Entry, Ledger } from "./lineage-ledger.ts";
import { Oracle } from "./lineage-oracle.ts";

// Schedules at random, over two to five clusters, of all that makes writes get lost.

/** What worlds differ in. States are kept at each commit, or reports would fold most of the time; one world has them as users do. */
const WORLDS: readonly SimulatorOptions[] = [
  { secrets: { clusters: ["a", "b"] } },
  { secrets: { clusters: ["a", "b"] }, history: { checkpointEvery: 1 } },
  { secrets: { clusters: ["a", "b", "c"] }, history: { checkpointEvery: 1 } },
  { secrets: { clusters: ["a", "b", "c"], walBuffer: 2 }, history: { checkpointEvery: 1 } },
  {
    secrets: { clusters: ["a", "b", "c", "d"], syncDurations: { diff: "1s", sync: "1s" }, walBuffer: 3 },
    history: { checkpointEvery: 1 },
  },
  { secrets: { clusters: ["a", "b", "c", "d", "e"] }, history: { checkpointEvery: 1 } },
];

type Brief = readonly [MoveName, on: string, other: string, n: number];

/** How schedules begin; what lacks a cluster is left out. */
const OPENINGS: readonly (readonly Brief[])[] = [
  [],
  [["join", "b", "a", 0]],
  [["join", "b", "a", 1]],
  [
    ["join", "b", "a", 0],
    ["join", "c", "a", 0],
  ],
  [
    ["join", "b", "a", 1],
    ["join", "c", "b", 0],
    ["join", "d", "a", 0],
  ],
  [
    ["join", "b", "a", 0],
    ["join", "c", "a", 1],
    ["join", "d", "c", 0],
    ["join", "e", "a", 1],
  ],
  [
    ["join", "b", "a", 0],
    ["join", "c", "a", 1],
    ["lag", "a", "b", 2],
    ["lag", "a", "c", 2],
  ],
  [
    ["join", "b", "a", 1],
    ["pathsFilter", "a", "b", 5],
    ["join", "c", "b", 0],
  ],
];

type Numbered = Omit<LineageStep, "on" | "other"> & { readonly on: number; readonly other: number };

/** A step of a schedule; `act` writes to the ledger. */
export interface LineageStep extends Omit<StoryStep, "move"> {
  readonly move: MoveName | "act";
}

interface Beginning {
  readonly sim: Simulator;
  readonly entries: readonly Entry[];
}

async function takeStep(sim: Simulator, ledger: Ledger, { move, ...step }: LineageStep): Promise<void> {
  if (move === "act") await ledger.act(step.on, step.n);
  else if (isPossible(sim, { move, ...step })) await taken(sim, { move, ...step });
  await ledger.sign();
}

async function begun(options: SimulatorOptions, opening: readonly Brief[]): Promise<Beginning> {
  const sim = createSimulator({ seed: 8, ...options });
  const ledger = new Ledger(sim);
  await ledger.sign();
  const names = Object.keys(sim.state.secrets);
  for (const name of names) {
    const cluster = sim.secrets.cluster(name);
    cluster.createNamespace("team");
    cluster.mount("kv", { type: "kv", namespace: "team" });
    if (name === "a")
      cluster.as(`operator-${name}`).snapshots.write({
        name: "often",
        interval: "5s",
        retain: 5,
        path_prefix: "backups",
        storage_type: "cloud1-bucket",
        cloud1_bucket: "bucket",
        cloud1_region: "north",
      });
    await ledger.act(name, 1);
  }
  for (const [move, on, other, n] of opening) await takeStep(sim, ledger, { move, on, other, n });
  for (const realm of [4, 1, 2, 3]) await ledger.act("a", realm);
  const faults = new Oracle(sim, ledger).faults(true);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return { sim, entries: ledger.entries };
}

const oneOf = (...moves: readonly LineageStep["move"][]): fc.Arbitrary<LineageStep["move"]> =>
  fc.constantFrom(...moves);

/** Between numbers of clusters: how many there are says which. */
const step = fc
  .record({
    move: fc.oneof(
      { weight: 12, arbitrary: oneOf("act") },
      { weight: 5, arbitrary: oneOf("promote", "attach", "join", "promoteByForce", "primaryDemote") },
      {
        weight: 2,
        arbitrary: oneOf("primaryDisable", "secondaryDisable", "revokeSecondary", "detach", "attachByAddress"),
      },
      { weight: 2, arbitrary: oneOf("restoreSnapshot", "pathsFilter", "unfilter") },
      { weight: 4, arbitrary: oneOf("cut", "lag", "stop", "seal") },
      { weight: 3, arbitrary: oneOf("heal", "healAll", "start", "unseal", "prompt") },
      { weight: 3, arbitrary: oneOf("seconds", "settle", "next", "point", "pointBack") },
    ),
    on: fc.nat(59),
    other: fc.nat(11),
    n: fc.nat(29),
  })
  .map((given) => ({ ...given, n: numberOf(given) }));

/** Filters only keep the namespace back: markers are in what is always shipped. */
function numberOf({ move, n }: Pick<LineageStep, "move" | "n">): number {
  if (move === "act") return n;
  if (move === "pathsFilter") return n % 3 === 0 ? 7 : 5;
  return n % 10;
}

type Schedule = [world: number, opening: number, steps: Numbered[]];

const schedules: fc.Arbitrary<Schedule> = fc.tuple(
  fc.constantFrom(0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 5),
  fc.nat(OPENINGS.length - 1),
  fc.array(step, { minLength: 4, maxLength: 16, size: "max" }),
);

const beginnings = new Map<string, Promise<Beginning>>();

function beginningOf(world: number, opening: number): Promise<Beginning> {
  const key = `${world} ${opening}`;
  const known = beginnings.get(key) ?? begun(WORLDS[world] ?? {}, OPENINGS[opening] ?? []);
  beginnings.set(key, known);
  return known;
}

/** Plays a schedule, and throws where a report is wrong. */
async function play(world: number, opening: number, steps: readonly LineageStep[]): Promise<void> {
  const { sim: prepared, entries } = await beginningOf(world, opening);
  const sim = prepared.fork();
  const ledger = new Ledger(sim, entries);
  const oracle = new Oracle(sim, ledger, sim.state.secrets);
  const story: LineageStep[] = [];
  try {
    for (const each of steps) {
      const { on, other, n } = aptStep(sim, { ...each, move: each.move === "act" ? "write" : each.move });
      const step = each.move === "act" ? { ...each, on } : { ...each, on, other, n };
      story.push(step);
      await takeStep(sim, ledger, step);
      const faults = oracle.faults(each.n % 4 === 0);
      if (faults.length > 0) throw new Error(faults.join("\n"));
    }
    const vanished = oracle.vanished();
    if (vanished.length > 0) throw new Error(vanished.join("\n"));
    for (const name of Object.keys(sim.state.secrets)) await ledger.readBack(name);
  } catch (error) {
    const told = story.map(({ move, on, other, n }) => `  ${JSON.stringify({ move, on, other, n })},`);
    const message = error instanceof Error ? error.message : String(error);
    throw new Error([message, `play(${world}, ${opening}, [`, ...told, "])"].join("\n"), { cause: error });
  }
}

function named(world: number, { on, other, ...step }: Numbered): LineageStep {
  const names = WORLDS[world]?.secrets?.clusters ?? [];
  const name = (place: number): string => String(names[place % names.length]);
  return { ...step, on: name(on), other: name(on + 1 + (other % (names.length - 1))) };
}

/** Plays schedules at random. What fails is shrunk, and thrown with its story. */
export async function playSchedules(parameters: fc.Parameters<[Schedule]>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(schedules, ([world, opening, steps]) =>
      play(
        world,
        opening,
        steps.map((each) => named(world, each)),
      ),
    ),
    parameters,
  );
}
