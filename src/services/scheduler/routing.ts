import { isCut } from "../../surroundings/network/state.ts";
import { type Bearer, bearerOf } from "./access.ts";
import type { SchedulerReading } from "./declare.ts";
import type { RegionName } from "./ids.ts";
import { refuse } from "./rejections.ts";
import type { Region } from "./state.ts";
import { regionNamed, type SchedulerWorld, schedulerOf } from "./world.ts";

// Source of all rules in this file: decisions-scheduler-acl.md, section 6.

/** The region to which a request leads from another one, if there is a way. An empty name is the region itself. */
export function reached(world: SchedulerWorld, from: RegionName, to: string | undefined): RegionName {
  if (to === undefined || to === "" || to === from) return from;
  const scheduler = schedulerOf(world);
  if (regionNamed(scheduler, to) === undefined) return refuse("no_path_to_region", { region: to });
  if (isCut(world, { region: from }, { region: to })) return refuse("no_path_to_region", { region: to });
  return to as RegionName;
}

/** The region that executes a request, which has to have a leader. */
export function led(world: SchedulerWorld, name: RegionName): Region {
  const region = regionNamed(schedulerOf(world), name);
  if (region === undefined) return refuse("no_path_to_region", { region: name });
  if (region.leaderLostAtMs !== undefined) return refuse("no_cluster_leader", { region: name });
  return region;
}

/** Where a command executes, and who asks there: tokens are checked in the region that executes, against its own copy. */
export interface Executing {
  readonly name: RegionName;
  readonly region: Region;
  readonly bearer: Bearer;
}

/** Takes a command from a region to the one that executes it. */
export function executing(
  { state, nowMs }: Pick<SchedulerReading, "state" | "nowMs">,
  from: RegionName,
  to: string | undefined,
  secret: string | undefined,
): Executing {
  const name = reached(state, from, to);
  const region = led(state, name);
  return { name, region, bearer: bearerOf(region, secret, nowMs) };
}
