import { defineScenario, type Simulator } from "../src/index.ts";
import { expectDiffer, expectEqual } from "./support/expectations.ts";
import {
  castOfEast,
  clustersOf,
  kept,
  operationToken,
  primaryStatus,
  promote,
  secondaryStatus,
  westFollowsEast,
} from "./support/replication.ts";

/** A disk goes bad below both clusters. What stands in the trees is not what is stored; a reindex of the secondary puts that right. */
export const corruptedStorageReindexed = defineScenario({
  name: "corrupted-storage-reindexed",
  title: "Storage goes bad, and is reindexed",
  world: { seed: 28, secrets: { clusters: ["east", "west"], reindexDuration: "10m" } },

  cast: castOfEast,

  steps: [
    {
      title: "West follows east",
      does: async (sim, { operator }) => {
        const { east } = await westFollowsEast(sim);
        east.as(operator).kv.write({ path: "app", v: 1 });
      },
      expectation: "both trees of west are sound",
      expect: async (sim, { shares }) => expectEqual(await badPages(sim, shares), { replicated: null, local: null }),
    },
    {
      title: "Something happens to the disks of both",
      does: (sim) => {
        const { east, west } = clustersOf(sim, "east", "west");
        sim.faults.corruptStorage(west, { page: 12, subpages: [3] });
        sim.faults.corruptStorage(west, { tree: "local", page: 200 });
        sim.faults.corruptStorage(east, { page: 7 });
      },
      expectation: "a check finds the pages; the status shows no more than that the roots differ, and shipping goes on",
      expect: async (sim, { operator, shares }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        expectEqual(await badPages(sim, shares), {
          replicated: { "12": { corrupted: false, subpages: [3] } },
          local: { "200": { corrupted: true, subpages: [] } },
        });
        expectDiffer(secondaryStatus(west, "dr").merkle_root, primaryStatus(east, "dr").merkle_root);
        expectEqual(primaryStatus(east, "dr").corrupted_merkle_tree, false);
        east.as(operator).kv.write({ path: "app", v: 2 });
        expectEqual(secondaryStatus(west, "dr").last_remote_wal, primaryStatus(east, "dr").last_wal);
      },
    },
    {
      title: "The operator has west reindexed, which takes ten minutes",
      does: async (sim, { shares }) => {
        const { west } = clustersOf(sim, "west");
        const dr_operation_token = await operationToken(west, shares);
        sim.mark("before the reindex");
        west.as().replication.dr.reindex({ dr_operation_token });
        sim.clock.advance("10m");
        west.as().replication.dr.operationToken.delete({ dr_operation_token });
      },
      expectation: "its trees are sound, and neither its data nor how far it had come was touched",
      expect: async (sim, { operator, shares }) => {
        const [was, is] = [sim.at("before the reindex"), sim].map((at) =>
          secondaryStatus(at.secrets.cluster("west"), "dr"),
        );
        expectEqual([is?.state, is?.last_remote_wal], [was?.state, was?.last_remote_wal]);
        expectEqual(await badPages(sim, shares), { replicated: null, local: null });
        const { west } = clustersOf(sim, "west");
        await promote(west, shares);
        expectEqual(kept(west, operator, "app"), { v: 1 });
      },
    },
    {
      title: "An hour after it began to lead, east checks itself",
      does: (sim) => {
        sim.clock.advance("50m");
      },
      expectation: "it finds what happened to its own disk, and shows when it looked",
      expect: (sim) => {
        const { corrupted_merkle_tree, last_corruption_check_epoch } = primaryStatus(sim.secrets.cluster("east"), "dr");
        expectEqual(corrupted_merkle_tree, true);
        expectEqual(last_corruption_check_epoch, `${sim.clock.now() / 1000}`);
      },
    },
    {
      title: "East hands over to west, and is reindexed as its secondary",
      does: async (sim, { operator, shares }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        east.as(operator).replication.dr.primaryDemote();
        await promote(west, shares);
        const dr_operation_token = await operationToken(east, shares);
        east.as().replication.dr.reindex({ dr_operation_token });
        sim.clock.advance("10m");
      },
      expectation: "both are sound, and hold the same",
      expect: (sim) => {
        const { east, west } = clustersOf(sim, "east", "west");
        expectEqual(secondaryStatus(east, "dr").merkle_root, primaryStatus(west, "dr").merkle_root);
      },
    },
  ],
});

/** What a check of west's trees finds. */
async function badPages(sim: Simulator, shares: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const { west } = clustersOf(sim, "west");
  const dr_operation_token = await operationToken(west, shares);
  const { data } = west.as().replication.dr.merkleCheck({ dr_operation_token });
  const trees = Object.values(data.merkle_corruption_report.corrupted_tree_map);
  return Object.fromEntries(trees.map((tree) => [tree.tree_type, tree.corrupted_index_tuples_map]));
}
