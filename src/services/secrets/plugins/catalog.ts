import type { EngineType, MethodType } from "../mounts/state.ts";
import type { ClusterName } from "../place.ts";
import { clusterOf, type SecretsWorld } from "../world.ts";
import { fileOf } from "./register.ts";
import { type Plugin, type PluginType, pluginKey } from "./state.ts";
import { compareVersions } from "./version.ts";

// Source of all rules in this file: decisions-secrets-core.md, C.

/** Auth methods, by the names that they go by. */
const METHODS: ReadonlyMap<string, MethodType> = new Map<string, MethodType>([
  ["approle", "auth/approle"],
  ["ldap", "auth/ldap"],
  ["orchestrator", "auth/orchestrator"],
  ["userpass", "auth/userpass"],
]);

export const METHOD_NAMES: readonly string[] = [...METHODS.keys()];

/** What is built in. A registered entry of the same type and name shadows it. */
const BUILT_IN: { readonly [T in PluginType]: readonly string[] } = {
  auth: METHOD_NAMES,
  database: [],
  secret: ["kv", "ldap", "orchestrator"],
};

export function isBuiltIn(type: PluginType, name: string): boolean {
  return BUILT_IN[type].includes(name);
}

/** The registered entry of a type, name and version; without a version the one that has none. */
export function pluginAt(
  world: SecretsWorld,
  cluster: ClusterName,
  type: PluginType,
  name: string,
  version?: string,
): Plugin | undefined {
  return clusterOf(world, cluster).replicated.plugins.get(pluginKey(type, name, version));
}

/** The names of a type, sorted and each once, whatever versions it has. */
export function pluginNames(world: SecretsWorld, cluster: ClusterName, type: PluginType): string[] {
  const names = new Set(BUILT_IN[type]);
  for (const { name } of clusterOf(world, cluster).replicated.plugins.values({ prefix: `${type}/` })) names.add(name);
  return [...names].sort();
}

/** Engines that are built in, by the names that they go by. */
const ENGINES: ReadonlyMap<string, EngineType> = new Map<string, EngineType>([
  ["kv", "kv"],
  ["kv-v1", "kv"],
  ["kv-v2", "kv"],
  ["ldap", "ldap"],
  ["orchestrator", "orchestrator"],
]);

/** What a type of mount stands for: an engine, and the entry of the catalog behind it unless that is built in. */
export interface MountableEngine {
  readonly engine: EngineType;
  readonly plugin?: Plugin;
}

/**
 * What is mounted under a name: the registered secret plugin, or else what is built in.
 *
 * Our choice: of a plugin that has versions only, the highest is taken, before what is built in, as upstream has it.
 */
export function mountableEngine(world: SecretsWorld, cluster: ClusterName, name: string): MountableEngine | undefined {
  const engine = ENGINES.get(name);
  const plugin = pluginAt(world, cluster, "secret", name) ?? highestVersion(world, cluster, name);
  if (plugin !== undefined) return { engine: engine ?? "kv", plugin };
  return engine === undefined ? undefined : { engine };
}

/** What is enabled under a name: a method that is built in, by itself or by the registered plugin that shadows it. */
export function mountableMethod(
  world: SecretsWorld,
  cluster: ClusterName,
  name: string,
): { readonly type: MethodType; readonly plugin?: Plugin } | undefined {
  const type = METHODS.get(name);
  if (type === undefined) return undefined;
  const plugin = pluginAt(world, cluster, "auth", name);
  return plugin === undefined ? { type } : { type, plugin };
}

function highestVersion(world: SecretsWorld, cluster: ClusterName, name: string): Plugin | undefined {
  let highest: Plugin | undefined;
  const { plugins } = clusterOf(world, cluster).replicated;
  if (plugins.size === 0 || name.includes("/")) return undefined;
  for (const plugin of plugins.values({ prefix: pluginKey("secret", name) })) {
    if (highest === undefined || compareVersions(highest.version ?? "", plugin.version ?? "") < 0) highest = plugin;
  }
  return highest;
}

/** Whether the binary of a plugin is the one that was registered. It is looked at now: the entry only says what it has to be. */
export function hasRightSum(world: SecretsWorld, cluster: ClusterName, { command, sha256 }: Plugin): boolean {
  const { pluginFiles, pluginFilesKnown } = clusterOf(world, cluster).ignored;
  return !pluginFilesKnown || pluginFiles.get(fileOf(command) ?? "") === sha256;
}
