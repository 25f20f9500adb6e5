export type { Coverage } from "./coverage.ts";
export { defineExploration, type Exploration, type ExploreFailure, type ExploreReport, explore } from "./explore.ts";
export type { KeptFailure } from "./kept.ts";
export type {
  Action,
  ExploreOptions,
  Faults,
  Judge,
  MakeWorld,
  RequestFaultKind,
  Run,
  StartProgram,
} from "./options.ts";
export { type Act, Schedule, type ScheduleParts, type Step, type Wait } from "./schedule.ts";
