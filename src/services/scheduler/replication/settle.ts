import { regionLinkMachine } from "../../../../machines/region-link.machine.ts";
import { type EpochMs, epochMs } from "../../../kernel/brand.ts";
import { arm, disarm, dueAtMsOf } from "../../../kernel/calendar.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FoldMeta } from "../../../kernel/evolvers.ts";
import { step } from "../../../kernel/machine.ts";
import { deepFreeze } from "../../../kernel/plain.ts";
import { Table } from "../../../kernel/table.ts";
import { isCut } from "../../../surroundings/network/state.ts";
import type { RegionName } from "../ids.ts";
import { isSamePolicy, type Policy } from "../policies/state.ts";
import { isSameRole, type Role } from "../roles/state.ts";
import type { Region, Scheduler } from "../state.ts";
import { type AclToken, isSameToken } from "../tokens/state.ts";
import { regionOf, type SchedulerWorld } from "../world.ts";
import { lagMsTo, versionDue } from "./due.ts";
import { afterRound, comingKey, type Link, type Loop, MOST_ROUNDS, newLoop, type Replication } from "./state.ts";

// Source of all rules in this file: decisions-scheduler-acl.md, section 6, "Replication".

/** A region looks again so long after a failure, and so often. */
const RETRY_EVERY_MS = 30_000;

/**
 * At most 10 rounds in any second, however close they are. Our choice: a lag below a tenth of a second is asked for by somebody who
 * wants it kept, and lifts the limit.
 */
const SHORTEST_LIMITED_LAG_MS = 100;
const SECOND_MS = 1_000;

/** The commands of the loops. */
export const POLICY_ROUND = "timer.replicatePolicies";
export const TOKEN_ROUND = "timer.replicateTokens";
export const ROLE_ROUND = "timer.replicateRoles";

/**
 * What follows from a commit for the regions that copy: what has changed in the authoritative region is on its way to each of
 * them, a link that was cut is a failure, a healed one a retry to come, and where there is no leader nothing is armed.
 */
export function settleReplication(before: SchedulerWorld, after: SchedulerWorld, meta: FoldMeta): SchedulerWorld {
  const { scheduler } = after;
  if (scheduler === undefined || (before.scheduler === scheduler && before.network === after.network)) return after;
  const names = Object.keys(scheduler.regions) as RegionName[];
  if (names.length === 1) return after;
  let { regions } = scheduler;
  for (const name of names) {
    const region = regionOf(after, name);
    const settled =
      name === scheduler.authoritative ? withoutReplication(region) : copying(before, after, name, region, meta);
    if (settled !== region) regions = { ...regions, [name]: settled };
  }
  return regions === scheduler.regions ? after : deepFreeze({ ...after, scheduler: { ...scheduler, regions } });
}

function loopsOf({ policies, tokens, roles }: Replication) {
  return [policies, tokens, roles];
}

function withoutReplication(region: Region): Region {
  if (region.replication === undefined) return region;
  const { replication, ...rest } = region;
  const holder: Flat<Region> = rest;
  for (const { deadline } of loopsOf(replication)) disarm(holder, deadline);
  return holder;
}

