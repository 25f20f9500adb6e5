/** Why the plugin catalog refuses, in the order in which it looks (decisions-secrets-core.md, C). */
export interface PluginRefusals {
  plugin_version_invalid: { readonly version: string };
  plugin_version_reserved: { readonly version: string };
  plugin_sha_missing: Record<never, never>;
  plugin_command_missing: Record<never, never>;
  /** The command has arguments, and so has the field for them. */
  plugin_args_twice: Record<never, never>;
  plugin_sha_invalid: Record<never, never>;
  plugin_directory_missing: Record<never, never>;
  plugin_path_relative: { readonly command: string };
  plugin_path_outside: { readonly command: string };
  plugin_file_missing: { readonly command: string };
  /** The binary that lies there now is not the one that was registered: it is not run. */
  plugin_checksum_differs: { readonly type: string };
}
