import type { Folds } from "../../../kernel/evolvers.ts";
import { withMount } from "../folding.ts";
import { UNSET, upgradedEntries } from "../kv2/state.ts";
import type { InMount } from "../place.ts";
import type { SecretsWorld } from "../world.ts";

/** The facts of mounts that become others. */
export interface MountUpgradeEvents {
  /** A store without versions has them now. */
  KvUpgraded: InMount;
}

export const mountUpgradeFolds: Folds<SecretsWorld, MountUpgradeEvents> = {
  KvUpgraded: (world, fact, { atMs }) =>
    withMount(world, fact, (mount) => {
      if (mount.type !== "kv") return mount;
      const { entries, ...others } = mount;
      return { ...others, type: "kv2", config: UNSET, secrets: upgradedEntries(entries, atMs) };
    }),
};
