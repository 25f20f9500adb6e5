import { Immer } from "immer";
import { createSimulator } from "../../../src/index.ts";
import { Dice, perSecond } from "../harness/measure.ts";
import { atLeast, type Effort, type Family, type Row, row } from "../harness/row.ts";

/** Commands of one event on many objects, beside the same change to a plain object through immer. */
export const writes: Family = {
  name: "writes",
  rows: [
    kvWrites("@100", 100),
    plainWrites("@100", 100, 20_000),
    kvWrites("", 100_000, {
      goal: atLeast(85_000),
      note: "kv.write of a path that is there, through the typed door with the root token: one event, one table write",
    }),
    plainWrites("", 100_000, 5),
    kvWrites("@1000000", 1_000_000, { rounds: 3, collects: false }),
    plainWrites("@1000000", 1_000_000, 1, { rounds: 2 }),
  ],
};

function kvWrites(suffix: string, entries: number, declared: Partial<Row> = {}): Row {
  return row({
    id: `writes-per-second${suffix}`,
    unit: "commands/s",
    comparedWith: `immer-writes-per-second${suffix}`,
    ...declared,
    prepare: (effort) => {
      const sim = createSimulator();
      const { rootToken } = sim.secrets.cluster("main");
      const names = namesOf(entries, effort);
      const { kv } = sim.secrets.cluster("main").as(rootToken);
      for (const path of names) kv.write({ path, password: "first" });
      const dice = new Dice(1);
      const count = effort.count(30_000);
      return () => {
        const fork = sim.fork().secrets.cluster("main").as(rootToken);
        return perSecond(count, () => {
          for (let write = 0; write < count; write++) {
            fork.kv.write({ path: dice.pick(names), password: `password ${write}` });
          }
        });
      };
    },
  });
}

interface PlainEntry {
  readonly password: string;
}

function plainWrites(suffix: string, entries: number, writesPerRound: number, declared: Partial<Row> = {}): Row {
  return row({
    id: `immer-writes-per-second${suffix}`,
    unit: "writes/s",
    rounds: 3,
    ...declared,
    prepare: (effort) => {
      const immer = new Immer();
      const names = namesOf(entries, effort);
      let state: Readonly<Record<string, PlainEntry>> = Object.fromEntries(
        names.map((name) => [name, plainEntry("first")]),
      );
      const dice = new Dice(1);
      const count = effort.count(writesPerRound);
      return () =>
        perSecond(count, () => {
          for (let write = 0; write < count; write++) {
            const name = dice.pick(names);
            state = immer.produce(state, (draft) => {
              draft[name] = plainEntry(`password ${write}`);
            });
          }
        });
    },
  });
}

const plainEntry = (password: string): PlainEntry => ({ password });

function namesOf(entries: number, effort: Effort): string[] {
  return Array.from({ length: effort.size(entries) }, (_, index) => `app/${index % 100}/key-${index}`);
}
