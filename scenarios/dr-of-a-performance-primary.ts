import { defineScenario } from "../src/index.ts";
import { expectEqual, expectRefusal } from "./support/expectations.ts";
import { clustersOf, join, kept, primaryStatus, promote, rootOf, secondaryStatus } from "./support/replication.ts";

const TOKYO = "token-of-tokyo";

/** Paris leads a performance set and dies. Its stand-in for disasters leads that set at once; who follows has to find it. */
export const drOfAPerformancePrimary = defineScenario({
  name: "dr-of-a-performance-primary",
  title: "The stand-in of a performance primary takes over its set",
  world: { seed: 16, secrets: { clusters: ["paris", "lyon", "tokyo"] } },

  cast: (sim) => {
    const { paris } = clustersOf(sim, "paris");
    return { operator: paris.rootToken, shares: paris.keyShares };
  },

  steps: [
    {
      title: "Lyon follows Paris for disasters, and Tokyo for performance",
      does: async (sim, { operator }) => {
        const { paris, lyon, tokyo } = clustersOf(sim, "paris", "lyon", "tokyo");
        await join("dr", paris, lyon);
        await join("performance", paris, tokyo);
        tokyo.createToken({ id: TOKYO, policies: ["root"] });
        paris.mount("site", { type: "kv", local: true });
        paris.as(operator).at("site").kv.write({ path: "door", code: 1234 });
        paris.as(operator).kv.write({ path: "app", v: 1 });
      },
      expectation:
        "Lyon has all, also what is Paris' own, and says nothing of the performance set; Tokyo has what is shared",
      expect: (sim) => {
        const { paris, lyon, tokyo } = clustersOf(sim, "paris", "lyon", "tokyo");
        expectEqual(lyon.as().replication.performance.status().data, { mode: "disabled" });
        expectEqual(secondaryStatus(lyon, "dr").merkle_root, primaryStatus(paris, "dr").merkle_root);
        expectEqual(kept(tokyo, TOKYO, "app"), { v: 1 });
        expectRefusal("no_handler_for_route", () => tokyo.as(TOKYO).at("site").kv.read({ path: "door" }));
      },
    },
    {
      title: "Paris dies, and Lyon is promoted",
      does: async (sim, { shares }) => {
        const { paris, lyon } = clustersOf(sim, "paris", "lyon");
        sim.mark("before the crash");
        sim.network.stop(paris);
        sim.clock.advance("11s");
        await promote(lyon, shares);
        sim.mark("promoted");
      },
      expectation: "it leads the performance set at once, and has heard nothing of Tokyo; what was Paris' own is there",
      expect: (sim, { operator }) => {
        const { lyon } = clustersOf(sim, "lyon");
        const before = primaryStatus(sim.at("before the crash").secrets.cluster("paris"), "performance");
        const after = primaryStatus(lyon, "performance");
        expectEqual([after.cluster_id, after.known_secondaries], [before.cluster_id, ["tokyo"]]);
        expectEqual(after.secondaries[0]?.connection_status, "unknown");
        expectEqual(lyon.as(operator).at("site").kv.read({ path: "door" }).data, { code: 1234 });
      },
    },
    {
      title: "Tokyo looks for Paris, where nobody answers",
      expectation: "it reads what it has, and cannot write",
      expect: (sim) => {
        const { tokyo } = clustersOf(sim, "tokyo");
        expectEqual(secondaryStatus(tokyo, "performance").state, "idle");
        expectEqual(kept(tokyo, TOKYO, "app"), { v: 1 });
        expectRefusal("forwarding_failed", () => tokyo.as(TOKYO).kv.write({ path: "app", v: 2 }));
      },
    },
    {
      title: "The operator of Tokyo tells it the address of Lyon",
      does: async (sim) => {
        const { lyon, tokyo } = clustersOf(sim, "lyon", "tokyo");
        const { performance } = tokyo.as(TOKYO).replication;
        await performance.updatePrimary({ update_primary_addrs: [lyon.clusterAddress] });
        tokyo.as(TOKYO).kv.write({ path: "app", v: 2 });
      },
      expectation: "the address is enough, as Lyon knows Tokyo; what is written in Tokyo is done in Lyon",
      expect: (sim, { operator }) => {
        const { lyon, tokyo } = clustersOf(sim, "lyon", "tokyo");
        expectEqual(secondaryStatus(tokyo, "performance").state, "stream-wals");
        expectEqual(primaryStatus(lyon, "performance").secondaries[0]?.connection_status, "connected");
        expectEqual([kept(lyon, operator, "app"), kept(tokyo, TOKYO, "app")], [{ v: 2 }, { v: 2 }]);
      },
    },
    {
      title: "What if the address of Paris led to Lyon?",
      expectation: "in a fork Tokyo comes by itself: no token, no command, no wipe",
      expect: (sim) => {
        const other = sim.fork("promoted");
        const { paris, lyon, tokyo } = clustersOf(other, "paris", "lyon", "tokyo");
        other.network.pointAddress(paris.clusterAddress, lyon);
        expectEqual(secondaryStatus(tokyo, "performance").state, "stream-wals");
        tokyo.as(TOKYO).kv.write({ path: "app", v: 3 });
        expectEqual(kept(lyon, rootOf(lyon), "app"), { v: 3 });
      },
    },
  ],
});
