import type { EpochMs } from "../../../kernel/brand.ts";
import { epochMs } from "../../../kernel/brand.ts";
import { arm, type DeadlineKey, disarm } from "../../../kernel/calendar.ts";
import { produceFlat } from "../../../kernel/draft.ts";
import type { Fold, FoldMeta } from "../../../kernel/evolvers.ts";
import { withMember } from "../../../kernel/parts.ts";
import { Table } from "../../../kernel/table.ts";
import {
  addObject,
  countNumber,
  type ObjectPlace,
  removeObject,
  type Stores,
  storedAt,
  storesOf,
  urlOf,
  withStores,
} from "../../../surroundings/stores/state.ts";
import type { ClusterName } from "../place.ts";
import { linksRestored } from "../replication/links.ts";
import { clusterOf, type Ignored, type SecretsWorld, withIgnored, withLocal, withPart } from "../state.ts";
import type { SnapshotConfig } from "./configuration.ts";
import { StorageImage } from "./image.ts";

/**
 * How the attempts of a configuration went, and when the next is due. It belongs to the cluster that makes them, and nobody receives
 * it: the configuration does not say whether it runs.
 */
export interface SnapshotSchedule {
  /** Spelled as the states of the snapshot schedule chart. */
  readonly status: SnapshotScheduleStatus;
  /** The attempt that was begun last; absent before the first. */
  readonly begun?: { readonly startedAtMs: EpochMs; readonly url: string };
  /** The attempt that ended last; absent before the first. An empty error is a success. */
  readonly ended?: { readonly startedAtMs: EpochMs; readonly endedAtMs: EpochMs; readonly error: string };
  /** That of the latest success; empty before the first. */
  readonly lastUrl: string;
  /** The attempt under way. */
  readonly attempt?: SnapshotAttempt;
  /** The next attempt; absent while the cluster takes no snapshots. It is used up when the attempt begins. */
  readonly next?: DeadlineKey;
}

export type SnapshotScheduleStatus = "waiting" | "running" | "succeeded" | "failed";

/** An attempt goes on as it was begun, whatever becomes of its configuration. */
export interface SnapshotAttempt {
  readonly place: ObjectPlace;
  readonly content: StorageImage;
  readonly bytes: number;
  readonly retain: number;
  /** Bytes that may lie at its place; absent where nothing limits them. */
  readonly maxBytes?: number;
  /** There was room when it began. */
  readonly allowed: boolean;
  /** The cluster was away while it ran. */
  readonly disturbed?: true;
  readonly deadline?: DeadlineKey;
}

/** The facts of automated snapshots. */
export interface SnapshotEvents {
  SnapshotConfigured: SnapshotAt & { readonly config: SnapshotConfig };
  SnapshotConfigDeleted: SnapshotAt;
  /** What is saved is the storage as it is at this fact. */
  SnapshotStarted: SnapshotAt & {
    readonly status: "running";
    readonly place: ObjectPlace;
    readonly bytes: number;
    readonly retain: number;
    readonly maxBytes?: number;
    readonly allowed: boolean;
    /** Absent for an attempt that takes no time. */
    readonly endsAtMs?: EpochMs;
  };
  /** The object is there; so many of the oldest at its place are not any more. */
  SnapshotStored: SnapshotAt & { readonly status: "succeeded"; readonly pruned: readonly ObjectPlace[] };
  SnapshotFailed: SnapshotAt & { readonly status: "failed"; readonly error: string };
  /** The storage is what an object holds; what is ignored stays. */
  SnapshotRestored: { readonly cluster: ClusterName; readonly place: ObjectPlace };
}

interface SnapshotAt {
  readonly cluster: ClusterName;
  readonly name: string;
}

