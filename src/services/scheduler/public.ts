// The types that callers of the scheduler name.
export type { SchedulerClient } from "./client.ts";
export type { Listing } from "./declare.ts";
export type { FailRegionRequestsOptions, RegionHandle, SchedulerHandle } from "./handle.ts";
export type { PolicyDocument, PolicyStub } from "./policies/views.ts";
export type { ReadOptions } from "./query.ts";
export type { RoleDocument } from "./roles/views.ts";
export type { CapabilityKind } from "./rules/resolve.ts";
export type { SchedulerQuirk } from "./state.ts";
export type { TokenDocument, TokenStub } from "./tokens/views.ts";
