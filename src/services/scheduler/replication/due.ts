import { type EpochMs, epochMs } from "../../../kernel/brand.ts";
import type { Table } from "../../../kernel/table.ts";
import { lagMsBetween } from "../../../surroundings/network/state.ts";
import type { RegionName } from "../ids.ts";
import { type SchedulerWorld, schedulerOf } from "../world.ts";
import { comingKey, type Loop } from "./state.ts";

/** The source's table that has arrived: the last that is old enough, or at a retry the present one. */
export function versionDue<T>(
  world: SchedulerWorld,
  name: RegionName,
  source: RegionName,
  loop: Loop<T>,
  nowMs: EpochMs,
): { readonly through: string | null; readonly table: Table<T> | undefined } {
  if (loop.behind || loop.coming.size === 0) return { through: null, table: loop.latest };
  const arrived = loop.coming.rank(comingKey(epochMs(nowMs - lagMsTo(world, name, source) + 1)));
  const [through, table] = loop.coming.at(Math.max(0, arrived - 1)) ?? [null, loop.latest];
  return { through, table };
}

/** From a commit at the source to its arrival. */
export function lagMsTo(world: SchedulerWorld, name: RegionName, source: RegionName): number {
  return lagMsBetween(world, { region: source }, { region: name }) ?? schedulerOf(world).replicationLagMs;
}
