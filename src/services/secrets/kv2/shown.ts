import type { CustomMetadata } from "./state.ts";

export interface VersionTimes {
  readonly created_time: string;
  /** `""` where it is never deleted. */
  readonly deletion_time: string;
  readonly destroyed: boolean;
}

/** What is told of a version, with the version or without it. */
export interface VersionShown extends VersionTimes {
  readonly version: number;
  readonly custom_metadata: CustomMetadata | null;
}

export interface SettingsShown {
  readonly max_versions: number;
  readonly cas_required: boolean;
  readonly delete_version_after: string;
}

/** What is told of a path. */
export interface MetadataShown extends SettingsShown {
  readonly created_time: string;
  readonly updated_time: string;
  readonly current_version: number;
  readonly oldest_version: number;
  readonly custom_metadata: CustomMetadata | null;
  readonly versions: { readonly [version: string]: VersionTimes };
}
