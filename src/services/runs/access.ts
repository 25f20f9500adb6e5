import type { Caller } from "../../kernel/commit.ts";
import type { RunsReading } from "./declare.ts";
import type { OrganizationName, PolicyCheckId, PolicyEvaluationId, RunId, TaskStageId, WorkspaceId } from "./ids.ts";
import type { Organization } from "./organizations/state.ts";
import type { PolicyCheck } from "./policy-checks/state.ts";
import { hasOutcomes, type PolicyEvaluation } from "./policy-evaluations/state.ts";
import type { PolicySetOutcome } from "./policy-set-outcomes/state.ts";
import { refuse } from "./rejections.ts";
import type { Run } from "./runs/state.ts";
import type { TaskStage } from "./task-stages/state.ts";
import type { TokenRecord, WorkspaceGrant } from "./tokens/state.ts";
import type { Workspace } from "./workspaces/state.ts";
import { type RunsWorld, runServiceOf } from "./world.ts";

// Source of all rules in this file: decisions-policy-checks.md, 1.2 and 1.3.

/** The token of a request, if it is one that works. */
export function bearerIn(reading: Pick<RunsReading, "state" | "nowMs">, caller: Caller): TokenRecord | undefined {
  const sent = caller?.["token"];
  const token = typeof sent === "string" ? runServiceOf(reading.state).tokens.get(sent) : undefined;
  return token?.expiresAtMs !== undefined && reading.nowMs >= token.expiresAtMs ? undefined : token;
}

/** The token of a request. */
export function authenticated(reading: RunsReading): TokenRecord {
  return bearerIn(reading, reading.caller) ?? refuse("unauthorized", {});
}

// --- what a token may do --------------------------------------------------------------------------------------------

/** Whether a token may read the policies of a workspace's runs, which its organization has to be entitled to. */
function mayReadPolicies(world: RunsWorld, token: TokenRecord, id: WorkspaceId): boolean {
  const { policyEnforcement } = runServiceOf(world).organizations.get(token.organization) ?? {};
  return policyEnforcement === true && mayReadRuns(world, token, id);
}

function mayReadRuns(world: RunsWorld, token: TokenRecord, id: WorkspaceId): boolean {
  if (runServiceOf(world).workspaces.get(id)?.organization !== token.organization) return false;
  const { owner, managePolicies, managePolicyOverrides } = token.grants;
  if (token.kind === "organization" || owner || managePolicies || managePolicyOverrides) return true;
  return grantsOn(token, id).length > 0;
}

/** Whether a token may override the policies of a workspace's runs; an organization's token never may. */
export function mayOverride(token: TokenRecord, workspace: WorkspaceId): boolean {
  if (token.kind === "organization") return false;
  const { owner, managePolicyOverrides } = token.grants;
  return owner || managePolicyOverrides || grantsOn(token, workspace).includes("policy-overrides");
}

/** Whether a token is an owner's, or has one of some grants on a workspace. */
export function hasGrant(token: TokenRecord, workspace: WorkspaceId, ...grants: readonly WorkspaceGrant[]): boolean {
  if (token.kind === "organization") return false;
  return token.grants.owner || grantsOn(token, workspace).some((grant) => grants.includes(grant));
}

function grantsOn({ grants: { workspaces } }: TokenRecord, workspace: WorkspaceId): readonly WorkspaceGrant[] {
  return (Object.hasOwn(workspaces, workspace) ? workspaces[workspace] : undefined) ?? [];
}

// --- resources as a token sees them ---------------------------------------------------------------------------------

// What is not there and what the token may not read is refused alike: nobody without rights can tell which it was.

/** A resource with its id and the run that it belongs to. */
export interface Found<I, T> {
  readonly id: I;
  readonly resource: T;
  readonly run: Run;
}

export function findOrganization(
  reading: RunsReading,
  token: TokenRecord,
  name: string,
): { readonly name: OrganizationName; readonly organization: Organization } {
  const organization = runServiceOf(reading.state).organizations.get(name);
  if (organization === undefined || token.organization !== name) return refuse("not_found", {});
  return { name: token.organization, organization };
}

