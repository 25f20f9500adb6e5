import { rfc3339, ZERO_TIME } from "../../../languages/instant.ts";
import type { SnapshotConfig } from "./configuration.ts";
import type { SnapshotSchedule } from "./state.ts";

// Source of all rules in this file: decisions-secrets-core.md, B.1 and B.4.

/** A configuration as it is read: its own fields and those of its storage type, without credentials. */
export function configShown(config: SnapshotConfig): { readonly [field: string]: string | number | boolean } {
  const { intervalSeconds, retain, pathPrefix, filePrefix, storage } = config;
  return {
    file_prefix: filePrefix,
    interval: intervalSeconds,
    ...storageShown(config),
    path_prefix: pathPrefix,
    retain,
    storage_type: storage.type,
  };
}

function storageShown({ storage }: SnapshotConfig): { readonly [field: string]: string | number | boolean } {
  switch (storage.type) {
    case "local":
      return { local_max_space: storage.maxSpaceBytes };
    case "cloud1-bucket":
      return {
        cloud1_bucket: storage.bucket,
        cloud1_region: storage.region,
        cloud1_endpoint: storage.endpoint,
        cloud1_disable_tls: storage.disableTls,
        cloud1_force_path_style: storage.forcePathStyle,
        cloud1_enable_kms: storage.enableKms,
        cloud1_server_side_encryption: storage.serverSideEncryption,
        cloud1_kms_key: storage.kmsKey,
      };
    case "cloud2-bucket":
      return {
        cloud2_bucket: storage.bucket,
        cloud2_endpoint: storage.endpoint,
        cloud2_disable_tls: storage.disableTls,
      };
    case "cloud3-blob":
      return {
        cloud3_container_name: storage.container,
        cloud3_account_name: storage.accountName,
        cloud3_blob_environment: storage.environment,
        cloud3_endpoint: storage.endpoint,
      };
    default:
      return storage satisfies never;
  }
}

/** How the attempts of a configuration went. Every member is always there. */
export interface SnapshotStatusShown {
  readonly last_snapshot_end: string;
  readonly last_snapshot_error: string;
  readonly last_snapshot_start: string;
  readonly last_snapshot_url: string;
  readonly snapshot_start: string;
  readonly snapshot_url: string;
}

export function statusShown(schedule: SnapshotSchedule | undefined): SnapshotStatusShown {
  const { begun, ended, lastUrl = "" } = schedule ?? {};
  return {
    last_snapshot_end: ended === undefined ? ZERO_TIME : rfc3339(ended.endedAtMs),
    last_snapshot_error: ended?.error ?? "",
    last_snapshot_start: ended === undefined ? ZERO_TIME : rfc3339(ended.startedAtMs),
    last_snapshot_url: lastUrl,
    snapshot_start: begun === undefined ? ZERO_TIME : rfc3339(begun.startedAtMs),
    snapshot_url: begun?.url ?? "",
  };
}
