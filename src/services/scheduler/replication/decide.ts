import { Table } from "../../../kernel/table.ts";
import type { SchedulerRecorder } from "../declare.ts";
import type { AccessorId, RegionName, RoleId } from "../ids.ts";
import { isSamePolicy } from "../policies/state.ts";
import { isSameRole, type RoleContent } from "../roles/state.ts";
import { isSameToken, type TokenContent } from "../tokens/state.ts";
import { regionOf } from "../world.ts";
import { versionDue } from "./due.ts";

// Source of all rules in this file: decisions-scheduler-acl.md, section 6, "Replication".

/**
 * A round of the policy loop: what the source lacks is deleted here, what is another there is copied. One that finds nothing to do
 * leaves no fact.
 */
export function replicatePolicies(decision: SchedulerRecorder, name: RegionName): void {
  const region = regionOf(decision.state, name);
  if (region.replication === undefined) return;
  const { source, policies: loop } = region.replication;
  const { through, table } = versionDue(decision.state, name, source, loop, decision.nowMs);
  if (table === undefined) return;
  const deleted: string[] = [];
  const written = [];
  for (const key of keysToCompare(loop.seen, table, region.policies)) {
    const theirs = table.get(key);
    const ours = region.policies.get(key);
    if (theirs === undefined) {
      if (ours !== undefined) deleted.push(key);
    } else if (ours === undefined || !isSamePolicy(ours, theirs)) {
      const { name: policy, description, rules } = theirs;
      written.push({ name: policy, description, rules });
    }
  }
  if (deleted.length + written.length === 0) return;
  decision.record({
    type: "AclPoliciesReplicated",
    data: { region: name, source, through, ...indexed(region.index, deleted, written) },
  });
}

/** A round of the token loop: global tokens only. A local token is never touched. */
export function replicateTokens(decision: SchedulerRecorder, name: RegionName): void {
  const region = regionOf(decision.state, name);
  if (region.replication === undefined) return;
  const { source, tokens: loop } = region.replication;
  const { through, table } = versionDue(decision.state, name, source, loop, decision.nowMs);
  if (table === undefined) return;
  const deleted: AccessorId[] = [];
  const written: TokenContent[] = [];
  for (const key of keysToCompare(loop.seen, table, region.globalTokens)) {
    const theirs = table.get(key);
    const ours = region.globalTokens.get(key);
    if (theirs === undefined) {
      if (ours !== undefined) deleted.push(ours.accessor);
    } else if (ours === undefined || !isSameToken(ours, theirs)) {
      const { createIndex: _, modifyIndex: __, ...content } = theirs;
      written.push(content);
    }
  }
  if (deleted.length + written.length === 0) return;
  decision.record({
    type: "AclTokensReplicated",
    data: { region: name, source, through, ...indexed(region.index, deleted, written) },
  });
}

/** A round of the role loop. */
export function replicateRoles(decision: SchedulerRecorder, name: RegionName): void {
  const region = regionOf(decision.state, name);
  if (region.replication === undefined) return;
  const { source, roles: loop } = region.replication;
  const { through, table } = versionDue(decision.state, name, source, loop, decision.nowMs);
  if (table === undefined) return;
  const deleted: RoleId[] = [];
  const written: RoleContent[] = [];
  for (const key of keysToCompare(loop.seen, table, region.roles)) {
    const theirs = table.get(key);
    const ours = region.roles.get(key);
    if (theirs === undefined) {
      if (ours !== undefined) deleted.push(ours.id);
    } else if (ours === undefined || !isSameRole(ours, theirs)) {
      const { createIndex: _, modifyIndex: __, ...content } = theirs;
      written.push(content);
    }
  }
  if (deleted.length + written.length === 0) return;
  decision.record({
    type: "AclRolesReplicated",
    data: { region: name, source, through, ...indexed(region.index, deleted, written) },
  });
}

/** What may be another on both sides: all of it in the first round, later only what has changed at the source. */
function keysToCompare<T>(seen: Table<T> | undefined, table: Table<T>, ours: Table<unknown>): Iterable<string> {
  if (seen !== undefined) return [...Table.changes(seen, table)].map(([key]) => key);
  return [...new Set([...ours.keys(), ...table.keys()])].sort();
}

function indexed<D, W>(
  index: number,
  deleted: readonly D[],
  written: readonly W[],
): {
  readonly deleted?: { readonly index: number; readonly items: readonly D[] };
  readonly written?: { readonly index: number; readonly items: readonly W[] };
} {
  const afterDeletes = deleted.length === 0 ? index : index + 1;
  return {
    ...(deleted.length === 0 ? {} : { deleted: { index: afterDeletes, items: deleted } }),
    ...(written.length === 0 ? {} : { written: { index: afterDeletes + 1, items: written } }),
  };
}
