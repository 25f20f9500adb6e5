import type { StateValueFrom } from "xstate";
import type { runMachine } from "../../../../machines/run.machine.ts";
import type { EpochMs } from "../../../kernel/brand.ts";
import { arm, type DeadlineKey, type Due, disarm } from "../../../kernel/calendar.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FlatEvolvers, FoldMeta } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import type { PolicyCheckId, RunId, TaskStageId, WorkspaceId } from "../ids.ts";
import type { NewPolicyCheck, PolicyCheckSlice } from "../policy-checks/state.ts";
import type { NewPolicyEvaluation, PolicyEvaluationSlice } from "../policy-evaluations/state.ts";
import type { PolicySetOutcomeSlice } from "../policy-set-outcomes/state.ts";
import type { TaskStageSlice } from "../task-stages/state.ts";
import type { StatusTimestamps } from "../timestamps.ts";

export type RunStatus = StateValueFrom<ReturnType<typeof runMachine>>;

/** The milliseconds that each phase of a run takes; 0 for one that takes none. */
export interface PhaseDurations {
  readonly queueMs: number;
  readonly planMs: number;
  readonly evaluationMs: number;
  readonly checkMs: number;
  readonly applyMs: number;
}

/** What moves a run on where no person is needed: nothing has to, time, or a test step by step. */
export type Timing = "immediate" | "manual" | PhaseDurations;

export interface Run {
  readonly workspace: WorkspaceId;
  readonly status: RunStatus;
  readonly timestamps: StatusTimestamps;
  readonly createdAtMs: EpochMs;
  readonly updatedAtMs: EpochMs;
  readonly canceledAtMs: EpochMs | null;
  readonly message: string;
  readonly source: string;
  readonly triggerReason: string;
  readonly hasChanges: boolean;
  readonly isDestroy: boolean;
  readonly planOnly: boolean;
  readonly autoApply: boolean;
  readonly allowEmptyApply: boolean;
  readonly planFails: boolean;
  readonly applyFails: boolean;
  readonly timing: Timing;
  /** Of scope organization first. */
  readonly policyChecks: readonly PolicyCheckId[];
  readonly taskStages: readonly TaskStageId[];
  /** The end of the phase that it spends time in. */
  readonly deadline?: DeadlineKey;
}

/** What a run is created with. */
export type NewRun = Omit<
  Run,
  "status" | "timestamps" | "createdAtMs" | "updatedAtMs" | "canceledAtMs" | "policyChecks" | "taskStages" | "deadline"
>;

/** A task stage as its run creates it, with its evaluation. */
export interface NewTaskStage {
  readonly id: TaskStageId;
  readonly evaluation: NewPolicyEvaluation;
}

export interface RunSlice {
  readonly runs: Table<Run>;
  /** By workspace, in the order of their creation. */
  readonly runsByWorkspace: Table<RunId>;
}

/** Runs, what they begin with, and the calendar in which their phases end. */
type Runs = RunSlice & PolicyCheckSlice & TaskStageSlice & PolicyEvaluationSlice & PolicySetOutcomeSlice & Due;

/** The facts of runs. */
export interface RunEvents {
  /** With its policy checks and its task stage, all pending. */
  RunCreated: {
    readonly run: RunId;
    readonly record: NewRun;
    readonly policyChecks: readonly Omit<NewPolicyCheck, "status">[];
    readonly taskStage?: NewTaskStage;
  };
  RunStatusChanged: { readonly run: RunId; readonly status: RunStatus; readonly forced?: true };
  /** It spends time until an instant. */
  RunPhaseBegun: { readonly run: RunId; readonly untilMs: EpochMs };
}

export const runEvolvers: FlatEvolvers<Runs, RunEvents> = {
  RunCreated: (service, { run, record, policyChecks, taskStage }, { atMs, position }) => {
    const key = `${workspacePrefix(record.workspace)}${position.toString().padStart(POSITION_DIGITS, "0")}`;
    service.runsByWorkspace = service.runsByWorkspace.set(key, run);
    service.runs = service.runs.set(run, {
      ...record,
      status: "pending",
      timestamps: {},
      createdAtMs: atMs,
      updatedAtMs: atMs,
      canceledAtMs: null,
      policyChecks: policyChecks.map(({ id }) => id),
      taskStages: taskStage === undefined ? [] : [taskStage.id],
    });
    for (const { id, ...check } of policyChecks) {
      service.policyChecks = service.policyChecks.set(id, {
        ...check,
        run,
        status: "pending",
        timestamps: {},
        result: null,
      });
    }
    if (taskStage !== undefined) addTaskStage(service, run, taskStage, atMs);
  },
  RunStatusChanged: (service, { run: id, status, forced }, { atMs }) => {
    const run = service.runs.get(id);
    if (run === undefined) return;
    const { deadline, ...rest } = run;
    disarm(service, deadline);
    const key = timestampKey(status);
    service.runs = service.runs.set(id, {
      ...rest,
      status,
      timestamps: {
        ...rest.timestamps,
        ...(key === undefined ? {} : { [key]: atMs }),
        ...(forced ? { "force-canceled-at": atMs } : {}),
      },
      updatedAtMs: atMs,
      canceledAtMs: status === "canceled" ? atMs : rest.canceledAtMs,
    });
  },
  RunPhaseBegun: (service, { run: id, untilMs }, meta: FoldMeta) => {
    const run = service.runs.get(id);
    if (run === undefined) return;
    const { deadline: before, ...rest } = run;
    disarm(service, before);
    const deadline = arm(service, untilMs, { command: "timer.runPhase", input: { run: id } }, meta);
    service.runs = service.runs.set(id, deadline === undefined ? rest : { ...rest, deadline });
  },
};

const POSITION_DIGITS = 16;

/** What the keys of a workspace's runs begin with: a command creates one run at most, so that its position tells them apart. */
export function workspacePrefix(workspace: WorkspaceId): string {
  return `${JSON.stringify(workspace)} `;
}

function addTaskStage(service: Flat<Runs>, run: RunId, { id, evaluation }: NewTaskStage, atMs: EpochMs): void {
  const { id: evaluationId, ...planned } = evaluation;
  const both = { run, status: "pending", timestamps: {}, createdAtMs: atMs, updatedAtMs: atMs } as const;
  service.taskStages = service.taskStages.set(id, { ...both, stage: "post_plan", policyEvaluations: [evaluationId] });
  service.policyEvaluations = service.policyEvaluations.set(evaluationId, { ...both, ...planned, taskStage: id });
  let outcomes = service.policySetOutcomes;
  planned.policySets.forEach((set, place) => {
    outcomes = outcomes.set(set.id, { policyEvaluation: evaluationId, place });
  });
  service.policySetOutcomes = outcomes;
}

/** The key that a status writes into `status-timestamps` (decisions-policy-checks.md, 8); some have none. */
function timestampKey(status: RunStatus): string | undefined {
  switch (status) {
    case "pending":
    case "policy_checking":
    case "post_plan_awaiting_decision":
      return undefined;
    case "policy_override":
      return "policy-soft-failed-at";
    default:
      return `${status.replaceAll("_", "-")}-at`;
  }
}
