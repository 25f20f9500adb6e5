import { Immer } from "immer";
import { createSimulator } from "../../../src/index.ts";
import { Dice, perSecond } from "../harness/measure.ts";
import { atLeast, type Effort, type Family, type Row, row } from "../harness/row.ts";

/** Commands of one event on many objects, beside the same change to a plain object through immer. */
export const writes: Family = {
  name: "writes",
  rows: [
    directoryWrites("@100", 100),
    plainWrites("@100", 100, 20_000),
    directoryWrites("", 100_000, {
      goal: atLeast(80_000),
      note: "directory.addEntry of an entry that is there (one event, 4 table writes), until there is a kv engine",
    }),
    plainWrites("", 100_000, 5),
    directoryWrites("@1000000", 1_000_000, { rounds: 3, collects: false }),
    plainWrites("@1000000", 1_000_000, 1, { rounds: 2 }),
  ],
};

function directoryWrites(suffix: string, entries: number, declared: Partial<Row> = {}): Row {
  return row({
    id: `writes-per-second${suffix}`,
    unit: "commands/s",
    comparedWith: `immer-writes-per-second${suffix}`,
    ...declared,
    prepare: (effort) => {
      const sim = createSimulator();
      const names = namesOf(entries, effort);
      // A password is in no index, so that a replacement is as near to a plain write as the directory comes.
      for (const name of names) sim.directory.addEntry(name, { userPassword: "first" });
      const dice = new Dice(1);
      const count = effort.count(30_000);
      return () => {
        const { directory } = sim.fork();
        return perSecond(count, () => {
          for (let write = 0; write < count; write++) {
            directory.addEntry(dice.pick(names), { userPassword: `password ${write}` });
          }
        });
      };
    },
  });
}

interface PlainEntry {
  readonly dn: string;
  readonly attributes: Record<string, { name: string; values: string[] }>;
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
        names.map((name) => [name, plainEntry(name, "first")]),
      );
      const dice = new Dice(1);
      const count = effort.count(writesPerRound);
      return () =>
        perSecond(count, () => {
          for (let write = 0; write < count; write++) {
            const name = dice.pick(names);
            state = immer.produce(state, (draft) => {
              draft[name] = plainEntry(name, `password ${write}`);
            });
          }
        });
    },
  });
}

const plainEntry = (dn: string, password: string): PlainEntry => ({
  dn,
  attributes: { userpassword: { name: "userPassword", values: [password] } },
});

function namesOf(entries: number, effort: Effort): string[] {
  return Array.from({ length: effort.size(entries) }, (_, index) => `cn=key-${index},ou=keys,dc=example`);
}
