import type { Evolvers } from "../../../kernel/evolvers.ts";
import { emptyLibrary } from "../library/state.ts";
import type { InMount } from "../place.ts";
import type { DirectoryMount, Mount, Namespace } from "../state.ts";

/** The facts of mounts. */
export interface MountEvents {
  EngineMounted: InMount & { readonly type: Mount["type"]; readonly accessor: string; readonly uuid: string };
}

export const mountEvolvers: Evolvers<Namespace, MountEvents> = {
  EngineMounted: (namespace, { at, accessor, uuid }) => {
    namespace.mounts = namespace.mounts.set(at.mount, newDirectoryMount(accessor, uuid));
  },
};

/** A directory engine as it is when it has just been mounted. */
export function newDirectoryMount(accessor: string, uuid: string): DirectoryMount {
  return {
    type: "ldap",
    accessor,
    uuid,
    description: "",
    defaultLeaseTtlSeconds: 0,
    maxLeaseTtlSeconds: 0,
    library: emptyLibrary,
  };
}
