import { findOrganization } from "../access.ts";
import { ok, view } from "../declare.ts";
import { type OrganizationResource, organizationResource } from "./views.ts";

/** Organizations, beyond the contract's numbering (runs/README.md). */
export const organizationOperations = {
  read: view({
    route: "GET /api/v2/organizations/:organization_name",
    evidence: "observed",
    view: (reading, { organization_name }, { bearer }) => {
      const { name } = findOrganization(reading, bearer, organization_name);
      const data: OrganizationResource = organizationResource(bearer, name);
      return ok({ data });
    },
  }),
};
