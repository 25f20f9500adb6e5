import type { CheckedPolicy, PolicyCheckResult } from "./state.ts";

/** Policies that are not true at a level; one that broke counts as failed. */
export function failedAt(policies: readonly CheckedPolicy[], level: CheckedPolicy["level"]): number {
  return policies.filter((policy) => policy.result !== true && policy.level === level).length;
}

/** The counters of an ended check (decisions-policy-checks.md, 4.3). */
export function resultOf(policies: readonly CheckedPolicy[], durationMs: number): PolicyCheckResult {
  const hardFailed = failedAt(policies, "hard-mandatory");
  const softFailed = failedAt(policies, "soft-mandatory");
  const advisoryFailed = failedAt(policies, "advisory");
  return {
    // Advisory failures stop nothing, so they do not make it false.
    result: hardFailed + softFailed === 0,
    passed: policies.filter(({ result }) => result === true).length,
    totalFailed: hardFailed + softFailed + advisoryFailed,
    hardFailed,
    softFailed,
    advisoryFailed,
    durationMs,
  };
}
