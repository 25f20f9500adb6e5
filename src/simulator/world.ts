import type { EpochMs } from "../kernel/brand.ts";
import type { Calendar, Deadline } from "../kernel/calendar.ts";
import type { Caller, EventOf } from "../kernel/commit.ts";
import type { Decider } from "../kernel/decision.ts";
import { inWorld, withinFlat } from "../kernel/evolvers.ts";
import type { CalendarPlace, Model } from "../kernel/model.ts";
import { withMember } from "../kernel/parts.ts";
import { deepFreeze, type Plain } from "../kernel/plain.ts";
import { seedKey } from "../kernel/randomness.ts";
import { Timeline } from "../kernel/timeline.ts";
import { WORDS, type Worded } from "../languages/vocabulary/worded.ts";
import { runsControls } from "../services/runs/control.ts";
import { requestDecider as runsRequestDecider } from "../services/runs/door.ts";
import { type RunsEvents, runsFolds } from "../services/runs/events.ts";
import { DEFAULT_RUNS_URL, newRunService } from "../services/runs/state.ts";
import { runsTimers } from "../services/runs/timers.ts";
import type { RunsWorld } from "../services/runs/world.ts";
import {
  DEFAULT_SCHEDULER,
  isDefaultScheduler,
  newScheduler,
  type SchedulerBirth,
} from "../services/scheduler/birth.ts";
import { injectRequestFailure, schedulerControls } from "../services/scheduler/control.ts";
import { requestDecider as schedulerRequestDecider } from "../services/scheduler/door.ts";
import { type SchedulerEvents, schedulerFolds } from "../services/scheduler/events.ts";
import type { RegionName } from "../services/scheduler/ids.ts";
import { settleReplication } from "../services/scheduler/replication/settle.ts";
import type { Region } from "../services/scheduler/state.ts";
import { schedulerTimers } from "../services/scheduler/timers.ts";
import { type SchedulerWorld, withRegion } from "../services/scheduler/world.ts";
import { type ClusterBirth, newCluster } from "../services/secrets/birth.ts";
import { type ClusterEvents, clusterEvolvers } from "../services/secrets/cluster/state.ts";
import { secretsControls } from "../services/secrets/control.ts";
import { COPY_OF_PART } from "../services/secrets/copies.ts";
import { requestDecider } from "../services/secrets/door.ts";
import { type SecretsEvents, type SecretsFacts, secretsFolds } from "../services/secrets/events.ts";
import { injectClusterFailure } from "../services/secrets/faults/decide.ts";
import { withPart } from "../services/secrets/folding.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import { type ReplicationEvents, replicationFolds } from "../services/secrets/replication/folds.ts";
import { REPLICATION_DUE } from "../services/secrets/replication/settle/ship.ts";
import { settleClusters } from "../services/secrets/settle.ts";
import { settleSnapshots } from "../services/secrets/snapshots/settle.ts";
import type { Cluster } from "../services/secrets/state.ts";
import { secretsTimers } from "../services/secrets/timers.ts";
import { awakeParts, type SecretsWorld } from "../services/secrets/world.ts";
import { directoryControls } from "../surroundings/directory/control.ts";
import {
  copyOfDirectory,
  type Directory,
  type DirectoryEvents,
  directoryEvolvers,
  emptyDirectory,
} from "../surroundings/directory/state.ts";
import { scheduleFault } from "../surroundings/faults/control.ts";
import {
  FAULT_DUE,
  type FaultsEvents,
  type FaultsWorld,
  faultsEvolvers,
  type ScheduledFaults,
  withFaults,
} from "../surroundings/faults/state.ts";
import { networkControls } from "../surroundings/network/control.ts";
import { type Network, type NetworkEvents, networkEvolvers, withNetwork } from "../surroundings/network/state.ts";
import { orchestratorControls } from "../surroundings/orchestrator/control.ts";
import {
  newOrchestrator,
  type Orchestrator,
  type OrchestratorEvents,
  orchestratorEvolvers,
} from "../surroundings/orchestrator/state.ts";
import { SIGNING_KEYS } from "../surroundings/orchestrator/tokens.ts";
import { storeControls } from "../surroundings/stores/control.ts";
import { type StoreEvents, type Stores, storeEvolvers, withStores } from "../surroundings/stores/state.ts";
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

