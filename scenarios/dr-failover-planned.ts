import { defineScenario, type Simulator } from "../src/index.ts";
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

const DN = "cn=svc-1,ou=service,dc=example,dc=com";

/**
 * A data centre is to be closed for a day. Its cluster hands over to the other one, in the order of the book: nothing is lost, and whoever
 * has a token or a lease goes on with it.
 */
export const drFailoverPlanned = defineScenario({
  name: "dr-failover-planned",
  title: "A primary hands over, and nobody loses anything",
  world: { seed: 6, secrets: { clusters: ["east", "west"] } },

  cast: (sim) => {
    const { east } = clustersOf(sim, "east");
    east.writePolicy(
      "worker",
      'path "kv/app/*" { capabilities = ["create", "read", "update"] } path "ldap/library/*" { capabilities = ["update", "read"] }',
    );
    const worker = east.createToken({ policies: ["worker"], displayName: "worker", ttl: "10h" }).token;
    return { operator: east.rootToken, worker, shares: east.keyShares };
  },

  steps: [
    {
      title: "West joins east, and a worker keeps a secret and borrows an account for an hour",
      does: async (sim, { operator, worker }) => {
        const { east } = await westFollowsEast(sim);
        sim.directory.addEntry(DN, { objectClass: "person", cn: "svc-1", userPassword: "as it came" });
        const engine = east.as(operator);
        engine.ldapConfig.write({
          binddn: "cn=engine,dc=example,dc=com",
          bindpass: "secret",
          userdn: "ou=service,dc=example,dc=com",
        });
        engine.library.write({ set_name: "ops", service_account_names: ["svc-1"], ttl: "1h" });
        east.as(worker).kv.write({ path: "app/db", password: "p1" });
        east.as(worker).library.checkOut({ set_name: "ops" });
      },
      expectation: "east knows west, and both hold the same",
      expect: (sim) => {
        const { east, west } = clustersOf(sim, "east", "west");
        const [lead, copy] = [primaryStatus(east, "dr"), secondaryStatus(west, "dr")];
        expectEqual(lead.known_secondaries, ["west"]);
        expectEqual(
          lead.secondaries.map(({ node_id, connection_status }) => [node_id, connection_status]),
          [["west", "connected"]],
        );
        expectEqual([copy.cluster_id, copy.merkle_root], [lead.cluster_id, lead.merkle_root]);
      },
    },
    {
      title: "The operator sees that west has everything, and demotes east",
      does: (sim, { operator }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        sim.clock.advance("10m");
        expectEqual(secondaryStatus(west, "dr").last_remote_wal, primaryStatus(east, "dr").last_wal);
        east.as(operator).replication.dr.primaryDemote();
      },
      expectation: "now nobody leads: whatever one asks, and whoever asks, is refused by both",
      expect: (sim, { operator, worker }) => {
        for (const cluster of Object.values(clustersOf(sim, "east", "west"))) {
          for (const token of [operator, worker, "nobody's"]) {
            expectRefusal("dr_secondary", () => kept(cluster, token, "app/db"));
          }
        }
        expectEqual(secondaryStatus(sim.secrets.cluster("east"), "dr").state, "idle");
      },
    },
    {
      title: "With the shares of east's key an operation token is made on west, which is promoted by it",
      does: async (sim, { shares }) => {
        sim.mark("before the promotion");
        await promote(sim.secrets.cluster("west"), shares);
      },
      expectation: "west leads the same set from where east was, and the worker's token and loan are what they were",
      expect: (sim, { operator, worker }) => {
        const { west } = clustersOf(sim, "west");
        const before = secondaryStatus(sim.at("before the promotion").secrets.cluster("west"), "dr");
        const after = primaryStatus(west, "dr");
        expectEqual([after.cluster_id, after.last_wal], [before.cluster_id, before.last_remote_wal]);
        expectEqual(kept(west, worker, "app/db"), { password: "p1" });
        expectEqual(west.as(worker).tokens.lookupSelf().data.ttl, 10 * 3600 - 600);
        expectEqual(lentAccounts(sim, operator), ["svc-1"]);
      },
    },
    {
      title: "East is attached to west with a token of west's and an operation token of its own",
      does: async (sim, { operator, shares }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        await attach(east, west, operator, shares);
        west.as(operator).kv.write({ path: "app/db", password: "p2" });
      },
      expectation: "it streams without a wipe, what is written to west reaches it, and nobody lost a thing",
      expect: (sim, { operator }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        const copy = secondaryStatus(east, "dr");
        expectEqual([copy.state, copy.secondary_id], ["stream-wals", "east"]);
        expectEqual(copy.merkle_root, primaryStatus(west, "dr").merkle_root);
        expectEqual(timesWiped(sim, "east"), 0);
        expectEqual([...sim.lossReport(east, west), ...sim.lossReport(west, east)], []);
        expectRefusal("dr_secondary", () => kept(east, operator, "app/db"));
      },
    },
    {
      title: "The worker's hour is over",
      does: (sim) => {
        sim.clock.advance("50m");
      },
      expectation: "west takes the account back, once, and east hears of it",
      expect: (sim, { operator }) => {
        const { east, west } = clustersOf(sim, "east", "west");
        expectEqual(lentAccounts(sim, operator), []);
        const ended = sim.log.commits().filter(({ command }) => command.name === "timer.leaseRevocation");
        expectEqual(ended.length, 1);
        expectEqual(secondaryStatus(east, "dr").merkle_root, primaryStatus(west, "dr").merkle_root);
      },
    },
  ],
});

/** The accounts that are lent, as west has it. */
function lentAccounts(sim: Simulator, operator: string): string[] {
  const { data } = sim.secrets.cluster("west").as(operator).library.status({ set_name: "ops" });
  return Object.keys(data).filter((account) => data[account]?.available === false);
}
