import { defineScenario } from "../src/index.ts";
import { expectEqual, expectRefusal, expectRefusalSoon } from "./support/expectations.ts";
import { activationToken, clustersOf, join, kept, primaryStatus, secondaryStatus } from "./support/replication.ts";

const TOKYO = "token-of-tokyo";

/** A site is thrown out of a set by mistake. It keeps what it has, hears nothing more, and comes back by a new token, without a wipe. */
export const revokedSecondaryReturns = defineScenario({
  name: "revoked-secondary-returns",
  title: "A secondary is revoked, and comes back",
  world: { seed: 22, secrets: { clusters: ["paris", "tokyo"] } },

  cast: (sim) => ({ operator: clustersOf(sim, "paris").paris.rootToken }),

  steps: [
    {
      title: "Tokyo follows Paris",
      does: async (sim, { operator }) => {
        const { paris, tokyo } = clustersOf(sim, "paris", "tokyo");
        await join("performance", paris, tokyo);
        tokyo.createToken({ id: TOKYO, policies: ["root"] });
        paris.as(operator).kv.write({ path: "app", v: 1 });
      },
      expectation: "it reads what Paris wrote",
      expect: (sim) => expectEqual(kept(sim.secrets.cluster("tokyo"), TOKYO, "app"), { v: 1 }),
    },
    {
      title: "Paris revokes it",
      does: (sim, { operator }) => {
        const { paris } = clustersOf(sim, "paris");
        paris.as(operator).replication.performance.revokeSecondary({ id: "tokyo" });
        paris.as(operator).kv.write({ path: "app", v: 2 });
      },
      expectation: "it is idle at once, off both lists, has what it had, and writes nothing",
      expect: (sim) => {
        const { paris, tokyo } = clustersOf(sim, "paris", "tokyo");
        const { known_secondaries, secondaries } = primaryStatus(paris, "performance");
        expectEqual([known_secondaries, secondaries], [[], []]);
        const { state, primaries } = secondaryStatus(tokyo, "performance");
        expectEqual([state, primaries[0]?.connection_status], ["idle", "disconnected"]);
        expectEqual(kept(tokyo, TOKYO, "app"), { v: 1 });
        expectRefusal("forwarding_failed", () => tokyo.as(TOKYO).kv.write({ path: "app", v: 3 }));
      },
    },
    {
      title: "A day passes, both are restarted, and the line is cut and mended",
      does: (sim) => {
        const { paris, tokyo } = clustersOf(sim, "paris", "tokyo");
        for (const cluster of [paris, tokyo]) {
          sim.network.stop(cluster);
          sim.network.start(cluster);
        }
        sim.network.cut(paris, tokyo);
        sim.clock.advance("1d");
        sim.network.heal();
        sim.settle();
      },
      expectation: "it does not come back by itself, and neither does an address help",
      expect: async (sim) => {
        const { paris, tokyo } = clustersOf(sim, "paris", "tokyo");
        expectEqual(secondaryStatus(tokyo, "performance").state, "idle");
        const { performance } = tokyo.as(TOKYO).replication;
        const told = performance.updatePrimary({ update_primary_addrs: [paris.clusterAddress] });
        await expectRefusalSoon("no_primary_responds", told);
        expectEqual(kept(tokyo, TOKYO, "app"), { v: 1 });
      },
    },
    {
      title: "Paris makes a new token, for the id that is free again, and Tokyo is attached by it",
      does: async (sim, { operator }) => {
        const { paris, tokyo } = clustersOf(sim, "paris", "tokyo");
        const token = await activationToken("performance", paris, operator, "tokyo");
        await tokyo.as(TOKYO).replication.performance.updatePrimary({ token });
      },
      expectation: "it has caught up, and its own token has lived through all of it: nothing was wiped",
      expect: (sim) => {
        const { paris, tokyo } = clustersOf(sim, "paris", "tokyo");
        expectEqual(secondaryStatus(tokyo, "performance").state, "stream-wals");
        expectEqual(kept(tokyo, TOKYO, "app"), { v: 2 });
        tokyo.as(TOKYO).kv.write({ path: "app", v: 3 });
        expectEqual(kept(tokyo, TOKYO, "app"), { v: 3 });
        expectEqual(primaryStatus(paris, "performance").secondaries[0]?.connection_status, "connected");
      },
    },
  ],
});
