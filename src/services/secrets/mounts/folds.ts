import { produceFlat } from "../../../kernel/draft.ts";
import type { Folds } from "../../../kernel/evolvers.ts";
import { Table } from "../../../kernel/table.ts";
import { copyOfIgnored } from "../copies.ts";
import { withIgnored, withMount, withMounts } from "../folding.ts";
import { UNSET, upgradedEntries } from "../kv2/state.ts";
import type { InMount, MountPlace } from "../place.ts";
import { mountAt, type SecretsWorld } from "../world.ts";
import { keyOf, type MaybeLocal, type Migration, mountEvolvers, rearmedMount } from "./state.ts";

/** The facts of mounts that become others, or go elsewhere. */
export interface MountChangeEvents {
  /** A store without versions has them now. */
  KvUpgraded: InMount;
  /** It is at another place, with all that is in it. */
  MountMoved: MaybeLocal & Moved;
  /** What hangs on it could not be ended, so it stays where it is. */
  MountMoveFailed: InMount & Moved;
}

interface Moved {
  readonly to: MountPlace;
  readonly migration: string;
  readonly status: Migration["status"];
}

export const mountChangeFolds: Folds<SecretsWorld, MountChangeEvents> = {
  KvUpgraded: (world, fact, { atMs }) =>
    withMount(world, fact, (mount) => {
      if (mount.type !== "kv") return mount;
      const { entries, ...others } = mount;
      return { ...others, type: "kv2", config: UNSET, secrets: upgradedEntries(entries, atMs) };
    }),
  MountMoved: (world, fact, meta) => {
    const mount = mountAt(world, fact.at);
    if (mount === undefined) return world;
    const left = withMounts(world, fact, (part) =>
      produceFlat(part, (before) => mountEvolvers.EngineUnmounted(before, fact, meta)),
    );
    const there = { ...fact, at: fact.to };
    const arrived = withMounts(left, there, (part) =>
      produceFlat(part, (before) => {
        before.mounts = before.mounts.set(keyOf(there), rearmedMount(before, mount, fact.to, meta));
      }),
    );
    return remembered(arrived, fact);
  },
  MountMoveFailed: (world, fact) => remembered(world, fact),
};

function remembered(world: SecretsWorld, { at, to, migration, status }: InMount & Moved): SecretsWorld {
  return withIgnored(world, at, (ignored) => {
    const known = ignored.migrations ?? Table.of<Migration>();
    const ended = { from: fullPath(at), to: fullPath(to), status };
    return { ...copyOfIgnored(ignored), migrations: known.set(migration, ended) };
  });
}

function fullPath({ namespace, mount }: MountPlace): string {
  return (namespace ?? "") + mount;
}
