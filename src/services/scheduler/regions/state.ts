import type { EpochMs } from "../../../kernel/brand.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { RegionName } from "../ids.ts";

/** The log of a region: every region starts with an entry of its own. */
export interface LogSlice {
  /** That of the last committed write. */
  readonly index: number;
}

export interface LeaderSlice {
  /** Since when there is no leader. */
  readonly leaderLostAtMs?: EpochMs;
}

/** The facts of a region's leader. */
export interface LeaderEvents {
  RegionLeaderLost: { readonly region: RegionName };
  RegionLeaderElected: { readonly region: RegionName };
}

export const leaderEvolvers: FlatEvolvers<LeaderSlice, LeaderEvents> = {
  RegionLeaderLost: (region, _, { atMs }) => {
    region.leaderLostAtMs ??= atMs;
  },
  RegionLeaderElected: (region) => {
    delete region.leaderLostAtMs;
  },
};
