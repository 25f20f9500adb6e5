import type { Flat } from "../../../kernel/draft.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import type { RegionName, RoleId } from "../ids.ts";
import type { LogSlice } from "../regions/state.ts";

/** What of a role is the same in all regions: policies that tokens have together. */
export interface RoleContent {
  readonly id: RoleId;
  readonly name: string;
  readonly description: string;
  /** Each once. */
  readonly policies: readonly string[];
}

export interface Role extends RoleContent {
  readonly createIndex: number;
  readonly modifyIndex: number;
}

export interface RoleSlice {
  /** That of the last change of the table; 0 as long as there was none. */
  readonly roleIndex: number;
  readonly roles: Table<Role>;
  readonly roleIdsByName: Table<RoleId>;
}

/** The facts of roles. Each names the region in which it holds, and that region's index of it. */
export interface RoleEvents {
  AclRoleWritten: {
    readonly region: RegionName;
    readonly index: number;
    readonly role: RoleContent;
    /** It was so already: the log has an entry, and the table is as before (roles/README.md). */
    readonly unchanged?: true;
  };
  AclRoleDeleted: { readonly region: RegionName; readonly index: number; readonly id: RoleId };
}

export const roleEvolvers: FlatEvolvers<RoleSlice & LogSlice, RoleEvents> = {
  AclRoleWritten: (region, { index, role, unchanged }) => {
    region.index = index;
    if (unchanged) return;
    region.roleIndex = index;
    putRole(region, role, index);
  },
  AclRoleDeleted: (region, { index, id }) => {
    region.index = region.roleIndex = index;
    dropRole(region, id);
  },
};

/** Puts a role, or what has become of it, into both tables. */
export function putRole(
  region: Flat<RoleSlice>,
  { id, name, description, policies }: RoleContent,
  index: number,
): void {
  const before = region.roles.get(id);
  dropRole(region, id);
  const createIndex = before?.createIndex ?? index;
  region.roles = region.roles.set(id, { id, name, description, policies, createIndex, modifyIndex: index });
  region.roleIdsByName = region.roleIdsByName.set(name, id);
}

/** Takes a role out of both. */
export function dropRole(region: Flat<RoleSlice>, id: RoleId): void {
  const role = region.roles.get(id);
  if (role === undefined) return;
  region.roles = region.roles.delete(id);
  // A round may have given the name to another role already.
  if (region.roleIdsByName.get(role.name) === id) region.roleIdsByName = region.roleIdsByName.delete(role.name);
}

/** Whether two roles say the same. */
export function isSameRole(left: RoleContent, right: RoleContent): boolean {
  return (
    left.name === right.name &&
    left.description === right.description &&
    left.policies.length === right.policies.length &&
    left.policies.every((policy, place) => policy === right.policies[place])
  );
}
