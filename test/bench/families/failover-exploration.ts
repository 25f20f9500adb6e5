import { type Action, defineExploration, type ExploreOptions, type Run } from "../../../src/explore/index.ts";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { acting } from "../../support/failover-acting.ts";
import { aptStep } from "../../support/failover-aptness.ts";
import { MOVES, type MoveName } from "../../support/failover-moves.ts";
import { taken } from "../../support/failover-story.ts";
import { furnished } from "../../support/failover-world.ts";

// A module of its own: threads load it, too.

/** What people do in a failover. */
const FAILOVER: readonly MoveName[] = [
  "primaryEnable",
  "primaryDemote",
  "join",
  "attach",
  "promote",
  "promoteByForce",
  "write",
  "forget",
  "token",
  "checkOut",
  "checkIn",
  "policy",
  "cubbyhole",
  "renew",
  "point",
  "pointBack",
];

/** The standard workload of failovers, as options of `explore`. */
export const failovers: ExploreOptions = {
  world: pair,
  actions: Object.fromEntries(FAILOVER.map((move) => [move, doing(move)])),
  faults: { lines: true, stops: true, seals: true, directory: true, longest: "1m", clock: "random" },
  always: [logsGrow],
  finally: [serves],
  steps: 50,
  calm: "10s",
  settle: "1m",
  folder: false,
};

async function pair(): Promise<Simulator> {
  const sim = createSimulator({ seed: 8, secrets: { clusters: ["a", "b"] } });
  await furnished(sim, "a");
  await MOVES.join(acting(sim, "b", "a", 0));
  return sim;
}

function doing(move: MoveName): Action {
  return (sim, n) => {
    const [on, other] = n % 2 === 0 ? ["a", "b"] : ["b", "a"];
    return taken(sim, aptStep(sim, { move, on, other, n: n % 10 }));
  };
}

/** The log of no cluster is of a length that it cannot have. */
function logsGrow({ sim }: Run): boolean {
  return Object.values(sim.state.secrets).every(({ ignored }) => ignored.walIndex >= 0);
}

/** When all is healed, every cluster runs and is unsealed. */
function serves({ sim }: Run): boolean {
  return Object.values(sim.state.secrets).every(({ ignored }) => ignored.running && ignored.seal.status === "unsealed");
}

export default defineExploration("the standard failover", failovers);
