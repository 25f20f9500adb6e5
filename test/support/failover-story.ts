import { createSimulator, type Simulator, type SimulatorOptions } from "../../src/index.ts";
import { acting, type Door, overHttp, tried } from "./failover-acting.ts";
import { MOVES, type MoveName } from "./failover-moves.ts";
import { furnished } from "./failover-world.ts";

/** A move, by names: plain data. */
export interface StoryStep {
  readonly move: MoveName;
  readonly on: string;
  readonly other: string;
  readonly n: number;
  /** The door that whoever asks goes through; the typed one when nothing is said. */
  readonly through?: Door;
}

/** What happens in a world of clusters. */
export interface Story {
  readonly world: SimulatorOptions;
  readonly steps: readonly StoryStep[];
}

/** A world with something of every family on its first cluster. */
export async function begun(world: SimulatorOptions): Promise<Simulator> {
  const sim = createSimulator(world);
  await furnished(sim, "a");
  return sim;
}

/** Whether a step can be taken at all: both are there, two, and run where somebody asks them. */
export function isPossible(sim: Simulator, { on, other }: StoryStep): boolean {
  const { secrets } = sim.state;
  return on !== other && secrets[on] !== undefined && secrets[other] !== undefined;
}

/** Takes a step, and tells whether what it is was done. */
export async function taken(sim: Simulator, { move, on, other, n, through }: StoryStep): Promise<boolean> {
  const at = acting(sim, on, other, n, through);
  return tried(() => MOVES[move](at));
}

/** A story as the text of a scenario, which stands for itself: paste it into `scenarios/`, and say what should hold. */
export function scenarioText({ world, steps }: Story): string {
  const used = [...new Set(steps.map(({ move }) => move))].sort();
  return [
    'import { defineScenario } from "../src/index.ts";',
    "",
    overHttp.toString(),
    acting.toString(),
    tried.toString(),
    furnished.toString(),
    "const moves = {",
    // The test runner has a word of its own for what is imported on the way.
    ...used.map((move) => `${move}: ${MOVES[move].toString().replaceAll("__vite_ssr_dynamic_import__", "import")},`),
    "};",
    "const step = (title, on, other, n, through) => ({",
    "  title: `$" + "{title} on $" + "{on}, with $" + "{other} and $" + "{n}`,",
    "  does: async (sim) => void (await tried(() => moves[title](acting(sim, on, other, n, through)))),",
    "});",
    "",
    "export const story = defineScenario({",
    '  name: "failover-story",',
    '  title: "What happened between clusters",',
    `  world: ${JSON.stringify(world)},`,
    "  cast: () => ({}),",
    "  steps: [",
    '    { title: "The world is furnished", does: (sim) => furnished(sim, "a") },',
    ...steps.map(
      ({ move, on, other, n, through = "call" }) => `    step("${move}", "${on}", "${other}", ${n}, "${through}"),`,
    ),
    "  ],",
    "});",
  ].join("\n");
}
