import type { EpochMs } from "../../../kernel/brand.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Upcasters } from "../../../kernel/model.ts";
import { adding } from "../../../kernel/upcast.ts";
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
  RegionLeaderLost: { readonly region: RegionName; readonly status: "leaderless" };
  RegionLeaderElected: { readonly region: RegionName; readonly status: "led" };
}

/** Facts of before carry no status. */
export const leaderUpcasters: Upcasters = {
  RegionLeaderLost: { 1: adding({ status: "leaderless" }) },
  RegionLeaderElected: { 1: adding({ status: "led" }) },
};

export const leaderEvolvers: FlatEvolvers<LeaderSlice, LeaderEvents> = {
  RegionLeaderLost: (region, { status }, { atMs }) => {
    if (status === "leaderless") region.leaderLostAtMs ??= atMs;
  },
  RegionLeaderElected: (region, { status }) => {
    if (status === "led") delete region.leaderLostAtMs;
  },
};
