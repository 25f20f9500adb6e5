import { type FactsOf, withinFlat } from "../../kernel/evolvers.ts";
import { bootstrapEvolvers } from "./bootstrap/state.ts";
import { regionFaultEvolvers } from "./faults/state.ts";
import { policyEvolvers } from "./policies/state.ts";
import { regionsEvolvers } from "./regions/folds.ts";
import { leaderEvolvers } from "./regions/state.ts";
import { replicationEvolvers } from "./replication/state.ts";
import { tokenEvolvers } from "./tokens/state.ts";
import { withRegion, withScheduler } from "./world.ts";

/** All facts of the service, folded into the world; each family knows its own slice only. */
export const schedulerFolds = {
  ...withinFlat(withRegion, bootstrapEvolvers),
  ...withinFlat(withRegion, policyEvolvers),
  ...withinFlat(withRegion, tokenEvolvers),
  ...withinFlat(withScheduler, regionsEvolvers),
  ...withinFlat(withRegion, leaderEvolvers),
  ...withinFlat(withRegion, replicationEvolvers),
  ...withinFlat(withRegion, regionFaultEvolvers),
};

/** Everything that the scheduler records. */
export type SchedulerEvents = FactsOf<typeof schedulerFolds>;
