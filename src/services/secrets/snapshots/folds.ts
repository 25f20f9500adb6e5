import type { EpochMs } from "../../../kernel/brand.ts";
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
import { NOTHING_GIVEN } from "../cluster/state.ts";
import { copyOfIgnored, copyOfLocal } from "../copies.ts";
import { withIgnored, withLocal, withPart } from "../folding.ts";
import type { ClusterName } from "../place.ts";
import { linksRestored } from "../replication/links.ts";
import { clusterNamed, type SecretsWorld } from "../world.ts";
import type { SnapshotConfig } from "./configuration.ts";
import { imageOf, StorageImage } from "./image.ts";
import { type AttemptOutcome, beginAttempt, endAttempt, forgetSchedule, type Schedules } from "./state.ts";

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
  /** A client took one; what is saved is the storage as it is at this fact. */
  SnapshotDownloaded: { readonly cluster: ClusterName; readonly place: ObjectPlace; readonly bytes: number };
  /** The storage is what an object holds; what is ignored stays, but that other keys seal the cluster, where a status is told. */
  SnapshotRestored: { readonly cluster: ClusterName; readonly place: ObjectPlace; readonly status?: "sealed" };
}

interface SnapshotAt {
  readonly cluster: ClusterName;
  readonly name: string;
}

/** They reach into the stores and into more than one part of a cluster, so they find their own way. */
export const snapshotFolds: Folds<SecretsWorld, SnapshotEvents> = {
  SnapshotConfigured: (world, { cluster, name, config }) => {
    const known = clusterNamed(world, cluster)?.local.snapshots.has(name);
    // Whatever an earlier configuration of this name left behind is not this one's.
    const fresh = known ? world : withSchedules(world, cluster, (schedules) => forgetSchedule(schedules, name));
    return withConfigs(fresh, cluster, (configs) => configs.set(name, config));
  },
  SnapshotConfigDeleted: (world, { cluster, name }) => {
    const fresh = withSchedules(world, cluster, (schedules) => forgetSchedule(schedules, name));
    return withConfigs(fresh, cluster, (configs) => configs.delete(name));
  },
  SnapshotStarted: (world, { cluster, name, endsAtMs, ...begun }, meta) => {
    const saved = clusterNamed(world, cluster);
    if (saved === undefined) return world;
    const content = imageOf(saved, meta);
    const started = withSchedules(world, cluster, (schedules) =>
      beginAttempt(schedules, name, { ...begun, content }, endsAtMs, meta),
    );
    return changeStores(started, (stores) => countNumber(stores, begun.place));
  },
  SnapshotStored: (world, { cluster, name, status, pruned }, meta) => {
    const attempt = clusterNamed(world, cluster)?.ignored.snapshotSchedules.get(name)?.attempt;
    if (attempt === undefined) return world;
    const { place, content, bytes } = attempt;
    const stored = changeStores(world, (stores) => {
      addObject(stores, place, { bytes, storedAtMs: meta.atMs, content });
      for (const old of pruned) removeObject(stores, old);
    });
    return ended(stored, cluster, name, { status, error: "", lastUrl: urlOf(place) }, meta);
  },
  SnapshotFailed: (world, { cluster, name, status, error }, meta) =>
    ended(world, cluster, name, { status, error }, meta),
  SnapshotDownloaded: (world, { cluster, place, bytes }, meta) => {
    const saved = clusterNamed(world, cluster);
    if (saved === undefined) return world;
    const content = imageOf(saved, meta);
    return changeStores(world, (stores) => {
      countNumber(stores, place);
      addObject(stores, place, { bytes, storedAtMs: meta.atMs, content });
    });
  },
  SnapshotRestored: (world, { cluster, place, status }) => {
    const content = storedAt(storesOf(world), place)?.content;
    if (!(content instanceof StorageImage)) return world;
    const { replicated, local, lineage, keys } = content;
    // Copies: restoring is a change of the storage even where nothing in it differs (decisions-replication.md, 6.9), and each
    // configuration is another one than before, so that its schedule starts anew.
    const snapshots = Table.from([...local.snapshots].map(([name, config]) => [name, { ...config }] as const));
    const restored = withPart(world, { cluster }, "replicated", () => ({ ...replicated }));
    const whole = withPart(restored, { cluster }, "local", () => ({ ...local, snapshots }));
    return withIgnored(whole, { cluster }, (ignored) => ({
      ...ignored,
      restores: ignored.restores + 1,
      lineage,
      links: linksRestored(ignored.links),
      ...(status === undefined ? {} : { seal: { ...keys, status, ...NOTHING_GIVEN } }),
    }));
  },
};

function ended(
  world: SecretsWorld,
  cluster: ClusterName,
  name: string,
  outcome: AttemptOutcome,
  meta: FoldMeta,
): SecretsWorld {
  const config = clusterNamed(world, cluster)?.local.snapshots.get(name);
  return withSchedules(world, cluster, (schedules) => endAttempt(schedules, name, config, outcome, meta));
}

function withSchedules(
  world: SecretsWorld,
  cluster: ClusterName,
  change: (schedules: Flat<Schedules>) => void,
): SecretsWorld {
  return withIgnored(world, { cluster }, (ignored) => produceFlat(ignored, change, copyOfIgnored));
}

function withConfigs(
  world: SecretsWorld,
  cluster: ClusterName,
  change: (configs: Table<SnapshotConfig>) => Table<SnapshotConfig>,
): SecretsWorld {
  return withLocal(world, { cluster }, (local) => withMember(local, "snapshots", change, copyOfLocal));
}

function changeStores(world: SecretsWorld, change: (stores: Flat<Stores>) => void) {
  return withStores(world, undefined, (stores) => produceFlat(stores, change)) as SecretsWorld;
}
