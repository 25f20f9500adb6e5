import type { SecretsRecorder } from "../declare.ts";
import { leaseTimesOf } from "../leases/issue.ts";
import { leasesBelow } from "../leases/namespaced.ts";
import { revokeNow } from "../leases/revoke.ts";
import { rollBackAll } from "../orchestrator/rollback/decide.ts";
import { localMountKey, type MountPath, type MountPlace, mountPlace, type NamespacePlace } from "../place.ts";
import { hasRightSum, mountableEngine } from "../plugins/catalog.ts";
import type { Plugin } from "../plugins/state.ts";
import { failKeepingFacts, refuse } from "../rejections.ts";
import { mountPathOf } from "../words/path.ts";
import { clusterOf, isMountLocal, mountAt, namespaceAt } from "../world.ts";
import { ENGINE_NAMES } from "./names.ts";
import {
  DEFAULT_SETTINGS,
  type EngineType,
  type ListingVisibility,
  type MethodSettings,
  type Mount,
  type MountedPlugin,
  type MountSettings,
} from "./state.ts";

// Source of all rules in this file: decisions-secrets-core.md, D.2.

/** Names of the stores of values, and the versions that they stand for. */
const KV_NAMES: ReadonlyMap<string, string | undefined> = new Map([
  ["kv", undefined],
  ["kv-v1", "1"],
  ["kv-v2", "2"],
]);

/** Paths that are the system's own. */
const OWN_PATHS: ReadonlySet<string> = new Set(["sys", "auth", "identity", "cubbyhole", "audit"]);

/** What is to be mounted. */
export interface WantedMount {
  readonly type: string;
  readonly local: boolean;
  readonly settings: MethodSettings;
}

/** Mounts an engine at a path; paths of mounts never lie in each other. */
export function mountEngine(decision: SecretsRecorder, at: NamespacePlace, path: MountPath, wanted: WantedMount): void {
  const { type: name, local } = wanted;
  if (name === "") refuse("mount_type_missing", {});
  refuseTimes(wanted.settings);
  const version = KV_NAMES.get(name);
  const settings = version === undefined ? wanted.settings : withOption(wanted.settings, "version", version);
  const hasVersions = KV_NAMES.has(name) && kvVersionOf(settings.options) === "2";
  const { engine, plugin } =
    mountableEngine(decision.state, at.cluster, name) ?? refuse("plugin_not_found", { type: name });
  const type = hasVersions && engine === "kv" ? "kv2" : engine;
  if (isOwnPath(path)) refuse("mount_path_reserved", { path });
  if (isTaken(decision, at, path)) refuse("mount_in_use", { path });
  if (plugin !== undefined && !hasRightSum(decision.state, at.cluster, plugin)) {
    refuse("plugin_checksum_differs", { type: name });
  }
  const accessorPrefix = plugin?.name ?? ENGINE_NAMES[type];
  recordMount(decision, mountPlace(at, path), { local, settings }, { type, plugin, accessorPrefix });
}

