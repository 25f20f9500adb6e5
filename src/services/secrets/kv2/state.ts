import type { EpochMs } from "../../../kernel/brand.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import { Table } from "../../../kernel/table.ts";
import type { KvData } from "../kv/state.ts";
import type { InMount } from "../place.ts";

/** A version of a secret. */
export interface SecretVersion {
  readonly createdAtMs: EpochMs;
  /** It is deleted from this instant on. */
  readonly deletionAtMs?: EpochMs;
  /** Absent once it is destroyed. */
  readonly data?: KvData;
}

/** What the engine and each path are set to. */
export interface KvSettings {
  /** 0 = unset. */
  readonly maxVersions: number;
  readonly casRequired: boolean;
  /** 0 = unset; below 0, which only the engine's is, no path has one. */
  readonly deleteVersionAfterSeconds: number;
}

export interface SecretSettings extends KvSettings {
  readonly customMetadata: CustomMetadata | null;
}

export type CustomMetadata = { readonly [name: string]: string };

/** A path that has metadata, and versions once it was written. */
export interface VersionedSecret extends SecretSettings {
  readonly createdAtMs: EpochMs;
  readonly updatedAtMs: EpochMs;
  /** 0 before the first. */
  readonly currentVersion: number;
  /** 0 until so many were written as are kept. */
  readonly oldestVersion: number;
  /**
   * Up to the current one, without gaps.
   *
   * Our choice: a list, for versions are not of a number that grows: ten, unless somebody wants more.
   */
  readonly versions: readonly SecretVersion[];
}

/** A store of versions. */
export interface VersionedKvSlice {
  readonly config: KvSettings;
  readonly secrets: Table<VersionedSecret>;
}

interface AtPath extends InMount {
  readonly path: string;
}

interface OfVersion extends AtPath {
  readonly version: number;
}

/** The facts of stores of versions. */
export interface VersionedKvEvents {
  /** Those before `oldest` are kept no more. */
  SecretVersionWritten: OfVersion & {
    readonly data: KvData;
    readonly oldest: number;
    readonly deletionAtMs?: EpochMs;
  };
  SecretVersionDeleted: OfVersion;
  /** It may be deleted later on. */
  SecretVersionUndeleted: OfVersion & { readonly deletionAtMs?: EpochMs };
  SecretVersionDestroyed: OfVersion;
  SecretMetadataWritten: AtPath & { readonly settings: SecretSettings };
  /** The secret is gone, with all its versions. */
  SecretMetadataDeleted: AtPath;
  VersionedKvConfigured: InMount & { readonly config: KvSettings };
}

export const UNSET: KvSettings = Object.freeze({ maxVersions: 0, casRequired: false, deleteVersionAfterSeconds: 0 });
const UNSET_SECRET: SecretSettings = Object.freeze({ ...UNSET, customMetadata: null });

/** A store that holds nothing yet. */
export const emptyVersionedKv: VersionedKvSlice = Object.freeze({
  config: UNSET,
  secrets: Table.of<VersionedSecret>(),
});

export const versionedKvEvolvers: FlatEvolvers<VersionedKvSlice, VersionedKvEvents> = {
  SecretVersionWritten: (mount, { path, version, data, oldest, deletionAtMs }, { atMs }) => {
    const before = mount.secrets.get(path) ?? newSecret(atMs);
    const kept = before.versions.slice(Math.max(0, oldest - firstVersion(before)));
    const written = { createdAtMs: atMs, ...(deletionAtMs === undefined ? {} : { deletionAtMs }), data };
    const versions = [...kept, written];
    const after = { ...before, versions, currentVersion: version, oldestVersion: oldest, updatedAtMs: atMs };
    mount.secrets = mount.secrets.set(path, after);
  },
  SecretVersionDeleted: (mount, fact, { atMs }) => {
    changeVersion(mount, fact, (version) => ({ ...version, deletionAtMs: atMs }));
  },
  SecretVersionUndeleted: (mount, { deletionAtMs, ...fact }) => {
    changeVersion(mount, fact, ({ deletionAtMs: _, ...version }) =>
      deletionAtMs === undefined ? version : { ...version, deletionAtMs },
    );
  },
  SecretVersionDestroyed: (mount, fact) => {
    changeVersion(mount, fact, ({ data: _, ...version }) => version);
  },
  SecretMetadataWritten: (mount, { path, settings }, { atMs }) => {
    mount.secrets = mount.secrets.set(path, { ...(mount.secrets.get(path) ?? newSecret(atMs)), ...settings });
  },
  SecretMetadataDeleted: (mount, { path }) => {
    mount.secrets = mount.secrets.delete(path);
  },
  VersionedKvConfigured: (mount, { config }) => {
    mount.config = config;
  },
};

function newSecret(atMs: EpochMs): VersionedSecret {
  const counts = { currentVersion: 0, oldestVersion: 0, versions: [] };
  return { ...UNSET_SECRET, createdAtMs: atMs, updatedAtMs: atMs, ...counts };
}

/** What was stored without versions, as the first version of each path. */
export function upgradedEntries(entries: Table<KvData>, atMs: EpochMs): Table<VersionedSecret> {
  const secret = newSecret(atMs);
  return Table.from(
    [...entries].map(([path, data]): [string, VersionedSecret] => [
      path,
      { ...secret, currentVersion: 1, versions: [{ createdAtMs: atMs, data }] },
    ]),
  );
}

function changeVersion(
  mount: { secrets: Table<VersionedSecret> },
  { path, version }: OfVersion,
  change: (version: SecretVersion) => SecretVersion,
): void {
  mount.secrets = mount.secrets.update(path, (secret) => {
    const index = version - firstVersion(secret);
    return { ...secret, versions: secret.versions.map((one, at) => (at === index ? change(one) : one)) };
  });
}

/** The number of the oldest version that is there; one beyond the current one where none is. */
function firstVersion({ currentVersion, versions }: Pick<VersionedSecret, "currentVersion" | "versions">): number {
  return currentVersion - versions.length + 1;
}

/** A version by its number; undefined where it is not kept, or was never written. */
export function versionAt(secret: VersionedSecret, number: number): SecretVersion | undefined {
  return secret.versions[number - firstVersion(secret)];
}

/** The versions that are kept, with their numbers. */
export function numberedVersions(secret: VersionedSecret): (readonly [number: number, version: SecretVersion])[] {
  const first = firstVersion(secret);
  return secret.versions.map((version, index) => [first + index, version]);
}

/** The data of a version that is neither deleted nor destroyed. A deletion that lies ahead is none yet. */
export function readableData({ data, deletionAtMs }: SecretVersion, nowMs: EpochMs): KvData | undefined {
  return deletionAtMs !== undefined && nowMs >= deletionAtMs ? undefined : data;
}

/** A version as its chart calls it. */
export function statusOf(version: SecretVersion, nowMs: EpochMs): "available" | "deleted" | "destroyed" {
  if (version.data === undefined) return "destroyed";
  return readableData(version, nowMs) === undefined ? "deleted" : "available";
}
