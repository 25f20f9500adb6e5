import { setup } from "xstate";

/**
 * The task stage of a run between plan and apply, in which kind-b policies are evaluated.
 *
 * Source: decisions-policy-checks.md, 6.1. An override takes the stage through `running` once more, and from there to
 * `passed` before the next request is served.
 */
export const taskStageMachine = () =>
  setup({
    types: {
      context: {} as {
        /** Every policy set with a mandatory failure is one that may be overridden. */
        readonly failuresAreOverridable: boolean;
      },
      events: {} as
        | { readonly type: "start" }
        | { readonly type: "evaluationPassed" }
        | { readonly type: "evaluationFailed" }
        | { readonly type: "evaluationErrored" }
        | { readonly type: "evaluationOverridden" }
        | { readonly type: "override" }
        | { readonly type: "cancel" }
        | { readonly type: "abandon" },
    },
    guards: {
      mayBeOverridden: ({ context }) => context.failuresAreOverridable,
    },
  }).createMachine({
    id: "task-stage",
    context: { failuresAreOverridable: false },
    initial: "pending",
    states: {
      pending: {
        on: {
          start: { target: "running" },
          abandon: { target: "unreachable" },
        },
      },
      running: {
        on: {
          evaluationPassed: { target: "passed" },
          evaluationFailed: [{ target: "awaiting_override", guard: "mayBeOverridden" }, { target: "failed" }],
          evaluationErrored: { target: "errored" },
          evaluationOverridden: { target: "passed" },
          cancel: { target: "canceled" },
        },
      },
      awaiting_override: {
        on: {
          override: { target: "running" },
          cancel: { target: "canceled" },
        },
      },
      passed: { type: "final" },
      failed: { type: "final" },
      errored: { type: "final" },
      canceled: { type: "final" },
      unreachable: { type: "final" },
    },
  });