/** They reach into the stores and into more than one part of a cluster, so they find their own way. */
export const snapshotFolds: { readonly [T in keyof SnapshotEvents]: Fold<SecretsWorld, SnapshotEvents[T]> } = {
  SnapshotConfigured: (world, { cluster, name, config }) => {
    // Whatever an earlier configuration of this name left behind is not this one's.
    const fresh = configsIn(world, cluster).has(name) ? world : withoutSchedule(world, cluster, name);
    return withLocal(fresh, { cluster }, (local) =>
      withMember(local, "snapshots", (configs) => configs.set(name, config)),
    );
  },
  SnapshotConfigDeleted: (world, { cluster, name }) =>
    withLocal(withoutSchedule(world, cluster, name), { cluster }, (local) =>
      withMember(local, "snapshots", (configs) => configs.delete(name)),
    ),
  SnapshotStarted: (world, { cluster, name, status, endsAtMs, ...attempt }, meta) => {
    const saved = Object.hasOwn(world.secrets, cluster) ? world.secrets[cluster] : undefined;
    if (saved === undefined) return world;
    const content = new StorageImage(saved);
    const { place } = attempt;
    const begun = withIgnored(world, { cluster }, (ignored) =>
      produceFlat(ignored, (copy) => {
        const before = copy.snapshotSchedules.get(name) ?? NEW_SCHEDULE;
        const { next: _, ...kept } = before;
        const deadline = endsAtMs === undefined ? undefined : arm(copy, endsAtMs, endOf(name), meta);
        copy.snapshotSchedules = copy.snapshotSchedules.set(name, {
          ...kept,
          status,
          begun: { startedAtMs: meta.atMs, url: urlOf(place) },
          attempt: { ...attempt, content, ...(deadline === undefined ? {} : { deadline }) },
        });
      }),
    );
    return changeStores(begun, (stores) => countNumber(stores, place));
  },
  SnapshotStored: (world, { cluster, name, status, pruned }, meta) => {
    const attempt = schedulesIn(world, cluster).get(name)?.attempt;
    if (attempt === undefined) return world;
    const { place, content, bytes } = attempt;
    const stored = changeStores(world, (stores) => {
      addObject(stores, place, { bytes, storedAtMs: meta.atMs, content });
      for (const old of pruned) removeObject(stores, old);
    });
    return ended(stored, cluster, name, meta, { status, error: "", lastUrl: urlOf(place) });
  },
  SnapshotFailed: (world, { cluster, name, status, error }, meta) =>
    ended(world, cluster, name, meta, { status, error }),
  SnapshotRestored: (world, { cluster, place }) => {
    const content = storedAt(storesOf(world), place)?.content;
    if (!(content instanceof StorageImage)) return world;
    const { replicated, local } = content;
    // Copies: restoring is a change of the storage even where nothing in it differs (decisions-replication.md, 6.9), and each
    // configuration is another one than before, so that its schedule starts anew.
    const snapshots = Table.from([...local.snapshots].map(([name, config]) => [name, { ...config }] as const));
    const restored = withPart(world, { cluster }, "replicated", () => ({ ...replicated }));
    const whole = withPart(restored, { cluster }, "local", () => ({ ...local, snapshots }));
    return withIgnored(whole, { cluster }, (ignored) => ({
      ...ignored,
      restores: ignored.restores + 1,
      links: linksRestored(ignored.links),
    }));
  },
};

const NEW_SCHEDULE: SnapshotSchedule = Object.freeze({ status: "waiting", lastUrl: "" });

/** A schedule that has not begun anything. */
export function scheduleOf(world: SecretsWorld, cluster: ClusterName, name: string): SnapshotSchedule | undefined {
  return clusterOf(world, cluster).ignored.snapshotSchedules.get(name);
}

const NO_CONFIGS = Table.of<SnapshotConfig>();
const NO_SCHEDULES = Table.of<SnapshotSchedule>();

/** Folding refuses nothing: a cluster that is not there has none. */
function configsIn({ secrets }: SecretsWorld, cluster: ClusterName): Table<SnapshotConfig> {
  return (Object.hasOwn(secrets, cluster) ? secrets[cluster] : undefined)?.local.snapshots ?? NO_CONFIGS;
}

function schedulesIn({ secrets }: SecretsWorld, cluster: ClusterName): Table<SnapshotSchedule> {
  return (Object.hasOwn(secrets, cluster) ? secrets[cluster] : undefined)?.ignored.snapshotSchedules ?? NO_SCHEDULES;
}

