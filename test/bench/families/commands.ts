import { perSecond } from "../harness/measure.ts";
import { atLeast, type Family, type Row, row } from "../harness/row.ts";
import { commandRate, LendingWorld, type Returned } from "./lending-world.ts";

/** The first row: check-out and check-in in turn through the typed door, half of the accounts lent. */
export const commands: Family = {
  name: "commands",
  rows: [
    lending({ id: "commands-per-second@100", accounts: 100, goal: atLeast(60_000) }),
    lending({ id: "commands-per-second@10000", accounts: 10_000, comparedWith: "commands-per-second@100" }),
    lending({
      id: "commands-per-second",
      accounts: 100_000,
      comparedWith: "commands-per-second@100",
      ratioGoal: atLeast(0.5),
      note: "check-out and check-in of one account, sets of 100 picked at random, half of all accounts lent",
    }),
    lending({
      id: "commands-per-second@scattered-100",
      accounts: 100,
      returned: "any",
    }),
    lending({
      id: "commands-per-second@scattered",
      accounts: 100_000,
      returned: "any",
      comparedWith: "commands-per-second@scattered-100",
      note: "the same, but each check-in returns an account that was lent long ago",
    }),
    lending({
      id: "commands-per-second@1000000",
      accounts: 1_000_000,
      comparedWith: "commands-per-second@100",
      ratioGoal: atLeast(0.33),
      rounds: 3,
      collects: false,
    }),
    lending({
      id: "commands-per-second@one-set",
      accounts: 100_000,
      accountsPerSet: 100_000,
      comparedWith: "commands-per-second",
      note: "all 100,000 accounts in one set",
    }),
    row({
      id: "create-accounts-per-second",
      unit: "accounts/s",
      prepare: (effort) => {
        const accounts = effort.size(10_000);
        return () => perSecond(accounts, () => void new LendingWorld({ accounts, accountsPerSet: 100 }));
      },
      note: "a new simulator: an entry for each account, sets of 100, then half of them lent",
    }),
  ],
};

function lending({
  accounts,
  accountsPerSet = 100,
  returned,
  ...declared
}: Omit<Row, "unit" | "prepare"> & {
  readonly accounts: number;
  readonly accountsPerSet?: number;
  readonly returned?: Returned;
}): Row {
  return row({
    unit: "commands/s",
    ...declared,
    prepare: (effort) => {
      const size = effort.size(accounts);
      const world = new LendingWorld({ accounts: size, accountsPerSet: Math.min(accountsPerSet, size) });
      return commandRate(world, effort, returned);
    },
  });
}
