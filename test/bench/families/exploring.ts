import { fileURLToPath } from "node:url";
import { explore, type Run } from "../../../src/explore/index.ts";
import { RANGE, type RangeTask } from "../../../src/explore/range.ts";
import { createSimulator } from "../../../src/index.ts";
import { Threads } from "../../../src/node/explore/threads.ts";
import { atLeast, atMost, type Family, row } from "../harness/row.ts";
import { failovers } from "./failover-exploration.ts";

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
            finally: [...(failovers.finally ?? []), counts],
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
      id: "explore-two-workers",
      unit: "x",
      goal: atLeast(1.8),
      note: "two threads of `hindcast explore` beside one: the same ranges, both warm",
      rounds: 3,
      warmUps: 0,
      prepare: (effort) => {
        const tasks = Array.from({ length: effort.count(100) }, (_, index) => ({
          seed: 1,
          from: index * RANGE,
          count: RANGE,
          bases: [],
        }));
        return async () => {
          const [one, two] = [await secondsWith(1, tasks), await secondsWith(2, tasks)];
          return { value: one / two, detail: `${one.toFixed(1)} s and ${two.toFixed(1)} s` };
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

/** How long so many threads take, when each of them has played as much as all of it before: until then they compile. */
async function secondsWith(workers: number, tasks: readonly RangeTask[]): Promise<number> {
  const threads = new Threads(fileURLToPath(new URL("./failover-exploration.js", import.meta.url)), workers);
  try {
    for (let n = 0; n < 2 * workers; n++) await Promise.all(threads.players(tasks));
    const before = performance.now();
    await Promise.all(threads.players(tasks));
    return (performance.now() - before) / 1_000;
  } finally {
    await threads.end();
  }
}
