import type { Table } from "../../../kernel/table.ts";
/** A snapshot configuration, as decisions-secrets-core.md B.1 has it. */
export interface SnapshotConfig {
  readonly intervalSeconds: number;
  readonly retain: number;
  /** As it was given. */
  readonly pathPrefix: string;
  readonly filePrefix: string;
  readonly storage: SnapshotStorage;
  /** The credentials that were given, by their field names; they are never read back. */
  readonly credentials: { readonly [field: string]: string };
}

/** Where the snapshots go, with what its kind has of its own. */
export type SnapshotStorage =
  | { readonly type: "local"; readonly maxSpaceBytes: number }
  | {
      readonly type: "cloud1-bucket";
      readonly bucket: string;
      readonly region: string;
      readonly endpoint: string;
      readonly disableTls: boolean;
      readonly forcePathStyle: boolean;
      readonly enableKms: boolean;
      readonly serverSideEncryption: boolean;
      readonly kmsKey: string;
    }
  | {
      readonly type: "cloud2-bucket";
      readonly bucket: string;
      readonly endpoint: string;
      readonly disableTls: boolean;
    }
  | {
      readonly type: "cloud3-blob";
      readonly container: string;
      readonly accountName: string;
      readonly environment: string;
      readonly endpoint: string;
    };

export interface SnapshotConfigSlice {
  /** Configurations of automated snapshots, by name. */
  readonly snapshots: Table<SnapshotConfig>;
}

export const DEFAULT_FILE_PREFIX = "secrets-snapshot";
export const DEFAULT_RETAIN = 1;
