import type { LogHeader } from "../kernel/log-format.ts";
import type { Timeline } from "../kernel/timeline.ts";
import type { Worded } from "../languages/vocabulary/worded.ts";
import type { ServiceModule } from "../services/kit/module.ts";
import type { RunsEvents } from "../services/runs/events.ts";
import { runsModule } from "../services/runs/module.ts";
import type { RunsOptions, RunsSettings } from "../services/runs/options.ts";
import type { RunsWorld } from "../services/runs/world.ts";
import type { SchedulerEvents } from "../services/scheduler/events.ts";
import { schedulerModule } from "../services/scheduler/module.ts";
import type { SchedulerOptions, SchedulerSettings } from "../services/scheduler/options.ts";
import type { SchedulerWorld } from "../services/scheduler/world.ts";
import type { SecretsEvents } from "../services/secrets/events.ts";
import { secretsModule } from "../services/secrets/module.ts";
import type { SecretsOptions, SecretsSettings } from "../services/secrets/options.ts";
import type { SecretsWorld } from "../services/secrets/world.ts";
import type { FaultsEvents, FaultsWorld } from "../surroundings/faults/state.ts";
import { headerOfLog, type LogOutcome, witnessLogOf } from "./log.ts";
import { modelOf, type WorldModel } from "./model.ts";
import type { CommonOptions, CommonSettings } from "./options.ts";
import { readOptionsOf } from "./read-options.ts";

/** The whole simulated world. */
export interface World extends SecretsWorld, RunsWorld, SchedulerWorld, FaultsWorld, Worded {}

/** Everything that can happen in it. */
export interface WorldEvents extends SecretsEvents, RunsEvents, SchedulerEvents, FaultsEvents {}

/** A line of its time. */
export type WorldTimeline = Timeline<World, WorldEvents>;

/** The services of this package: a line for each. */
const services = [runsModule, schedulerModule, secretsModule] as const satisfies readonly ServiceModule<World>[];

/** The world as the kernel keeps it. */
export const worldModel: WorldModel = modelOf(services);

/** Options of `createSimulator`. */
export interface SimulatorOptions extends CommonOptions {
  readonly runs?: RunsOptions;
  readonly scheduler?: SchedulerOptions;
  readonly secrets?: SecretsOptions;
}

/** Options with everything that was left out. */
export interface Settings extends CommonSettings, RunsSettings, SchedulerSettings, SecretsSettings {}

/** Reads the options of a simulator. @throws TypeError naming the option that is wrong */
export function readOptions(options: SimulatorOptions): Settings {
  return readOptionsOf(services, options);
}

/** The header of a log that has ended; one that goes on has another format. */
export function headerOf(settings: Settings, streams: string): LogHeader {
  return headerOfLog(services, settings, streams);
}

/** Reads and folds a log of any length without keeping it. */
export function witnessLog(...asked: Witnessing): Promise<LogOutcome> {
  return witnessLogOf(worldModel, ...asked);
}

type Witnessing = Parameters<typeof witnessLogOf> extends [WorldModel, ...infer Rest] ? Rest : never;
