import { command, type SecretsReading, view } from "../declare.ts";
import { itemList, text } from "../fields.ts";
import { listing } from "../listing.ts";
import { refuse } from "../rejections.ts";
import { done, enveloped } from "../reply.ts";
import { clusterOf } from "../world.ts";
import { isBuiltIn, pluginAt, pluginNames } from "./catalog.ts";
import { readPlugin } from "./register.ts";
import type { PluginType } from "./state.ts";
import { readVersion } from "./version.ts";

/** Names lie below one of the three types. */
const TYPE = /^(auth|database|secret)$/;
const ENTRY = /^(auth|database|secret)\/[^/]+$/;

/** An entry of the catalog as it is read. */
export interface PluginShown {
  readonly args: readonly string[];
  readonly builtin: boolean;
  readonly command: string;
  readonly name: string;
  readonly sha256: string;
  /** Only of an entry that was registered with one. */
  readonly version?: string;
}

/** The plugin catalog: one for all namespaces (decisions-secrets-core.md, C and A.10). */
export const pluginOperations = {
  catalog: view({
    route: "GET /v1/sys/plugins/catalog",
    evidence: "documented",
    view: ({ state, caller }) => {
      const names = (type: PluginType) => pluginNames(state, caller.cluster, type);
      return enveloped({ auth: names("auth"), database: names("database"), secret: names("secret") });
    },
  }),
  list: view({
    route: "LIST /v1/sys/plugins/catalog/:type",
    evidence: "observed",
    names: TYPE,
    view: ({ state, caller }, { type }) => listing(pluginNames(state, caller.cluster, type as PluginType)),
  }),
  read: view({
    route: "GET /v1/sys/plugins/catalog/:type/:name",
    evidence: "observed",
    names: ENTRY,
    sudo: true,
    fields: { version: text },
    view: (reading, { type, name, version }) =>
      enveloped(pluginShown(reading, type as PluginType, name, readVersion(version))),
  }),
  write: command({
    route: "POST /v1/sys/plugins/catalog/:type/:name",
    evidence: "chosen",
    names: ENTRY,
    sudo: true,
    onSecondary: "forwarded",
    fields: { version: text, sha256: text, sha_256: text, command: text, args: itemList, env: itemList },
    decide: (
      decision,
      { type, name, version, sha256 = "", sha_256 = "", command: program = "", args = [], env = [] },
    ) => {
      const { cluster } = decision.caller;
      const wanted = {
        type: type as PluginType,
        name,
        version,
        sha256: sha256 === "" ? sha_256 : sha256,
        command: program,
        args,
        env,
      };
      const plugin = readPlugin(wanted, clusterOf(decision.state, cluster).ignored);
      decision.record({ type: "PluginRegistered", data: { cluster, plugin } });
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/sys/plugins/catalog/:type/:name",
    evidence: "observed",
    names: ENTRY,
    sudo: true,
    onSecondary: "forwarded",
    fields: { version: text },
    decide: (decision, { type: given, name, version: wanted }) => {
      const { cluster } = decision.caller;
      const type = given as PluginType;
      const version = readVersion(wanted);
      if (pluginAt(decision.state, cluster, type, name, version) !== undefined) {
        const data = { cluster, type, name, ...(version === undefined ? {} : { version }) };
        decision.record({ type: "PluginDeregistered", data });
      }
      return done();
    },
  }),
};

function pluginShown(
  { state, caller }: SecretsReading,
  type: PluginType,
  name: string,
  version: string | undefined,
): PluginShown {
  const plugin = pluginAt(state, caller.cluster, type, name, version);
  if (plugin !== undefined) {
    const { args, command: program, sha256 } = plugin;
    return {
      args,
      builtin: false,
      command: program,
      name,
      sha256,
      ...(plugin.version === undefined ? {} : { version: plugin.version }),
    };
  }
  if (version !== undefined || !isBuiltIn(type, name)) return refuse("not_found", {});
  return { args: [], builtin: true, command: "", name, sha256: "" };
}
