import { describe, expect, it } from "vitest";
import { LendingWorld } from "../bench/families/lending-world.ts";
import { nodesPerCommit } from "../support/nodes.ts";

/** Nodes of tables that a check-out or a check-in makes, on average. */
function nodesPerCommand(accounts: number, accountsPerSet: number): number {
  const world = new LendingWorld({ accounts, accountsPerSet });
  const { state, position } = world.sim;
  world.turns(100, "any");
  return nodesPerCommit(state, world.sim.log.commits().slice(position));
}

describe("the work of a command", () => {
  it("grows with the depth of trees and not with the number of accounts", () => {
    const [few, many] = [nodesPerCommand(100, 100), nodesPerCommand(6_400, 100)];
    // Sixty-four times as many: two levels more in each of the seven tables or so that a command writes to.
    expect(few).toBeGreaterThan(7);
    expect(many - few).toBeLessThan(2 * 7);
  });

  it("is the same for one large set as for many small ones", () => {
    expect(nodesPerCommand(6_400, 6_400) / nodesPerCommand(6_400, 100)).toBeLessThan(1.2);
  });
});
