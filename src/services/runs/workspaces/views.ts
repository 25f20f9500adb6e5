import { hasGrant } from "../access.ts";
import { type Identifier, pathTo } from "../documents.ts";
import type { WorkspaceId } from "../ids.ts";
import { millisecondsText } from "../timestamps.ts";
import type { TokenRecord } from "../tokens/state.ts";
import type { Workspace } from "./state.ts";

/** A workspace as `include=run.workspace` brings it (decisions-policy-checks.md, 5). */
export interface WorkspaceResource extends Identifier<"workspaces"> {
  readonly attributes: {
    readonly name: string;
    readonly description: null;
    readonly "auto-apply": boolean;
    readonly locked: boolean;
    readonly "execution-mode": "remote";
    readonly "created-at": string;
    readonly "updated-at": string;
    readonly permissions: { readonly [permission: string]: boolean };
    readonly actions: { readonly [action: string]: boolean };
    readonly "policy-check-failures": null;
  };
  readonly relationships: { readonly organization: { readonly data: Identifier<"organizations"> } };
  readonly links: { readonly self: string };
}

export function workspaceResource(bearer: TokenRecord, id: WorkspaceId, workspace: Workspace): WorkspaceResource {
  const { organization, name, autoApply, createdAtMs } = workspace;
  return {
    id,
    type: "workspaces",
    attributes: {
      name,
      description: null,
      "auto-apply": autoApply,
      locked: false,
      "execution-mode": "remote",
      "created-at": millisecondsText(createdAtMs),
      "updated-at": millisecondsText(createdAtMs),
      // Our choice: of the members that upstream shows, those that the grants of the simulator decide.
      permissions: {
        "can-update": hasGrant(bearer, id, "admin"),
        "can-destroy": hasGrant(bearer, id, "admin"),
        "can-queue-run": hasGrant(bearer, id, "plan", "apply", "write", "admin"),
        "can-queue-apply": hasGrant(bearer, id, "apply", "write", "admin"),
        "can-queue-destroy": hasGrant(bearer, id, "apply", "write", "admin"),
      },
      actions: { "is-destroyable": true },
      "policy-check-failures": null,
    },
    relationships: { organization: { data: { id: organization, type: "organizations" } } },
    links: { self: pathTo("organizations", organization, "workspaces", name) },
  };
}
