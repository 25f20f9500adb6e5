import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import type { OrganizationName } from "../ids.ts";

/** An organization: whatever a token may see lies in one. */
export interface Organization {
  /** Without this entitlement every policy endpoint answers 404. */
  readonly policyEnforcement: boolean;
  /** Signs the links to the outputs of its policy checks. */
  readonly linkKey: string;
}

export interface OrganizationSlice {
  /** By name. */
  readonly organizations: Table<Organization>;
}

/** The facts of organizations. */
export interface OrganizationEvents {
  OrganizationCreated: { readonly organization: OrganizationName; readonly record: Organization };
}

export const organizationEvolvers: FlatEvolvers<OrganizationSlice, OrganizationEvents> = {
  OrganizationCreated: (service, { organization, record }) => {
    service.organizations = service.organizations.set(organization, record);
  },
};
