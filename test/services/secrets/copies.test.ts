import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import {
  COPY_OF_PART,
  copyOfCluster,
  copyOfDirectoryMount,
  copyOfLibrary,
  copyOfNamespace,
} from "../../../src/services/secrets/copies.ts";
import type { DirectoryMount } from "../../../src/services/secrets/mounts/state.ts";
import { newNamespace } from "../../../src/services/secrets/namespaces/state.ts";
import type { Cluster, Ignored } from "../../../src/services/secrets/state.ts";
import type { Local } from "../../../src/services/secrets/storage.ts";
import { copyOfDirectory } from "../../../src/surroundings/directory/state.ts";

const { directory, secrets } = createSimulator({ seed: 1 }).state;
const cluster = secrets["main"] as Cluster;
const { replicated, local, ignored } = cluster;
const mount = replicated.mounts.get("ldap/") as DirectoryMount;

/** With all members that something has only sometimes. What they hold does not matter here. */
const full: {
  readonly local: Required<Local>;
  readonly ignored: Required<Ignored>;
  readonly mount: Required<DirectoryMount>;
} = {
  mount: Object.freeze({
    ...mount,
    initial: true,
    plugin: {} as never,
    config: {} as never,
    roles: {} as never,
    listingVisibility: "unauth",
  }),
  local: Object.freeze({ ...local, secondaryKey: { seed: "a" } as never }),
  ignored: Object.freeze({
    ...ignored,
    wal: {} as never,
    secondaryKey: {} as never,
    merkle: {} as never,
    generation: {} as never,
    roleChangedAtMs: 7 as never,
    barrierKey: {} as never,
    rekey: {} as never,
    rekeyBackup: {} as never,
    migrations: {} as never,
    election: {} as never,
    advertisedUrl: "",
  }),
};

describe.each<[what: string, copyOf: (part: never) => object, parts: readonly object[]]>([
  ["directory", copyOfDirectory, [directory]],
  ["cluster", copyOfCluster, [cluster]],
  ["part that is replicated", COPY_OF_PART.replicated, [replicated]],
  ["part that is local", COPY_OF_PART.local, [local, full.local]],
  ["part that is ignored", COPY_OF_PART.ignored, [ignored, full.ignored]],
  ["namespace", copyOfNamespace, [replicated, newNamespace("a1b2c3", ignored.createdAtMs)]],
  ["mount of a directory engine", copyOfDirectoryMount, [mount, full.mount]],
  ["library", copyOfLibrary, [mount.library]],
])("a copy of a %s", (_, copyOf, parts) => {
  it.each(parts)("has the very members of what is copied, in their order, and no others %#", (part) => {
    const copy = copyOf(part as never);
    expect(Object.entries(copy).length).toBe(Object.entries(part).length);
    for (const [name, member] of Object.entries(part)) expect(copy[name as never]).toBe(member);
    expect(Object.keys(copy)).toEqual(Object.keys(part));
  });

  it("may be written to, and is another object", () => {
    const copy = copyOf(parts[0] as never);
    expect(Object.isFrozen(copy)).toBe(false);
    expect(copy).not.toBe(parts[0]);
  });
});
