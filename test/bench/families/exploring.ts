import { type Action, type ExploreOptions, explore, type Run } from "../../../src/explore/index.ts";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { acting } from "../../support/failover-acting.ts";
import { aptStep } from "../../support/failover-aptness.ts";
import { MOVES, type MoveName } from "../../support/failover-moves.ts";
import { taken } from "../../support/failover-story.ts";
import { furnished } from "../../support/failover-world.ts";
import { atLeast, atMost, type Family, row } from "../harness/row.ts";

/** What it costs to look for the schedule that breaks something. */
export const exploring: Family = {
  name: "exploring",
  rows: [
    row({
      id: "explore-schedules-per-second",
      unit: "schedules/s",
      goal: atLeast(1_500),
      note: "schedules of 50 steps over a pair of clusters: what operators and clients do, and faults, with judges after each commit and at the end",
      warmUps: 3,
      collects: false,
      prepare: (effort) => {
        const schedules = effort.count(1_000);
        let seed = 0;
        return async () => {
          let steps = 0;
          const before = performance.now();
          const counts = ({ schedule }: Run): void => {
            steps += schedule.steps.length;
          };
          const { ok, virtualMs, failures } = await explore("the standard failover", {
            ...failovers,
            finally: [serves, counts],
            schedules,
            seed: seed++,
          });
          const seconds = (performance.now() - before) / 1_000;
          if (!ok) throw new Error(JSON.stringify(failures));
          const yearsAMinute = (virtualMs / 31_557_600_000 / seconds) * 60;
          // A schedule has up to 50 steps: what is told is how many of 50 there would have been.
          return {
            value: steps / 50 / seconds,
            detail: `${(steps / schedules).toFixed(0)} steps each, ${yearsAMinute.toFixed(2)} virtual years a minute`,
          };
        };
      },
    }),
    row({
      id: "explore-first-schedule-ms",
      unit: "ms",
      goal: atMost(100),
      note: "from `explore` to the first step of its first schedule, in a process that has just begun",
      rounds: 1,
      warmUps: 0,
      prepare: () => async () => {
        const before = performance.now();
        let first: number | undefined;
        const does = (): void => {
          first ??= performance.now() - before;
        };
        const world = () => createSimulator({ secrets: { clusters: ["a", "b"] } });
        await explore("the first schedule", { world, actions: { does }, schedules: 64, folder: false });
        return first ?? Number.NaN;
      },
    }),
  ],
};

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

const failovers: ExploreOptions = {
  world: pair,
  actions: Object.fromEntries(FAILOVER.map((move) => [move, doing(move)])),
  faults: { lines: true, stops: true, seals: true, directory: true, longest: "1m", clock: "random" },
  always: [logsGrow],
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
