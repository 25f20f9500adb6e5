import { defineScenario } from "../src/index.ts";
import { expectDiffer, expectEqual, expectRefusal, expectRefusalSoon } from "./support/expectations.ts";
import {
  activationToken,
  castOfEast,
  clustersOf,
  kept,
  operationToken,
  primaryStatus,
  secondaryStatus,
  westFollowsEast,
} from "./support/replication.ts";

/**
 * Somebody switches replication off and on again at the primary. It is another set then: the old secondary is a stranger to it, keeps
 * what it has, and can only come back as an empty one.
 */
export const replacedForeignSecondary = defineScenario({
  name: "replaced-foreign-secondary",
  title: "A secondary of the old set can only come back empty",
  world: { seed: 20, secrets: { clusters: ["east", "west"] } },

  cast: castOfEast,

  steps: [
    {
      title: "West follows east",
      does: async (sim, { operator }) => {
        const { east } = await westFollowsEast(sim);
        east.as(operator).kv.write({ path: "app", v: 1 });
        sim.mark("the old set");
      },
    },
    {
      title: "At east replication is switched off and on again",
      does: (sim, { operator }) => {
        const { dr } = sim.secrets.cluster("east").as(operator).replication;
        dr.primaryDisable();
        dr.primaryEnable();
        sim.clock.advance("11s");
      },
      expectation: "it is a set of another id, which knows of nobody; west waits for one that is gone",
      expect: (sim) => {
        const { east, west } = clustersOf(sim, "east", "west");
        const before = primaryStatus(sim.at("the old set").secrets.cluster("east"), "dr");
        expectDiffer(primaryStatus(east, "dr").cluster_id, before.cluster_id);
        expectEqual(primaryStatus(east, "dr").known_secondaries, []);
        const { cluster_id, state } = secondaryStatus(west, "dr");
        expectEqual([cluster_id, state], [before.cluster_id, "idle"]);
      },
    },
    {
      title: "The operator attaches west with a new token of east's",
      expectation: "that is refused, and the token is used up by it; west stays what it was",
      expect: async (sim, { operator, shares }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        const token = await activationToken("dr", east, operator, "west");
        const dr_operation_token = await operationToken(west, shares);
        const before = secondaryStatus(west, "dr");
        const { dr } = west.as().replication;
        await expectRefusalSoon("cluster_id_differs", dr.updatePrimary({ token, dr_operation_token }));
        expectEqual(secondaryStatus(west, "dr"), before);
        await expectRefusalSoon("unwrapping_failed", dr.updatePrimary({ token, dr_operation_token }));
      },
    },
    {
      title: "West is disabled: for a moment it is a cluster of its own, with all that it held",
      does: async (sim, { shares }) => {
        const { west } = clustersOf(sim, "west");
        const dr_operation_token = await operationToken(west, shares);
        west.as().replication.dr.secondaryDisable({ dr_operation_token });
      },
      expectation: "it serves with the data and the tokens of the old set",
      expect: (sim, { operator }) => {
        const { west } = clustersOf(sim, "west");
        expectEqual(west.as().replication.dr.status().data, { mode: "disabled" });
        expectEqual(kept(west, operator, "app"), { v: 1 });
      },
    },
    {
      title: "It joins the new set",
      does: async (sim, { operator }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        west.as(operator).kv.write({ path: "only/west", v: 1 });
        east.as(operator).kv.write({ path: "app", v: 2 });
        const token = await activationToken("dr", east, operator, "west");
        await west.as(operator).replication.dr.secondaryEnable({ token });
      },
      expectation: "what it held is gone, and it is a copy of east",
      expect: async (sim, { operator, shares }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        const [lead, copy] = [primaryStatus(east, "dr"), secondaryStatus(west, "dr")];
        expectEqual([copy.cluster_id, copy.merkle_root], [lead.cluster_id, lead.merkle_root]);
        const dr_operation_token = await operationToken(west, shares);
        west.as().replication.dr.promote({ dr_operation_token });
        expectEqual(kept(west, operator, "app"), { v: 2 });
        expectRefusal("not_found", () => kept(west, operator, "only/west"));
      },
    },
  ],
});
