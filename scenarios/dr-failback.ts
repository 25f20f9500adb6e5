import { defineScenario, type Simulator } from "../src/index.ts";
import { expectDiffer, expectEqual, expectRefusal, expectRefusalSoon } from "./support/expectations.ts";
import {
  attach,
  clustersOf,
  kept,
  lastInput,
  operationToken,
  primaryStatus,
  promote,
  secondaryStatus,
  westFollowsEast,
} from "./support/replication.ts";

const UPDATE = "secrets.replication.dr.updatePrimary";

/** East's machines are serviced: west leads for a day, and then east again. Each direction wants tokens of its own. */
export const drFailback = defineScenario({
  name: "dr-failback",
  title: "There and back again, with fresh tokens each way",
  world: { seed: 8, secrets: { clusters: ["east", "west"] } },

  cast: (sim) => {
    const { east } = clustersOf(sim, "east");
    const client = east.createToken({ policies: ["root"], displayName: "client", ttl: "48h" }).token;
    return { operator: east.rootToken, client, shares: east.keyShares };
  },

  steps: [
    {
      title: "East leads, and west follows",
      does: async (sim, { client }) => {
        const { east } = await westFollowsEast(sim);
        east.as(client).kv.write({ path: "app", by: "east" });
      },
    },
    {
      title: "East hands over to west",
      does: async (sim, { operator, shares }) => handOver(sim, "east", "west", operator, shares),
      expectation: "west leads the same set, and east follows",
      expect: (sim) => {
        const { east, west } = clustersOf(sim, "east", "west");
        expectEqual(primaryStatus(west, "dr").known_secondaries, ["east"]);
        expectEqual(secondaryStatus(east, "dr").cluster_id, primaryStatus(west, "dr").cluster_id);
        expectEqual(secondaryStatus(east, "dr").state, "stream-wals");
      },
    },
    {
      title: "A day passes, with work on west",
      does: (sim, { client }) => {
        sim.clock.advance("1d");
        sim.secrets.cluster("west").as(client).kv.write({ path: "app", by: "west" });
      },
      expectation: "the tokens of yesterday are of no use for the way back",
      expect: async (sim, { operator, shares }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        const yesterday = lastInput(sim, UPDATE);
        west.as(operator).replication.dr.primaryDemote();
        // The operation token was deleted when it had served; the activation token was used up.
        const old = String(yesterday["dr_operation_token"]);
        expectRefusal("dr_operation_token_unknown", () =>
          east.as().replication.dr.promote({ dr_operation_token: old }),
        );
        await promote(east, shares);
        const dr_operation_token = await operationToken(west, shares);
        const token = String(yesterday["token"]);
        const again = west.as().replication.dr.updatePrimary({ token, dr_operation_token });
        await expectRefusalSoon("unwrapping_failed", again);
      },
    },
    {
      title: "West hands back to east",
      does: async (sim, { operator, shares }) => {
        sim.mark("before the way back");
        await handOver(sim, "west", "east", operator, shares);
      },
      expectation: "all is as it was, with the work of the day, and nothing was lost either way",
      expect: (sim, { client }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        expectEqual(kept(east, client, "app"), { by: "west" });
        expectEqual(primaryStatus(east, "dr").known_secondaries, ["west"]);
        expectEqual(secondaryStatus(west, "dr").merkle_root, primaryStatus(east, "dr").merkle_root);
        expectEqual([...sim.lossReport(east, west), ...sim.lossReport(west, east)], []);
        const [there, back] = [sim.fork("before the way back"), sim].map((at) => lastInput(at, UPDATE));
        expectDiffer(back?.["token"], there?.["token"]);
        expectDiffer(back?.["dr_operation_token"], there?.["dr_operation_token"]);
      },
    },
  ],
});

/** One direction: demote, promote, attach. */
async function handOver(
  sim: Simulator,
  from: string,
  to: string,
  operator: string,
  shares: readonly string[],
): Promise<void> {
  const [lead, follow] = [sim.secrets.cluster(from), sim.secrets.cluster(to)];
  lead.as(operator).replication.dr.primaryDemote();
  await promote(follow, shares);
  await attach(lead, follow, operator, shares);
}
