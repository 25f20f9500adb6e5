import { Table } from "../../../../kernel/table.ts";
import type { Mount } from "../../mounts/state.ts";
import type { Replicated } from "../../storage.ts";

/** Shared mounts and namespaces that are there no more. */
export type Vanished = {
  /** Those of namespaces that are gone are among them: `["team/", "kv/"]`. */
  readonly mounts: readonly (readonly [namespace: string, mount: string])[];
  readonly namespaces: readonly string[];
};

/** What of one version is missing in the other; undefined when nothing is. */
export function vanished(before: Replicated, after: Replicated): Vanished | undefined {
  const mounts: (readonly [string, string])[] = goneMounts("", before.mounts, after.mounts);
  const namespaces: string[] = [];
  if (before.namespaces !== after.namespaces) {
    for (const [path, was, is] of Table.changes(before.namespaces, after.namespaces)) {
      if (was === undefined) continue;
      // Another namespace at the same path is another one, and so are its mounts.
      if (was.id !== is?.id) {
        namespaces.push(path);
        for (const mount of was.mounts.keys()) mounts.push([path, mount]);
      } else mounts.push(...goneMounts(path, was.mounts, is.mounts));
    }
  }
  return mounts.length === 0 && namespaces.length === 0 ? undefined : { mounts, namespaces };
}

function goneMounts(namespace: string, before: Table<Mount>, after: Table<Mount>): (readonly [string, string])[] {
  if (before === after) return [];
  const gone: (readonly [string, string])[] = [];
  for (const [path, was, is] of Table.changes(before, after)) {
    // Another engine at the same path is another mount.
    if (was !== undefined && was.uuid !== is?.uuid) gone.push([namespace, path]);
  }
  return gone;
}
