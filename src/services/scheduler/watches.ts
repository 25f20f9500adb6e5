import type { Watch } from "../../kernel/waiting.ts";
import type { RegionName } from "./ids.ts";
import { regionNamed, type SchedulerWorld, schedulerOf } from "./world.ts";

// What blocked readers watch (decisions-scheduler-acl.md, section 7). A delete that removed nothing changes no table, and so wakes
// nobody.

type Watched = Pick<Watch<SchedulerWorld>, "key" | "prefix">;

export function policiesOf(region: RegionName, watched: Watched): Watch<SchedulerWorld> {
  return {
    name: `${region} policies`,
    of: (world) => regionNamed(schedulerOf(world), region)?.policies,
    ...watched,
  };
}

export function tokensOf(region: RegionName, watched: Watched): Watch<SchedulerWorld> {
  return { name: `${region} tokens`, of: (world) => regionNamed(schedulerOf(world), region)?.tokens, ...watched };
}

/** Whether a region has a leader. */
export function leaderOf(region: RegionName): Watch<SchedulerWorld> {
  return {
    name: `${region} leader`,
    of: (world) => regionNamed(schedulerOf(world), region)?.leaderLostAtMs === undefined,
  };
}
