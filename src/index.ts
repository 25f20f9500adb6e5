export * from "./entry.ts";
export { type Cast, defineScenario, type Scenario, type Step } from "./scenario/define.ts";
export { type Retold, type RetoldStep, retold } from "./scenario/retold.ts";
export { type RunOptions, runScenario, type ScenarioReport, type StepReport } from "./scenario/run.ts";
export type * from "./services/runs/public.ts";
export type * from "./services/scheduler/public.ts";
export type * from "./services/secrets/public.ts";
export type { LossReportOptions } from "./simulator/losses.ts";
export type {
  DeadlineCheck,
  FailRequestsOptions,
  Fault,
  Faults,
  InjectedFaults,
  Moments,
  Rewriting,
  Simulator,
  View,
} from "./simulator/types.ts";
export type { SimulatorOptions, World, WorldEvents } from "./simulator/world.ts";
export { createSimulator, rehearse, replay } from "./simulator.ts";