type WorldDecider = Decider<World, EventOf<WorldEvents>>;

/**
 * Facts after which a cluster may hold an earlier version of its storage, or of a mount: it is restored, or gets what another cluster
 * holds; that happens when roles, filters or what connects clusters change.
 */
const PUTTING_BACK: ReadonlySet<string> = new Set<keyof WorldEvents>([
  "SnapshotRestored",
  ...(Object.keys(replicationFolds) as (keyof ReplicationEvents)[]),
  ...(Object.keys(clusterEvolvers) as (keyof ClusterEvents)[]),
  ...(Object.keys(networkEvolvers) as (keyof NetworkEvents)[]),
]);

/** The world as the kernel keeps it. */
export const worldModel: Model<World, WorldEvents> = {
  folds: {
    ...withinFlat<World, Directory, DirectoryEvents>(
      (world, _, change) => withMember(world, "directory", change),
      directoryEvolvers,
      copyOfDirectory,
    ),
    ...withinFlat<World, Orchestrator, OrchestratorEvents>(
      (world, _, change) => withMember(world, "orchestrator", change),
      orchestratorEvolvers,
    ),
    ...inWorld<World, SecretsWorld, SecretsFacts>(secretsFolds),
    ...inWorld<World, RunsWorld, RunsEvents>(runsFolds),
    ...inWorld<World, SchedulerWorld, SchedulerEvents>(schedulerFolds),
    ...inWorld<World, SchedulerWorld, NetworkEvents>(
      withinFlat<SchedulerWorld, Network, NetworkEvents>(withNetwork, networkEvolvers),
    ),
    ...inWorld<World, SecretsWorld, StoreEvents>(
      withinFlat<SecretsWorld, Stores, StoreEvents>(withStores as never, storeEvolvers),
    ),
    ...inWorld<World, FaultsWorld, FaultsEvents>(
      withinFlat<FaultsWorld, ScheduledFaults, FaultsEvents>(withFaults, faultsEvolvers),
    ),
  },
  putsBack: ({ command, events }) =>
    command.name === REPLICATION_DUE || events.some(({ type }) => PUTTING_BACK.has(type)),
  // Parts copy all that they were given.
  settle: (before, after, meta) =>
    settleSnapshots(before, settleReplication(before, settleClusters(before, after, meta), meta) as World, meta),
  calendars: awakeCalendars,
  calendarPlace: placeOfCalendar,
  withCalendar: (world, { cluster, part, run, region }, change) => {
    if (region !== undefined) {
      const name = region as RegionName;
      return withRegion(world, { region: name }, (holder) => withMember(holder, "calendar", change)) as World;
    }
    if (run !== undefined) return withMember(world, "runs", (runs) => withMember(runs, "calendar", change));
    if (part === FAULTS) return withFaults(world, {}, (faults) => withMember(faults, "calendar", change)) as World;
    if (part !== "replicated" && part !== "local" && part !== "ignored") return world;
    return withPart(world, { cluster: cluster as ClusterName }, part, (holder) =>
      withMember<Cluster[typeof part], "calendar">(holder, "calendar", change, COPY_OF_PART[part] as never),
    );
  },
  deciderOf: ({ name, caller }) => {
    if (name.startsWith(FAULT_DUE)) return faultDecider(name);
    const cluster = caller?.["cluster"] as ClusterName;
    const region = caller?.["region"] as RegionName;
    const request = requestDecider(name) ?? runsRequestDecider(name) ?? schedulerRequestDecider(name);
    if (request !== undefined) return request as WorldDecider;
    const timer = ownMember(secretsTimers, name);
    if (timer !== undefined) return (decision, input) => timer(decision, input as { [key: string]: Plain }, cluster);
    const control = ownMember(secretsControls, name);
    if (control !== undefined) return (decision, input) => control(decision, input, cluster);
    const runsTimer = ownMember(runsTimers, name);
    if (runsTimer !== undefined) return (decision, input) => runsTimer(decision, input as { [key: string]: Plain });
    const regionTimer = ownMember(schedulerTimers, name);
    if (regionTimer !== undefined) return (decision) => regionTimer(decision, region);
    const regionControl = ownMember(schedulerControls, name);
    if (regionControl !== undefined) return (decision, input) => regionControl(decision, input, region);
    if (name === "control.faults.failNextRequests") return failNextRequests;
    if (name === "control.faults.schedule") return scheduleFault;
    return (
      ownMember(directoryControls, name) ??
      ownMember(orchestratorControls, name) ??
      ownMember(runsControls, name) ??
      ownMember(networkControls, name) ??
      ownMember(storeControls, name)
    );
  },
};

