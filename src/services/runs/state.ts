import type { Due } from "../../kernel/calendar.ts";
import { Table } from "../../kernel/table.ts";
import type { Failing } from "../kit/request-failures.ts";
import type { OrganizationSlice } from "./organizations/state.ts";
import type { PolicyCheckSlice } from "./policy-checks/state.ts";
import type { PolicyEvaluationSlice } from "./policy-evaluations/state.ts";
import type { PolicySetOutcomeSlice } from "./policy-set-outcomes/state.ts";
import type { RunSlice } from "./runs/state.ts";
import type { TaskStageSlice } from "./task-stages/state.ts";
import type { TokenSlice } from "./tokens/state.ts";
import type { WorkspaceSlice } from "./workspaces/state.ts";

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
    Failing,
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
    organizations: Table.of(),
    workspaces: Table.of(),
    workspaceNames: Table.of(),
    tokens: Table.of(),
    tokensById: Table.of(),
    runs: Table.of(),
    runsByWorkspace: Table.of(),
    policyChecks: Table.of(),
    taskStages: Table.of(),
    policyEvaluations: Table.of(),
    policySetOutcomes: Table.of(),
    requestFailures: Object.freeze([]),
    calendar: Table.of(),
  };
}
