import type { FlatEvolvers } from "../../../../kernel/evolvers.ts";
import { Table } from "../../../../kernel/table.ts";
import type { InMount } from "../../place.ts";
import type { TokenParameters } from "../parameters.ts";

/** How a method asks the orchestrator (auth/orchestrator/README.md, 1). */
export interface ReviewConfig {
  readonly host: string;
  readonly caCert: string;
  readonly reviewerJwt: string;
  readonly issuer: string;
  readonly disableIssuerValidation: boolean;
  readonly disableLocalCaJwt: boolean;
}

/** As what service accounts log in. */
export interface AccountRole {
  readonly names: readonly string[];
  readonly namespaces: readonly string[];
  readonly audience: string;
  readonly aliasSource: "serviceaccount_uid" | "serviceaccount_name";
  readonly parameters: TokenParameters;
}

export interface AccountLoginSlice {
  readonly reviewConfig?: ReviewConfig;
  readonly accountRoles: Table<AccountRole>;
}

export const noAccountRoles = Object.freeze<AccountLoginSlice>({ accountRoles: Table.of() });

/** The facts of logins of service accounts. */
export interface AccountLoginEvents {
  ReviewConfigured: InMount & { readonly config: ReviewConfig };
  AccountRoleWritten: RoleAt & { readonly accountRole: AccountRole };
  AccountRoleDeleted: RoleAt;
}

interface RoleAt extends InMount {
  readonly role: string;
}

export const accountLoginEvolvers: FlatEvolvers<AccountLoginSlice, AccountLoginEvents> = {
  ReviewConfigured: (mount, { config }) => {
    mount.reviewConfig = config;
  },
  AccountRoleWritten: (mount, { role, accountRole }) => {
    mount.accountRoles = mount.accountRoles.set(role, accountRole);
  },
  AccountRoleDeleted: (mount, { role }) => {
    mount.accountRoles = mount.accountRoles.delete(role);
  },
};
