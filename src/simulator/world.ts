import type { EpochMs } from "../kernel/brand.ts";
import type { Calendar } from "../kernel/calendar.ts";
import type { EventOf } from "../kernel/commit.ts";
import type { Decider } from "../kernel/decision.ts";
import { withinFlat } from "../kernel/evolvers.ts";
import type { CalendarPlace, Model } from "../kernel/model.ts";
import { withMember } from "../kernel/parts.ts";
import { deepFreeze, type Plain } from "../kernel/plain.ts";
import { seedKey } from "../kernel/randomness.ts";
import { Timeline } from "../kernel/timeline.ts";
import { type ClusterBirth, newCluster } from "../services/secrets/birth.ts";
import { secretsControls } from "../services/secrets/control.ts";
import { requestDecider } from "../services/secrets/door.ts";
import { type SecretsEvents, secretsFolds } from "../services/secrets/events.ts";
import type { ClusterName } from "../services/secrets/place.ts";
import { settleClusters } from "../services/secrets/settle.ts";
import { type Cluster, isAwake, type SecretsWorld, withPart } from "../services/secrets/state.ts";
import { secretsTimers } from "../services/secrets/timers.ts";
import { directoryControls } from "../surroundings/directory/control.ts";
import {
  type Directory,
  type DirectoryEvents,
  directoryEvolvers,
  emptyDirectory,
} from "../surroundings/directory/state.ts";
import type { Settings } from "./options.ts";

/** The whole simulated world. */
export interface World extends SecretsWorld {}

/** Everything that can happen in it. */
export interface WorldEvents extends SecretsEvents, DirectoryEvents {}

/** A line of its time. */
export type WorldTimeline = Timeline<World, WorldEvents>;

type WorldDecider = Decider<World, EventOf<WorldEvents>>;

/** The world as the kernel keeps it. */
export const worldModel: Model<World, WorldEvents> = {
  folds: {
    ...withinFlat<World, Directory, DirectoryEvents>(
      (world, _, change) => withMember(world, "directory", change),
      directoryEvolvers,
    ),
    ...secretsFolds,
  },
  settle: settleClusters,
  calendars: awakeCalendars,
  calendarPlace: placeOfCalendar,
  withCalendar: (world, { cluster, part }, change) => {
    if (part !== "replicated" && part !== "local" && part !== "ignored") return world;
    return withPart(world, { cluster: cluster as ClusterName }, part, (holder) =>
      withMember<Cluster[typeof part], "calendar">(holder, "calendar", change),
    );
  },
  deciderOf: ({ name, caller }) => {
    const cluster = caller?.["cluster"] as ClusterName;
    const request = requestDecider(name);
    if (request !== undefined) return request as WorldDecider;
    const timer = ownMember(secretsTimers, name);
    if (timer !== undefined) return (decision, input) => timer(decision, input as { [key: string]: Plain }, cluster);
    const control = ownMember(secretsControls, name);
    if (control !== undefined) return (decision, input) => control(decision, input, cluster);
    return ownMember(directoryControls, name);
  },
};

function ownMember<T extends object>(table: T, name: string): T[keyof T] | undefined {
  return Object.hasOwn(table, name) ? table[name as keyof T] : undefined;
}

const PARTS = ["replicated", "local", "ignored"] as const;

function awakeCalendars({ secrets }: World): readonly Calendar[] {
  const awake: Calendar[] = [];
  for (const name in secrets) {
    const cluster = secrets[name];
    if (cluster === undefined || !isAwake(cluster)) continue;
    awake.push(cluster.replicated.calendar, cluster.local.calendar, cluster.ignored.calendar);
  }
  return awake;
}

function placeOfCalendar({ secrets }: World, index: number): CalendarPlace {
  const awake = Object.keys(secrets).filter((name) => isAwake(secrets[name] as Cluster));
  const cluster = awake[Math.floor(index / PARTS.length)];
  const part = PARTS[index % PARTS.length];
  if (cluster === undefined || part === undefined) throw new RangeError(`no calendar has the index ${index}`);
  return { owner: { cluster }, place: { cluster, part } };
}

/** What a world begins with. */
export interface WorldBirth extends Omit<ClusterBirth, "name" | "url" | "atMs"> {
  readonly startAtMs: EpochMs;
  readonly clusters: readonly { readonly name: ClusterName; readonly url: string }[];
}

export function newWorld({ startAtMs, clusters, ...birth }: WorldBirth): World {
  return deepFreeze({
    secrets: Object.fromEntries(
      clusters.map(({ name, url }) => [name, newCluster({ ...birth, name, url, atMs: startAtMs })]),
    ),
    directory: emptyDirectory,
  });
}

/** The beginning of a simulator's time. */
export function beginWorld(settings: Settings): WorldTimeline {
  const { seed, startAtMs, checkpointEvery } = settings;
  const initialState = newWorld({ ...settings, seed: seedKey(seed) });
  return Timeline.begin(worldModel, { seed, startAtMs, checkpointEvery, initialState });
}
