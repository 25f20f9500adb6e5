import { type EpochMs, epochMs } from "../../../kernel/brand.ts";
import { arm, type Due, disarm, dueAtMsOf } from "../../../kernel/calendar.ts";
import type { FoldMeta } from "../../../kernel/evolvers.ts";
import { deepFreeze } from "../../../kernel/plain.ts";
import type { SchedulerRecorder } from "../declare.ts";
import type { AccessorId, RegionName } from "../ids.ts";
import type { LeaderSlice } from "../regions/state.ts";
import { regionOf, type SchedulerWorld, schedulerOf } from "../world.ts";
import { collectionInstant, collectionPrefix, type Scope } from "./expiry.ts";
import type { TokenSlice } from "./state.ts";

// Source of all rules in this file: tokens/README.md, "Expiration".

export const COLLECTION = "timer.collectExpiredTokens";

/** A pass: a region clears away what of its scopes is over for long enough, each scope with an entry of its log. */
export function collectExpired(decision: SchedulerRecorder, name: RegionName): void {
  for (const scope of scopesOf(decision.state, name)) {
    const { index, accessorsByCollection } = regionOf(decision.state, name);
    const accessors: AccessorId[] = [];
    for (const [key, accessor] of accessorsByCollection.entries({ prefix: collectionPrefix(scope) })) {
      if (collectionInstant(key, scope) > decision.nowMs) break;
      accessors.push(accessor);
    }
    if (accessors.length === 0) continue;
    decision.record({ type: "AclTokensCollected", data: { region: name, index: index + 1, accessors } });
  }
}

function scopesOf(world: SchedulerWorld, name: RegionName): readonly Scope[] {
  return schedulerOf(world).authoritative === name ? ["local", "global"] : ["local"];
}

/** What follows from a commit for the next pass of each region: without a leader there is none. */
export function settleCollection(before: SchedulerWorld, after: SchedulerWorld, meta: FoldMeta): SchedulerWorld {
  const { scheduler } = after;
  if (scheduler === undefined || scheduler === before.scheduler) return after;
  const isMoved = scheduler.authoritative !== before.scheduler?.authoritative;
  let { regions } = scheduler;
  for (const name of Object.keys(regions) as RegionName[]) {
    const region = regionOf(after, name);
    if (region === before.scheduler?.regions[name] && !isMoved) continue;
    const settled = armed(region, nextPassAtMs(after, name, region), meta);
    if (settled === undefined) continue;
    const { collection: _, ...rest } = region;
    regions = { ...regions, [name]: { ...rest, ...settled } };
  }
  return regions === scheduler.regions ? after : deepFreeze({ ...after, scheduler: { ...scheduler, regions } });
}

function nextPassAtMs(
  world: SchedulerWorld,
  name: RegionName,
  { accessorsByCollection, leaderLostAtMs }: TokenSlice & LeaderSlice,
): EpochMs | undefined {
  if (leaderLostAtMs !== undefined) return undefined;
  let next: EpochMs | undefined;
  for (const scope of scopesOf(world, name)) {
    const [first] = accessorsByCollection.keys({ prefix: collectionPrefix(scope) });
    const atMs = first === undefined ? undefined : collectionInstant(first, scope);
    if (atMs !== undefined && (next === undefined || atMs < next)) next = atMs;
  }
  return next;
}

/** The calendar with the next pass in it; undefined where it is so already. */
function armed(
  { calendar, collection }: TokenSlice & Due,
  atMs: EpochMs | undefined,
  meta: FoldMeta,
): (Due & Pick<TokenSlice, "collection">) | undefined {
  const dueAtMs = atMs === undefined ? undefined : epochMs(Math.max(atMs, meta.atMs));
  const isArmed = collection !== undefined && calendar.has(collection);
  if (isArmed ? dueAtMsOf(collection) === dueAtMs : dueAtMs === undefined && collection === undefined) return undefined;
  const holder = { calendar };
  disarm(holder, collection);
  const key = dueAtMs === undefined ? undefined : arm(holder, dueAtMs, { command: COLLECTION, input: {} }, meta);
  return key === undefined ? holder : { ...holder, collection: key };
}
