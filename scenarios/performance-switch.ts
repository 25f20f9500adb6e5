import { defineScenario } from "../src/index.ts";
import { expectEqual, expectRefusal } from "./support/expectations.ts";
import {
  activationToken,
  clustersOf,
  join,
  kept,
  primaryStatus,
  rootOf,
  secondaryStatus,
} from "./support/replication.ts";

const YUKI = "token-of-yuki";
const CLAIRE_IN_TOKYO = "token-of-claire-in-tokyo";
const POLICY = 'path "kv/app/*" { capabilities = ["create", "read", "update"] }';

/** Two sites share their data. The one that leads hands over; tokens are each site's own, so whoever moves logs in again. */
export const performanceSwitch = defineScenario({
  name: "performance-switch",
  title: "The site that leads is changed",
  world: { seed: 14, secrets: { clusters: ["paris", "tokyo"] } },

  cast: (sim) => {
    const { paris, tokyo } = clustersOf(sim, "paris", "tokyo");
    paris.writePolicy("app", POLICY);
    const claire = paris.createToken({ policies: ["app"], displayName: "claire", ttl: "24h" }).token;
    return { operator: paris.rootToken, claire, tokyoBefore: tokyo.rootToken };
  },

  steps: [
    {
      title: "Tokyo joins Paris, and gets somebody of its own",
      does: async (sim, { claire }) => {
        const { paris, tokyo } = clustersOf(sim, "paris", "tokyo");
        await join("performance", paris, tokyo);
        tokyo.createToken({ id: YUKI, policies: ["app"], displayName: "yuki", ttl: "24h" });
        paris.as(claire).kv.write({ path: "app/a", by: "claire" });
        tokyo.as(YUKI).kv.write({ path: "app/b", by: "yuki" });
      },
      expectation:
        "policies and secrets are shared, what is written in Tokyo is done in Paris, and tokens are each site's own",
      expect: (sim, { claire, tokyoBefore }) => {
        const { paris, tokyo } = clustersOf(sim, "paris", "tokyo");
        expectEqual([kept(tokyo, YUKI, "app/a"), kept(paris, claire, "app/b")], [{ by: "claire" }, { by: "yuki" }]);
        expectRefusal("permission_denied", () => kept(tokyo, claire, "app/a"));
        expectRefusal("permission_denied", () => kept(paris, YUKI, "app/a"));
        // It was wiped when it joined.
        expectRefusal("permission_denied", () => kept(tokyo, tokyoBefore, "app/a"));
      },
    },
    {
      title: "Paris is demoted",
      does: (sim, { operator }) => {
        sim.secrets.cluster("paris").as(operator).replication.performance.primaryDemote();
      },
      expectation: "both still read; what is written has nowhere to go",
      expect: (sim, { claire }) => {
        const { paris, tokyo } = clustersOf(sim, "paris", "tokyo");
        for (const [cluster, token] of [
          [paris, claire],
          [tokyo, YUKI],
        ] as const) {
          expectEqual(kept(cluster, token, "app/a"), { by: "claire" });
          expectRefusal("forwarding_failed", () => cluster.as(token).kv.write({ path: "app/a", by: "nobody" }));
        }
      },
    },
    {
      title: "Tokyo is promoted, with an ordinary token, and Paris is attached to it",
      does: async (sim, { operator }) => {
        const { paris, tokyo } = clustersOf(sim, "paris", "tokyo");
        const root = rootOf(tokyo);
        sim.mark("before the promotion");
        tokyo.as(root).replication.performance.promote();
        const token = await activationToken("performance", tokyo, root, "paris");
        await paris.as(operator).replication.performance.updatePrimary({ token });
      },
      expectation: "it is the same set, the other way round; Yuki's token and Claire's are each good where they were",
      expect: (sim, { claire }) => {
        const { paris, tokyo } = clustersOf(sim, "paris", "tokyo");
        const before = secondaryStatus(sim.at("before the promotion").secrets.cluster("tokyo"), "performance");
        const [lead, copy] = [primaryStatus(tokyo, "performance"), secondaryStatus(paris, "performance")];
        expectEqual([lead.cluster_id, copy.cluster_id], [before.cluster_id, before.cluster_id]);
        expectEqual([copy.state, copy.merkle_root], ["stream-wals", lead.merkle_root]);
        expectEqual(kept(tokyo, YUKI, "app/b"), { by: "yuki" });
        expectEqual(kept(paris, claire, "app/b"), { by: "yuki" });
      },
    },
    {
      title: "Claire works on through Paris, and then moves to Tokyo",
      does: (sim, { claire }) => {
        const { paris, tokyo } = clustersOf(sim, "paris", "tokyo");
        paris.as(claire).kv.write({ path: "app/a", by: "claire, from afar" });
        tokyo.createToken({ id: CLAIRE_IN_TOKYO, policies: ["app"], displayName: "claire", ttl: "24h" });
      },
      expectation: "what she writes in Paris is done in Tokyo; to work in Tokyo she had to log in there",
      expect: (sim, { claire }) => {
        const { tokyo } = clustersOf(sim, "tokyo");
        expectRefusal("permission_denied", () => kept(tokyo, claire, "app/a"));
        expectEqual(kept(tokyo, CLAIRE_IN_TOKYO, "app/a"), { by: "claire, from afar" });
      },
    },
  ],
});
