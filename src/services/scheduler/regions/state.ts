import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { RegionName } from "../ids.ts";
import { newRegion, type Region, type Scheduler } from "../state.ts";

/** The facts of the regions as a whole. */
export interface RegionsEvents {
  RegionAdded: { readonly region: RegionName; readonly url: string };
  AuthoritativeRegionChanged: { readonly region: RegionName };
}

export const regionsEvolvers: FlatEvolvers<Scheduler, RegionsEvents> = {
  RegionAdded: (scheduler, { region, url }) => {
    if (Object.hasOwn(scheduler.regions, region)) return;
    scheduler.regions = { ...scheduler.regions, [region]: newRegion() };
    scheduler.sites = { ...scheduler.sites, [region]: url };
  },
  AuthoritativeRegionChanged: (scheduler, { region }) => {
    if (Object.hasOwn(scheduler.regions, region)) scheduler.authoritative = region;
  },
};

/** The facts of a region's leader. */
export interface LeaderEvents {
  RegionLeaderLost: { readonly region: RegionName };
  RegionLeaderElected: { readonly region: RegionName };
}

export const leaderEvolvers: FlatEvolvers<Region, LeaderEvents> = {
  RegionLeaderLost: (region, _, { atMs }) => {
    region.leaderLostAtMs ??= atMs;
  },
  RegionLeaderElected: (region) => {
    delete region.leaderLostAtMs;
  },
};