/** A region that is not authoritative, after a commit. */
function copying(
  before: SchedulerWorld,
  after: SchedulerWorld,
  name: RegionName,
  region: Region,
  meta: FoldMeta,
): Region {
  const { authoritative: source } = after.scheduler as Scheduler;
  const known = region.replication?.source === source ? afterIdleRounds(before, after, name, meta) : undefined;
  const link = linkAfter(known?.link, {
    reachable: !isCut(after, { region: source }, { region: name }),
    nowMs: meta.atMs,
    elected: wasLeaderless(before, name) && region.leaderLostAtMs === undefined,
    behind: known !== undefined && loopsOf(known).some(({ behind }) => behind),
  });
  const origin = regionOf(after, source);
  const replication: Replication = known ?? {
    source,
    link,
    policies: newLoop<Policy>(),
    tokens: newLoop<AclToken>(),
    roles: newLoop<Role>(),
  };
  const policies = looked(
    replication.policies,
    isVirgin(origin) ? undefined : origin.policies,
    isSamePolicy,
    link,
    meta,
  );
  const tokens = looked(
    replication.tokens,
    isVirgin(origin) ? undefined : origin.globalTokens,
    isSameToken,
    link,
    meta,
  );
  const roles = looked(replication.roles, rolesToLookAt(replication.roles, origin, region), isSameRole, link, meta);

  const holder: { calendar: Region["calendar"] } = { calendar: region.calendar };
  if (known === undefined && region.replication !== undefined) {
    for (const { deadline } of loopsOf(region.replication)) disarm(holder, deadline);
  }
  const timing: Timing = {
    link,
    lagMs: lagMsTo(after, name, source),
    halted: region.leaderLostAtMs !== undefined,
  };
  const settled: Replication = {
    source,
    link,
    policies: armed(holder, policies, POLICY_ROUND, timing, meta),
    tokens: armed(holder, tokens, TOKEN_ROUND, timing, meta),
    roles: armed(holder, roles, ROLE_ROUND, timing, meta),
  };
  const isSame =
    region.replication?.link === settled.link &&
    region.replication.policies === settled.policies &&
    region.replication.tokens === settled.tokens &&
    region.replication.roles === settled.roles &&
    holder.calendar === region.calendar;
  return isSame ? region : { ...region, replication: settled, calendar: holder.calendar };
}

/** A round that finds nothing to copy leaves no fact: that it was made is told by its deadline, which is used up. */
function afterIdleRounds(
  before: SchedulerWorld,
  after: SchedulerWorld,
  name: RegionName,
  { atMs }: FoldMeta,
): Replication | undefined {
  const { replication, calendar } = regionOf(after, name);
  const was = before.scheduler?.regions[name];
  if (replication === undefined || was?.replication === undefined || was.calendar === calendar) return replication;
  const idle = <T>(loop: Loop<T>, loopBefore: Loop<T>): Loop<T> => {
    const { deadline } = loop;
    const isMade =
      loop === loopBefore && deadline !== undefined && was.calendar.has(deadline) && !calendar.has(deadline);
    return isMade ? afterRound(loop, versionDue(after, name, replication.source, loop, atMs).through, atMs) : loop;
  };
  const policies = idle(replication.policies, was.replication.policies);
  const tokens = idle(replication.tokens, was.replication.tokens);
  const roles = idle(replication.roles, was.replication.roles);
  return { ...replication, policies, tokens, roles };
}

function wasLeaderless(world: SchedulerWorld, name: RegionName): boolean {
  const regions = world.scheduler?.regions ?? {};
  return Object.hasOwn(regions, name) && regions[name]?.leaderLostAtMs !== undefined;
}

/** A region in whose ACL system nothing has happened: no credential of it exists yet, so nobody copies from it. */
function isVirgin({ policyIndex, tokenIndex }: Region): boolean {
  return policyIndex === 0 && tokenIndex === 0;
}

/** Where neither side ever had a role there is nothing to compare. */
function rolesToLookAt({ latest }: Loop<Role>, origin: Region, region: Region): Table<Role> | undefined {
  return latest === undefined && origin.roles.size === 0 && region.roles.size === 0 ? undefined : origin.roles;
}

function linkAfter(
  link: Link = CONNECTED,
  seen: {
    readonly reachable: boolean;
    readonly nowMs: EpochMs;
    readonly elected: boolean;
    readonly behind: boolean;
  },
): Link {
  const { reachable, nowMs, elected, behind } = seen;
  const caughtUp = link.status === "resuming" && nowMs >= link.atMs && !behind;
  const status = step(regionLinkMachine, link.status, { reachable, caughtUp }, { type: "look" })?.value ?? link.status;
  switch (status) {
    case "connected":
      return CONNECTED;
    case "failed":
      return link.status === "failed" ? link : { status, sinceMs: failureSince(link, nowMs) };
    case "resuming":
      // A new leader begins its rounds at once.
      if (elected && !(link.status === "resuming" && nowMs >= link.atMs)) return { status, atMs: nowMs };
      return link.status === "failed" ? { status, atMs: retryAfter(link.sinceMs, nowMs) } : link;
    default:
      return status satisfies never;
  }
}

