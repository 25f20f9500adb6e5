import { setup } from "xstate";

/**
 * A policy evaluation of a task stage: what the kind-b policy sets say about a plan.
 *
 * Source: decisions-policy-checks.md, 6.2. An error outranks a failure, and a failure a pass.
 */
export const policyEvaluationMachine = () =>
  setup({
    types: {
      context: {} as {
        /** Inner outcomes, or whole policy sets, that could not be evaluated. */
        readonly errored: number;
        /** Inner outcomes at level mandatory that failed. */
        readonly mandatoryFailed: number;
      },
      events: {} as
        | { readonly type: "queue" }
        | { readonly type: "pickUp" }
        | { readonly type: "end" }
        | { readonly type: "override" }
        | { readonly type: "cancel" }
        | { readonly type: "abandon" },
    },
    guards: {
      hasErrors: ({ context }) => context.errored > 0,
      hasMandatoryFailure: ({ context }) => context.mandatoryFailed > 0,
    },
  }).createMachine({
    id: "policy-evaluation",
    context: { errored: 0, mandatoryFailed: 0 },
    initial: "pending",
    states: {
      pending: {
        on: {
          queue: { target: "queued" },
          abandon: { target: "unreachable" },
        },
      },
      queued: {
        on: {
          pickUp: { target: "running" },
          cancel: { target: "canceled" },
        },
      },
      running: {
        on: {
          end: [
            { target: "errored", guard: "hasErrors" },
            { target: "failed", guard: "hasMandatoryFailure" },
            { target: "passed" },
          ],
          cancel: { target: "canceled" },
        },
      },
      failed: {
        on: {
          // Of its task stage: the evaluation itself has no override.
          override: { target: "overridden" },
        },
      },
      passed: { type: "final" },
      overridden: { type: "final" },
      errored: { type: "final" },
      canceled: { type: "final" },
      unreachable: { type: "final" },
    },
  });
