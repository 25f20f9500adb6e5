import type { StateValueFrom } from "xstate";
import type { policyEvaluationMachine } from "../../../../machines/policy-evaluation.machine.ts";
import type { EpochMs } from "../../../kernel/brand.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Table } from "../../../kernel/table.ts";
import type { PolicyEvaluationId, RunId, TaskStageId } from "../ids.ts";
import type { PolicySetOutcome, ResultCount } from "../policy-set-outcomes/state.ts";
import type { StatusTimestamps } from "../timestamps.ts";

export type PolicyEvaluationStatus = StateValueFrom<ReturnType<typeof policyEvaluationMachine>>;

/** The keys of an evaluation's `status-timestamps`. */
export type PolicyEvaluationTimestamp = `${Exclude<PolicyEvaluationStatus, "pending" | "unreachable">}-at`;

export interface PolicyEvaluation {
  readonly run: RunId;
  readonly taskStage: TaskStageId;
  readonly status: PolicyEvaluationStatus;
  readonly timestamps: StatusTimestamps<PolicyEvaluationTimestamp>;
  readonly createdAtMs: EpochMs;
  readonly updatedAtMs: EpochMs;
  /** What its policy sets come to, in the order of creation. One array for its whole life: indexes are remembered by it. */
  readonly policySets: readonly PolicySetOutcome[];
  /** The sum over its policy sets. */
  readonly resultCount: ResultCount;
  /** Every policy set with a mandatory failure may be overridden. */
  readonly failuresAreOverridable: boolean;
  /** How long it takes when time is spent; absent when its run's timing says so. */
  readonly durationMs?: number;
}

/** An evaluation as its run creates it. */
export type NewPolicyEvaluation = Pick<
  PolicyEvaluation,
  "policySets" | "resultCount" | "failuresAreOverridable" | "durationMs"
> & { readonly id: PolicyEvaluationId };

export interface PolicyEvaluationSlice {
  readonly policyEvaluations: Table<PolicyEvaluation>;
}

/** The facts of policy evaluations; they begin with their run. */
export interface PolicyEvaluationEvents {
  PolicyEvaluationStatusChanged: {
    readonly policyEvaluation: PolicyEvaluationId;
    readonly status: PolicyEvaluationStatus;
  };
}

export const policyEvaluationEvolvers: FlatEvolvers<PolicyEvaluationSlice, PolicyEvaluationEvents> = {
  PolicyEvaluationStatusChanged: (service, { policyEvaluation, status }, { atMs }) => {
    const evaluation = service.policyEvaluations.get(policyEvaluation);
    if (evaluation === undefined) return;
    const timestamps =
      status === "pending" || status === "unreachable"
        ? evaluation.timestamps
        : { ...evaluation.timestamps, [`${status}-at`]: atMs };
    service.policyEvaluations = service.policyEvaluations.set(policyEvaluation, {
      ...evaluation,
      status,
      timestamps,
      updatedAtMs: atMs,
    });
  },
};

/** Whether its outcomes exist: an evaluation that was never ended has none (decisions-policy-checks.md, 6.3). */
export function hasOutcomes({ status }: PolicyEvaluation): boolean {
  switch (status) {
    case "passed":
    case "failed":
    case "errored":
    case "overridden":
      return true;
    case "pending":
    case "queued":
    case "running":
    case "canceled":
    case "unreachable":
      return false;
    default:
      return status satisfies never;
  }
}
