import { secretsModule } from "./services/secrets/module.ts";
import { modelOf } from "./simulator/model.ts";
import { simulatorsOf } from "./simulator/simulator-of.ts";
import type * as simulator from "./simulator/types.ts";

export * from "./entry.ts";
export type * from "./services/secrets/public.ts";
export type { LossReportOptions } from "./simulator/losses.ts";

type Service = "secrets";

export type Simulator = simulator.Simulator<Service>;
export type SimulatorOptions = simulator.OptionsOf<Service>;
export type View = simulator.View<Service>;
export type Moments = simulator.Moments<Service>;
export type Faults = simulator.Faults<Service>;
export type Fault = simulator.Fault<Service>;
export type InjectedFaults = simulator.InjectedFaults<Service>;
export type FailRequestsOptions = simulator.FailRequestsOptions<Service>;
export type DeadlineCheck = simulator.DeadlineCheck<Service>;
export type Rewriting = simulator.Rewriting<Service>;

/** Makes a simulator of this service alone, and rebuilds or rehearses one from its log: as those of `hindcast` do. */
export const { create: createSimulator, replay, rehearse } = simulatorsOf<Service>(modelOf([secretsModule]));
