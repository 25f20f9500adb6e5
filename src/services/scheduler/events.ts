import { type Folds, withinFlat } from "../../kernel/evolvers.ts";
import { type BootstrapEvents, bootstrapEvolvers } from "./bootstrap/state.ts";
import { type RegionFaultEvents, regionFaultEvolvers } from "./faults/state.ts";
import { type OneTimeTokenEvents, oneTimeTokenEvolvers } from "./one-time-tokens/state.ts";
import { type PolicyEvents, policyEvolvers } from "./policies/state.ts";
import { type RegionsEvents, regionsEvolvers } from "./regions/folds.ts";
import { type LeaderEvents, leaderEvolvers } from "./regions/state.ts";
import { type ReplicationEvents, replicationEvolvers } from "./replication/state.ts";
import { type RoleEvents, roleEvolvers } from "./roles/state.ts";
import { type TokenEvents, tokenEvolvers } from "./tokens/state.ts";
import { type SchedulerWorld, withRegion, withScheduler } from "./world.ts";

/** Everything that the scheduler records. */
export interface SchedulerEvents
  extends BootstrapEvents,
    PolicyEvents,
    TokenEvents,
    OneTimeTokenEvents,
    RoleEvents,
    RegionsEvents,
    LeaderEvents,
    ReplicationEvents,
    RegionFaultEvents {}

/** Folds its facts into the world. */
export const schedulerFolds: Folds<SchedulerWorld, SchedulerEvents> = {
  ...withinFlat(withRegion, bootstrapEvolvers),
  ...withinFlat(withRegion, policyEvolvers),
  ...withinFlat(withRegion, tokenEvolvers),
  ...withinFlat(withRegion, oneTimeTokenEvolvers),
  ...withinFlat(withRegion, roleEvolvers),
  ...withinFlat(withScheduler, regionsEvolvers),
  ...withinFlat(withRegion, leaderEvolvers),
  ...withinFlat(withRegion, replicationEvolvers),
  ...withinFlat(withRegion, regionFaultEvolvers),
};
