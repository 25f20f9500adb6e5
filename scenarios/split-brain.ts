import { defineScenario } from "../src/index.ts";
import { expectDiffer, expectEqual, expectRefusal } from "./support/expectations.ts";
import {
  attach,
  clustersOf,
  kept,
  primaryStatus,
  promote,
  secondaryStatus,
  westFollowsEast,
} from "./support/replication.ts";

/**
 * The line is cut, an operator takes the primary for dead and promotes the other one. Nothing forbids it: two clusters lead, each for
 * those who reach it, until one of them is demoted. What that one took meanwhile is lost, and known.
 */
export const splitBrain = defineScenario({
  name: "split-brain",
  title: "Promoted first, demoted later: two primaries for an hour",
  world: { seed: 10, secrets: { clusters: ["east", "west"] } },

  cast: (sim) => {
    const { east } = clustersOf(sim, "east");
    const client = (displayName: string): string =>
      east.createToken({ policies: ["root"], displayName, ttl: "24h" }).token;
    return { operator: east.rootToken, ann: client("ann"), bob: client("bob"), shares: east.keyShares };
  },

  steps: [
    {
      title: "West follows east; then the line between them is cut, and nothing else",
      does: async (sim, { ann }) => {
        const { east, west } = await westFollowsEast(sim);
        east.as(ann).kv.write({ path: "stock", left: 10 });
        sim.network.cut(east, west);
        sim.clock.advance("1m");
      },
      expectation: "each has lost the other from sight, and east goes on",
      expect: (sim, { ann }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        expectEqual(primaryStatus(east, "dr").secondaries[0]?.connection_status, "disconnected");
        expectEqual(secondaryStatus(west, "dr").state, "idle");
        expectEqual(kept(east, ann, "stock"), { left: 10 });
      },
    },
    {
      title: "Whoever is on duty takes east for dead, and promotes west",
      does: async (sim, { shares }) => promote(sim.secrets.cluster("west"), shares),
      expectation: "both lead the same set, and neither minds",
      expect: (sim) => {
        const { east, west } = clustersOf(sim, "east", "west");
        expectEqual(primaryStatus(east, "dr").cluster_id, primaryStatus(west, "dr").cluster_id);
        expectEqual(primaryStatus(west, "dr").secondaries, []);
      },
    },
    {
      title: "Ann reaches east, and Bob west, for an hour",
      does: (sim, { ann, bob }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        sim.mark("two of them");
        east.as(ann).kv.write({ path: "stock", left: 9 });
        west.as(bob).kv.write({ path: "stock", left: 3 });
        sim.network.heal();
        sim.clock.advance("1h");
        east.as(ann).kv.write({ path: "sold", to: "ann" });
      },
      expectation: "both count on, each for itself; also when the line is mended neither ships to the other",
      expect: (sim, { ann, bob }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        const before = clustersOf(sim.at("two of them"), "east", "west");
        for (const [now, was] of [
          [east, before.east],
          [west, before.west],
        ] as const) {
          expectDiffer(primaryStatus(now, "dr").last_wal, primaryStatus(was, "dr").last_wal);
        }
        expectEqual([kept(east, bob, "stock"), kept(west, ann, "stock")], [{ left: 9 }, { left: 3 }]);
        expectRefusal("not_found", () => kept(west, ann, "sold"));
      },
    },
    {
      title: "It is noticed. East is demoted",
      does: (sim, { operator }) => {
        sim.mark("noticed");
        sim.secrets.cluster("east").as(operator).replication.dr.primaryDemote();
      },
      expectation: "Ann is refused, with a token that is good in west",
      expect: (sim, { ann }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        expectRefusal("dr_secondary", () => kept(east, ann, "stock"));
        expectEqual(kept(west, ann, "stock"), { left: 3 });
      },
    },
    {
      title: "East is attached to west",
      does: async (sim, { operator, shares }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        await attach(east, west, operator, shares);
      },
      expectation: "west's truth is east's, and Ann's two writes are in the report of what was lost",
      expect: (sim) => {
        const { east, west } = clustersOf(sim, "east", "west");
        expectEqual(secondaryStatus(east, "dr").merkle_root, primaryStatus(west, "dr").merkle_root);
        expectEqual(
          sim.lossReport(east, west).flatMap(({ objects }) => objects.map(({ path }) => path)),
          ["kv/stock", "kv/sold"],
        );
      },
    },
    {
      title: "What if west had given way instead?",
      expectation: "in a fork Bob's write is what is lost",
      expect: async (sim, { operator, bob, shares }) => {
        const other = sim.fork("noticed");
        const { east, west } = clustersOf(other, "east", "west");
        west.as(operator).replication.dr.primaryDemote();
        // East still has west on its list: the name has to be free first.
        east.as(operator).replication.dr.revokeSecondary({ id: "west" });
        await attach(west, east, operator, shares);
        expectEqual(kept(east, bob, "stock"), { left: 9 });
        expectEqual(
          other.lossReport(west, east).map(({ command }) => command),
          ["secrets.kv.write"],
        );
        expectEqual(other.lossReport(east, west), []);
      },
    },
  ],
});
