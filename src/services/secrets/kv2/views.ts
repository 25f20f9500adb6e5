import { goDurationText } from "../../../languages/go-duration.ts";
import { rfc3339 } from "../../../languages/instant.ts";
import { isObject, setOwn } from "../../../languages/objects.ts";
import type { SecretsReading } from "../declare.ts";
import type { KvData } from "../kv/state.ts";
import { refuse } from "../rejections.ts";
import type { MetadataShown, SettingsShown, VersionShown, VersionTimes } from "./shown.ts";
import {
  type KvSettings,
  numberedVersions,
  readableData,
  type SecretVersion,
  type VersionedSecret,
  versionAt,
} from "./state.ts";

// Source of all rules in this file: README.md beside it.

export function settingsShown({ maxVersions, casRequired, deleteVersionAfterSeconds }: KvSettings): SettingsShown {
  return {
    max_versions: maxVersions,
    cas_required: casRequired,
    delete_version_after: goDurationText(BigInt(deleteVersionAfterSeconds) * 1_000_000_000n),
  };
}

export function metadataShown(secret: VersionedSecret): MetadataShown {
  return {
    ...settingsShown(secret),
    created_time: rfc3339(secret.createdAtMs),
    updated_time: rfc3339(secret.updatedAtMs),
    current_version: secret.currentVersion,
    oldest_version: secret.oldestVersion,
    custom_metadata: secret.customMetadata,
    versions: Object.fromEntries(numberedVersions(secret).map(([number, version]) => [number, timesShown(version)])),
  };
}

export function versionShown(
  number: number,
  version: SecretVersion,
  { customMetadata }: Pick<VersionedSecret, "customMetadata">,
): VersionShown {
  return { version: number, ...timesShown(version), custom_metadata: customMetadata };
}

function timesShown({ createdAtMs, deletionAtMs, data }: SecretVersion): VersionTimes {
  return {
    created_time: rfc3339(createdAtMs),
    deletion_time: deletionAtMs === undefined ? "" : rfc3339(deletionAtMs),
    destroyed: data === undefined,
  };
}

/** The data of a version and what is told of it; by default of the current one. One that is gone is refused. */
export function readVersion(
  { nowMs }: Pick<SecretsReading, "nowMs">,
  secret: VersionedSecret | undefined,
  wanted: number | undefined,
  member: "data" | "subkeys",
): { readonly data: KvData; readonly metadata: VersionShown } {
  const number = wanted === undefined || wanted <= 0 ? secret?.currentVersion : wanted;
  const version = secret === undefined || number === undefined ? undefined : versionAt(secret, number);
  if (secret === undefined || number === undefined || version === undefined) return refuse("not_found", {});
  const metadata = versionShown(number, version, secret);
  return { data: readableData(version, nowMs) ?? refuse("secret_version_gone", { member, metadata }), metadata };
}

const DEEPEST = 100;

/** The members of an object and of those in it, so deep, without their values. */
export function subkeysOf(data: object, depth: number | undefined): { readonly [name: string]: unknown } {
  return subkeys(data, depth === undefined || depth <= 0 || depth > DEEPEST ? DEEPEST : depth);
}

function subkeys(data: object, depth: number): { readonly [name: string]: unknown } {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(data)) {
    const goesOn = depth > 1 && isObject(value) && Object.keys(value).length > 0;
    setOwn(shown, name, goesOn ? subkeys(value, depth - 1) : null);
  }
  return shown;
}
