import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import type { ClusterName } from "../place.ts";

export const PLUGIN_TYPES = ["auth", "database", "secret"] as const;
export type PluginType = (typeof PLUGIN_TYPES)[number];

/** An entry of the plugin catalog. */
export interface Plugin {
  readonly type: PluginType;
  readonly name: string;
  /** A semantic version with a leading `v`; absent for an entry without one. */
  readonly version?: string;
  /** The program's name in the plugin directory. */
  readonly command: string;
  readonly args: readonly string[];
  /** `key=value` each; never read back. */
  readonly env: readonly string[];
  /** In lower case. */
  readonly sha256: string;
}

export interface PluginSlice {
  /** The plugin catalog: one for all namespaces, by `pluginKey`. What is built in is not in it. */
  readonly plugins: Table<Plugin>;
}

export interface PluginFileSlice {
  /** Where the binaries of plugins lie; null when there is no such directory. */
  readonly pluginDirectory: string | null;
  /** The SHA-256 sums of what lies there, by command. */
  readonly pluginFiles: Table<string>;
  /** Somebody said what lies there; before, every command has its file, and with the right sum. */
  readonly pluginFilesKnown: boolean;
}

/** The facts of the plugin catalog. */
export interface PluginEvents {
  /** A new entry, or one in the place of another. */
  PluginRegistered: { readonly cluster: ClusterName; readonly plugin: Plugin };
  PluginDeregistered: {
    readonly cluster: ClusterName;
    readonly type: PluginType;
    readonly name: string;
    readonly version?: string;
  };
}

/** The facts of what lies in a cluster's plugin directory. */
export interface PluginFileEvents {
  /** Without a sum the file is gone. */
  PluginFileChanged: { readonly cluster: ClusterName; readonly command: string; readonly sha256?: string };
}

export const pluginEvolvers: FlatEvolvers<PluginSlice, PluginEvents> = {
  PluginRegistered: (replicated, { plugin }) => {
    replicated.plugins = replicated.plugins.set(pluginKey(plugin.type, plugin.name, plugin.version), plugin);
  },
  PluginDeregistered: (replicated, { type, name, version }) => {
    replicated.plugins = replicated.plugins.delete(pluginKey(type, name, version));
  },
};

export const pluginFileEvolvers: FlatEvolvers<PluginFileSlice, PluginFileEvents> = {
  PluginFileChanged: (ignored, { command, sha256 }) => {
    ignored.pluginFilesKnown = true;
    ignored.pluginFiles =
      sha256 === undefined ? ignored.pluginFiles.delete(command) : ignored.pluginFiles.set(command, sha256);
  },
};

/** Type, name and version of an entry: names have no slash. The same name under another type or version is another entry. */
export function pluginKey(type: PluginType, name: string, version = ""): string {
  return `${type}/${name}/${version}`;
}
