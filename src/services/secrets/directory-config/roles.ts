import type { Brand } from "../../../kernel/brand.ts";
import type { DeadlineKey } from "../../../kernel/calendar.ts";
import { Table } from "../../../kernel/table.ts";
import type { DynamicRole } from "../dynamic-roles/state.ts";
import type { StaticRole } from "../static-roles/state.ts";

/** A role's name: lower-case, with slashes for a hierarchy. */
export type RoleName = Brand<string, "RoleName">;

/** The roles of one directory engine (decisions-directory.md, 5 and 8). */
export interface DirectoryRoles {
  readonly staticRoles: Table<StaticRole>;
  /** The static roles by the accounts that they manage, exactly as these were given: nobody else may manage one. */
  readonly usernames: Table<RoleName>;
  /** The static roles by the instant of their next rotation and their name: the first comes first. */
  readonly rotations: Table<RoleName>;
  /** The next rotation of all; none while there is no static role. */
  readonly deadline: DeadlineKey | undefined;
  readonly dynamicRoles: Table<DynamicRole>;
}

export const noRoles: DirectoryRoles = Object.freeze({
  staticRoles: Table.of<StaticRole>(),
  usernames: Table.of<RoleName>(),
  rotations: Table.of<RoleName>(),
  deadline: undefined,
  dynamicRoles: Table.of<DynamicRole>(),
});

/** Roles are the same whatever the case of their name. */
export function roleNameOf(captured: string): RoleName {
  return captured.toLowerCase() as RoleName;
}
