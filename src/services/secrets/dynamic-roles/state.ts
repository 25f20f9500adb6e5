import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import type { RoleName } from "../directory-config/roles.ts";
import type { InMount } from "../place.ts";

/** How accounts are made for whoever asks, and unmade (decisions-directory.md, 8). Texts are empty where nothing is set. */
export interface DynamicRole {
  readonly creationLdif: string;
  readonly deletionLdif: string;
  readonly rollbackLdif: string;
  readonly usernameTemplate: string;
  /** 0 = the mount's. */
  readonly defaultTtlSeconds: number;
  readonly maxTtlSeconds: number;
}

/** What LDIF templates are rendered with; numbers are seconds since 1970. */
export interface LdifFields {
  readonly Username: string;
  readonly Password: string;
  readonly RoleName: string;
  readonly DisplayName: string;
  readonly IssueTime: string;
  readonly ExpirationTime: string;
  readonly IssueTimeSeconds: number;
  readonly ExpirationTimeSeconds: number;
}

export interface DynamicRoleSlice {
  readonly dynamicRoles: Table<DynamicRole>;
}

/** The facts of dynamic roles; their accounts are entries of the directory, and leases. */
export interface DynamicRoleEvents {
  DynamicRoleWritten: InMount & { readonly role: RoleName; readonly settings: DynamicRole };
  DynamicRoleDeleted: InMount & { readonly role: RoleName };
}

export const dynamicRoleEvolvers: FlatEvolvers<DynamicRoleSlice, DynamicRoleEvents> = {
  DynamicRoleWritten: (roles, { role, settings }) => {
    roles.dynamicRoles = roles.dynamicRoles.set(role, settings);
  },
  DynamicRoleDeleted: (roles, { role }) => {
    roles.dynamicRoles = roles.dynamicRoles.delete(role);
  },
};
