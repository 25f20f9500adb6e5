import type { EpochMs } from "../../../kernel/brand.ts";
import { arm, disarm } from "../../../kernel/calendar.ts";
import { type Flat, produceFlat } from "../../../kernel/draft.ts";
import type { FoldMeta, Folds } from "../../../kernel/evolvers.ts";
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
import { withIgnored, withLocal, withPart } from "../folding.ts";
import type { ClusterName } from "../place.ts";
import { linksRestored } from "../replication/links.ts";
import type { SecretsWorld } from "../world.ts";
import type { SnapshotConfig } from "./configuration.ts";
import { StorageImage } from "./image.ts";
import { armNext, endOf, NEW_SCHEDULE, type SnapshotSchedule, stopSchedule } from "./state.ts";

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
export const snapshotFolds: Folds<SecretsWorld, SnapshotEvents> = {
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

function changeStores(world: SecretsWorld, change: (stores: Flat<Stores>) => void) {
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
