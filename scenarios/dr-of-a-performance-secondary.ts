import { defineScenario } from "../src/index.ts";
import { expectEqual } from "./support/expectations.ts";
import { clustersOf, join, kept, primaryStatus, promote, secondaryStatus } from "./support/replication.ts";

const TOKYO = "token-of-tokyo";

/** Tokyo follows Paris for performance, and has a stand-in of its own for disasters. That one takes its place in the set. */
export const drOfAPerformanceSecondary = defineScenario({
  name: "dr-of-a-performance-secondary",
  title: "The stand-in of a performance secondary takes its place",
  world: { seed: 18, secrets: { clusters: ["paris", "tokyo", "osaka"] } },

  cast: (sim) => ({ operator: clustersOf(sim, "paris").paris.rootToken }),

  steps: [
    {
      title: "Tokyo follows Paris for performance, and Osaka follows Tokyo for disasters",
      does: async (sim, { operator }) => {
        const { paris, tokyo, osaka } = clustersOf(sim, "paris", "tokyo", "osaka");
        await join("performance", paris, tokyo);
        tokyo.createToken({ id: TOKYO, policies: ["root"] });
        const lead = tokyo.as(TOKYO).replication.dr;
        lead.primaryEnable();
        const { wrap_info } = await lead.secondaryToken({ id: "osaka" });
        await osaka.as(osaka.rootToken).replication.dr.secondaryEnable({ token: wrap_info?.token ?? "" });
        paris.as(operator).kv.write({ path: "app", v: 1 });
      },
      expectation: "what is written in Paris reaches Osaka by way of Tokyo, and Tokyo's index is what Osaka counts by",
      expect: (sim) => {
        const { tokyo, osaka } = clustersOf(sim, "tokyo", "osaka");
        expectEqual(secondaryStatus(osaka, "dr").last_remote_wal, primaryStatus(tokyo, "dr").last_wal);
        expectEqual(secondaryStatus(osaka, "dr").merkle_root, primaryStatus(tokyo, "dr").merkle_root);
        expectEqual(osaka.as().replication.performance.status().data, { mode: "disabled" });
      },
    },
    {
      title: "Tokyo dies, and Osaka is promoted",
      does: async (sim) => {
        const { tokyo, osaka } = clustersOf(sim, "tokyo", "osaka");
        sim.network.stop(tokyo);
        sim.clock.advance("11s");
        await promote(osaka, tokyo.keyShares);
      },
      expectation:
        "it is in the performance set as Tokyo was, with Tokyo's id and without a new token; Paris lists its address",
      expect: (sim) => {
        const { paris, osaka } = clustersOf(sim, "paris", "osaka");
        const { secondary_id, state } = secondaryStatus(osaka, "performance");
        expectEqual([secondary_id, state], ["tokyo", "stream-wals"]);
        const { known_secondaries, secondaries } = primaryStatus(paris, "performance");
        expectEqual(known_secondaries, ["tokyo"]);
        expectEqual(
          secondaries.map(({ node_id, api_address, connection_status }) => [node_id, api_address, connection_status]),
          [["tokyo", osaka.url, "connected"]],
        );
      },
    },
    {
      title: "A client of Tokyo goes to Osaka",
      does: (sim) => sim.secrets.cluster("osaka").as(TOKYO).kv.write({ path: "app", v: 2 }),
      expectation: "its token is good there, and what it writes is done in Paris",
      expect: (sim, { operator }) => {
        const { paris, osaka } = clustersOf(sim, "paris", "osaka");
        expectEqual([kept(osaka, TOKYO, "app"), kept(paris, operator, "app")], [{ v: 2 }, { v: 2 }]);
      },
    },
    {
      title: "Tokyo comes back, and nobody has told it",
      does: (sim, { operator }) => {
        const { paris, tokyo } = clustersOf(sim, "paris", "tokyo");
        sim.clock.advance("1h");
        sim.network.start(tokyo);
        paris.as(operator).kv.write({ path: "app", v: 3 });
      },
      expectation: "both follow Paris under one id, which still has one entry",
      expect: (sim) => {
        const { paris, tokyo, osaka } = clustersOf(sim, "paris", "tokyo", "osaka");
        expectEqual([kept(tokyo, TOKYO, "app"), kept(osaka, TOKYO, "app")], [{ v: 3 }, { v: 3 }]);
        expectEqual(primaryStatus(paris, "performance").secondaries.length, 1);
        expectEqual(primaryStatus(tokyo, "dr").secondaries[0]?.connection_status, "disconnected");
      },
    },
  ],
});
