import type { EpochMs } from "../../kernel/brand.ts";
import type { Calendar, Deadline } from "../../kernel/calendar.ts";
import { differences } from "../../kernel/diff.ts";
import type { Part } from "../../kernel/evolvers.ts";
import { Table } from "../../kernel/table.ts";
import type { NetworkWorld } from "../../surroundings/network/state.ts";
import type { Bootstrap } from "./bootstrap/state.ts";
import type { RequestFailure } from "./faults/state.ts";
import type { AccessorId, RegionName } from "./ids.ts";
import type { Policy } from "./policies/state.ts";
import type { Replication } from "./replication/state.ts";
import type { AclToken } from "./tokens/state.ts";

/** What the scheduler reads and changes. The part appears with its first fact, unless options gave it settings. */
export interface SchedulerWorld extends NetworkWorld {
  readonly scheduler?: Scheduler;
}

/** The scheduler: its regions, one of which is authoritative. */
export interface Scheduler extends SchedulerSettings {
  readonly authoritative: RegionName;
  /** Where each region answers: apart from what is in them, because this hardly ever changes. */
  readonly sites: { readonly [region: string]: string };
  readonly regions: { readonly [region: string]: Region };
}

export interface SchedulerSettings {
  readonly aclEnabled: boolean;
  /** From a commit of the authoritative region to its arrival elsewhere, unless the network says otherwise. */
  readonly replicationLagMs: number;
  /** No blocking query waits longer. */
  readonly maxBlockingWaitMs: number;
  readonly blockingJitter: boolean;
}

/** A region: a log index, tables and tokens of its own. */
export interface Region {
  /** That of the last committed write; every region starts with an entry of its own. */
  readonly index: number;
  /** That of the last write to each table; 0 as long as there was none. */
  readonly policyIndex: number;
  readonly tokenIndex: number;
  readonly bootstrap: Bootstrap;
  /** What an operator placed in the data directory of the leader. */
  readonly bootstrapResetIndex?: number;
  /** Since when there is no leader. */
  readonly leaderLostAtMs?: EpochMs;
  /** By name. */
  readonly policies: Table<Policy>;
  /** By accessor. */
  readonly tokens: Table<AclToken>;
  /** Those of them that are global: what other regions copy. */
  readonly globalTokens: Table<AclToken>;
  readonly accessorsBySecret: Table<AccessorId>;
  /** In the order of lists. */
  readonly accessorsByIndex: Table<AccessorId>;
  /** Absent in the authoritative region. */
  readonly replication?: Replication;
  /** Requests to come that fail, the next ones first. */
  readonly requestFailures: readonly RequestFailure[];
  readonly calendar: Calendar;
}

/** A region in which nothing has happened. */
export function newRegion(): Region {
  return {
    // The first write of the ACL system has an index of 2 or more (decisions-scheduler-acl.md, section 7).
    index: 1,
    policyIndex: 0,
    tokenIndex: 0,
    bootstrap: { status: "not_bootstrapped" },
    policies: Table.of<Policy>(),
    tokens: Table.of<AclToken>(),
    globalTokens: Table.of<AclToken>(),
    accessorsBySecret: Table.of<AccessorId>(),
    accessorsByIndex: Table.of<AccessorId>(),
    requestFailures: Object.freeze([]),
    calendar: Table.of<Deadline>(),
  };
}

/** What a scheduler begins with: the first region is authoritative. */
export interface SchedulerBirth extends SchedulerSettings {
  readonly regions: readonly { readonly name: RegionName; readonly url: string }[];
}

const DEFAULT_REGION = "global" as RegionName;

/** Where a region answers unless told otherwise. */
export function defaultRegionUrl(region: string): string {
  return `https://scheduler-${region}.test`;
}

/** A scheduler to which no option was given. */
export const DEFAULT_SCHEDULER: SchedulerBirth = Object.freeze({
  regions: Object.freeze([Object.freeze({ name: DEFAULT_REGION, url: defaultRegionUrl(DEFAULT_REGION) })]),
  aclEnabled: true,
  replicationLagMs: 100,
  maxBlockingWaitMs: 300_000,
  blockingJitter: false,
});

/** Whether a scheduler begins as it always does. */
export function isDefaultScheduler(birth: SchedulerBirth): boolean {
  return differences(DEFAULT_SCHEDULER, birth).length === 0;
}

/** A scheduler in which nothing has happened. */
export function newScheduler({ regions, ...settings }: SchedulerBirth): Scheduler {
  return {
    ...settings,
    authoritative: regions[0]?.name ?? DEFAULT_REGION,
    sites: Object.fromEntries(regions.map(({ name, url }) => [name, url])),
    regions: Object.fromEntries(regions.map(({ name }) => [name, newRegion()])),
  };
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
