import type { StateValueFrom } from "xstate";
import type { policyCheckMachine } from "../../../../machines/policy-check.machine.ts";
import type { EpochMs } from "../../../kernel/brand.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { Plain } from "../../../kernel/plain.ts";
import type { Table } from "../../../kernel/table.ts";
import type { PolicyCheckId, RunId } from "../ids.ts";
import type { StatusTimestamps } from "../timestamps.ts";

export type PolicyCheckStatus = StateValueFrom<ReturnType<typeof policyCheckMachine>>;

/** A policy of a check: what it demands, and what it will say. */
export interface CheckedPolicy {
  readonly name: string;
  readonly level: "advisory" | "soft-mandatory" | "hard-mandatory";
  /** `error`: it broke while it ran, which counts as failed at its level. */
  readonly result: boolean | "error";
}

/** What an ended check came to (decisions-policy-checks.md, 4.3). */
export interface PolicyCheckResult {
  readonly result: boolean;
  readonly passed: number;
  readonly totalFailed: number;
  readonly hardFailed: number;
  readonly softFailed: number;
  readonly advisoryFailed: number;
  readonly durationMs: number;
}

type Timestamped = Exclude<PolicyCheckStatus, "pending" | "unreachable">;

/** The keys of a check's `status-timestamps`. */
export type PolicyCheckTimestamp = Timestamped extends infer S extends string
  ? S extends `${infer Left}_${infer Right}`
    ? `${Left}-${Right}-at`
    : `${S}-at`
  : never;

export interface PolicyCheck {
  readonly run: RunId;
  readonly scope: "organization" | "workspace";
  readonly status: PolicyCheckStatus;
  readonly timestamps: StatusTimestamps<PolicyCheckTimestamp>;
  /** Null until it has ended, and for good when it ended without one. */
  readonly result: PolicyCheckResult | null;
  readonly policies: readonly CheckedPolicy[];
  /** What the engine shows of itself. */
  readonly engine: { readonly [key: string]: Plain | undefined };
  /** The engine will break. */
  readonly engineError: boolean;
  /** How long it takes when time is spent, and what its result shows; absent when that is what the clock says. */
  readonly durationMs?: number;
}

/** A check as its run creates it. */
export type NewPolicyCheck = Omit<PolicyCheck, "run" | "timestamps" | "result"> & { readonly id: PolicyCheckId };

export interface PolicyCheckSlice {
  readonly policyChecks: Table<PolicyCheck>;
}

/** The facts of policy checks; they begin with their run. */
export interface PolicyCheckEvents {
  PolicyCheckStatusChanged: { readonly policyCheck: PolicyCheckId; readonly status: PolicyCheckStatus };
  PolicyCheckEvaluated: {
    readonly policyCheck: PolicyCheckId;
    readonly status: PolicyCheckStatus;
    readonly result: PolicyCheckResult;
  };
  PolicyCheckOverridden: {
    readonly policyCheck: PolicyCheckId;
    readonly status: PolicyCheckStatus;
    readonly comment?: string;
  };
}

export const policyCheckEvolvers: FlatEvolvers<PolicyCheckSlice, PolicyCheckEvents> = {
  PolicyCheckStatusChanged: (service, { policyCheck, status }, { atMs }) => {
    change(service, policyCheck, status, atMs);
  },
  PolicyCheckEvaluated: (service, { policyCheck, status, result }, { atMs }) => {
    change(service, policyCheck, status, atMs, { result });
  },
  PolicyCheckOverridden: (service, { policyCheck, status }, { atMs }) => {
    change(service, policyCheck, status, atMs);
  },
};

function change(
  service: Flat<PolicyCheckSlice>,
  id: PolicyCheckId,
  status: PolicyCheckStatus,
  atMs: EpochMs,
  more: Partial<PolicyCheck> = {},
): void {
  const check = service.policyChecks.get(id);
  if (check === undefined) return;
  const key = timestampKey(status);
  const timestamps = key === undefined ? check.timestamps : { ...check.timestamps, [key]: atMs };
  service.policyChecks = service.policyChecks.set(id, { ...check, ...more, status, timestamps });
}

/** The key that a status adds to `status-timestamps`; `pending` and `unreachable` add none. */
function timestampKey(status: PolicyCheckStatus): PolicyCheckTimestamp | undefined {
  switch (status) {
    case "pending":
    case "unreachable":
      return undefined;
    case "soft_failed":
      return "soft-failed-at";
    case "hard_failed":
      return "hard-failed-at";
    default:
      return `${status}-at`;
  }
}
