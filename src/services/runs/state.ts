import type { Deadline, Due } from "../../kernel/calendar.ts";
import { Table } from "../../kernel/table.ts";
import type { RequestFailureSlice } from "./faults/state.ts";
import type { ApiToken } from "./ids.ts";
import type { Organization, OrganizationSlice } from "./organizations/state.ts";
import type { PolicyCheck, PolicyCheckSlice } from "./policy-checks/state.ts";
import type { PolicyEvaluation, PolicyEvaluationSlice } from "./policy-evaluations/state.ts";
import type { OutcomePlace, PolicySetOutcomeSlice } from "./policy-set-outcomes/state.ts";
import type { Run, RunSlice } from "./runs/state.ts";
import type { TaskStage, TaskStageSlice } from "./task-stages/state.ts";
import type { TokenRecord, TokenSlice } from "./tokens/state.ts";
import type { Workspace, WorkspaceSlice } from "./workspaces/state.ts";

/**
 * The run service: every object by its id. The deadlines of all runs lie in one calendar, because the clock looks at each calendar after
 * each commit.
 */
export interface RunService
  extends OrganizationSlice,
    WorkspaceSlice,
    TokenSlice,
    RunSlice,
    PolicyCheckSlice,
    TaskStageSlice,
    PolicyEvaluationSlice,
    PolicySetOutcomeSlice,
    RequestFailureSlice,
    Due {
  /** The origin at which it answers. */
  readonly url: string;
  /** Requests that one user may make in a second; absent for any number. */
  readonly rateLimitPerSecond?: number;
}

export const DEFAULT_RUNS_URL = "https://runs.test";

/** A run service in which nothing has happened. */
export function newRunService(url: string, rateLimitPerSecond?: number): RunService {
  return {
    url,
    ...(rateLimitPerSecond === undefined ? {} : { rateLimitPerSecond }),
    organizations: Table.of<Organization>(),
    workspaces: Table.of<Workspace>(),
    workspaceNames: Table.of<string>(),
    tokens: Table.of<TokenRecord>(),
    tokensById: Table.of<ApiToken>(),
    runs: Table.of<Run>(),
    policyChecks: Table.of<PolicyCheck>(),
    taskStages: Table.of<TaskStage>(),
    policyEvaluations: Table.of<PolicyEvaluation>(),
    policySetOutcomes: Table.of<OutcomePlace>(),
    requestFailures: Object.freeze([]),
    calendar: Table.of<Deadline>(),
  };
}
