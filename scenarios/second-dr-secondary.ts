import { defineScenario } from "../src/index.ts";
import { expectEqual, expectRefusalSoon } from "./support/expectations.ts";
import {
  attach,
  castOfEast,
  clustersOf,
  join,
  kept,
  operationToken,
  primaryStatus,
  promote,
  secondaryStatus,
  timesWiped,
  westFollowsEast,
} from "./support/replication.ts";

/** A primary has two secondaries for disasters. When one of them takes over, the other does not follow by itself. */
export const secondDrSecondary = defineScenario({
  name: "second-dr-secondary",
  title: "The other secondary does not follow by itself",
  world: { seed: 12, secrets: { clusters: ["east", "west", "north"] } },

  cast: castOfEast,

  steps: [
    {
      title: "West and north follow east",
      does: async (sim, { operator }) => {
        const { east } = await westFollowsEast(sim);
        await join("dr", east, sim.secrets.cluster("north"));
        east.as(operator).kv.write({ path: "app", v: 1 });
      },
      expectation: "east counts both, and all three hold the same",
      expect: (sim) => {
        const { east, west, north } = clustersOf(sim, "east", "west", "north");
        const lead = primaryStatus(east, "dr");
        expectEqual(
          lead.secondaries.map(({ node_id }) => node_id),
          ["north", "west"],
        );
        for (const copy of [west, north]) expectEqual(secondaryStatus(copy, "dr").merkle_root, lead.merkle_root);
      },
    },
    {
      title: "East dies, and west is promoted",
      does: async (sim, { shares }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        sim.network.stop(east);
        sim.clock.advance("11s");
        await promote(west, shares);
        sim.clock.advance("1h");
      },
      expectation: "north waits for east, and west knows of nobody",
      expect: (sim) => {
        const { west, north } = clustersOf(sim, "west", "north");
        expectEqual(secondaryStatus(north, "dr").state, "idle");
        const { known_secondaries, secondaries } = primaryStatus(west, "dr");
        expectEqual([known_secondaries, secondaries], [[], []]);
      },
    },
    {
      title: "The operator tells north where west is",
      expectation: "that is not enough: west does not know the id that north has",
      expect: async (sim, { shares }) => {
        const { west, north } = clustersOf(sim, "west", "north");
        const dr_operation_token = await operationToken(north, shares);
        const told = north
          .as()
          .replication.dr.updatePrimary({ dr_operation_token, update_primary_addrs: [west.clusterAddress] });
        await expectRefusalSoon("no_primary_responds", told);
        expectEqual(secondaryStatus(north, "dr").state, "idle");
      },
    },
    {
      title: "West makes a token for north, which is attached by it",
      does: async (sim, { operator, shares }) => {
        const { west, north } = clustersOf(sim, "west", "north");
        await attach(north, west, operator, shares);
        west.as(operator).kv.write({ path: "app", v: 2 });
      },
      expectation: "it follows without having lost what it held, and an address is enough from now on",
      expect: async (sim, { operator, shares }) => {
        const { west, north } = clustersOf(sim, "west", "north");
        expectEqual(secondaryStatus(north, "dr").state, "stream-wals");
        expectEqual(secondaryStatus(north, "dr").merkle_root, primaryStatus(west, "dr").merkle_root);
        expectEqual(timesWiped(sim, "north"), 1); // when it joined east
        const dr_operation_token = await operationToken(north, shares);
        await north
          .as()
          .replication.dr.updatePrimary({ dr_operation_token, update_primary_addrs: [west.clusterAddress] });
        expectEqual(secondaryStatus(north, "dr").state, "stream-wals");
        await promote(north, shares);
        expectEqual(kept(north, operator, "app"), { v: 2 });
      },
    },
  ],
});
