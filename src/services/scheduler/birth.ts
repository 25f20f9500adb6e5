import { differences } from "../../kernel/diff.ts";
import { Table } from "../../kernel/table.ts";
import type { RegionName } from "./ids.ts";
import type { Region, Scheduler, SchedulerSettings } from "./state.ts";

/** A region in which nothing has happened. */
export function newRegion(): Region {
  return {
    // The first write of the ACL system has an index of 2 or more (decisions-scheduler-acl.md, section 7).
    index: 1,
    policyIndex: 0,
    tokenIndex: 0,
    roleIndex: 0,
    bootstrap: { status: "not_bootstrapped" },
    policies: Table.of(),
    tokens: Table.of(),
    globalTokens: Table.of(),
    accessorsBySecret: Table.of(),
    accessorsByIndex: Table.of(),
    accessorsByCollection: Table.of(),
    oneTimeTokens: Table.of(),
    accessorsByOneTimeSecret: Table.of(),
    roles: Table.of(),
    roleIdsByName: Table.of(),
    requestFailures: Object.freeze([]),
    calendar: Table.of(),
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
