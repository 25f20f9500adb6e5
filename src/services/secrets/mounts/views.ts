import type { NamespacePath } from "../place.ts";
import { ENGINE_NAMES } from "./names.ts";
import { AUTH, isMethodType, type Mount } from "./state.ts";
import type { SystemMount } from "./system.ts";

/** A mount as it is shown (decisions-secrets-core.md, D.2 "Mount object"). TTLs in seconds, 0 = the system's. */
export interface MountShown {
  readonly type: string;
  readonly description: string;
  readonly accessor: string;
  readonly uuid: string;
  readonly local: boolean;
  readonly options: { readonly [name: string]: string } | null;
  readonly config: {
    readonly default_lease_ttl: number;
    readonly max_lease_ttl: number;
    readonly force_no_cache: boolean;
    readonly listing_visibility?: string;
  };
  readonly seal_wrap: boolean;
  readonly external_entropy_access: boolean;
  readonly plugin_version: string;
  readonly running_plugin_version: string;
  readonly running_sha256: string;
  /** Absent of what is not built in, and of the system's own. */
  readonly deprecation_status?: "supported";
}

/** @param running the version that the service says it has */
export function shownMount(mount: Mount, local: boolean, running: string): MountShown {
  const { type, plugin, description, accessor, uuid, defaultLeaseTtlSeconds, maxLeaseTtlSeconds } = mount;
  const { listingVisibility = "" } = mount;
  return {
    type: plugin?.name ?? (isMethodType(type) ? type.slice(AUTH.length) : ENGINE_NAMES[type]),
    description,
    accessor,
    uuid,
    local,
    // Only what is there from the start can have none at all (amendments.md, S12).
    options: mount.options ?? (mount.initial ? null : {}),
    config: {
      default_lease_ttl: defaultLeaseTtlSeconds,
      max_lease_ttl: maxLeaseTtlSeconds,
      force_no_cache: false,
      ...(listingVisibility === "" ? {} : { listing_visibility: listingVisibility }),
    },
    seal_wrap: false,
    external_entropy_access: false,
    plugin_version: plugin?.version ?? "",
    running_plugin_version: plugin === undefined ? builtIn(running) : (plugin.version ?? ""),
    running_sha256: "",
    ...(plugin === undefined ? { deprecation_status: "supported" } : {}),
  };
}

export function shownSystemMount(
  { type, description, accessor, uuid, local }: SystemMount,
  namespace: NamespacePath | undefined,
  running: string,
): MountShown {
  return {
    type: namespace === undefined ? type : `ns_${type}`,
    description,
    accessor,
    uuid,
    local,
    options: null,
    config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
    seal_wrap: false,
    external_entropy_access: false,
    plugin_version: "",
    running_plugin_version: builtIn(running),
    running_sha256: "",
  };
}

/**
 * The version of what is built in.
 *
 * Our choice: that of the service; the real one counts its engines apart (README.md of the service).
 */
function builtIn(running: string): string {
  return `v${running.replace(/\+.*/, "")}+builtin`;
}
