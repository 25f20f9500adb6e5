import type { EpochMs } from "../kernel/brand.ts";
import { deepFreeze } from "../kernel/plain.ts";
import { seedKey } from "../kernel/randomness.ts";
import { Timeline } from "../kernel/timeline.ts";
import { WORDS, type Worded } from "../languages/vocabulary/worded.ts";
import type { ServiceModule } from "../services/kit/module.ts";
import type { RunsEvents } from "../services/runs/events.ts";
import { runsModule } from "../services/runs/module.ts";
import { DEFAULT_RUNS_URL, newRunService, type RunsWorld } from "../services/runs/state.ts";
import type { SchedulerEvents } from "../services/scheduler/events.ts";
import { schedulerModule } from "../services/scheduler/module.ts";
import {
  DEFAULT_SCHEDULER,
  isDefaultScheduler,
  newScheduler,
  type SchedulerBirth,
  type SchedulerWorld,
} from "../services/scheduler/state.ts";
import { type ClusterBirth, newCluster } from "../services/secrets/birth.ts";
import type { SecretsEvents } from "../services/secrets/events.ts";
import { secretsModule } from "../services/secrets/module.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import type { SecretsWorld } from "../services/secrets/state.ts";
import { type DirectoryEvents, emptyDirectory } from "../surroundings/directory/state.ts";
import type { FaultsEvents, FaultsWorld } from "../surroundings/faults/state.ts";
import type { NetworkEvents } from "../surroundings/network/state.ts";
import { newOrchestrator, type OrchestratorEvents } from "../surroundings/orchestrator/state.ts";
import { SIGNING_KEYS } from "../surroundings/orchestrator/tokens.ts";
import type { StoreEvents } from "../surroundings/stores/state.ts";
import { modelOf, type WorldModel } from "./model.ts";
import type { Settings } from "./options.ts";
import { wordsNamed } from "./read-vocabulary.ts";

/** The whole simulated world. */
export interface World extends SecretsWorld, RunsWorld, SchedulerWorld, FaultsWorld, Worded {}

/** Everything that can happen in it. */
export interface WorldEvents
  extends SecretsEvents,
    DirectoryEvents,
    RunsEvents,
    SchedulerEvents,
    NetworkEvents,
    OrchestratorEvents,
    StoreEvents,
    FaultsEvents {}

/** A line of its time. */
export type WorldTimeline = Timeline<World, WorldEvents>;

/** The services of this package: a line for each. */
export const services = [runsModule, schedulerModule, secretsModule] as const satisfies readonly ServiceModule<World>[];

/** The world as the kernel keeps it. */
export const worldModel: WorldModel = modelOf(services);

/** What a world begins with. */
export interface WorldBirth extends Omit<ClusterBirth, "name" | "url" | "atMs"> {
  readonly startAtMs: EpochMs;
  readonly clusters: readonly { readonly name: ClusterName; readonly url: string }[];
  readonly runs: { readonly url: string; readonly rateLimitPerSecond?: number };
  /** By default a scheduler that is as it always is. */
  readonly scheduler?: SchedulerBirth;
  /** By default the contract's own words. */
  readonly vocabulary?: Settings["vocabulary"];
}

export function newWorld({
  startAtMs,
  clusters,
  runs,
  scheduler = DEFAULT_SCHEDULER,
  vocabulary,
  ...birth
}: WorldBirth): World {
  return deepFreeze({
    ...(vocabulary === undefined ? {} : { [WORDS]: wordsNamed(vocabulary) }),
    secrets: Object.fromEntries(
      clusters.map(({ name, url }) => [name, newCluster({ ...birth, name, url, atMs: startAtMs })]),
    ),
    directory: emptyDirectory,
    orchestrator: newOrchestrator(birth.seed, SIGNING_KEYS),
    // A run service that is as it always is appears with its first fact.
    ...(runs.url === DEFAULT_RUNS_URL && runs.rateLimitPerSecond === undefined
      ? {}
      : { runs: newRunService(runs.url, runs.rateLimitPerSecond) }),
    ...(isDefaultScheduler(scheduler) ? {} : { scheduler: newScheduler(scheduler) }),
  });
}

/** The beginning of a simulator's time. */
export function beginWorld(settings: Settings): WorldTimeline {
  const { seed, startAtMs, checkpointEvery } = settings;
  const initialState = newWorld({ ...settings, seed: seedKey(seed) });
  return Timeline.begin(worldModel, { seed, startAtMs, checkpointEvery, initialState });
}
