import { LOCAL_SCHEME, type ObjectPlace, objectAt, type SnapshotPlace } from "../../../surroundings/stores/state.ts";
import { type ClusterName, withoutTrailingSlashes } from "../place.ts";
import type { SnapshotConfig } from "./configuration.ts";

/**
 * Where a configuration's objects lie. Two configurations with equal destination and file prefix have one place.
 *
 * Source: decisions-secrets-core.md, B.3.
 */
export function placeOf(cluster: ClusterName, { storage, pathPrefix, filePrefix }: SnapshotConfig): SnapshotPlace {
  const path = `${withoutTrailingSlashes(pathPrefix)}/${filePrefix}`;
  switch (storage.type) {
    case "local":
      return { cluster, base: written(`${LOCAL_SCHEME}${path.startsWith("/") ? "" : "/"}${path}`) };
    case "cloud1-bucket":
      return { base: written(`cloud1://${storage.bucket}/${path}`) };
    case "cloud2-bucket":
      return { base: written(`cloud2://${storage.bucket}/${path}`) };
    case "cloud3-blob":
      return { base: written(`cloud3://${storage.container}/${path}`) };
    default:
      return storage satisfies never;
  }
}

/** Where the snapshots lie that clients take of a cluster: with whoever took them (README.md). */
export function downloadsOf(cluster: ClusterName): SnapshotPlace {
  return { base: written(`${DOWNLOAD_SCHEME}${cluster}/snapshot`) };
}

/** Whose snapshot a URL is; undefined for one that no client took. */
export function downloadAt(url: string): ObjectPlace | undefined {
  return url.startsWith(DOWNLOAD_SCHEME) ? objectAt(url, "") : undefined;
}

const DOWNLOAD_SCHEME = "client://";

/** The one character that no file name can have, and no key of a store. */
function written(url: string): string {
  return url.replaceAll("\0", "%00");
}
