import { defineScenario, type Simulator } from "../src/index.ts";
import { expectEqual, expectRefusal, expectRefusalSoon } from "./support/expectations.ts";
import { activationToken, clustersOf, kept, primaryStatus, secondaryStatus } from "./support/replication.ts";

/** A token for a new secondary lies about for too long. Nothing is broken by it: another one is made for the same name. */
export const activationTokenExpired = defineScenario({
  name: "activation-token-expired",
  title: "The token for a new secondary has expired",
  world: { seed: 24, secrets: { clusters: ["east", "west", "north"] } },

  cast: (sim) => {
    const { east, west, north } = clustersOf(sim, "east", "west", "north");
    return { east: east.rootToken, west: west.rootToken, north: north.rootToken };
  },

  steps: [
    {
      title: "East's operator makes a token for west, and leaves it where west's operator will find it",
      does: async (sim, cast) => {
        const { east, west } = clustersOf(sim, "east", "west");
        east.as(cast.east).replication.dr.primaryEnable();
        west.as(cast.west).kv.write({ path: "app", of: "west" });
        await leaveToken(sim, cast.east);
        sim.mark("left");
      },
      expectation: "east knows west, though nobody has ever connected",
      expect: (sim) => {
        const { known_secondaries, secondaries } = primaryStatus(sim.secrets.cluster("east"), "dr");
        expectEqual([known_secondaries, secondaries], [["west"], []]);
      },
    },
    {
      title: "Half an hour later west's operator uses it",
      does: (sim) => {
        sim.clock.advance("30m");
      },
      expectation: "it is refused, and west is what it was; a second earlier it would have been good",
      expect: async (sim, cast) => {
        await expectRefusalSoon("unwrapping_failed", useToken(sim, "west", cast));
        const { west } = clustersOf(sim, "west");
        expectEqual(west.as().replication.dr.status().data, { mode: "disabled" });
        expectEqual(kept(west, cast.west, "app"), { of: "west" });
        const earlier = sim.fork("left");
        earlier.clock.advance("29m59s");
        await useToken(earlier, "west", cast);
        expectEqual(secondaryStatus(earlier.secrets.cluster("west"), "dr").state, "stream-wals");
      },
    },
    {
      title: "East makes another token for the same name, and west uses it at once",
      does: async (sim, cast) => {
        await leaveToken(sim, cast.east);
        await useToken(sim, "west", cast);
      },
      expectation: "west follows, and what it held is gone: its operator's token, too",
      expect: (sim, cast) => {
        const { east, west } = clustersOf(sim, "east", "west");
        const [lead, copy] = [primaryStatus(east, "dr"), secondaryStatus(west, "dr")];
        expectEqual([copy.state, copy.merkle_root], ["stream-wals", lead.merkle_root]);
        expectEqual(
          lead.secondaries.map(({ node_id }) => node_id),
          ["west"],
        );
        expectRefusal("dr_secondary", () => kept(west, cast.west, "app"));
      },
    },
    {
      title: "North's operator finds the same token, and uses it too",
      expectation: "it serves once: north is told so, and keeps what it has",
      expect: async (sim, cast) => {
        const { east, north } = clustersOf(sim, "east", "north");
        await expectRefusalSoon("unwrapping_failed", useToken(sim, "north", cast));
        expectEqual(north.as().replication.dr.status().data, { mode: "disabled" });
        expectEqual(north.as(cast.north).tokens.lookupSelf().data.policies, ["root"]);
        expectEqual(primaryStatus(east, "dr").known_secondaries, ["west"]);
      },
    },
  ],
});

const PLACE = "handed/over";

/** As its operators hand it over: in a secret of east's. */
async function leaveToken(sim: Simulator, operator: string): Promise<void> {
  const { east } = clustersOf(sim, "east");
  const token = await activationToken("dr", east, operator, "west");
  east.as(operator).kv.write({ path: PLACE, token });
}

async function useToken(sim: Simulator, name: "west" | "north", cast: Readonly<Record<string, string>>): Promise<void> {
  const { token } = sim.secrets.cluster("east").as(cast["east"]).kv.read({ path: PLACE }).data;
  if (typeof token !== "string") throw new Error("nobody has left a token");
  const { dr } = sim.secrets.cluster(name).as(cast[name]).replication;
  await dr.secondaryEnable({ token });
}
