import { policyCheckMachine } from "../../../../machines/policy-check.machine.ts";
import { step } from "../../../kernel/machine.ts";
import type { RunsRecorder } from "../declare.ts";
import type { PolicyCheckId } from "../ids.ts";
import { refuse } from "../rejections.ts";
import type { RunStatus } from "../runs/state.ts";
import { type RunsWorld, runServiceOf } from "../world.ts";
import { failedAt, resultOf } from "./result.ts";
import type { PolicyCheck } from "./state.ts";

// Source of all rules in this file: decisions-policy-checks.md, 4.

export function policyCheckOf(world: RunsWorld, id: PolicyCheckId): PolicyCheck {
  const check = runServiceOf(world).policyChecks.get(id);
  if (check === undefined) throw new TypeError(`no policy check has the id ${id}`);
  return check;
}

/** Whether its turn may come: the run asks its checks one after the other. */
export function queuePolicyCheck(decision: RunsRecorder, id: PolicyCheckId): boolean {
  return move(decision, id, "queue");
}

/** The run came to its end: what is queued is canceled if it was that sort of end, what waits for its turn is not reached. */
export function leavePolicyCheck(decision: RunsRecorder, id: PolicyCheckId, ending: "abandon" | "cancel"): void {
  if (!move(decision, id, "abandon") && ending === "cancel") move(decision, id, "cancel");
}

/** Ends the check if it is queued. */
export function endPolicyCheck(decision: RunsRecorder, id: PolicyCheckId): boolean {
  const check = policyCheckOf(decision.state, id);
  if (check.engineError) return move(decision, id, "break");
  const next = decision.step(policyCheckMachine, check.status, judgementOf(decision.state, check), { type: "end" });
  if (next === undefined) return false;
  const durationMs = check.durationMs ?? decision.nowMs - (check.timestamps["queued-at"] ?? decision.nowMs);
  const result = resultOf(check.policies, durationMs);
  decision.record({ type: "PolicyCheckEvaluated", data: { policyCheck: id, status: next.value, result } });
  return true;
}

/** Overrides a soft failure that its run waits for. What follows for the run is the caller's to do. */
export function overridePolicyCheck(decision: RunsRecorder, id: PolicyCheckId, comment: string | undefined): void {
  const check = policyCheckOf(decision.state, id);
  const next =
    decision.step(policyCheckMachine, check.status, judgementOf(decision.state, check), { type: "override" }) ??
    refuse("transition_not_allowed", { ...hindrance(decision.state, id, check), move: "override" });
  decision.record({
    type: "PolicyCheckOverridden",
    data: { policyCheck: id, status: next.value, ...(comment === undefined ? {} : { comment }) },
  });
}

/** Whose status forbids an override: the check's own, or its run's, which no longer waits for it. */
function hindrance(
  world: RunsWorld,
  id: PolicyCheckId,
  check: PolicyCheck,
): { readonly id: string; readonly status: string } {
  const awaited = { ...judgementOf(world, check), runAwaitsOverride: true };
  const isAlone = step(policyCheckMachine, check.status, awaited, { type: "override" }) === undefined;
  return isAlone ? { id, status: check.status } : { id: check.run, status: `${runStatusOf(world, check)}` };
}

/** Whether the check may be overridden now, by whoever has the right (1.4). */
export function isOverridable(world: RunsWorld, check: PolicyCheck): boolean {
  return step(policyCheckMachine, check.status, judgementOf(world, check), { type: "override" }) !== undefined;
}

type Judgement = Parameters<typeof step<ReturnType<typeof policyCheckMachine>>>[2];

/** Policies are counted when the chart asks for it: whoever only reads a check pays nothing for how many it has. */
function judgementOf(world: RunsWorld, check: PolicyCheck): Judgement {
  return {
    get hardFailed() {
      return failedAt(check.policies, "hard-mandatory");
    },
    get softFailed() {
      return failedAt(check.policies, "soft-mandatory");
    },
    runAwaitsOverride: runStatusOf(world, check) === "policy_override",
  };
}

function runStatusOf(world: RunsWorld, { run }: PolicyCheck): RunStatus | undefined {
  return runServiceOf(world).runs.get(run)?.status;
}

function move(decision: RunsRecorder, id: PolicyCheckId, type: "queue" | "break" | "cancel" | "abandon"): boolean {
  const check = policyCheckOf(decision.state, id);
  const next = decision.step(policyCheckMachine, check.status, judgementOf(decision.state, check), { type });
  if (next === undefined) return false;
  decision.record({ type: "PolicyCheckStatusChanged", data: { policyCheck: id, status: next.value } });
  return true;
}