/** The service that a failure is injected into is the run service by its name, or a region or a cluster by its handle. */
const failNextRequests: WorldDecider = (decision, input) => {
  const service: unknown = (input as { readonly service?: unknown } | null)?.service;
  if (typeof service === "object" && service !== null && "cluster" in service) {
    return injectClusterFailure(decision, input);
  }
  if (typeof service === "object") return injectRequestFailure(decision, input);
  return runsControls["control.faults.failNextRequests"](decision, input);
};

/** A call that was scheduled is that call, now. What has become of the world since may refuse it: then it leaves nothing. */
function faultDecider(name: string): WorldDecider {
  return (decision, due) => {
    const { input, caller } = due as { readonly input: Plain; readonly caller: Caller };
    const decide = worldModel.deciderOf({
      name: `control.${name.slice(FAULT_DUE.length)}`,
      input,
      caller,
      via: "timer",
    });
    if (decide === undefined) throw new TypeError(`${name} is no call that can be scheduled`);
    decision.attempt(() => decide(decision, input));
  };
}

/** The place of faults that are scheduled: nobody owns them. */
const FAULTS = "faults";

function ownMember<T extends object>(table: T, name: string): T[keyof T] | undefined {
  return Object.hasOwn(table, name) ? table[name as keyof T] : undefined;
}

function awakeCalendars({ secrets, runs, scheduler, faults }: World): readonly Calendar[] {
  const awake: Calendar[] = [];
  for (const name in secrets) {
    const cluster = secrets[name];
    if (cluster === undefined) continue;
    for (const part of awakeParts(cluster)) awake.push(cluster[part].calendar);
  }
  if (runs !== undefined) awake.push(runs.calendar);
  if (scheduler !== undefined) {
    for (const name in scheduler.regions) awake.push((scheduler.regions[name] as Region).calendar);
  }
  if (faults !== undefined) awake.push(faults.calendar);
  return awake;
}

function placeOfCalendar(
  { secrets, runs, scheduler, faults }: World,
  index: number,
  deadline: Deadline,
): CalendarPlace {
  let after = index;
  for (const name in secrets) {
    const parts = awakeParts(secrets[name] as Cluster);
    const part = parts[after];
    if (part !== undefined) return { owner: { cluster: name }, place: { cluster: name, part } };
    after -= parts.length;
  }
  if (after === 0 && runs !== undefined) return placeOfRun(deadline);
  const regions = Object.keys(scheduler?.regions ?? {});
  const ofRegion = after - (runs === undefined ? 0 : 1);
  const region = regions[ofRegion];
  if (region === undefined && ofRegion === regions.length && faults !== undefined) {
    return { owner: {}, place: { part: FAULTS } };
  }
  if (region === undefined) throw new RangeError(`no calendar has the index ${index}`);
  return { owner: { region }, place: { region } };
}

/** The deadlines of all runs lie in one calendar; each names its run. */
function placeOfRun({ input }: Deadline): CalendarPlace {
  const { run } = input as { readonly run: string };
  return { owner: { run }, place: { run } };
}

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
