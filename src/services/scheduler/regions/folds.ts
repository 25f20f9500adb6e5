import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import { newRegion } from "../birth.ts";
import type { RegionName } from "../ids.ts";
import type { Scheduler } from "../state.ts";

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
