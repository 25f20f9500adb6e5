import { refuse } from "../rejections.ts";
import type { Plugin, PluginFileSlice, PluginType } from "./state.ts";
import { readVersion } from "./version.ts";

/** A plugin as somebody wants to register it. */
export interface WantedPlugin {
  readonly type: PluginType;
  readonly name: string;
  readonly version: string | undefined;
  readonly sha256: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly string[];
}

/**
 * The entry that a request makes; the first condition that fails answers it. The binary is not looked at: a wrong sum registers fine.
 *
 * Source: decisions-secrets-core.md, C "POST validation".
 */
export function readPlugin(wanted: WantedPlugin, files: PluginFileSlice): Plugin {
  const version = readVersion(wanted.version);
  if (wanted.sha256 === "") return refuse("plugin_sha_missing", {});
  if (wanted.command === "") return refuse("plugin_command_missing", {});
  if (wanted.command.includes(" ") && wanted.args.length > 0) return refuse("plugin_args_twice", {});
  if (!/^[0-9a-f]+$/i.test(wanted.sha256)) return refuse("plugin_sha_invalid", {});
  const [command = "", ...inCommand] = wanted.command.split(" ").filter((word) => word !== "");
  refuseCommand(command, wanted.name, files);
  return {
    type: wanted.type,
    name: wanted.name,
    ...(version === undefined ? {} : { version }),
    command,
    args: inCommand.length > 0 ? inCommand : wanted.args,
    env: wanted.env,
    sha256: wanted.sha256.toLowerCase(),
  };
}

function refuseCommand(
  command: string,
  name: string,
  { pluginDirectory, pluginFiles, pluginFilesKnown }: PluginFileSlice,
) {
  if (pluginDirectory === null) return refuse("plugin_directory_missing", {});
  if (name.includes("..") || command.includes("..")) return refuse("plugin_path_relative", { command });
  const file = fileOf(command);
  if (file === undefined) return refuse("plugin_path_outside", { command });
  return pluginFilesKnown && !pluginFiles.has(file) ? refuse("plugin_file_missing", { command }) : undefined;
}

/** The file in the plugin directory that a command resolves to; undefined for one that lies elsewhere, or below it. */
export function fileOf(command: string): string | undefined {
  const [file, ...below] = command.split("/").filter((segment) => segment !== "" && segment !== ".");
  return below.length === 0 ? file : undefined;
}
