import { defineScenario, type LostCommit } from "../src/index.ts";
import { expectEqual, expectRefusal } from "./support/expectations.ts";
import {
  attach,
  clustersOf,
  kept,
  primaryStatus,
  promote,
  secondaryStatus,
  timesWiped,
  westFollowsEast,
} from "./support/replication.ts";

const NIGHT = "token-of-the-night-shift";

/**
 * The primary dies with writes that had not been shipped. Its secondary takes over without them; when the old primary returns it still
 * believes that it leads, and serves whoever did not hear.
 *
 * Shows: asynchronous shipping with lag, operation tokens, promotion, what is lost and how that is found out, re-attachment without a wipe.
 */
export const drFailoverUnplanned = defineScenario({
  name: "dr-failover-unplanned",
  title: "The primary dies with writes that had not been shipped",
  world: { seed: 4, secrets: { clusters: ["east", "west"] } },

  cast: (sim) => {
    const { east, west } = clustersOf(sim, "east", "west");
    east.writePolicy("shop", 'path "kv/orders/*" { capabilities = ["create", "read", "update", "list"] }');
    const shop = east.createToken({ policies: ["shop"], displayName: "shop", ttl: "12h" }).token;
    return { operator: east.rootToken, west: west.rootToken, shop, night: NIGHT, shares: east.keyShares };
  },

  steps: [
    {
      title: "West becomes the disaster-recovery secondary of east",
      does: async (sim) => {
        await westFollowsEast(sim);
      },
      expectation: "both hold the same, and west serves nobody: it waits",
      expect: (sim, { shop }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        const [lead, copy] = [primaryStatus(east, "dr"), secondaryStatus(west, "dr")];
        expectEqual([copy.cluster_id, copy.merkle_root], [lead.cluster_id, lead.merkle_root]);
        expectEqual(copy.last_remote_wal, lead.last_wal);
        expectRefusal("dr_secondary", () => kept(west, shop, "orders/1"));
      },
    },
    {
      title: "The shop takes orders, and the line to west gets slow",
      does: (sim, { shop, night }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        east.as(shop).kv.write({ path: "orders/1", total: 12 });
        sim.network.setLag(east, west, "5s");
        east.as(shop).kv.write({ path: "orders/2", total: 7 });
        east.createToken({ id: night, policies: ["shop"], displayName: "night shift", ttl: "12h" });
        east.as(night).kv.write({ path: "orders/3", total: 30 });
        sim.mark("before the crash");
        sim.clock.advance("1s");
      },
      expectation: "all are acknowledged, and three of the writes are on their way",
      expect: (sim) => {
        const { east, west } = clustersOf(sim, "east", "west");
        expectEqual(primaryStatus(east, "dr").last_wal - secondaryStatus(west, "dr").last_remote_wal, 3);
      },
    },
    {
      title: "East dies",
      does: (sim) => {
        sim.network.stop(sim.secrets.cluster("east"));
        sim.clock.advance("11s");
      },
      expectation: "west has lost it from sight, and the report says what a failover would lose",
      expect: (sim, { night }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        expectEqual(secondaryStatus(west, "dr").state, "idle");
        expectEqual(sim.lossReport(east, west).flatMap(told), [
          "secret kv/orders/2 created",
          `token ${night} created`,
          "secret kv/orders/3 created",
        ]);
      },
    },
    {
      title: "Twenty minutes later three holders of key shares meet, and west is promoted",
      does: async (sim, { shares }) => {
        sim.clock.advance("20m");
        await promote(sim.secrets.cluster("west"), shares);
      },
      expectation: "the shop goes on with the token that it has; what had not arrived is not there",
      expect: (sim, { shop, night }) => {
        const { west } = clustersOf(sim, "west");
        expectEqual(primaryStatus(west, "dr").known_secondaries, []);
        expectEqual(kept(west, shop, "orders/1"), { total: 12 });
        expectEqual(west.as(shop).kv.list({ prefix: "orders" }).data.keys, ["1"]);
        expectRefusal("permission_denied", () => kept(west, night, "orders/3"));
      },
    },
    {
      title: "After an hour east comes back, and the night shift, whom nobody told, goes on there",
      does: (sim, { shop, night }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        sim.clock.advance("1h");
        sim.network.start(east);
        east.as(night).kv.write({ path: "orders/4", total: 5 });
        west.as(shop).kv.write({ path: "orders/2", total: 8 });
      },
      expectation: "there are two primaries, each with an order 2 of its own, and east misses its secondary",
      expect: (sim, { shop }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        const orders = [east, west].map((cluster) => kept(cluster, shop, "orders/2"));
        expectEqual(orders, [{ total: 7 }, { total: 8 }]);
        const [missed] = primaryStatus(east, "dr").secondaries;
        expectEqual([missed?.node_id, missed?.connection_status], ["west", "disconnected"]);
        expectEqual(primaryStatus(east, "dr").cluster_id, primaryStatus(west, "dr").cluster_id);
        expectEqual(sim.lossReport(east, west).length, 4);
      },
    },
    {
      title: "East is demoted, and attached to west",
      does: async (sim, { operator, shares }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        east.as(operator).replication.dr.primaryDemote();
        await attach(east, west, operator, shares);
      },
      expectation:
        "it follows, without a wipe; what only east had is gone, and the report still has it, to be entered again",
      expect: (sim, { shop, night }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        const [lead, copy] = [primaryStatus(west, "dr"), secondaryStatus(east, "dr")];
        expectEqual([copy.state, copy.merkle_root], ["stream-wals", lead.merkle_root]);
        expectEqual(timesWiped(sim, "east"), 0);
        expectRefusal("not_found", () => kept(west, shop, "orders/4"));
        expectEqual(sim.lossReport(east, west).flatMap(told), [
          "secret kv/orders/2 created",
          `token ${night} created`,
          "secret kv/orders/3 created",
          "secret kv/orders/4 created",
        ]);
        expectEqual(sim.lossReport(west, east), []);
      },
    },
    {
      title: "What if east had lived for four seconds more?",
      expectation: "in a fork from before the crash everything arrives in time, and the night shift goes on in west",
      expect: async (sim, { night, shares }) => {
        const other = sim.fork("before the crash");
        const { east, west } = clustersOf(other, "east", "west");
        other.settle();
        other.network.stop(east);
        expectEqual(other.lossReport(east, west), []);
        await promote(west, shares);
        expectEqual(kept(west, night, "orders/3"), { total: 30 });
      },
    },
  ],
});

function told({ objects }: LostCommit): string[] {
  return objects.map(({ kind, path, change }) => `${kind} ${path} ${change}`);
}
