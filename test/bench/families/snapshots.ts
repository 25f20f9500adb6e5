import { createSimulator, type Simulator } from "../../../src/index.ts";
import { seconds } from "../harness/measure.ts";
import { atMost, type Effort, type Family, type Row, row } from "../harness/row.ts";

const CONFIGS = 10;
const DAYS = 365;
/** Objects that are written each day: what a year of snapshots costs is what changes. */
const CHANGED_EACH_DAY = 100;

/** A virtual year of hourly snapshots by ten configurations: 87,600 attempts, each a commit of its own. */
export const snapshots: Family = {
  name: "snapshots",
  rows: [
    year("@100", 100),
    year("", 100_000, {
      goal: atMost(5),
      comparedWith: "year-of-snapshots-s@100",
      note: "10 configurations that keep a day each, 100,000 objects stored, of which 100 are written each day",
    }),
  ],
};

function year(suffix: string, stored: number, declared: Partial<Row> = {}): Row {
  return row({
    id: `year-of-snapshots-s${suffix}`,
    unit: "s",
    rounds: 2,
    ...declared,
    prepare: (effort) => {
      const days = effort.count(DAYS);
      const { sim, paths } = world(stored, effort);
      return () => {
        const fork = sim.fork();
        const main = fork.secrets.cluster("main");
        const { kv } = main.as(main.rootToken);
        let write = 0;
        const took = seconds(() => {
          for (let day = 0; day < days; day++) {
            for (let changed = 0; changed < CHANGED_EACH_DAY; changed++) {
              kv.write({ path: paths[write++ % paths.length] as string, password: `password ${write}` });
            }
            fork.clock.advance("1d");
          }
        });
        const attempts = fork.position - sim.position - days * CHANGED_EACH_DAY;
        // A shorter run counts as the year that it is a part of.
        return { value: (took * DAYS) / days, detail: `${attempts.toLocaleString("en-US")} attempts in ${days} days` };
      };
    },
  });
}

function world(stored: number, effort: Effort): { readonly sim: Simulator; readonly paths: readonly string[] } {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const { kv, snapshots: configs } = main.as(main.rootToken);
  const paths = Array.from({ length: effort.size(stored) }, (_, index) => `app/${index % 100}/key-${index}`);
  for (const path of paths) kv.write({ path, password: "first" });
  for (let index = 0; index < CONFIGS; index++) {
    configs.write({
      name: `config-${index}`,
      interval: "1h",
      retain: 24,
      path_prefix: `/backups/${index}`,
      storage_type: "local",
      local_max_space: 1_000_000,
    });
  }
  return { sim, paths };
}
