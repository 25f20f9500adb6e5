import type { Timeline } from "../kernel/timeline.ts";
import type { Worded } from "../languages/vocabulary/worded.ts";
import type { RunsEvents } from "../services/runs/events.ts";
import type { RunsOptions, RunsSettings } from "../services/runs/options.ts";
import type { RunsWorld } from "../services/runs/world.ts";
import type { SchedulerEvents } from "../services/scheduler/events.ts";
import type { SchedulerOptions, SchedulerSettings } from "../services/scheduler/options.ts";
import type { SchedulerWorld } from "../services/scheduler/world.ts";
import type { SecretsEvents } from "../services/secrets/events.ts";
import type { SecretsOptions, SecretsSettings } from "../services/secrets/options.ts";
import type { SecretsWorld } from "../services/secrets/world.ts";
import type { FaultsEvents, FaultsWorld } from "../surroundings/faults/state.ts";
import type { CommonOptions, CommonSettings } from "./options.ts";

/** The whole simulated world. */
export interface World extends SecretsWorld, RunsWorld, SchedulerWorld, FaultsWorld, Worded {}

/** Everything that can happen in it. */
export interface WorldEvents extends SecretsEvents, RunsEvents, SchedulerEvents, FaultsEvents {}

/** A line of its time. */
export type WorldTimeline = Timeline<World, WorldEvents>;

/** Options of `createSimulator`. */
export interface SimulatorOptions extends CommonOptions {
  readonly runs?: RunsOptions;
  readonly scheduler?: SchedulerOptions;
  readonly secrets?: SecretsOptions;
}

/** Options with everything that was left out. */
export interface Settings extends CommonSettings, RunsSettings, SchedulerSettings, SecretsSettings {}
