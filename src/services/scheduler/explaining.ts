import type { RequestFaultEvents } from "../../surroundings/faults/rules.ts";
import type { NetworkEvents } from "../../surroundings/network/state.ts";
import type { ExplainersOf, Met } from "../kit/why.ts";
import type { SchedulerCaller } from "./declare.ts";
import type { SchedulerEvents } from "./events.ts";
import type { SchedulerWorld } from "./world.ts";

/** A refusal of this service. */
export type SchedulerMet = Met<SchedulerWorld, SchedulerEvents & NetworkEvents & RequestFaultEvents, SchedulerCaller>;

/** An explainer for each code. */
export type SchedulerExplainers<C extends object> = ExplainersOf<C, SchedulerMet>;