function retryAfter(sinceMs: EpochMs, nowMs: EpochMs): EpochMs {
  const retries = Math.max(1, Math.ceil((nowMs - sinceMs) / RETRY_EVERY_MS));
  return epochMs(sinceMs + retries * RETRY_EVERY_MS);
}

const CONNECTED: Link = Object.freeze({ status: "connected" });

/** Cut again before the retry: nothing was tried meanwhile, so the retries go on as they would have. */
function failureSince(link: Link, nowMs: EpochMs): EpochMs {
  return link.status === "resuming" && nowMs < link.atMs ? epochMs(link.atMs - RETRY_EVERY_MS) : nowMs;
}

/** A loop that has had a look at its source's table: what is another in it is on its way, or left for the retry. */
function looked<T>(
  loop: Loop<T>,
  table: Table<T> | undefined,
  isSame: (left: T, right: T) => boolean,
  { status }: Link,
  { atMs }: FoldMeta,
): Loop<T> {
  let next = loop;
  if (table !== undefined && table !== loop.latest) {
    next = { ...next, latest: table };
    const key = comingKey(atMs);
    if (loop.latest === undefined || hasChanged(loop.latest, table, isSame)) {
      next = status === "connected" ? { ...next, coming: next.coming.set(key, table) } : { ...next, behind: true };
    }
  }
  if (status !== "connected" && next.coming.size > 0) {
    // What was on its way is lost, and comes with the retry.
    next = { ...next, coming: Table.of<Table<T>>(), behind: true };
  }
  return next;
}

function hasChanged<T>(before: Table<T>, after: Table<T>, isSame: (left: T, right: T) => boolean): boolean {
  for (const [, left, right] of Table.changes(before, after)) {
    if (left === undefined || right === undefined || !isSame(left, right)) return true;
  }
  return false;
}

interface Timing {
  readonly link: Link;
  readonly lagMs: number;
  /** There is no leader to commit a round. */
  readonly halted: boolean;
}

/** A loop whose next round is armed, if there is one to come. */
function armed<T>(
  holder: { calendar: Region["calendar"] },
  loop: Loop<T>,
  command: string,
  timing: Timing,
  meta: FoldMeta,
): Loop<T> {
  const due = roundDueAtMs(loop, timing);
  const dueAtMs = due === undefined ? undefined : epochMs(Math.max(due, meta.atMs));
  const { deadline } = loop;
  const isArmed = deadline !== undefined && holder.calendar.has(deadline);
  if (isArmed && dueAtMs !== undefined && dueAtMsOf(deadline) === dueAtMs) return loop;
  if (!isArmed && dueAtMs === undefined) return deadline === undefined ? loop : without(loop);
  disarm(holder, deadline);
  if (dueAtMs === undefined) return without(loop);
  const key = arm(holder, dueAtMs, { command, input: {} }, meta);
  return key === undefined ? without(loop) : { ...loop, deadline: key };
}

function without<T>({ deadline: _, ...loop }: Loop<T>): Loop<T> {
  return loop;
}

function roundDueAtMs<T>(loop: Loop<T>, { link, lagMs, halted }: Timing): number | undefined {
  if (halted || link.status === "failed") return undefined;
  if (link.status === "resuming") return loop.behind ? link.atMs : undefined;
  const first = loop.coming.first();
  if (first === undefined) return undefined;
  const dueAtMs = Number(first[0]) + lagMs;
  const [oldest] = loop.rounds;
  if (oldest === undefined || loop.rounds.length < MOST_ROUNDS || lagMs < SHORTEST_LIMITED_LAG_MS) return dueAtMs;
  return Math.max(dueAtMs, oldest + SECOND_MS);
}
