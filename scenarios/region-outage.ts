import { defineScenario, type Simulator } from "../src/index.ts";
import { expectEqual, expectRefusal } from "./support/expectations.ts";

const RULES = 'namespace "default" { policy = "write" }';

/**
 * The region that decides is cut off. What the other one holds goes on working: also a token that was revoked meanwhile, until the
 * regions see each other again.
 *
 * Shows: replication with lag, what a partition stops and what it does not, the retry after the heal, blocking queries.
 */
export const regionOutage = defineScenario({
  name: "region-outage",
  title: "The authoritative region is cut off",
  world: { seed: 5, scheduler: { regions: ["eu", "us"] } },
  cast: (sim) => {
    const eu = sim.scheduler.region("eu");
    const root = eu.as().acl.bootstrap().SecretID;
    eu.as(root).policies.write({ Name: "deployers", Rules: RULES });
    const global = { Type: "client", Policies: ["deployers"], Global: true } as const;
    const leaver = eu.as(root).tokens.create({ ...global, Name: "somebody who leaves" });
    sim.settle();
    const local = sim.scheduler
      .region("us")
      .as(root)
      .tokens.create({ Type: "client", Policies: ["deployers"] });
    return { root, leaver: leaver.SecretID, leaverAccessor: leaver.AccessorID, local: local.SecretID };
  },
  steps: [
    {
      title: "All is well",
      expectation: "both tokens may deploy in us",
      expect: (sim, { leaver, local }) => {
        for (const token of [leaver, local]) expectEqual(mayDeploy(sim, "us", token), true);
      },
    },
    {
      title: "The line between eu and us is cut",
      does: (sim) => sim.network.cut(sim.scheduler.region("eu"), sim.scheduler.region("us")),
      expectation: "us manages its own tokens, and can write no policy",
      expect: (sim, { root, local }) => {
        const us = sim.scheduler.region("us").as(root);
        us.tokens.create({ Type: "client", Policies: ["deployers"] });
        expectEqual(mayDeploy(sim, "us", local), true);
        expectRefusal("no_path_to_region", () => us.policies.write({ Name: "new", Rules: RULES }));
      },
    },
    {
      title: "Somebody leaves, and their token is revoked in eu",
      does: (sim, { root, leaverAccessor }) => {
        sim.scheduler.region("eu").as(root).tokens.delete({ accessor_id: leaverAccessor });
        sim.clock.advance("1h");
      },
      expectation: "it is worth nothing in eu, and an hour later still works in us",
      expect: (sim, { leaver }) => {
        expectRefusal("token_unknown", () => mayDeploy(sim, "eu", leaver));
        expectEqual(mayDeploy(sim, "us", leaver), true);
      },
    },
    {
      title: "The line is mended",
      does: (sim) => {
        sim.network.heal();
        sim.settle();
      },
      expectation: "at the first retry us has heard of it; its local token was never touched",
      expect: (sim, { leaver, local }) => {
        expectRefusal("token_unknown", () => mayDeploy(sim, "us", leaver));
        expectEqual(mayDeploy(sim, "us", local), true);
      },
    },
    {
      title: "What if us had been made authoritative during the outage?",
      expectation: "then eu has lost what us never heard of, and the revoked token is back",
      expect: (sim, { root, leaver, leaverAccessor }) => {
        const other = sim.fork(sim.bisect((view) => view.state.network !== undefined));
        other.scheduler.region("eu").as(root).tokens.delete({ accessor_id: leaverAccessor });
        other.scheduler.setAuthoritative(other.scheduler.region("us"));
        other.network.heal();
        other.settle();
        expectEqual(mayDeploy(other, "eu", leaver), true);
      },
    },
  ],
});

function mayDeploy(sim: Simulator, region: string, token: string): boolean {
  return sim.scheduler.region(region).as(token).capabilities("namespace", "default").includes("submit-job");
}
