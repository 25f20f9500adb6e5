import { defineScenario, type Rejection, type Simulator } from "../src/index.ts";
import { expectEqual, expectRefusal } from "./support/expectations.ts";

/**
 * All management tokens are deleted. Nobody can manage the ACL system any more, and it cannot be bootstrapped again, until an
 * operator places the reset index that the refusal tells.
 *
 * Shows: the bootstrap and its refusal, the reset index, the second bootstrap, and that it works once.
 */
export const lostManagementTokens = defineScenario({
  name: "lost-management-tokens",
  title: "Nobody has a management token any more",
  world: { seed: 5, scheduler: { regions: ["eu", "us"] } },
  cast: (sim) => {
    const eu = sim.scheduler.region("eu");
    const root = eu.as().acl.bootstrap();
    eu.as(root.SecretID).policies.write({ Name: "readers", Rules: 'namespace "*" { policy = "read" }' });
    const admin = eu.as(root.SecretID).tokens.create({ Name: "admin", Type: "management", Global: true });
    const reader = eu.as(root.SecretID).tokens.create({ Type: "client", Policies: ["readers"], Global: true });
    sim.settle();
    return {
      root: root.SecretID,
      rootAccessor: root.AccessorID,
      admin: admin.SecretID,
      adminAccessor: admin.AccessorID,
      reader: reader.SecretID,
    };
  },
  steps: [
    {
      title: "A clean-up goes too far",
      does: (sim, { root, rootAccessor, adminAccessor }) => {
        const tokens = sim.scheduler.region("eu").as(root).tokens;
        tokens.delete({ accessor_id: adminAccessor });
        // The last one deletes itself: that is allowed.
        tokens.delete({ accessor_id: rootAccessor });
        sim.settle();
      },
      expectation: "no management token works anywhere, readers go on reading, and a bootstrap is refused",
      expect: (sim, { root, admin, reader }) => {
        for (const region of ["eu", "us"]) {
          for (const token of [root, admin]) {
            expectRefusal("token_unknown", () => sim.scheduler.region(region).as(token).tokens.list());
          }
          expectEqual(sim.scheduler.region(region).as(reader).policies.list().length, 1);
        }
        expectRefusal("bootstrap_done", () => sim.scheduler.region("us").as().acl.bootstrap());
      },
    },
    {
      title: "An operator places a reset index from an old runbook",
      does: (sim) => sim.scheduler.region("eu").setBootstrapResetIndex(1),
      expectation: "it is not the one that counts, and the refusal says which does",
      expect: (sim) => {
        expectRefusal("bootstrap_reset_invalid", () => sim.scheduler.region("eu").as().acl.bootstrap());
        expectEqual(resetIndexIn(sim), 2);
      },
    },
    {
      title: "The operator places the right one",
      does: (sim) => sim.scheduler.region("eu").setBootstrapResetIndex(resetIndexIn(sim)),
      expectation: "the next bootstrap gives a new management token, which us knows after a moment; it works once",
      expect: (sim, { reader }) => {
        const { SecretID } = sim.scheduler.region("us").as().acl.bootstrap();
        expectRefusal("bootstrap_reset_invalid", () => sim.scheduler.region("eu").as().acl.bootstrap());
        expectRefusal("token_unknown", () => sim.scheduler.region("us").as(SecretID).tokens.list());
        sim.settle();
        expectEqual(sim.scheduler.region("us").as(SecretID).tokens.list().length, 2);
        expectEqual(sim.scheduler.region("us").as(reader).policies.list().length, 1);
      },
    },
  ],
});

/** What the refusal of a bootstrap tells. */
function resetIndexIn(sim: Simulator): number {
  try {
    sim.fork().scheduler.region("eu").as().acl.bootstrap();
  } catch (error) {
    const { resetIndex } = (error as Rejection).data as { readonly resetIndex: number };
    return resetIndex;
  }
  throw new Error("the bootstrap was not refused");
}
