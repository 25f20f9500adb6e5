import { defineScenario, type Simulator } from "../src/index.ts";
import { expectEqual, expectRefusalSoon } from "./support/expectations.ts";
import { clustersOf, decoded, kept, primaryStatus, westFollowsEast } from "./support/replication.ts";

/**
 * In the middle of a failover one of those who hold the key shares cannot find hers, and another gives the one of a cluster that is long
 * gone. That is noticed at the last share only; then all have to give theirs again.
 */
export const lostKeyShare = defineScenario({
  name: "lost-key-share",
  title: "A key share is lost, and another one is wrong",
  world: { seed: 26, secrets: { clusters: ["east", "west"], keyShares: 5, keyThreshold: 3 } },

  cast: (sim) => {
    const { east, west } = clustersOf(sim, "east", "west");
    const [ann = "", bob = "", cleo = "", dan = "", eve = ""] = east.keyShares;
    // Dan took part when west was set up as a cluster of its own, and has kept that share, too.
    return { operator: east.rootToken, ann, bob, cleo, dan, eve, dansOld: west.keyShares[3] ?? "" };
  },

  steps: [
    {
      title: "West follows east, whose key is in five shares, of which three are needed",
      does: async (sim, { operator }) => {
        const { east } = await westFollowsEast(sim);
        east.as(operator).kv.write({ path: "app", v: 1 });
      },
      expectation: "from now on west has the key of east",
      expect: (sim, { ann }) => expectEqual(sim.secrets.cluster("west").keyShares.includes(ann), true),
    },
    {
      title: "East dies; Ann and Bob give their shares, and Cleo cannot find hers",
      does: async (sim, { ann, bob }) => {
        sim.network.stop(sim.secrets.cluster("east"));
        sim.clock.advance("11s");
        await generation(sim).start();
        sim.mark("begun");
        for (const key of [ann, bob]) await give(sim, key);
      },
      expectation: "two of three are given, and Ann cannot help out with hers a second time, in whatever writing",
      expect: async (sim, { ann }) => {
        expectEqual(progress(sim), [2, 3]);
        for (const key of [ann, hexOf(ann)]) await expectRefusalSoon("generation_share_repeated", give(sim, key));
        expectEqual(progress(sim), [2, 3]);
      },
    },
    {
      title: "Dan gives a share in her place: that of the old west",
      does: async (sim, { dansOld }) => {
        await expectRefusalSoon("generation_aborted", give(sim, dansOld));
      },
      expectation: "three shares make no key: none of them counts any more, though the attempt goes on",
      expect: (sim) => {
        expectEqual(progress(sim), [0, 3]);
        expectEqual(nonce(sim), nonce(sim.at("begun")));
        expectEqual(generation(sim).attempt().started, true);
      },
    },
    {
      title: "What if the wrong share had come first?",
      expectation: "in a fork it is taken without a word, and noticed no sooner",
      expect: async (sim, { ann, bob, dansOld }) => {
        const other = sim.fork("begun");
        await give(other, dansOld);
        await give(other, ann);
        expectEqual(progress(other), [2, 3]);
        await expectRefusalSoon("generation_aborted", give(other, bob));
        expectEqual(progress(other), [0, 3]);
      },
    },
    {
      title: "Eve is woken; with her share, and Ann's and Bob's once more, the token is made, and west is promoted",
      does: async (sim, { ann, bob, eve }) => {
        // The one-time password was shown to who began: nobody wrote it down, so they begin anew.
        generation(sim).cancel();
        const { otp = "" } = await generation(sim).start();
        for (const key of [eve, bob]) await give(sim, key);
        const { encoded_token } = await give(sim, ann);
        sim.secrets
          .cluster("west")
          .as()
          .replication.dr.promote({ dr_operation_token: decoded(encoded_token, otp) });
      },
      expectation: "any three of the five are enough, in any order: west leads, with all that east had",
      expect: (sim, { operator }) => {
        const { west } = clustersOf(sim, "west");
        expectEqual(primaryStatus(west, "dr").mode, "primary");
        expectEqual(kept(west, operator, "app"), { v: 1 });
      },
    },
  ],
});

function generation(sim: Pick<Simulator, "secrets">) {
  return sim.secrets.cluster("west").as().replication.dr.operationToken;
}

/** Gives a share to the attempt that runs. */
function give(sim: Simulator, key: string) {
  return generation(sim).update({ key, nonce: nonce(sim) });
}

function nonce(sim: Pick<Simulator, "secrets">): string {
  return generation(sim).attempt().nonce;
}

/** How many shares were given, and how many are needed. */
function progress(sim: Simulator): readonly [given: number, needed: number] {
  const { progress: given, required } = generation(sim).attempt();
  return [given, required];
}

function hexOf(share: string): string {
  return [...atob(share)].map((character) => character.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}