function ended(
  world: SecretsWorld,
  cluster: ClusterName,
  name: string,
  meta: FoldMeta,
  outcome: Pick<SnapshotSchedule, "status"> & { readonly error: string; readonly lastUrl?: string },
): SecretsWorld {
  const config = configsIn(world, cluster).get(name);
  return withIgnored(world, { cluster }, (ignored) =>
    produceFlat(ignored, (copy) => {
      const before = copy.snapshotSchedules.get(name);
      if (before?.attempt === undefined) return;
      const { attempt, next, ...kept } = before;
      disarm(copy, attempt.deadline);
      const { status, error, lastUrl = kept.lastUrl } = outcome;
      const startedAtMs = kept.begun?.startedAtMs ?? meta.atMs;
      // One that was armed while the attempt ran, by a write of the configuration, stays as it is.
      const isArmed = next !== undefined && copy.calendar.has(next);
      const following = isArmed || config === undefined ? next : armNext(copy, name, config, meta);
      copy.snapshotSchedules = copy.snapshotSchedules.set(name, {
        ...kept,
        status,
        ended: { startedAtMs, endedAtMs: meta.atMs, error },
        lastUrl,
        ...(following === undefined ? {} : { next: following }),
      });
    }),
  );
}

function changeStores(world: SecretsWorld, change: (stores: { -readonly [P in keyof Stores]: Stores[P] }) => void) {
  return withStores(world, undefined, (stores) => produceFlat(stores, change)) as SecretsWorld;
}

/** Nothing is known of a configuration's attempts any more, and none is under way. */
function withoutSchedule(world: SecretsWorld, cluster: ClusterName, name: string): SecretsWorld {
  if (!schedulesIn(world, cluster).has(name)) return world;
  return withIgnored(world, { cluster }, (ignored) =>
    produceFlat(ignored, (copy) => {
      stopSchedule(copy, name);
      copy.snapshotSchedules = copy.snapshotSchedules.delete(name);
    }),
  );
}

// --- deadlines ------------------------------------------------------------------------------------------------------

type Flat<T> = { -readonly [P in keyof T]: T[P] };

/**
 * Arms the next attempt of a configuration, one interval from now. Those that are due at the same instant begin in the order of their
 * names, after all else (decisions-secrets-core.md, B.2).
 */
function armNext(
  ignored: Flat<Ignored>,
  name: string,
  { intervalSeconds }: SnapshotConfig,
  meta: FoldMeta,
): DeadlineKey | undefined {
  const dueAtMs = epochMs(meta.atMs + intervalSeconds * 1000);
  return arm(ignored, dueAtMs, { command: "timer.snapshotAttempt", input: { name } }, meta, name);
}

const endOf = (name: string) => ({ command: "timer.snapshotEnd", input: { name } });

/** The attempts of a configuration count from now: it was written, or the cluster is back. */
export function startSchedule(ignored: Flat<Ignored>, name: string, config: SnapshotConfig, meta: FoldMeta): void {
  const before = ignored.snapshotSchedules.get(name) ?? NEW_SCHEDULE;
  disarm(ignored, before.next);
  const { next: _, ...kept } = before;
  const next = armNext(ignored, name, config, meta);
  ignored.snapshotSchedules = ignored.snapshotSchedules.set(name, next === undefined ? kept : { ...kept, next });
}

/** No attempt follows, and the one that is under way does not end by itself. */
export function stopSchedule(ignored: Flat<Ignored>, name: string): void {
  const before = ignored.snapshotSchedules.get(name);
  if (before === undefined) return;
  disarm(ignored, before.next);
  disarm(ignored, before.attempt?.deadline);
  const { next: _, ...kept } = before;
  ignored.snapshotSchedules = ignored.snapshotSchedules.set(name, kept);
}

/** No attempt follows; the one that is under way goes on. */
export function endSchedule(ignored: Flat<Ignored>, name: string): void {
  const before = ignored.snapshotSchedules.get(name);
  if (before?.next === undefined) return;
  disarm(ignored, before.next);
  const { next: _, ...kept } = before;
  ignored.snapshotSchedules = ignored.snapshotSchedules.set(name, kept);
}

/** The attempt that was under way when the cluster went away is noticed to have ended. */
export function disturbAttempt(ignored: Flat<Ignored>, name: string, meta: FoldMeta): void {
  const before = ignored.snapshotSchedules.get(name);
  if (before?.attempt === undefined) return;
  disarm(ignored, before.attempt.deadline);
  const { deadline: _, ...kept } = before.attempt;
  const deadline = arm(ignored, meta.atMs, endOf(name), meta);
  const attempt: SnapshotAttempt = { ...kept, disturbed: true, ...(deadline === undefined ? {} : { deadline }) };
  ignored.snapshotSchedules = ignored.snapshotSchedules.set(name, { ...before, attempt });
}
