import { Table } from "../../kernel/table.ts";
import type { Watch } from "../../kernel/waiting.ts";
import { isCut } from "../../surroundings/network/state.ts";
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

export function rolesOf(region: RegionName, watched: Watched): Watch<SchedulerWorld> {
  return { name: `${region} roles`, of: (world) => regionNamed(schedulerOf(world), region)?.roles, ...watched };
}

/** What never changes. */
export const NOTHING: Watch<SchedulerWorld> = Object.freeze({ name: "nothing", of: () => undefined });

/** The watch of a read that found nothing: each write of the table wakes it (amendments.md, N1). */
export function widened(watch: Watch<SchedulerWorld>, world: SchedulerWorld): Watch<SchedulerWorld> {
  const { name, of, key, prefix } = watch;
  const table = of(world);
  if (!(table instanceof Table)) return watch;
  const isThere = key === undefined ? !table.keys({ prefix: prefix ?? "" }).next().done : table.has(key);
  return isThere ? watch : { name, of };
}

/** The watch of a read from another region: while the line is cut, no change comes through (amendments.md, N9). */
export function through(watch: Watch<SchedulerWorld>, from: RegionName, to: RegionName): Watch<SchedulerWorld> {
  if (from === to) return watch;
  const of = (world: SchedulerWorld) => (isCut(world, { region: from }, { region: to }) ? undefined : watch.of(world));
  return { ...watch, name: `${watch.name} from ${from}`, of };
}

/** Whether a region has a leader, and which one is authoritative: a write is executed there (amendments.md, N13). */
export function leaderOf(region: RegionName): Watch<SchedulerWorld> {
  return {
    name: `${region} leader`,
    of: (world) => {
      const scheduler = schedulerOf(world);
      return `${regionNamed(scheduler, region)?.leaderLostAtMs === undefined} ${scheduler.authoritative}`;
    },
  };
}
