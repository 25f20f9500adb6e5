import type { Part } from "../../kernel/evolvers.ts";
import type { LineWorld } from "../../surroundings/faults/line.ts";
import { DEFAULT_SCHEDULER, newScheduler } from "./birth.ts";
import type { RegionName } from "./ids.ts";
import type { Region, Scheduler } from "./state.ts";

/** What the scheduler reads and changes. The part appears with its first fact, unless options gave it settings. */
export interface SchedulerWorld extends LineWorld {
  readonly scheduler?: Scheduler;
}

const UNTOUCHED: Scheduler = Object.freeze(newScheduler(DEFAULT_SCHEDULER));

/** The scheduler of a world, also when nothing has happened in it yet. */
export function schedulerOf({ scheduler }: SchedulerWorld): Scheduler {
  return scheduler ?? UNTOUCHED;
}

/** A region by its name, which may be that of a member that every object has. */
export function regionNamed({ regions }: Scheduler, name: string): Region | undefined {
  return Object.hasOwn(regions, name) ? regions[name] : undefined;
}

/** A region that is known to be there. */
export function regionOf(world: SchedulerWorld, name: RegionName): Region {
  const region = regionNamed(schedulerOf(world), name);
  if (region === undefined) throw new TypeError(`there is no region ${name}`);
  return region;
}

/** The scheduler, as the part that facts change. */
export const withScheduler: Part<SchedulerWorld, Scheduler, unknown> = (world, _, change) => {
  const before = schedulerOf(world);
  const after = change(before);
  return after === before ? world : { ...world, scheduler: after };
};

/** The region that a fact names. */
export const withRegion: Part<SchedulerWorld, Region, { readonly region: RegionName }> = (world, { region }, change) =>
  withScheduler(world, undefined, (scheduler) => {
    const before = regionNamed(scheduler, region);
    if (before === undefined) return scheduler;
    const after = change(before);
    return after === before ? scheduler : { ...scheduler, regions: { ...scheduler.regions, [region]: after } };
  });
