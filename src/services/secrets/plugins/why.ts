import { argument, argumentsTogether, type Fact, fact, shownArgument } from "../../kit/why.ts";
import { ofCluster, type SecretsExplainers, type SecretsMet, there } from "../explaining.ts";
import { clusterOf } from "../world.ts";
import type { PluginRefusals } from "./rejections.ts";

function directoryFact(met: SecretsMet): Fact {
  const { pluginDirectory } = clusterOf(met.state, met.caller.cluster).ignored;
  return fact("configured", `the plugin directory is ${pluginDirectory ?? "none"} (pluginDirectory)`);
}

/** Why the plugin catalog refuses. */
export const pluginWhy: SecretsExplainers<PluginRefusals> = {
  plugin_version_invalid: shownArgument("version", "a semantic version"),
  plugin_version_reserved: shownArgument("version", "one without the word builtin"),
  plugin_sha_missing: argumentsTogether(["sha256", "sha_256"], "the checksum of the binary"),
  plugin_command_missing: argument("command", "the binary in the plugin directory"),
  plugin_args_twice: argumentsTogether(["command", "args"], "arguments in one of them"),
  plugin_sha_invalid: argumentsTogether(["sha256", "sha_256"], "hexadecimal"),
  plugin_directory_missing: (met) => [directoryFact(met)],
  plugin_path_relative: (met, { command }) => [fact("argument", `command is ${command}`), directoryFact(met)],
  plugin_path_outside: (met, { command }) => [fact("argument", `command is ${command}`), directoryFact(met)],
  plugin_file_missing: (met, { command }) => [fileFact(met, command), directoryFact(met)],
  plugin_checksum_differs: (met, { type }) => {
    const registered = met.past.last("PluginRegistered", ({ plugin }) => plugin.name === type);
    const command = registered?.data.plugin.command ?? type;
    return [there("plugin", `${type} is registered as ${command}`, registered), fileFact(met, command)];
  },
};

function fileFact(met: SecretsMet, command: string): Fact {
  const changed = met.past.last("PluginFileChanged", (data) => ofCluster(met)(data) && data.command === command);
  return there("plugin", `${command} lies in the directory as setPlugin said`, changed);
}