/** Mounts what may be mounted, under an accessor of its own. */
export function recordMount(
  decision: SecretsRecorder,
  at: MountPlace,
  { local, settings }: Omit<WantedMount, "type">,
  {
    type,
    plugin,
    accessorPrefix,
  }: { readonly type: EngineType; readonly plugin: Plugin | undefined; readonly accessorPrefix: string },
): void {
  const digits = [...decision.draw.bytes(4)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const uuid = decision.draw.uuid();
  const written = settings === DEFAULT_SETTINGS ? {} : { settings };
  decision.record({
    type: "EngineMounted",
    data: {
      at,
      type,
      accessor: `${accessorPrefix}_${digits}`,
      uuid,
      ...(local ? { local } : {}),
      ...(plugin === undefined ? {} : { plugin: mountedPlugin(plugin) }),
      ...written,
    },
  });
}

function withOption(settings: MountSettings, name: string, value: string): MountSettings {
  return { ...settings, options: { ...settings.options, [name]: value } };
}

/** The version of kv that options ask for. */
function kvVersionOf(options: MountSettings["options"]): "1" | "2" {
  const { version = "" } = options ?? {};
  if (version === "" || version === "1") return "1";
  return version === "2" ? version : refuse("kv_version_unsupported", { version });
}

/** What a mount remembers of the entry that it was started from. */
function mountedPlugin({ name, version }: Plugin): MountedPlugin {
  return version === undefined ? { name } : { name, version };
}

/** Unmounts an engine: its leases are revoked, its data is gone. A mount that is not there is unmounted already. */
export function unmountEngine(decision: SecretsRecorder, at: NamespacePlace, path: MountPath): void {
  if (isOwnPath(path)) refuse("unmount_reserved", { path });
  const place = mountPlace(at, path);
  if (mountAt(decision.state, place) === undefined) return;
  revokeNow(decision, at.cluster, leasesBelow(decision.state, at, path));
  const leftHalfMade = rollBackAll(decision, place);
  if (leftHalfMade !== undefined) failKeepingFacts("rollback_failed", { path, reason: leftHalfMade });
  recordUnmount(decision, place);
}

/** Takes away a mount that nothing hangs on any more. */
export function recordUnmount(decision: SecretsRecorder, place: MountPlace): void {
  const isLocal = isMountLocal(decision.state, place);
  decision.record({ type: "EngineUnmounted", data: { at: place, ...(isLocal ? { local: true } : {}) } });
}

/**
 * Changes what a mount was written with; leases that are issued or renewed later follow it. A store of values may get versions by it, and
 * never loses them (kv2/README.md, "The mount").
 *
 * @returns what whoever asked is warned of
 */
export function tuneMount(
  decision: SecretsRecorder,
  at: NamespacePlace,
  path: MountPath,
  { options: given, ...changed }: Partial<MountSettings>,
): readonly string[] {
  if (isOwnPath(path)) refuse("mount_not_tunable", { path });
  const place = mountPlace(at, path);
  const mount = mountAt(decision.state, place) ?? refuse("mount_not_found", { path });
  recordTuning(decision, place, mount, given ? { ...changed, options: optionsWith(mount.options, given) } : changed);
  if (given?.["version"] === undefined || !upgrades(mount, given)) return [];
  decision.record({ type: "KvUpgraded", data: { at: place } });
  return ["upgrading mount from version 1 to version 2: what was stored is the first version of its path"];
}

/** Options that are written anew, beside those that stay; an empty one is taken away, but for the version. */
function optionsWith(before: MountSettings["options"], given: Options): Options {
  const kept = Object.entries({ ...before, ...given }).filter(([name, value]) => value !== "" || name === "version");
  return Object.fromEntries(kept);
}

type Options = NonNullable<MountSettings["options"]>;

/** Whether options give a store of values versions; what has them keeps them. */
function upgrades({ type, plugin }: Mount, options: Options): boolean {
  if (type !== "kv" && type !== "kv2") return false;
  const version = kvVersionOf(options);
  if (type === "kv2" && version === "1") return refuse("kv_downgrade", { version: "2" });
  return type === "kv" && version === "2" && (plugin === undefined || KV_NAMES.has(plugin.name));
}

/** Changes what was given of the settings of a mount. */
export function recordTuning(
  decision: SecretsRecorder,
  at: MountPlace,
  { description, options, defaultLeaseTtlSeconds, maxLeaseTtlSeconds }: MountSettings,
  changed: Partial<MethodSettings>,
): void {
  const settings = { description, options, defaultLeaseTtlSeconds, maxLeaseTtlSeconds, ...changed };
  refuseTimes(settings);
  decision.record({ type: "MountTuned", data: { at, settings } });
}

const VISIBILITIES: readonly ListingVisibility[] = ["", "hidden", "unauth"];

/** Who is told of a mount, where that was given. */
export function visibilityIn(given: string | undefined): { readonly listingVisibility?: ListingVisibility } {
  if (given === undefined) return {};
  const listingVisibility = VISIBILITIES.find((visibility) => visibility === given);
  return { listingVisibility: listingVisibility ?? refuse("listing_visibility_unknown", { visibility: given }) };
}

export function refuseTimes(settings: MountSettings): void {
  const { defaultLeaseTtlSeconds, maxLeaseTtlSeconds } = settings;
  const max = leaseTimesOf({ defaultLeaseTtlSeconds: 0, maxLeaseTtlSeconds }).maxSeconds;
  if (defaultLeaseTtlSeconds > max) refuse("mount_ttl_above_max", {});
}

export function isOwnPath(path: string): boolean {
  return OWN_PATHS.has(path.slice(0, path.indexOf("/")));
}

/** Whether a path is that of a mount or a child namespace, lies in one, or has one below it. */
export function isTaken({ state }: SecretsRecorder, at: NamespacePlace, path: string): boolean {
  const { replicated, local } = clusterOf(state, at.cluster);
  const own = at.namespace ?? "";
  const onWire = mountPathOf(state, path, "own");
  return [
    { table: namespaceAt(state, at)?.mounts, key: path, of: path },
    { table: local.mounts, key: localMountKey({ ...at, mount: path as MountPath }), of: path },
    { table: replicated.namespaces, key: own + onWire, of: onWire },
  ].some(({ table, key, of }) => {
    if (table?.firstFrom(key)?.[0].startsWith(key)) return true;
    const start = key.length - of.length;
    for (let slash = of.indexOf("/"); slash >= 0; slash = of.indexOf("/", slash + 1)) {
      if (table?.has(key.slice(0, start + slash + 1))) return true;
    }
    return false;
  });
}
