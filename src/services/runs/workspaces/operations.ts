import { findOrganization, findWorkspace } from "../access.ts";
import { attribute, command, created, flag, needed, ok, view } from "../declare.ts";
import { newId } from "../ids.ts";
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
  create: command({
    route: "POST /api/v2/organizations/:organization_name/workspaces",
    evidence: "observed",
    fields: { name: needed(attribute), "auto-apply": flag },
    decide: (decision, { organization_name, name = "", "auto-apply": autoApply = false }, { bearer }) => {
      const { name: organization } = findOrganization(decision, bearer, organization_name);
      if (bearer.kind === "organization" || !bearer.grants.owner) refuse("not_found", {});
      if (name === "") refuseName("Name can't be blank");
      if (!/^[\w-]+$/.test(name)) refuseName("Name can only include letters, numbers, -, and _.");
      if (runServiceOf(decision.state).workspaceNames.has(nameKey(organization, name))) {
        refuseName("Name has already been taken");
      }
      const id = newId(decision.draw, "ws");
      const record = { organization, name, autoApply, allowEmptyApply: false };
      decision.record({ type: "WorkspaceCreated", data: { workspace: id, record } });
      return created({ data: workspaceResource(bearer, id, { ...record, createdAtMs: decision.nowMs }) });
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

function refuseName(reason: string): never {
  return refuse("attribute_invalid", { pointer: "/data/attributes/name", reason });
}
