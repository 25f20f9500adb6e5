import { nodesPerCommit } from "../../support/nodes.ts";
import { type Family, type Row, row } from "../harness/row.ts";
import { LendingWorld } from "./lending-world.ts";

/**
 * What a command of the first row makes, counted instead of timed: nodes of tables, each a copy of at most 16 entries. It grows
 * with the logarithm of the number of accounts. Whatever else the rates of `commands-per-second` lose is memory that is cold.
 */
export const work: Family = {
  name: "work",
  rows: [
    counted("nodes-per-command@100", 100),
    counted("nodes-per-command@10000", 10_000, { comparedWith: "nodes-per-command@100" }),
    counted("nodes-per-command", 100_000, { comparedWith: "nodes-per-command@100" }),
    counted("nodes-per-command@1000000", 1_000_000, { comparedWith: "nodes-per-command@100" }),
  ],
};

function counted(id: string, accounts: number, declared: Partial<Row> = {}): Row {
  return row({
    id,
    unit: "nodes",
    rounds: 1,
    warmUps: 0,
    collects: false,
    note: `${accounts.toLocaleString("en-US")} accounts, any loan returned`,
    ...declared,
    prepare: (effort) => {
      const world = new LendingWorld({ accounts: effort.size(accounts), accountsPerSet: 100 });
      const turns = effort.count(200);
      return () => {
        const { state, position } = world.sim;
        world.turns(turns, "any");
        return nodesPerCommit(state, world.sim.log.commits().slice(position));
      };
    },
  });
}
