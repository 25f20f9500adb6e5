import type { Calendar, Deadline } from "../../kernel/calendar.ts";
import type { Part } from "../../kernel/evolvers.ts";
import { Table } from "../../kernel/table.ts";
import type { RequestFailure } from "./faults/state.ts";
import type { ApiToken } from "./ids.ts";
import type { Organization } from "./organizations/state.ts";
import type { PolicyCheck } from "./policy-checks/state.ts";
import type { PolicyEvaluation } from "./policy-evaluations/state.ts";
import type { OutcomePlace } from "./policy-set-outcomes/state.ts";
import type { Run } from "./runs/state.ts";
import type { TaskStage } from "./task-stages/state.ts";
import type { TokenRecord } from "./tokens/state.ts";
import type { Workspace } from "./workspaces/state.ts";

/** What the run service reads and changes. The part appears with its first fact, unless options gave it settings. */
export interface RunsWorld {
  readonly runs?: RunService;
}

/** The run service: every object by its id. */
export interface RunService {
  /** The origin at which it answers. */
  readonly url: string;
  /** Requests that one user may make in a second; absent for any number. */
  readonly rateLimitPerSecond?: number;
  /** By name. */
  readonly organizations: Table<Organization>;
  readonly workspaces: Table<Workspace>;
  /** Ids of workspaces by organization and name. */
  readonly workspaceNames: Table<string>;
  /** By the token as it is sent; revoked ones are gone. */
  readonly tokens: Table<TokenRecord>;
  /** Tokens by their ids, revoked ones too. */
  readonly tokensById: Table<ApiToken>;
  readonly runs: Table<Run>;
  readonly policyChecks: Table<PolicyCheck>;
  readonly taskStages: Table<TaskStage>;
  readonly policyEvaluations: Table<PolicyEvaluation>;
  readonly policySetOutcomes: Table<OutcomePlace>;
  /** Requests to come that fail, the next ones first. */
  readonly requestFailures: readonly RequestFailure[];
  /** The deadlines of all runs: one calendar, because the clock looks at each calendar after each commit. */
  readonly calendar: Calendar;
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

const UNTOUCHED: RunService = Object.freeze(newRunService(DEFAULT_RUNS_URL));

/** The run service of a world, also when nothing has happened in it yet. */
export function runServiceOf({ runs }: RunsWorld): RunService {
  return runs ?? UNTOUCHED;
}

/** The part that facts change. */
export const withRunService: Part<RunsWorld, RunService, unknown> = (world, _, change) => {
  const before = runServiceOf(world);
  const after = change(before);
  return after === before ? world : { ...world, runs: after };
};
