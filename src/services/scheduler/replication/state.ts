import type { EpochMs } from "../../../kernel/brand.ts";
import type { DeadlineKey } from "../../../kernel/calendar.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import { Table } from "../../../kernel/table.ts";
import type { AccessorId, RegionName, RoleId } from "../ids.ts";
import type { Policy, PolicyContent, PolicySlice } from "../policies/state.ts";
import type { LogSlice } from "../regions/state.ts";
import { dropRole, putRole, type Role, type RoleContent, type RoleSlice } from "../roles/state.ts";
import {
  type AclToken,
  dropToken,
  putToken,
  raiseTokenIndex,
  type TokenContent,
  type TokenSlice,
} from "../tokens/state.ts";

/** What a region that is not authoritative knows of the one that is. */
export interface Replication {
  readonly source: RegionName;
  readonly link: Link;
  readonly policies: Loop<Policy>;
  readonly tokens: Loop<AclToken>;
  readonly roles: Loop<Role>;
}

/**
 * Whether it reaches its source. After a failure it does not look again but at multiples of 30 s; `resuming` is the time from the
 * heal to the first of them.
 */
export type Link =
  | { readonly status: "connected" }
  | { readonly status: "failed"; readonly sinceMs: EpochMs }
  | { readonly status: "resuming"; readonly atMs: EpochMs };

/**
 * One of three independent loops. Tables are shared with the source: what is on its way is a reference to the table of a commit.
 */
export interface Loop<T> {
  /** What of the source was brought over last; absent before the first round, which compares everything. */
  readonly seen?: Table<T>;
  /** The source's table as it was looked at last. */
  readonly latest?: Table<T>;
  /** Tables on their way, by the instants of their commits. */
  readonly coming: Table<Table<T>>;
  /** Something is left for the retry. */
  readonly behind: boolean;
  /** When its last rounds were, as many as may be in a second. */
  readonly rounds: readonly EpochMs[];
  readonly deadline?: DeadlineKey;
}

/**
 * A round: deletes are one entry of the log of the region, and all that was written is another, so that objects of one round share
 * an index. `through` is the instant of the commit whose table it brought over; null for the present one.
 */
interface Round<Deleted, Written> {
  readonly region: RegionName;
  readonly source: RegionName;
  readonly through: string | null;
  readonly deleted?: { readonly index: number; readonly items: readonly Deleted[] };
  readonly written?: { readonly index: number; readonly items: readonly Written[] };
}

export interface ReplicationSlice {
  /** Absent in the authoritative region. */
  readonly replication?: Replication;
}

/** The facts of replication. */
export interface ReplicationEvents {
  AclPoliciesReplicated: Round<string, PolicyContent>;
  AclTokensReplicated: Round<AccessorId, TokenContent>;
  AclRolesReplicated: Round<RoleId, RoleContent>;
}

export const replicationEvolvers: FlatEvolvers<
  ReplicationSlice & PolicySlice & TokenSlice & RoleSlice & LogSlice,
  ReplicationEvents
> = {
  AclPoliciesReplicated: (region, { through, deleted, written }, { atMs }) => {
    if (deleted !== undefined) {
      region.index = region.policyIndex = deleted.index;
      for (const name of deleted.items) region.policies = region.policies.delete(name);
    }
    if (written !== undefined) {
      const { index, items } = written;
      region.index = region.policyIndex = index;
      for (const { name, description, rules } of items) {
        const createIndex = region.policies.get(name)?.createIndex ?? index;
        region.policies = region.policies.set(name, { name, description, rules, createIndex, modifyIndex: index });
      }
    }
    if (region.replication === undefined) return;
    region.replication = { ...region.replication, policies: afterRound(region.replication.policies, through, atMs) };
  },
  AclTokensReplicated: (region, { through, deleted, written }, { atMs }) => {
    if (deleted !== undefined) {
      raiseTokenIndex(region, deleted.index);
      for (const accessor of deleted.items) dropToken(region, accessor);
    }
    if (written !== undefined) {
      raiseTokenIndex(region, written.index);
      for (const token of written.items) putToken(region, token, written.index);
    }
    if (region.replication === undefined) return;
    region.replication = { ...region.replication, tokens: afterRound(region.replication.tokens, through, atMs) };
  },
  AclRolesReplicated: (region, { through, deleted, written }, { atMs }) => {
    if (deleted !== undefined) {
      region.index = region.roleIndex = deleted.index;
      for (const id of deleted.items) dropRole(region, id);
    }
    if (written !== undefined) {
      region.index = region.roleIndex = written.index;
      for (const role of written.items) putRole(region, role, written.index);
    }
    if (region.replication === undefined) return;
    region.replication = { ...region.replication, roles: afterRound(region.replication.roles, through, atMs) };
  },
};

/** So many rounds may be made in a second. */
export const MOST_ROUNDS = 10;

/** A loop after a round: what was brought over is seen, and whatever was on its way before that has come with it. */
export function afterRound<T>(loop: Loop<T>, through: string | null, atMs: EpochMs): Loop<T> {
  const seen = through === null ? loop.latest : (loop.coming.get(through) ?? loop.latest);
  let { coming } = loop;
  for (let first = coming.first(); first !== undefined; first = coming.first()) {
    if (through !== null && first[0] > through) break;
    coming = coming.delete(first[0]);
  }
  return {
    ...loop,
    ...(seen === undefined ? {} : { seen }),
    coming,
    behind: false,
    rounds: [...loop.rounds, atMs].slice(-MOST_ROUNDS),
  };
}

/** A loop that has brought nothing over. */
export function newLoop<T>(): Loop<T> {
  return { coming: Table.of<Table<T>>(), behind: false, rounds: Object.freeze([]) };
}

/** The key of what is on its way: the instant of its commit, of fixed width. */
export function comingKey(atMs: EpochMs): string {
  return atMs.toString().padStart(15, "0");
}
