import type { EventFromLogic } from "xstate";
import { secretVersionMachine } from "../../../../machines/secret-version.machine.ts";
import { type EpochMs, secondsAfter } from "../../../kernel/brand.ts";
import { arrivedAt } from "../../../kernel/machine.ts";
import { copyPlain } from "../../../kernel/plain.ts";
import { mergePatched } from "../../../languages/json-text.ts";
import type { SecretsDecision } from "../declare.ts";
import type { KvData, KvObject } from "../kv/state.ts";
import type { MountPlace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { mountAt, type SecretsWorld } from "../world.ts";
import { refuseBadMetadata } from "./custom-metadata.ts";
import type { VersionShown } from "./shown.ts";
import {
  type CustomMetadata,
  emptyVersionedKv,
  type KvSettings,
  type SecretSettings,
  type SecretVersion,
  statusOf,
  UNSET,
  type VersionedKvSlice,
  versionAt,
} from "./state.ts";
import { versionShown } from "./views.ts";

// Source of all rules in this file: README.md beside it.

/** The store at a place. Whether it may be asked for is looked at before whether it is there: then it is an empty one. */
export function storeAt({ state }: { readonly state: SecretsWorld }, at: MountPlace): VersionedKvSlice {
  const mount = mountAt(state, at);
  return mount?.type === "kv2" ? mount : emptyVersionedKv;
}

/** Writes the next version of a path. */
export function writeVersion(
  decision: SecretsDecision,
  at: MountPlace,
  path: string,
  data: KvData,
  cas: number | undefined,
): VersionShown {
  refuseOtherVersion(decision, at, path, cas);
  return nextVersion(decision, at, path, data);
}

/** Makes the next version of the current one and a merge patch. */
export function patchVersion(
  decision: SecretsDecision,
  at: MountPlace,
  path: string,
  patch: KvData,
  cas: number | undefined,
): VersionShown {
  const secret = storeAt(decision, at).secrets.get(path) ?? refuse("not_found", {});
  refuseOtherVersion(decision, at, path, cas);
  const { currentVersion } = secret;
  const current = versionAt(secret, currentVersion) ?? refuse("not_found", {});
  if (stepVersion(decision, current, "patch") === undefined || current.data === undefined) {
    return refuse("secret_version_gone", { member: null, metadata: versionShown(currentVersion, current, secret) });
  }
  const merged = mergePatched(textOf(current.data), textOf(patch));
  const isText = typeof current.data === "string" || typeof patch === "string";
  return nextVersion(decision, at, path, isText ? merged : (copyPlain(JSON.parse(merged)) as KvObject));
}

function textOf(data: KvData): string {
  return typeof data === "string" ? data : JSON.stringify(data);
}

/** Check-and-set, of a path that has no secret yet too. */
function refuseOtherVersion(decision: SecretsDecision, at: MountPlace, path: string, cas: number | undefined): void {
  const { config, secrets } = storeAt(decision, at);
  const secret = secrets.get(path);
  const current = secret?.currentVersion ?? 0;
  if (cas !== undefined && cas !== current) refuse("cas_mismatch", { cas, current });
  if (cas === undefined && (config.casRequired || secret?.casRequired)) refuse("cas_missing", {});
}

const KEPT_BY_DEFAULT = 10;

function nextVersion(decision: SecretsDecision, at: MountPlace, path: string, data: KvData): VersionShown {
  const { config, secrets } = storeAt(decision, at);
  const before = secrets.get(path);
  const version = (before?.currentVersion ?? 0) + 1;
  const kept = Math.max(before?.maxVersions ?? 0, config.maxVersions) || KEPT_BY_DEFAULT;
  const oldest = before?.oldestVersion ?? 0;
  const deletion = deletionOf(decision.nowMs, config, before);
  decision.record({
    type: "SecretVersionWritten",
    data: { at, path, version, data, oldest: version - oldest >= kept ? version - kept + 1 : oldest, ...deletion },
  });
  const written = { createdAtMs: decision.nowMs, ...deletion, data };
  return versionShown(version, written, { customMetadata: before?.customMetadata ?? null });
}

/** When a version that begins now is deleted by itself. */
function deletionOf(
  nowMs: EpochMs,
  config: KvSettings,
  secret: KvSettings = UNSET,
): { readonly deletionAtMs?: EpochMs } {
  const [ofEngine, ofPath] = [config.deleteVersionAfterSeconds, secret.deleteVersionAfterSeconds];
  if (ofEngine < 0 || (ofEngine === 0 && ofPath === 0)) return {};
  const seconds = Math.min(ofEngine || Number.POSITIVE_INFINITY, ofPath || Number.POSITIVE_INFINITY);
  return { deletionAtMs: secondsAfter(nowMs, seconds) };
}

function stepVersion(
  decision: SecretsDecision,
  version: SecretVersion,
  type: EventFromLogic<ReturnType<typeof secretVersionMachine>>["type"],
) {
  return decision.step(secretVersionMachine, statusOf(version, decision.nowMs), {}, { type });
}

/** Deletes the current version, if it can be. */
export function deleteCurrent(decision: SecretsDecision, at: MountPlace, path: string): void {
  const secret = storeAt(decision, at).secrets.get(path);
  if (secret !== undefined) changeVersions(decision, at, path, "delete", [secret.currentVersion]);
}

/** Deletes, undeletes or destroys those versions of a path with which that can be done. */
export function changeVersions(
  decision: SecretsDecision,
  at: MountPlace,
  path: string,
  move: "delete" | "undelete" | "destroy",
  numbers: readonly number[] = [],
): void {
  if (numbers.length === 0) refuse("versions_missing", {});
  for (const version of numbers) {
    const { config, secrets } = storeAt(decision, at);
    const secret = secrets.get(path);
    const found = secret === undefined ? undefined : versionAt(secret, version);
    const next = found === undefined ? undefined : stepVersion(decision, found, move);
    if (next === undefined) continue;
    const data = { at, path, version };
    const deletion = deletionOf(decision.nowMs, config, secret);
    switch (arrivedAt(next, "available", "deleted", "destroyed")) {
      case "available":
        if (found?.deletionAtMs === deletion.deletionAtMs) break;
        decision.record({ type: "SecretVersionUndeleted", data: { ...data, ...deletion } });
        break;
      case "deleted":
        decision.record({ type: "SecretVersionDeleted", data });
        break;
      case "destroyed":
        decision.record({ type: "SecretVersionDestroyed", data });
        break;
    }
  }
}

/** What somebody writes of metadata; what is absent stays. */
export interface SettingsFields {
  readonly max_versions?: number;
  readonly cas_required?: boolean;
  readonly delete_version_after?: number;
}

interface MetadataFields extends SettingsFields {
  readonly custom_metadata?: CustomMetadata;
}

/** Writes the metadata of a path, of one that was never written too. */
export function writeMetadata(
  decision: SecretsDecision,
  at: MountPlace,
  path: string,
  fields: MetadataFields,
): readonly string[] {
  const { config, secrets } = storeAt(decision, at);
  const { custom_metadata: given } = fields;
  if (given !== undefined) refuseBadMetadata(given);
  if (Object.keys(fields).length > 0) {
    const before = secrets.get(path);
    const customMetadata = given ?? before?.customMetadata ?? null;
    recordMetadata(decision, at, path, { ...settingsWith(before ?? UNSET, fields), customMetadata });
  }
  return warningsOf(config, fields);
}

/** Changes the metadata of a path that has some. */
export function patchMetadata(
  decision: SecretsDecision,
  at: MountPlace,
  path: string,
  { custom_metadata: patch, ...fields }: SettingsFields & { readonly custom_metadata?: MetadataPatch },
): readonly string[] {
  const given = textsIn(Object.entries(patch ?? {}));
  refuseBadMetadata(given);
  const { config, secrets } = storeAt(decision, at);
  const before = secrets.get(path) ?? refuse("not_found", {});
  const merged = textsIn(Object.entries({ ...before.customMetadata, ...patch }));
  const customMetadata = patch === undefined ? before.customMetadata : merged;
  recordMetadata(decision, at, path, { ...settingsWith(before, fields), customMetadata });
  return warningsOf(config, fields);
}

/** Names whose texts are set, and with null those that are taken away. */
export type MetadataPatch = { readonly [name: string]: string | null };

function textsIn(entries: readonly (readonly [string, string | null])[]): CustomMetadata {
  return Object.fromEntries(entries.flatMap(([name, text]) => (text === null ? [] : [[name, text]])));
}

function recordMetadata(
  decision: SecretsDecision,
  at: MountPlace,
  path: string,
  { maxVersions, casRequired, deleteVersionAfterSeconds, customMetadata }: SecretSettings,
): void {
  const settings = { maxVersions, casRequired, deleteVersionAfterSeconds, customMetadata };
  decision.record({ type: "SecretMetadataWritten", data: { at, path, settings } });
}

export function settingsWith(
  before: KvSettings,
  { max_versions, cas_required, delete_version_after }: SettingsFields,
): KvSettings {
  return {
    maxVersions: max_versions ?? before.maxVersions,
    casRequired: cas_required ?? before.casRequired,
    deleteVersionAfterSeconds: delete_version_after ?? before.deleteVersionAfterSeconds,
  };
}

function warningsOf({ casRequired }: KvSettings, { cas_required }: SettingsFields): readonly string[] {
  if (cas_required !== false || !casRequired) return [];
  return ['"cas_required" set to false, but is mandated by backend config. This value will be ignored.'];
}
