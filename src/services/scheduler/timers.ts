import type { SchedulerRecorder } from "./declare.ts";
import type { RegionName } from "./ids.ts";
import { replicatePolicies, replicateRoles, replicateTokens } from "./replication/decide.ts";
import { POLICY_ROUND, ROLE_ROUND, TOKEN_ROUND } from "./replication/settle.ts";
import { COLLECTION, collectExpired } from "./tokens/collect.ts";

/** Decides what happens when a deadline of a region is reached. */
type TimerDecider = (decision: SchedulerRecorder, input: unknown, region: RegionName) => void;

/** The deadlines of this service, by the names of their commands. */
export const schedulerTimers: Readonly<Record<string, TimerDecider>> = {
  [POLICY_ROUND]: (decision, _, region) => replicatePolicies(decision, region),
  [COLLECTION]: (decision, _, region) => collectExpired(decision, region),
  [ROLE_ROUND]: (decision, _, region) => replicateRoles(decision, region),
  [TOKEN_ROUND]: (decision, _, region) => replicateTokens(decision, region),
};
