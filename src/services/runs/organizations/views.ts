import { type Identifier, pathTo } from "../documents.ts";
import type { OrganizationName } from "../ids.ts";
import type { TokenRecord } from "../tokens/state.ts";

/** An organization: of the members that the real service shows, those that the simulator knows. */
export interface OrganizationResource extends Identifier<"organizations"> {
  readonly attributes: {
    readonly name: string;
    readonly permissions: { readonly [permission: string]: boolean };
  };
  readonly links: { readonly self: string };
}

export function organizationResource({ kind, grants }: TokenRecord, name: OrganizationName): OrganizationResource {
  const owns = kind !== "organization" && grants.owner;
  return {
    id: name,
    type: "organizations",
    attributes: { name, permissions: { "can-update": owns, "can-destroy": owns, "can-create-workspace": owns } },
    links: { self: pathTo("organizations", name) },
  };
}