export function findWorkspace(
  reading: RunsReading,
  token: TokenRecord,
  id: string,
): { readonly id: WorkspaceId; readonly workspace: Workspace } {
  const workspace = runServiceOf(reading.state).workspaces.get(id);
  if (workspace === undefined || !mayReadRuns(reading.state, token, id as WorkspaceId)) return refuse("not_found", {});
  return { id: id as WorkspaceId, workspace };
}

export function findRun(
  reading: RunsReading,
  token: TokenRecord,
  id: string,
): { readonly id: RunId; readonly run: Run } {
  const run = runServiceOf(reading.state).runs.get(id);
  if (run === undefined || !mayReadRuns(reading.state, token, run.workspace)) return refuse("not_found", {});
  return { id: id as RunId, run };
}

/** A run whose policies the token may read. */
export function findCheckedRun(reading: RunsReading, token: TokenRecord, id: string): Found<RunId, Run> {
  const run = runServiceOf(reading.state).runs.get(id);
  return readable(reading, token, id as RunId, run, run);
}

export function findPolicyCheck(
  reading: RunsReading,
  token: TokenRecord,
  id: string,
): Found<PolicyCheckId, PolicyCheck> {
  const check = runServiceOf(reading.state).policyChecks.get(id);
  return readable(reading, token, id as PolicyCheckId, check, runBehind(reading, check));
}

export function findTaskStage(reading: RunsReading, token: TokenRecord, id: string): Found<TaskStageId, TaskStage> {
  const stage = runServiceOf(reading.state).taskStages.get(id);
  return readable(reading, token, id as TaskStageId, stage, runBehind(reading, stage));
}

export function findPolicyEvaluation(
  reading: RunsReading,
  token: TokenRecord,
  id: string,
): Found<PolicyEvaluationId, PolicyEvaluation> {
  const evaluation = runServiceOf(reading.state).policyEvaluations.get(id);
  return readable(reading, token, id as PolicyEvaluationId, evaluation, runBehind(reading, evaluation));
}

/** An outcome and its evaluation, which has ended: before, there are no outcomes. */
export function findPolicySetOutcome(
  reading: RunsReading,
  token: TokenRecord,
  id: string,
): { readonly outcome: PolicySetOutcome; readonly policyEvaluation: PolicyEvaluationId } {
  const place = runServiceOf(reading.state).policySetOutcomes.get(id);
  if (place === undefined) return refuse("not_found", {});
  const { id: policyEvaluation, resource } = findPolicyEvaluation(reading, token, place.policyEvaluation);
  const outcome = hasOutcomes(resource) ? resource.policySets[place.place] : undefined;
  return outcome === undefined ? refuse("not_found", {}) : { outcome, policyEvaluation };
}

/** Refuses a caller who may read, but has none of some grants, as if there were nothing. */
export function refuseWithoutGrant(token: TokenRecord, { workspace }: Run, ...grants: readonly WorkspaceGrant[]): void {
  if (!hasGrant(token, workspace, ...grants)) refuse("not_found", {});
}

/** Refuses a caller who may read, but not override, as if there were nothing. */
export function refuseWithoutOverride(token: TokenRecord, { run }: Found<unknown, unknown>): void {
  if (!mayOverride(token, run.workspace)) refuse("not_found", {});
}

function runBehind(reading: RunsReading, resource: { readonly run: RunId } | undefined): Run | undefined {
  return resource === undefined ? undefined : runServiceOf(reading.state).runs.get(resource.run);
}

function readable<I, T>(
  reading: RunsReading,
  token: TokenRecord,
  id: I,
  resource: T | undefined,
  run: Run | undefined,
): Found<I, T> {
  if (resource === undefined || run === undefined || !mayReadPolicies(reading.state, token, run.workspace)) {
    return refuse("not_found", {});
  }
  return { id, resource, run };
}
