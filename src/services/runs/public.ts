// The types that callers of the run service name.
export type { RunsClient } from "./client.ts";
export type { Document, Identifier, PagedDocument } from "./documents.ts";
export type { RunHandle, RunsHandle } from "./handle.ts";
export type { PageLinks, PageMeta } from "./pagination.ts";
export type { BarePolicyCheckResource, PolicyCheckResource } from "./policy-checks/views.ts";
export type { PolicyEvaluationResource } from "./policy-evaluations/views.ts";
export type { PolicySetOutcomeResource } from "./policy-set-outcomes/views.ts";
export type { CreatedRun } from "./runs/create.ts";
export type { CreateRunOptions, PlanRunsOptions } from "./runs/options.ts";
export type { RunResource } from "./runs/views.ts";
export type { TaskStageResource } from "./task-stages/views.ts";
export type { CreateApiTokenOptions } from "./tokens/create.ts";
export type { WorkspaceResource } from "./workspaces/views.ts";
