import { argument, argumentsTogether, type Fact, fact, given } from "../../kit/why.ts";
import { gone, type SecretsExplainers, type SecretsMet, there } from "../explaining.ts";
import { notSimulated } from "../not-simulated.ts";
import type { MountPath } from "../place.ts";
import { callerFacts } from "../tokens/why.ts";
import { mountAt, mountsAt } from "../world.ts";
import type { MountRefusals } from "./rejections.ts";

/** The mount at a path, or what became of it. */
export function mountFact(met: SecretsMet, path: string): Fact {
  const mount = (path.endsWith("/") ? path : `${path}/`) as MountPath;
  const found = mountAt(met.state, { ...met.caller, mount });
  const fits = ({ at }: { readonly at: { readonly mount: string; readonly namespace?: string } }): boolean =>
    at.mount === mount && at.namespace === met.caller.namespace;
  if (found !== undefined)
    return there("mount", `${mount} is of type ${found.type}`, met.past.last("EngineMounted", fits));
  return gone("mount", `mount ${mount}`, met.past.last("EngineUnmounted", fits));
}

/** What is mounted where a request goes. */
export function mountsFact({ state, caller }: SecretsMet): Fact {
  const paths = [...mountsAt(state, caller)].map(({ path }) => path);
  const more = paths.length > MOUNTS_TOLD ? ` and ${paths.length - MOUNTS_TOLD} more` : "";
  return fact("mount", `mounts here are ${paths.slice(0, MOUNTS_TOLD).join(", ") || "none"}${more}`);
}

const MOUNTS_TOLD = 8;

/** Why the endpoints of mounts refuse. */
export const mountWhy: SecretsExplainers<MountRefusals> = {
  mount_type_missing: argument("type", "the type of an engine"),
  mount_ttl_above_max: (met) => [
    fact("argument", `config is ${JSON.stringify(given(met, "config") ?? given(met, "default_lease_ttl") ?? null)}`),
    fact("configured", "the longest default TTL is that of the mount, or 768h"),
  ],
  listing_visibility_unknown: (_, { visibility }) => [
    fact("argument", `listing_visibility is ${visibility}: hidden, unauth, or empty`),
  ],
  kv_version_unsupported: (_, { version }) => [fact("argument", `options.version is ${version}: 1 or 2`)],
  plugin_not_found: (met, { type }) => [
    notSimulated(type) ??
      gone(
        "plugin",
        `plugin ${type}`,
        met.past.last("PluginDeregistered", ({ name }) => name === type),
      ),
  ],
  mount_path_reserved: (_, { path }) => [fact("configured", `${path} is the system's own`)],
  mount_in_use: (met, { path }) => [mountFact(met, path)],
  mount_not_found: (met, { path }) => [mountFact(met, path), mountsFact(met)],
  unmount_reserved: (_, { path }) => [fact("configured", `${path} is the system's own`)],
  mount_out_of_reach: (met, { path }) => [mountFact(met, path), ...callerFacts(met)],
  mount_not_movable: (_, { path }) => [fact("configured", `${path} is the system's own, and stays where it is`)],
  mount_kind_differs: argumentsTogether(["from", "to"], "both of secret engines, or both of auth methods"),
  mount_not_tunable: (_, { path }) => [fact("configured", `${path} is the system's own`)],
};
