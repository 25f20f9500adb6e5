import { findOrganization, findWorkspace } from "../access.ts";
import { ok, view } from "../declare.ts";
import { refuse } from "../rejections.ts";
import { runServiceOf } from "../world.ts";
import { nameKey } from "./state.ts";
import { workspaceResource } from "./views.ts";

/** Workspaces, beyond the contract's numbering (runs/README.md). */
export const workspaceOperations = {
  read: view({
    route: "GET /api/v2/workspaces/:workspace_id",
    evidence: "observed",
    view: (reading, { workspace_id }, { bearer }) => {
      const { id, workspace } = findWorkspace(reading, bearer, workspace_id);
      return ok({ data: workspaceResource(bearer, id, workspace) });
    },
  }),
  readByName: view({
    route: "GET /api/v2/organizations/:organization_name/workspaces/:workspace_name",
    evidence: "observed",
    view: (reading, { organization_name, workspace_name }, { bearer }) => {
      const { name } = findOrganization(reading, bearer, organization_name);
      const named = runServiceOf(reading.state).workspaceNames.get(nameKey(name, workspace_name));
      const { id, workspace } = findWorkspace(reading, bearer, named ?? refuse("not_found", {}));
      return ok({ data: workspaceResource(bearer, id, workspace) });
    },
  }),
};
