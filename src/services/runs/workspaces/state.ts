import type { EpochMs } from "../../../kernel/brand.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Plain } from "../../../kernel/plain.ts";
import type { Table } from "../../../kernel/table.ts";
import type { OrganizationName, WorkspaceId } from "../ids.ts";

/** A workspace: where runs are made, and what grants name. */
export interface Workspace {
  readonly organization: OrganizationName;
  readonly name: string;
  readonly autoApply: boolean;
  readonly allowEmptyApply: boolean;
  /** What runs come to that are made over HTTP, as `createRun` takes it. Absent until somebody says so. */
  readonly plan?: Plain;
  readonly createdAtMs: EpochMs;
}

export interface WorkspaceSlice {
  readonly workspaces: Table<Workspace>;
  /** Ids of workspaces by organization and name. */
  readonly workspaceNames: Table<string>;
}

/** The facts of workspaces. */
export interface WorkspaceEvents {
  WorkspaceCreated: { readonly workspace: WorkspaceId; readonly record: Omit<Workspace, "createdAtMs" | "plan"> };
  WorkspaceRunsPlanned: { readonly workspace: WorkspaceId; readonly plan: Plain };
}

export const workspaceEvolvers: FlatEvolvers<WorkspaceSlice, WorkspaceEvents> = {
  WorkspaceCreated: (service, { workspace, record }, { atMs }) => {
    service.workspaces = service.workspaces.set(workspace, { ...record, createdAtMs: atMs });
    service.workspaceNames = service.workspaceNames.set(nameKey(record.organization, record.name), workspace);
  },
  WorkspaceRunsPlanned: (service, { workspace, plan }) => {
    const before = service.workspaces.get(workspace);
    if (before !== undefined) service.workspaces = service.workspaces.set(workspace, { ...before, plan });
  },
};

/** Where a workspace is looked for by its name, which is its own within an organization. */
export function nameKey(organization: OrganizationName, name: string): string {
  return JSON.stringify([organization, name]);
}
